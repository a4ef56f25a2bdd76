package ingest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/book"
	"lexagent/index"
	"lexagent/statute"
)

// contents is everything that readers find in a data folder: laws, units, chunks,
// citations, repeals, and the digest of the index.
func contents(t *testing.T, dir string) (lines []string) {
	t.Helper()
	ctx := context.Background()
	b, err := book.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	add := func(v any) { lines = append(lines, fmt.Sprintf("%+v", v)) }
	for _, l := range b.AllLaws() {
		add(*l)
	}
	if err := b.Each(ctx, func(u *statute.Unit, _ *statute.Law) error { add(*u); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := b.EachChunk(ctx, func(p *statute.Passage, _ *statute.Law) error { add(*p); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := b.EachCitation(ctx, func(c book.Citation, _, _ string) error { add(c); return nil }); err != nil {
		t.Fatal(err)
	}
	repeals, err := b.Repeals(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range repeals {
		add(r)
	}
	if indexed(dir) {
		add(openIndex(t, dir).Manifest().Digest)
	}
	return lines
}

// sameAsClean holds that a data folder is what an ingest into a new one makes.
func sameAsClean(t *testing.T, dir string, paths ...string) {
	t.Helper()
	clean := t.TempDir()
	ingest(t, clean, Options{}, paths...)
	if diff := cmp.Diff(contents(t, clean), contents(t, dir)); diff != "" {
		t.Errorf("(-clean +grown)\n%s", diff)
	}
}

// article reads the text of a unit, "" when the book has none of this id.
func article(t *testing.T, dir, id string) string {
	t.Helper()
	b, err := book.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	u, _, err := b.Unit(context.Background(), []string{book.DefaultCollection}, id, 20300101)
	if err != nil {
		return ""
	}
	return u.Text
}

// What lawText(0, …) and its like are called.
const firstLaw = "第一号示范条例@2019-01-01"

// allOf filters nothing.
var allOf = index.Filter{}

func TestACorrectedFileTakesThePlaceOfTheOldOne(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	ingest(t, dir, Options{}, src)
	writeFile(t, filepath.Join(src, "law000.md"), lawText(0, "应当备案，并适用第三条")+"\n第四条 附则。\n")
	writeFile(t, filepath.Join(src, "law001.md"), strings.Replace(lawText(1, "应当依法登记"), "第三条 本条例自2019年3月1日起施行。\n", "", 1))
	r := ingest(t, dir, Options{}, src)
	if r.Replaced != 1 || r.New != 1 || r.Removed != (Removed{Units: 1}) || len(r.Variants) != 0 || r.Unchanged != 1 {
		t.Errorf("%+v", r)
	}
	if s := r.String(); !strings.Contains(s, "1 with another text than before") || !strings.Contains(s, "removed   1 units and 0 laws") {
		t.Error(s)
	}
	if text := article(t, dir, firstLaw+":2"); text != "从事第0类活动的单位应当备案，并适用第三条。" {
		t.Errorf("第二条 is %q", text)
	}
	sameAsClean(t, dir, src)
}

func TestARevisedFileAddsAVersion(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	ingest(t, dir, Options{}, src)
	revised := strings.Replace(lawText(0, "应当备案"), "2019年1月1日国务院公布", "2019年1月1日国务院公布 2022年5月6日国务院修订", 1)
	writeFile(t, filepath.Join(src, "law000.md"), revised)
	r := ingest(t, dir, Options{}, src)
	if r.New != 3 || r.Removed != (Removed{}) || r.Book.Laws != 3 {
		t.Errorf("%+v", r)
	}
	if old, now := article(t, dir, firstLaw+":2"), article(t, dir, "第一号示范条例:2"); !strings.Contains(old, "登记") || !strings.Contains(now, "备案") {
		t.Errorf("the old version says %q, the one in force %q", old, now)
	}
	// The revised version is corrected: it is replaced, and the old one stays.
	writeFile(t, filepath.Join(src, "law000.md"), strings.Replace(revised, "应当备案", "应当报批", 1))
	if r = ingest(t, dir, Options{}, src); r.Replaced != 1 || r.Book.Laws != 3 {
		t.Errorf("%+v", r)
	}
}

func TestALawThatLeavesItsCorpus(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	line := func(law, text string) string {
		return fmt.Sprintf(`{"id":"%[1]s:1","law_id":"%[1]s","law_title":"%[1]s办法","kind":"article","label":"第一条","number":1,"text":"%[2]s"}`, law, text) + "\n"
	}
	path := filepath.Join(src, "units.jsonl")
	writeFile(t, path, line("甲", "甲文")+line("乙", "乙文")+line("丙", "丙文"))
	ingest(t, dir, Options{}, src)
	writeFile(t, path, line("甲", "甲文")+line("丙", "丙文二"))
	r := ingest(t, dir, Options{}, src)
	if r.Removed != (Removed{Units: 2, Laws: 2}) || r.Book.Laws != 2 { // 丙 has no day: its version is the hash of its text
		t.Errorf("%+v", r)
	}
	sameAsClean(t, dir, src)
	// A line that can't be read may be what is missing: nothing is removed.
	writeFile(t, path, line("甲", "甲文")+"{broken\n")
	if r = ingest(t, dir, Options{}, src); r.Removed != (Removed{}) || r.Book.Laws != 2 || len(r.Skipped) != 1 {
		t.Errorf("%+v", r)
	}
	// And a file that can't be read at all leaves everything.
	writeFile(t, path, "")
	if r = ingest(t, dir, Options{}, src); r.Book.Laws != 2 || len(r.Skipped) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestTwoFilesOfOneLaw(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(src, "a.md"), lawText(0, "应当登记"))
	writeFile(t, filepath.Join(src, "b.md"), lawText(0, "应当备案"))
	r := ingest(t, dir, Options{}, src)
	if !slices.Equal(r.Variants, []string{firstLaw + ":2~2"}) {
		t.Errorf("different inputs collide: %v", r.Variants)
	}
	for _, step := range []struct {
		file, rule, first, second string
	}{
		{"a.md", "应当报批", "应当报批", "应当备案"}, // each file's text is replaced under its own id
		{"b.md", "应当公示", "应当报批", "应当公示"},
		{"a.md", "应当公示", "应当公示", ""}, // both say the same
		{"a.md", "应当登记", "应当登记", "应当公示"},
	} {
		writeFile(t, filepath.Join(src, step.file), lawText(0, step.rule))
		ingest(t, dir, Options{}, src)
		if text := article(t, dir, firstLaw+":2"); !strings.Contains(text, step.first) {
			t.Errorf("%+v: 第二条 is %q", step, text)
		}
		if text := article(t, dir, firstLaw+":2~2"); !strings.Contains(text, step.second) || step.second == "" && text != "" {
			t.Errorf("%+v: its variant is %q", step, text)
		}
		sameAsClean(t, dir, src)
	}
}

func TestPrune(t *testing.T) {
	prune := Options{Prune: true}
	paths := func(r *Report) (out []string) {
		for _, p := range r.Pruned {
			out = append(out, filepath.Base(p.Path))
		}
		return out
	}
	tests := []struct {
		name  string
		steps func(t *testing.T, src string) []string // changes the folder and returns the paths to give
		gone  []string
		note  string
	}{
		{"nothing is gone", func(_ *testing.T, src string) []string { return []string{src} }, nil, ""},
		{"a file is gone", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "law000.md"))
			return []string{src}
		}, []string{"law000.md"}, ""},
		{"a folder is gone", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "sub"))
			return []string{src}
		}, []string{"law002.md"}, ""},
		{"a folder is empty, as where a disk is not mounted", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "sub", "law002.md"))
			return []string{src}
		}, nil, "is empty"},
		{"all is empty", func(t *testing.T, src string) []string {
			unlink(t, src)
			if err := os.Mkdir(src, 0o755); err != nil {
				t.Fatal(err)
			}
			return []string{src}
		}, nil, "is empty"},
		{"the path does not exist", func(t *testing.T, src string) []string { unlink(t, src); return []string{src} }, nil, "does not exist"},
		{"a file that was given does not exist", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "law000.md"))
			return []string{filepath.Join(src, "law000.md")}
		}, nil, "does not exist"},
		{"nor does it, but its folder was given too", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "law000.md"))
			return []string{filepath.Join(src, "law000.md"), src}
		}, []string{"law000.md"}, ""},
		{"a folder above was given", func(t *testing.T, src string) []string { unlink(t, src); return []string{filepath.Dir(src)} },
			[]string{"law000.md", "law001.md", "law002.md"}, ""},
		{"another folder was given", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "law000.md"))
			return []string{filepath.Join(src, "sub")}
		}, nil, ""},
		{"a folder whose name begins alike was given", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "law000.md"))
			writeFile(t, filepath.Join(src[:len(src)-1], "law.md"), lawText(9, "应当登记"))
			return []string{src[:len(src)-1]}
		}, nil, ""},
		{"the folder was given by a detour", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "law000.md"))
			return []string{src + "//sub/../"}
		}, []string{"law000.md"}, ""},
		{"a file is there, and hidden from the walk", func(t *testing.T, src string) []string {
			if err := os.Rename(filepath.Join(src, "sub"), filepath.Join(src, ".sub")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(".sub", filepath.Join(src, "sub")); err != nil {
				t.Fatal(err)
			}
			return []string{src}
		}, nil, ""},
		{"a file has taken the place of its folder", func(t *testing.T, src string) []string {
			unlink(t, filepath.Join(src, "sub"))
			writeFile(t, filepath.Join(src, "sub"), "no folder")
			return []string{src}
		}, []string{"law002.md"}, ""},
		{"a file was renamed", func(t *testing.T, src string) []string {
			if err := os.Rename(filepath.Join(src, "law000.md"), filepath.Join(src, "renamed.md")); err != nil {
				t.Fatal(err)
			}
			return []string{src}
		}, []string{"law000.md"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, src := t.TempDir(), filepath.Join(t.TempDir(), "laws")
			writeLaws(t, src, 2)
			writeFile(t, filepath.Join(src, "sub", "law002.md"), lawText(2, "应当备案"))
			writeFile(t, filepath.Join(src, "..", "README"), "the laws")
			ingest(t, dir, Options{}, src)
			given := test.steps(t, src)
			if r := ingest(t, dir, Options{}, given...); len(r.Pruned) != 0 {
				t.Errorf("pruned without being asked: %v", paths(r))
			}
			r := ingest(t, dir, prune, given...)
			if !slices.Equal(paths(r), test.gone) {
				t.Errorf("pruned %v, want %v", paths(r), test.gone)
			}
			if s := r.String(); test.note != "" && !strings.Contains(s, test.note) || len(test.gone) > 0 && !strings.Contains(s, "pruned    ") {
				t.Error(s)
			}
			if len(test.gone) > 0 && test.name != "a folder above was given" {
				sameAsClean(t, dir, src)
			}
		})
	}
}

func unlink(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// A book that has lost its last file answers nothing.
func TestPruneEverything(t *testing.T) {
	dir, src := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(src, "laws", "law.md"), lawText(0, "应当登记"))
	ingest(t, dir, Options{Encoder: &bags{}}, src)
	unlink(t, filepath.Join(src, "laws"))
	writeFile(t, filepath.Join(src, "README"), "nothing here")
	r := ingest(t, dir, Options{Prune: true, Encoder: &bags{}}, src)
	if r.Book.Units != 0 || r.Book.Chunks != 0 || len(r.Pruned) != 1 || r.Vectors != (Vectors{}) {
		t.Errorf("%+v", r)
	}
	s := openIndex(t, dir)
	if hits, err := s.SearchSparse(context.Background(), s.Query("登记"), allOf, 5); err != nil || len(hits) != 0 {
		t.Errorf("%v, %v", hits, err)
	}
}

// What another collection holds of a file is its own affair.
func TestPruneIsOfOneCollection(t *testing.T) {
	dir, src := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	ingest(t, dir, Options{}, src)
	ingest(t, dir, Options{Collection: "firm"}, src)
	unlink(t, filepath.Join(src, "law000.md"))
	if r := ingest(t, dir, Options{Collection: "firm", Prune: true}, src); len(r.Pruned) != 1 || r.Book.Laws != 3 {
		t.Errorf("%+v", r)
	}
}

// The report tells of every file how much of it is accounted for, also when nothing
// was read anew.
func TestCoverageInTheReport(t *testing.T) {
	dir, src := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	writeFile(t, filepath.Join(src, "units.jsonl"),
		`{"law_title":"示范办法","kind":"article","label":"第一条","text":"`+strings.Repeat("字", 197)+`"}`+"\n{\"broken\n")
	for _, want := range []bool{false, true} {
		r := ingest(t, dir, Options{}, src)
		if len(r.Sources) != 3 {
			t.Fatalf("%d files in the report", len(r.Sources))
		}
		for i, f := range r.Sources {
			c := f.Coverage
			whole := c.Share == 1 && c.Missed == 0 && c.Chars > 0 && c.Chars == c.InUnits+c.Headings+c.Rest && f.Unchanged == want
			broken := !f.Unchanged && c.Chars == 208 && c.Missed == 8 && c.First != nil && c.First.Line == 2
			if i < 2 && !whole || i == 2 && !broken {
				t.Errorf("%+v %+v", f, c.First)
			}
		}
		s := r.String()
		if !strings.Contains(s, "warning   "+filepath.Join(src, "units.jsonl")+": only 96.15 % covered; 8 characters are in no unit, the first at line 2: ") {
			t.Error(s)
		}
		if strings.Count(s, "warning") != 1 {
			t.Error(s)
		}
	}
}

func TestPercentIsCut(t *testing.T) {
	for _, test := range []struct {
		chars, missed int
		want          string
	}{{100, 0, "100.00 %"}, {1_000_000, 1, "99.99 %"}, {200, 1, "99.50 %"}, {3, 1, "66.66 %"}, {3, 3, "0.00 %"}} {
		c := Coverage{Chars: test.chars, Missed: test.missed}
		c.share()
		if got := c.percent(); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// A book of another format is refused with what to do, which costs no vectors.
func TestABookOfAnotherFormat(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 40)
	ingest(t, dir, Options{Encoder: &bags{}}, src)
	path := filepath.Join(dir, "book.db")
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec("PRAGMA user_version = 5")
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), dir, []string{src}, Options{})
	if err == nil || !strings.Contains(err.Error(), path+": it has format 5, this program reads format") || !strings.Contains(err.Error(), "remove it and ingest again") {
		t.Errorf("%v", err)
	}
	unlink(t, path)
	enc := &bags{}
	if r := ingest(t, dir, Options{Encoder: enc}, src); r.Vectors.Done != 160 || enc.texts > probes {
		t.Errorf("%+v, %d texts encoded anew", r.Vectors, enc.texts)
	}
}
