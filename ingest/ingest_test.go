package ingest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/model"
	"lexagent/statute"
)

// bags is an encoder for tests: 16 hashed character counts at length 1, and counted
// calls.
type bags struct {
	name  string
	slow  time.Duration
	mu    sync.Mutex // windows are encoded side by side
	texts int
}

func (b *bags) Dim() int       { return 16 }
func (b *bags) Digest() string { return "bags" + b.name }
func (b *bags) Encode(ctx context.Context, texts []string, _ model.Role) ([][]float32, error) {
	b.mu.Lock()
	b.texts += len(texts)
	b.mu.Unlock()
	time.Sleep(b.slow)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, 16)
		for _, r := range t {
			h := fnv.New32a()
			fmt.Fprint(h, r)
			v[h.Sum32()%16]++
		}
		out[i] = unit(v)
	}
	return out, ctx.Err()
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(max(sum, 1)))
	}
	return v
}

// writeLaws writes n Markdown laws of three articles into dir.
func writeLaws(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("law%03d.md", i)), lawText(i, "应当依法登记"))
	}
}

func lawText(i int, rule string) string {
	return fmt.Sprintf("# 第%s号示范条例\n\n2019年1月%d日国务院公布\n\n<!-- INFO END -->\n\n## 第一章 总则\n\n第一条 为了规范第%d类活动，制定本条例。\n\n第二条 从事第%d类活动的单位%s。\n\n第三条 本条例自2019年3月1日起施行。\n",
		numeral(i+1), i%28+1, i, i, rule)
}

func numeral(n int) string {
	s, err := statute.Numeral(n)
	if err != nil {
		panic(err)
	}
	return s
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func ingest(t *testing.T, dir string, o Options, paths ...string) *Report {
	t.Helper()
	r, err := Run(context.Background(), dir, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func openIndex(t *testing.T, dir string) *embedded.Store {
	t.Helper()
	s, err := embedded.Open(IndexRoot(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestIngestStoresIndexesAndEmbeds(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 5)
	enc := &bags{} // encodes each text, and again the sample that is looked for, which is all of so few
	r := ingest(t, dir, Options{Encoder: enc}, src)
	if r.Files != 5 || r.Laws != 5 || r.Articles != 15 || r.New != 15 || r.Vectors != (Vectors{20, 20}) || r.Book.Chunks != 5 || r.Coverage.Share < 0.995 || len(r.Skipped) != 0 {
		t.Errorf("%+v", r)
	}
	s := openIndex(t, dir)
	hits, err := s.SearchSparse(context.Background(), s.Query("从事第3类活动的单位"), index.Filter{Kinds: statute.UnitKinds}, 1)
	if err != nil || len(hits) != 1 || !strings.HasSuffix(hits[0].ID, ":2") {
		t.Errorf("%v, %v", hits, err)
	}

	again := ingest(t, dir, Options{Encoder: enc}, src)
	if again.Unchanged != 5 || again.New != 0 || enc.texts != 20+20 {
		t.Errorf("nothing changed, yet %+v and %d texts were encoded", again, enc.texts)
	}

	// One more law: only its articles and its chunk are encoded, the other vectors are taken over.
	writeFile(t, filepath.Join(src, "law005.md"), lawText(5, "应当备案"))
	more := ingest(t, dir, Options{Encoder: enc}, src)
	if more.Unchanged != 5 || more.New != 3 || more.Vectors != (Vectors{24, 24}) || enc.texts != 40+4+24 {
		t.Errorf("%+v, %d texts encoded", more, enc.texts)
	}
}

// An index left from another book is not taken for this one's, whatever the
// revisions; vectors of the same texts are.
func TestAnIndexOfAnotherBook(t *testing.T) {
	src, other, dir := t.TempDir(), t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(other, "law.md"), lawText(7, "应当备案"))
	writeFile(t, filepath.Join(src, "law.md"), lawText(8, "应当备案"))
	ingest(t, dir, Options{Encoder: &bags{}}, other)
	if err := os.Remove(filepath.Join(dir, "book.db")); err != nil {
		t.Fatal(err)
	}
	ingest(t, dir, Options{Encoder: &bags{}}, src)
	id, _, err := openIndex(t, dir).Document(0)
	if err != nil || !strings.HasPrefix(id, "第九号示范条例@") {
		t.Errorf("the index still holds %s, %v", id, err)
	}
}

func TestWordsFirstVectorsLater(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	if r := ingest(t, dir, Options{}, src); r.Vectors != (Vectors{0, 12}) {
		t.Errorf("%+v", r)
	}
	ctx := context.Background()
	b, err := book.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s := openIndex(t, dir) // a server that is running
	var last int
	if err := Update(ctx, dir, b, &bags{}, func(done, _ int) { last = done }); err != nil || last != 12 {
		t.Errorf("%d, %v", last, err)
	}
	if done, total := s.Vectors(); done != 12 || total != 12 {
		t.Errorf("a running reader sees %d of %d vectors", done, total)
	}
}

func TestOneBadInputDoesNotStopTheRest(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	writeFile(t, filepath.Join(src, "broken.md"), "\xff\xfe\x00\x01\x02binary")
	writeFile(t, filepath.Join(src, "empty.md"), "")
	writeFile(t, filepath.Join(src, "questions.jsonl"), `{"id":"q1","question":"离婚"}`+"\n")
	writeFile(t, filepath.Join(src, "picture.png"), "not a law")
	writeFile(t, filepath.Join(src, "units.jsonl"),
		`{"id":"L9:1","law_id":"L9","law_title":"示范办法","level":4,"kind":"article","label":"第一条","number":1,"sub":0,"path":[],"text":"一。","current":true}`+"\n{broken\n"+
			`{"id":"L9:2","law_id":"L9","law_title":"示范办法","level":4,"kind":"article","label":"第二条","number":2,"sub":0,"path":[],"text":"二。","current":true}`+"\n")
	if err := os.Symlink(src, filepath.Join(src, "loop")); err != nil {
		t.Fatal(err)
	}
	r := ingest(t, dir, Options{}, src, filepath.Join(src, "missing.md"))
	if r.New != 8 || len(r.Skipped) != 4 || len(r.Ignored) != 2 {
		t.Errorf("new %d, skipped %v, ignored %v", r.New, r.Skipped, r.Ignored)
	}
	if s := r.String(); !strings.Contains(s, "units.jsonl:2: ") || !strings.Contains(s, "missing.md: ") {
		t.Error(s)
	}
}

func TestOnlyTheListedUnitsAreStored(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	list := filepath.Join(t.TempDir(), "ids.txt")
	writeFile(t, list, "第一号示范条例@2019-01-01:2\n\n第二号示范条例@2019-01-02:3\nnot there\n")
	ids, err := ReadIDs(list)
	if err != nil {
		t.Fatal(err)
	}
	r := ingest(t, dir, Options{OnlyIDs: ids}, src)
	if r.New != 2 || r.LeftOut != 4 {
		t.Errorf("%+v", r)
	}
	// Without the list the rest is read again.
	if r := ingest(t, dir, Options{}, src); r.New != 4 || r.Same != 2 {
		t.Errorf("%+v", r)
	}
}

func TestNamesOfCollections(t *testing.T) {
	for _, name := range []string{"Öffentlich", "a b", "../x", "|", strings.Repeat("a", 65)} {
		if _, err := Run(context.Background(), t.TempDir(), nil, Options{Collection: name}); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestASecondWriterIsRefused(t *testing.T) {
	dir := t.TempDir()
	b, err := book.Create(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := Run(context.Background(), dir, nil, Options{}); !errors.Is(err, book.ErrLocked) {
		t.Errorf("%v", err)
	}
}

func TestAnInterruptKeepsWhatIsDone(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Run(ctx, dir, []string{src}, Options{Encoder: &bags{}, Progress: func(p Progress) {
		if p.Stage == "index" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if r := ingest(t, dir, Options{Encoder: &bags{}}, src); r.Unchanged != 3 || r.Vectors.Done != 12 {
		t.Errorf("%+v", r)
	}
}

// A process killed at any moment leaves what goes on: the index in the end is the
// same, to the byte, as after an undisturbed run.
func TestKillAndGoOn(t *testing.T) {
	if dir := os.Getenv("LEXAGENT_INGEST_DIR"); dir != "" {
		ingest(t, dir, Options{Encoder: &bags{slow: 30 * time.Millisecond}}, os.Getenv("LEXAGENT_INGEST_SRC"))
		return
	}
	src, calm, rough := t.TempDir(), t.TempDir(), t.TempDir()
	writeLaws(t, src, 400)
	ingest(t, calm, Options{Encoder: &bags{}}, src)
	rng := rand.New(rand.NewPCG(1, 2))
	kills := 12
	for range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKillAndGoOn$")
		cmd.Env = append(os.Environ(), "LEXAGENT_INGEST_DIR="+rough, "LEXAGENT_INGEST_SRC="+src)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+rng.IntN(700)) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have finished
		_ = cmd.Wait()
	}
	r := ingest(t, rough, Options{Encoder: &bags{}}, src)
	if r.Book.Units != 1200 || r.Vectors.Done != 1600 {
		t.Errorf("%+v", r)
	}
	a, b := openIndex(t, calm), openIndex(t, rough)
	if a.Manifest().Digest != b.Manifest().Digest {
		t.Error("the indexes differ")
	}
	for _, f := range []string{"postings.bin", "docs.bin", "terms.bin", "vectors.bin"} {
		x, err1 := os.ReadFile(filepath.Join(IndexRoot(calm), a.Manifest().Name(), f))
		y, err2 := os.ReadFile(filepath.Join(IndexRoot(rough), b.Manifest().Name(), f))
		if err := errors.Join(err1, err2); err != nil || string(x) != string(y) {
			t.Errorf("%s differs: %v", f, err)
		}
	}
}
