package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lexagent/statute"
)

// sharedLegalDC returns the folder of real Word documents beside the repository,
// or skips.
func sharedLegalDC(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "data", "legal_dc")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real Word documents is not there: ", dir)
	}
	return dir
}

// eachLine calls use for each line of a file of JSON lines, decoded into a T.
func eachLine[T any](t testing.TB, path string, use func(T)) {
	t.Helper()
	f, err := openLines(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := newLineReader(f); ; {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return
		}
		var v T
		if err == nil {
			err = json.Unmarshal(line, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		use(v)
	}
}

// plainText is a Word document as another parser saw it.
type plainText struct {
	Title string `json:"title"`
	File  string `json:"file"`
	Text  string `json:"text"`
}

// lineHeads lists the labels of the lines that begin with 第…条.
func lineHeads(text string) []statute.LineLabel {
	var out []statute.LineLabel
	for _, line := range strings.Split(text, "\n") {
		if l, ok := statute.LeadingLabel(line); ok {
			out = append(out, l)
		}
	}
	return out
}

// TestLegalDC reads 539 real Word documents and compares them with the plain text
// that another parser made of them: every line that begins with an article's label
// is an article here, alone and whole, and every article's text stands in the
// plain text. What differs stands in testdata with its reason.
func TestLegalDC(t *testing.T) {
	skipUnderRace(t)
	dir := sharedLegalDC(t)
	golden := filepath.Join("testdata", "legal_dc_differences.txt")
	reasons := readReasons(t, golden)
	var got []string
	files, heads, articles, units := 0, 0, 0, 0
	total, rest := Coverage{}, map[string]int{}
	eachLine(t, filepath.Join(dir, "documents.jsonl.gz"), func(p plainText) {
		doc := readOne(t, filepath.Join(dir, filepath.FromSlash(p.File)))
		checkDocument(t, doc)
		files++
		heads += len(lineHeads(p.Text))
		units += len(doc.Units)
		for _, u := range doc.Units {
			if u.Kind == statute.Article {
				articles++
			}
		}
		total.Chars += doc.Coverage.Chars
		total.InUnits += doc.Coverage.InUnits
		total.InHeadings += doc.Coverage.InHeadings
		for _, s := range doc.Coverage.Rest {
			rest[s.Why] += s.Chars
		}
		got = append(got, wordDifferences(p, doc)...)
	})
	t.Logf("%d files: %d lines begin with a label, %d articles in %d units; %d characters: %d in units, %d in headings, rest %v",
		files, heads, articles, units, total.Chars, total.InUnits, total.InHeadings, rest)
	holdReasons(t, golden, got, reasons)
}

// wordDifferences lists, one line a file and kind: "-" lines that begin with a
// label and are no article, "+" articles without such a line, "~" articles whose
// label and text don't stand in the plain text as they are, "!" characters that
// the plain text has more.
func wordDifferences(p plainText, doc *Document) []string {
	lines := map[string]int{}
	for _, l := range lineHeads(p.Text) {
		lines[l.Label]++
	}
	plain := squeeze(p.Text)
	found := map[string][]string{}
	for _, u := range doc.Units {
		if u.Kind != statute.Article {
			continue
		}
		if lines[u.Label]--; lines[u.Label] < 0 {
			found["+"] = append(found["+"], u.Label)
		}
		if !strings.Contains(plain, squeeze(u.Label+u.Text)) {
			found["~"] = append(found["~"], u.Label)
		}
	}
	for _, l := range lineHeads(p.Text) {
		if lines[l.Label] > 0 {
			lines[l.Label]--
			found["-"] = append(found["-"], l.Label)
		}
	}
	var out []string
	name := strings.TrimSuffix(filepath.Base(p.File), ".docx")
	for _, kind := range []string{"-", "+", "~"} {
		if l := found[kind]; len(l) > 0 {
			out = append(out, fmt.Sprintf("%s %s: %d, %s to %s", kind, name, len(l), l[0], l[len(l)-1]))
		}
	}
	bars := strings.Count(p.Text, "|") // between cells, also those of empty rows
	if more := chars(p.Text) - bars - doc.Coverage.Chars; more > 0 {
		out = append(out, fmt.Sprintf("! %s: %d", name, more))
	}
	return out
}

// TestLegalDCEvidence counts the passages that answers in Legal-DC rest on which
// lie whole in one unit or chunk.
func TestLegalDCEvidence(t *testing.T) {
	skipUnderRace(t)
	dir := sharedLegalDC(t)
	type question struct {
		ID       string   `json:"id"`
		File     string   `json:"file"`
		Evidence []string `json:"evidence"`
	}
	texts := map[string][]string{}
	chunks := map[string][]string{}
	all, whole, chunked, why := 0, 0, 0, map[string]int{}
	for _, split := range []string{"train.jsonl", "dev.jsonl"} {
		eachLine(t, filepath.Join(dir, split), func(q question) {
			in, read := texts[q.File]
			if !read {
				doc := readOne(t, filepath.Join(dir, filepath.FromSlash(q.File)))
				for _, u := range doc.Units {
					in = append(in, squeeze(u.Label+u.Text))
				}
				texts[q.File] = in
				for _, c := range Chunks(&doc.Law, doc.Units) {
					chunks[q.File] = append(chunks[q.File], squeeze(c.Text))
				}
			}
			for _, e := range q.Evidence {
				all++
				reason := notWhole(in, squeeze(e))
				if reason == "" {
					whole++
					continue
				}
				if notWhole(chunks[q.File], squeeze(e)) == "" {
					chunked++
					continue
				}
				why[reason]++
				t.Logf("%s %s: %s: %.90s", q.ID, filepath.Base(q.File), reason, strings.ReplaceAll(e, "\n", "/"))
			}
		})
	}
	t.Logf("%d of %d passages lie whole in one unit (%.2f %%), %d more in one chunk (%.2f %%); not: %v",
		whole, all, 100*float64(whole)/float64(all), chunked, 100*float64(whole+chunked)/float64(all), why)
	if whole*1000 < all*975 {
		t.Errorf("fewer than 97.5 %% of the passages lie whole in one unit")
	}
}

var itemNumber = regexp.MustCompile(`（[一二三四五六七八九十]+）`)

// notWhole says why a passage doesn't lie whole in one unit; "" when it does.
func notWhole(units []string, passage string) string {
	in := func(texts []string, s string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, s) })
	}
	joined := strings.Join(units, "")
	switch {
	case in(units, passage):
		return ""
	case strings.Contains(joined, passage):
		return "spans several units"
	case strings.Contains(itemNumber.ReplaceAllString(joined, ""), itemNumber.ReplaceAllString(passage, "")):
		return "lacks the automatic numbers"
	}
	return "has a title, a dated line or a heading"
}

// BenchmarkDOCX reads the 539 real documents.
func BenchmarkDOCX(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join(sharedLegalDC(b), "docx", "*.docx"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		units := 0
		for _, p := range paths {
			units += len(readOne(b, p).Units)
		}
		b.ReportMetric(float64(len(paths)), "documents")
		b.ReportMetric(float64(units), "units")
	}
}
