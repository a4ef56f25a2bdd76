package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lexagent/statute"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sharedLaws returns the folder of real laws beside the repository, or skips.
func sharedLaws(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "data", "laws")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real laws is not there: ", dir)
	}
	return dir
}

// reference is a unit as another parser cut it.
type reference struct {
	unitRecord
	want statute.Unit
}

// references reads the units of the given laws, by law_id.
func references(t testing.TB, path string, wanted map[string]bool) map[string][]reference {
	t.Helper()
	f, err := openLines(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string][]reference{}
	lines := newLineReader(f)
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		var r reference
		if err := json.Unmarshal(line, &r.unitRecord); err != nil {
			t.Fatal(err)
		}
		if !wanted[r.LawID] {
			continue
		}
		if r.want, err = r.unit(); err != nil {
			t.Fatal(err)
		}
		out[r.LawID] = append(out[r.LawID], r)
	}
}

// sampleFile is a line of the sample's index.
type sampleFile struct {
	Path  string `json:"path"`
	LawID string `json:"law_id"`
}

func sampleIndex(t testing.TB, dir string) []sampleFile {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "raw_sample", "INDEX.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sampleFile
	for line := range bytes.Lines(b) {
		var s sampleFile
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// same reports whether two texts agree, white space at the ends of lines apart.
func same(a, b string) bool {
	clean := func(s string) string {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		return strings.Join(lines, "\n")
	}
	return a == b || clean(a) == clean(b)
}

// differences lists what one parser found and the other not: "- " before what
// only the reference has, "+ " before what only we have.
func differences(refs []reference, units []statute.Unit) []string {
	used := make([]bool, len(units))
	var out []string
	for _, r := range refs {
		i := slices.IndexFunc(units, func(u statute.Unit) bool {
			return u.Kind == r.want.Kind && u.Label == r.want.Label && same(u.Text, r.want.Text)
		})
		if i < 0 {
			out = append(out, "- "+r.ID)
			continue
		}
		used[i] = true
	}
	for i, u := range units {
		if !used[i] {
			out = append(out, "+ "+u.ID)
		}
	}
	return out
}

// TestRawSample reads the 161 real files and compares every unit with the
// reference cut; each difference stands in testdata with its reason.
func TestRawSample(t *testing.T) {
	dir := sharedLaws(t)
	index := sampleIndex(t, dir)
	wanted := map[string]bool{}
	for _, s := range index {
		wanted[s.LawID] = true
	}
	refs := references(t, filepath.Join(dir, "articles.jsonl.gz"), wanted)
	golden := filepath.Join("testdata", "raw_sample_differences.txt")
	reasons := readReasons(t, golden)

	var got []string
	articles, units, found, foundArticles := 0, 0, 0, 0
	total := Coverage{}
	rest := 0
	for _, s := range index {
		doc := readOne(t, filepath.Join(dir, "raw_sample", filepath.FromSlash(s.Path)))
		checkDocument(t, doc)
		total.Chars += doc.Coverage.Chars
		total.InUnits += doc.Coverage.InUnits
		total.InHeadings += doc.Coverage.InHeadings
		rest += doc.Coverage.RestChars()
		diff := differences(refs[s.LawID], doc.Units)
		missing := map[string]bool{}
		for _, d := range diff {
			missing[strings.TrimPrefix(d, "- ")] = true
		}
		for _, r := range refs[s.LawID] {
			units++
			if !missing[r.ID] {
				found++
			}
			if r.want.Kind == statute.Article {
				articles++
				if !missing[r.ID] {
					foundArticles++
				}
			}
		}
		got = append(got, diff...)
	}
	t.Logf("articles %d of %d, units %d of %d; %d characters: %d in units, %d in headings, %d in a listed rest",
		foundArticles, articles, found, units, total.Chars, total.InUnits, total.InHeadings, rest)
	holdReasons(t, golden, got, reasons)
}

// readReasons reads lines of "difference<TAB>reason"; # opens a comment.
func readReasons(t testing.TB, path string) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	f, err := os.Open(path)
	if err != nil {
		if *update {
			return reasons
		}
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if d, reason, ok := strings.Cut(sc.Text(), "\t"); ok && !strings.HasPrefix(d, "#") {
			reasons[d] = reason
		}
	}
	return reasons
}

// holdReasons demands a reason for every difference, and none for what is no
// difference any more. With -update it writes the list anew.
func holdReasons(t testing.TB, golden string, got []string, reasons map[string]string) {
	t.Helper()
	if *update {
		writeReasons(t, golden, got, reasons)
	}
	for _, d := range got {
		if reasons[d] == "" {
			t.Errorf("%s: a difference without a reason in %s", d, golden)
		}
		delete(reasons, d)
	}
	for d := range reasons {
		t.Errorf("%s: listed in %s and no difference any more", d, golden)
	}
}

func writeReasons(t testing.TB, path string, got []string, reasons map[string]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Units that only the reference has (-) or only this package (+), each with the reason.\n")
	for _, d := range got {
		fmt.Fprintf(&b, "%s\t%s\n", d, reasons[d])
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readOne reads a file that must hold one document.
func readOne(t testing.TB, path string) *Document {
	t.Helper()
	var docs []*Document
	for doc, err := range Read(t.Context(), path) {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
	if len(docs) != 1 {
		t.Fatalf("%s: %d documents, want one", path, len(docs))
	}
	return docs[0]
}

// checkDocument holds what is true of every document.
func checkDocument(t testing.TB, doc *Document) {
	t.Helper()
	seen := map[string]bool{}
	inUnits := 0
	for i, u := range doc.Units {
		if u.ID == "" || seen[u.ID] {
			t.Errorf("%s: id %q is empty or not unique", doc.Source, u.ID)
		}
		if u.LawID != doc.Law.ID || u.Order != i || u.Label == "" {
			t.Errorf("%s: unit %+v does not fit its place", doc.Source, u)
		}
		if _, err := statute.ParseID(u.ID); err != nil {
			t.Errorf("%s: %v", doc.Source, err)
		}
		seen[u.ID] = true
		inUnits += chars(u.Text)
	}
	c := &doc.Coverage
	if c.Chars == 0 {
		return
	}
	if c.Chars != c.InUnits+c.InHeadings+c.RestChars() || inUnits > c.InUnits || len(c.Missed) > 0 {
		t.Errorf("%s: %d characters, but %d in units (texts alone %d), %d in headings, %d in the rest; missed %+v",
			doc.Source, c.Chars, c.InUnits, inUnits, c.InHeadings, c.RestChars(), c.Missed)
	}
}

// underRace is set when the race detector is on, which makes reading whole corpora
// take minutes; make test reads them without it as well.
var underRace bool

func skipUnderRace(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("whole corpora are read without the race detector: go test ./corpus")
	}
}

// TestAllLaws reads the Markdown of all 3,475 laws and counts the articles that
// are cut as in the reference.
func TestAllLaws(t *testing.T) {
	skipUnderRace(t)
	dir := sharedLaws(t)
	alone := filepath.Join(t.TempDir(), "laws.jsonl.gz") // without the articles beside it
	b, err := os.ReadFile(filepath.Join(dir, "laws.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(alone, b, 0o600); err != nil {
		t.Fatal(err)
	}
	docs := map[string]*Document{}
	wanted := map[string]bool{}
	for doc, err := range Read(t.Context(), alone) {
		if err != nil {
			t.Log(err)
			continue
		}
		checkDocument(t, doc)
		docs[doc.Law.SourceIDs[0]] = doc
		wanted[doc.Law.SourceIDs[0]] = true
	}
	articles, found, extra := 0, 0, 0
	for id, refs := range references(t, filepath.Join(dir, "articles.jsonl.gz"), wanted) {
		diff := differences(refs, docs[id].Units)
		missing := map[string]bool{}
		for _, d := range diff {
			if name, ok := strings.CutPrefix(d, "- "); ok {
				missing[name] = true
			} else {
				extra++
			}
		}
		for _, r := range refs {
			if r.want.Kind == statute.Article {
				articles++
				if !missing[r.ID] {
					found++
				} else {
					t.Logf("missing %s %s %s", r.ID, r.LawTitle, r.Label)
				}
			}
		}
	}
	t.Logf("%d laws: articles %d of %d; %d units that the reference cuts differently or not at all", len(docs), found, articles, extra)
	if found*1000 < articles*998 {
		t.Errorf("fewer than 99.8 %% of the articles are cut as in the reference")
	}
}
