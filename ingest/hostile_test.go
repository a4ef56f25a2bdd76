package ingest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ingestSoon fails instead of hanging.
func ingestSoon(t *testing.T, dir string, o Options, paths ...string) *Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := Run(ctx, dir, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// reasons are the reports of skipped or ignored inputs as name: reason.
func reasons(list []Skip) (out []string) {
	for _, s := range list {
		out = append(out, filepath.Base(s.Path)+": "+s.Reason)
	}
	slices.Sort(out)
	return out
}

// Links to files are read, links that go round or nowhere are told, and no walk goes
// round.
func TestLinks(t *testing.T) {
	src, dir := filepath.Join(t.TempDir(), "laws"), t.TempDir()
	writeLaws(t, filepath.Join(src, "sub"), 2)
	link(t, ".", filepath.Join(src, "self"))
	link(t, "..", filepath.Join(src, "sub", "up"))
	link(t, "b.md", filepath.Join(src, "a.md")) // a ring of two
	link(t, "a.md", filepath.Join(src, "b.md"))
	link(t, "nowhere.md", filepath.Join(src, "dead.md"))
	link(t, "nowhere.png", filepath.Join(src, "dead.png"))
	link(t, filepath.Join("sub", "law001.md"), filepath.Join(src, "linked.md"))
	link(t, "/dev/zero", filepath.Join(src, "endless.md"))
	r := ingestSoon(t, dir, Options{}, src)
	if r.Files != 3 || r.New != 6 || r.Same != 3 || len(r.Skipped) != 0 {
		t.Errorf("%+v", r)
	}
	want := []string{"a.md: the link leads to no file", "b.md: the link leads to no file", "dead.md: the link leads to no file",
		"self: links to folders are not followed; give the folder itself", "up: links to folders are not followed; give the folder itself"}
	if !slices.Equal(reasons(r.Ignored), want) {
		t.Errorf("ignored %q", reasons(r.Ignored))
	}

	// A folder may be given by a link; prune takes nothing for gone then.
	by := src + "-link"
	link(t, src, by)
	for range 2 {
		if r := ingestSoon(t, dir, Options{Prune: true}, by); r.Files != 3 || len(r.Pruned) != 0 || r.Book.Laws != 2 {
			t.Errorf("%+v", r)
		}
	}
	if r := ingestSoon(t, dir, Options{}, filepath.Join(src, "a.md")); len(r.Skipped) != 1 {
		t.Errorf("a ring that was asked for: %+v", r)
	}
}

// What isn't a file is refused, not waited for.
func TestPipesAndDevices(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 1)
	pipe := filepath.Join(src, "pipe.md")
	for _, p := range []string{pipe, filepath.Join(src, "laws.jsonl")} {
		if err := syscall.Mkfifo(p, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(src, "articles.jsonl"), `{"law_title":"示范办法","kind":"article","label":"第一条","text":"一"}`+"\n")
	r := ingestSoon(t, dir, Options{}, src, pipe, "/dev/zero", "/dev/null")
	want := []string{"null: this is not a regular file", "pipe.md: this is not a regular file", "zero: this is not a regular file"}
	if r.Book.Laws != 2 || !slices.Equal(reasons(r.Skipped), want) {
		t.Errorf("%d laws, skipped %q", r.Book.Laws, reasons(r.Skipped))
	}
}

// nobody runs this test again as a user whom modes bind, when this one is root.
func nobody(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return true
	}
	const id = 65534
	dir, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unlink(t, dir) })
	program := filepath.Join(dir, "test")
	if err := copyFile(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o777, program: 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	return false
}

func TestWhatMayNotBeRead(t *testing.T) {
	if !nobody(t) {
		return
	}
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	closed, hidden := filepath.Join(src, "law001.md"), filepath.Join(src, "closed")
	writeFile(t, filepath.Join(hidden, "law002.md"), lawText(2, "应当备案"))
	ingestSoon(t, dir, Options{}, src)
	chmod := func(path string, mode os.FileMode) {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod(closed, 0)
	chmod(hidden, 0)
	t.Cleanup(func() { chmod(hidden, 0o755) })
	writeFile(t, filepath.Join(src, "law000.md"), lawText(0, "应当备案"))
	r := ingestSoon(t, dir, Options{Prune: true}, src)
	if len(r.Skipped) != 2 || r.Replaced != 1 || len(r.Pruned) != 0 || r.Removed != (Removed{}) || r.Book.Laws != 3 {
		t.Errorf("%+v", r)
	}
	for _, s := range r.Skipped {
		if !strings.Contains(s.Reason, "permission denied") {
			t.Errorf("%+v", s)
		}
	}
	chmod(closed, 0o644)
	chmod(hidden, 0o755)
	if r := ingestSoon(t, dir, Options{Prune: true}, src); r.Unchanged != 3 || len(r.Skipped) != 0 {
		t.Errorf("%+v", r)
	}
}

// Names are bytes: whatever a file is called, it is read once and known again, and
// the report names it.
func TestNamesOfFiles(t *testing.T) {
	names := []string{
		strings.Repeat("法", 84) + ".md", // 255 bytes
		strings.Repeat("律", 60) + "(2019-01-01).md",
		"- rf.md", "--prune.md", "a b\tc.md", "新\n行.md", "q'\"u`o$te.md", "100%25.md", "a|b:c@d~2.md", "..md..md", "~.md", "\xff\xfe.md", "e\u0301.md", "é.md",
		"\u202egnp.md", "CON.md", "{}[]*?.md", "＃.MD", "0.md",
	}
	src, dir := t.TempDir(), t.TempDir()
	n := 0
	for i, name := range names {
		path := filepath.Join(src, name)
		if err := os.WriteFile(path, []byte(lawText(i, "应当登记")), 0o644); err != nil {
			t.Logf("this disk takes no name %q: %v", name, err)
			continue
		}
		if !strings.HasPrefix(name, ".") { // those are hidden
			n++
		}
	}
	if n < len(names)-3 {
		t.Fatalf("only %d names could be tried", n)
	}
	r := ingestSoon(t, dir, Options{}, src)
	if r.Files != n || r.Laws != n || r.New != 3*n || len(r.Skipped) != 0 || len(r.Variants) != 0 {
		t.Errorf("%d files: %+v", n, r)
	}
	if r := ingestSoon(t, dir, Options{Prune: true}, src); r.Unchanged != n || len(r.Pruned) != 0 {
		t.Errorf("%+v", r)
	}
	for _, f := range r.Sources {
		unlink(t, f.Path)
	}
	writeFile(t, filepath.Join(src, "README"), "empty now")
	if r := ingestSoon(t, dir, Options{Prune: true}, src); len(r.Pruned) != n || r.Book.Units != 0 {
		t.Errorf("%+v", r)
	}
}

// A path is one input however it is spelt, and the data folder is none.
func TestSpellingsOfPaths(t *testing.T) {
	root := t.TempDir()
	src, dir := filepath.Join(root, "laws"), filepath.Join(root, "laws", "data")
	writeLaws(t, src, 2)
	writeFile(t, filepath.Join(src, ".hidden.md"), lawText(5, "应当登记"))
	writeFile(t, filepath.Join(src, ".git", "law.md"), lawText(6, "应当登记"))
	t.Chdir(src)
	for i, paths := range [][]string{
		{src}, {src + "/"}, {"."}, {"./"}, {"../laws"}, {"data/.."}, {"law000.md", "./law001.md"}, {src, ".", "law000.md", "../laws/law001.md"}, {root},
	} {
		r := ingestSoon(t, dir, Options{}, paths...)
		if r.Files != 2 || i > 0 && r.Unchanged != 2 || len(r.Skipped) != 0 || len(r.Ignored) != 0 {
			t.Errorf("%q: %+v", paths, r)
		}
	}
	if r := ingestSoon(t, dir, Options{}, "", "\x00.md", strings.Repeat("x/", 3000)+"x.md", strings.Repeat("法", 100)+".md"); r.Files != 4 || len(r.Skipped) != 4 {
		t.Errorf("%+v", r)
	}
}

func TestManyTinyFiles(t *testing.T) {
	n := 10_000
	if testing.Short() || underRace {
		n = 1000
	}
	src, dir := t.TempDir(), t.TempDir()
	for i := range n {
		writeFile(t, filepath.Join(src, fmt.Sprintf("%02d", i%100), fmt.Sprintf("%05d.md", i)),
			fmt.Sprintf("# 第%d号规定\n\n2019年1月2日公布\n\n<!-- INFO END -->\n\n第一条 第%d号。\n", i, i))
	}
	start := time.Now()
	r := ingest(t, dir, Options{}, src)
	took := time.Since(start)
	if r.Files != n || r.New != n || r.Book.Laws != n || len(r.Sources) != n {
		t.Errorf("%d files, %d units", r.Files, r.New)
	}
	start = time.Now()
	if r := ingest(t, dir, Options{Prune: true}, src); r.Unchanged != n || len(r.Pruned) != 0 {
		t.Errorf("%d of %d unchanged", r.Unchanged, n)
	}
	t.Logf("%d files: %s; again: %s", n, took.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
}
