package statute

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realLaw is a line of the shared laws.jsonl.gz. Level and Region are what the
// source's folders say; title and header are what the rules may look at.
type realLaw struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Level  Level  `json:"level"`
	Region string `json:"region"`
	Events []struct {
		Event string `json:"event"`
	} `json:"events"`
}

func (l realLaw) header() string {
	var b strings.Builder
	for _, e := range l.Events {
		b.WriteString(e.Event + "\n")
	}
	return b.String()
}

// sharedPath finds data that lies beside the repository, and skips the test where
// there is none.
func sharedPath(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join("..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("no shared data: %v", err)
	}
	return path
}

// eachLine calls f with every line of a gzipped JSON-lines file of the shared data.
func eachLine(tb testing.TB, name string, f func(line []byte)) {
	tb.Helper()
	file, err := os.Open(sharedPath(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
}

func realLaws(tb testing.TB) []realLaw {
	tb.Helper()
	var laws []realLaw
	eachLine(tb, "laws/laws.jsonl.gz", func(line []byte) {
		var l realLaw
		if err := json.Unmarshal(line, &l); err != nil {
			tb.Fatal(err)
		}
		laws = append(laws, l)
	})
	return laws
}

func realTitles(tb testing.TB, laws []realLaw) *Titles {
	tb.Helper()
	list := make([]Titled, len(laws))
	for i, l := range laws {
		list[i] = Titled{Title: l.Title, ID: ShortTitle(l.Title)}
	}
	return NewTitles(list)
}

// Every article of the original Markdown files has its label at the head of a line,
// and nothing else is taken for one.
func TestRealLabels(t *testing.T) {
	dir := sharedPath(t, "laws/raw_sample")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	files, labels := 0, 0
	for line := range bytes.Lines(index) {
		var doc struct {
			Path     string `json:"path"`
			Articles int    `json:"articles"`
		}
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, doc.Path))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			if l, ok := LeadingLabel(line); ok && l.Heads() {
				n++
			}
		}
		if n != doc.Articles && doc.Articles > 0 { // cases quote articles and have none
			t.Errorf("%s: %d labels, %d articles", doc.Path, n, doc.Articles)
		}
		files++
		labels += n
	}
	t.Logf("%d labels in %d files", labels, files)
}

// Every title resolves to its own law, and most aliases to a law of the corpus.
func TestRealTitlesResolve(t *testing.T) {
	laws := realLaws(t)
	titles := realTitles(t, laws)
	for _, l := range laws {
		ids := titles.Resolve("《" + l.Title + "》")
		found := false
		for _, id := range ids {
			found = found || id == ShortTitle(l.Title)
		}
		if !found {
			t.Errorf("%q resolves to %q", l.Title, ids)
		}
	}
	absent := 0
	for title, names := range aliases {
		want := titles.Resolve(title)
		if want == nil {
			absent++
			t.Logf("not in the corpus: %s", title)
			continue
		}
		for _, name := range names {
			if got := titles.Resolve(name); len(got) == 0 || got[0] != want[0] {
				t.Errorf("alias %q resolves to %q, want %q", name, got, want)
			}
		}
	}
	t.Logf("%d laws, %d titles with aliases, %d of them absent", len(laws), len(aliases), absent)
}
