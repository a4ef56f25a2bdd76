package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/index/embedded"
	"lexagent/ingest"
	"lexagent/statute"
)

// The test's own corpus is small. These name another one in JSON lines, how many of
// its units are taken, and how often the program is killed over it.
const (
	envKillCorpus  = "LEXAGENT_KILL_CORPUS"
	envKillUnits   = "LEXAGENT_KILL_UNITS"
	envKillMoments = "LEXAGENT_KILL_MOMENTS"
)

// TestKilledAtAnyMoment kills (SIGKILL) an ingest at random moments and starts it
// again, while files are corrected and removed in between. Whenever it
// comes to its end, the data folder must be what an undisturbed ingest makes of the
// same files: nothing is lost, nothing is there twice.
func TestKilledAtAnyMoment(t *testing.T) {
	k := &killing{t: t, src: filepath.Join(t.TempDir(), "laws"), dir: t.TempDir(), rand: rand.New(rand.NewPCG(51, 1)), stages: map[string]int{}}
	moments := number(t, envKillMoments, 50)
	if testing.Short() || underRace {
		moments = 8
	}
	k.write(number(t, envKillUnits, 1200))
	k.clean()
	for k.killed < moments {
		if k.run() {
			continue
		}
		k.compare()
		k.change()
		k.clean()
	}
	for k.run() {
		k.calm *= 2 // it is to come to its end
	}
	k.compare()
	t.Logf("killed %d times, during %v; compared %d times: %d lost, %d twice", k.killed, k.stages, k.compared, k.lost, k.twice)
}

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, no number", name, v)
	}
	return n
}

// underRace is set in a build with the race detector, which is slow.
var underRace bool

// ofLaw is how many articles a law of the test's own corpus has.
const ofLaw = 8

// killing is a test of kills under way.
type killing struct {
	t        *testing.T
	src, dir string
	rand     *rand.Rand
	changes  int
	want     holding
	calm     time.Duration  // that an undisturbed ingest takes
	stages   map[string]int // kills by what the program was doing
	killed   int
	compared int
	lost     int
	twice    int
}

// write makes the files to ingest.
func (k *killing) write(units int) {
	k.t.Helper()
	if path := os.Getenv(envKillCorpus); path != "" {
		k.cut(path, units)
		return
	}
	for i := range units / ofLaw {
		k.file(i, 0)
	}
}

// file writes one law of eight articles, half of which each draft changes.
func (k *killing) file(i, draft int) {
	k.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "# 第%d号示范条例\n\n2019年1月2日国务院公布\n\n<!-- INFO END -->\n\n", i)
	for n := 1; n <= ofLaw; n++ {
		fmt.Fprintf(&b, "%s 从事第%d类活动的单位，应当依照《第%d号示范条例》第三条和本条例第二条登记，第%d稿。\n\n", statute.Label(n, 0), i, i/2, draft*(n%2))
	}
	k.must(os.MkdirAll(k.src, 0o755))
	k.must(os.WriteFile(filepath.Join(k.src, fmt.Sprintf("%04d.md", i)), []byte(b.String()), 0o644))
}

// cut takes the first units of a corpus as files of a thousand each.
func (k *killing) cut(path string, units int) {
	k.t.Helper()
	f, err := os.Open(path)
	k.must(err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	k.must(err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	k.must(os.MkdirAll(k.src, 0o755))
	var b bytes.Buffer
	for n := 1; n <= units && lines.Scan(); n++ {
		b.Write(lines.Bytes())
		b.WriteByte('\n')
		if n%1000 == 0 || n == units {
			k.must(os.WriteFile(filepath.Join(k.src, fmt.Sprintf("%04d.jsonl", n/1000)), b.Bytes(), 0o644))
			b.Reset()
		}
	}
	k.must(lines.Err())
}

// change changes files, or begins with an empty data folder.
func (k *killing) change() {
	k.t.Helper()
	k.changes++
	if k.changes%3 == 0 {
		k.dir = k.t.TempDir()
		return
	}
	files, err := filepath.Glob(filepath.Join(k.src, "*"))
	k.must(err)
	for range len(files)/2 + 1 {
		path := files[k.rand.IntN(len(files))]
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed before
		}
		k.must(err)
		i, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".md"))
		switch {
		case k.rand.IntN(8) == 0:
			k.must(os.Remove(path))
		case err != nil: // JSON lines: a text is corrected and a line goes
			lines := strings.SplitAfter(string(text), "\n")
			lines[0] = strings.Replace(lines[0], `"text":"`, fmt.Sprintf(`"text":"第%d稿。`, k.changes), 1)
			at := 1 + k.rand.IntN(max(1, len(lines)-2))
			k.must(os.WriteFile(path, []byte(strings.Join(lines[:at], "")+strings.Join(lines[min(at+1, len(lines)):], "")), 0o644))
		default:
			k.file(i, k.changes)
		}
	}
}

func (k *killing) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// command is an ingest of the files.
func (k *killing) command(dir string) *exec.Cmd {
	cmd := exec.Command("lexagent", "ingest", k.src, "--data", dir, "--no-vectors", "--prune") // testscript.Main puts it on the PATH
	cmd.Env = append(os.Environ(), "LEXAGENT_STORE=embedded")
	return cmd
}

// clean ingests the files undisturbed into a new folder, for comparison.
func (k *killing) clean() {
	k.t.Helper()
	dir := k.t.TempDir()
	start := time.Now()
	out, err := k.command(dir).CombinedOutput()
	if k.calm = time.Since(start); err != nil {
		k.t.Fatalf("%v\n%s", err, out)
	}
	k.want = k.hold(dir)
	k.must(os.RemoveAll(dir))
}

// run starts an ingest and kills it at a random moment. It reports whether it was
// killed before its end.
func (k *killing) run() bool {
	k.t.Helper()
	var said bytes.Buffer
	cmd := k.command(k.dir)
	cmd.Stderr = &said
	k.must(cmd.Start())
	timer := time.AfterFunc(time.Duration(k.rand.Int64N(int64(k.calm))), func() { _ = cmd.Process.Kill() }) // it may have ended
	err := cmd.Wait()
	timer.Stop()
	if err == nil {
		return false
	}
	if status := (&exec.ExitError{}); !errors.As(err, &status) || status.Exited() {
		k.t.Fatalf("%v\n%s", err, said.String())
	}
	stage := "start"
	if lines := strings.Split(strings.TrimSpace(said.String()), "\n"); lines[len(lines)-1] != "" {
		stage, _, _ = strings.Cut(lines[len(lines)-1], " ")
	}
	k.stages[stage]++
	k.killed++
	return true
}

// holding is what a data folder holds: lines of laws, units, chunks, citations and
// repeals, the documents of the index, and its digest, each with how often it is there.
type holding map[string]int

func (k *killing) hold(dir string) holding {
	k.t.Helper()
	ctx := context.Background()
	h := holding{}
	b, err := book.Open(ctx, dir)
	k.must(err)
	defer b.Close()
	for _, l := range b.AllLaws() {
		h[fmt.Sprintf("%+v", *l)]++
	}
	k.must(b.Each(ctx, func(u *statute.Unit, _ *statute.Law) error { h[fmt.Sprintf("%+v", *u)]++; return nil }))
	k.must(b.EachChunk(ctx, func(p *statute.Passage, _ *statute.Law) error { h[fmt.Sprintf("%+v", *p)]++; return nil }))
	k.must(b.EachCitation(ctx, func(c book.Citation, _, _ string) error { h[fmt.Sprintf("%+v", c)]++; return nil }))
	repeals, err := b.Repeals(ctx)
	k.must(err)
	for _, r := range repeals {
		h[fmt.Sprintf("%+v", r)]++
	}
	s, err := embedded.Open(ingest.IndexRoot(dir))
	k.must(err)
	defer s.Close()
	for i := range s.Len() {
		id, _, err := s.Document(i)
		k.must(err)
		h["indexed "+id]++
	}
	h["index "+s.Manifest().Digest]++
	return h
}

// compare compares what the killed ingests made with what an undisturbed one makes.
func (k *killing) compare() {
	k.t.Helper()
	k.compared++
	got := k.hold(k.dir)
	for line, n := range k.want {
		if got[line] < n {
			k.lost += n - got[line]
			k.t.Errorf("lost: %.200s", line)
		}
	}
	for line, n := range got {
		if n > k.want[line] {
			k.twice += n - k.want[line]
			k.t.Errorf("too much: %.200s", line)
		}
	}
}
