package ingest

import (
	"errors"
	"fmt"
	"strings"

	"lexagent/book"
	"lexagent/corpus"
)

// Report tells what an ingest did. Counts are of what this run read and stored,
// and what stood there before is in Unchanged and Same.
type Report struct {
	Files     int      `json:"files"`     // inputs given or found
	Unchanged int      `json:"unchanged"` // inputs that were stored before
	Laws      int      `json:"laws"`      // documents read
	Units     int      `json:"units"`     // units read, all kinds
	Articles  int      `json:"articles"`  // of them articles (条)
	New       int      `json:"new"`       // units stored that were not there
	Same      int      `json:"same"`      // units that were there already
	LeftOut   int      `json:"left_out"`  // units that --only-ids did not name
	Variants  []string `json:"variants"`  // ids given to different texts under an id that was taken
	Coverage  Coverage `json:"coverage"`
	Skipped   []Skip   `json:"skipped"` // what could not be read, and why
	Ignored   []Skip   `json:"ignored"` // files found in a folder that hold no laws
	Notes     []Note   `json:"notes"`   // what a person should know about the sources

	Book      Totals              `json:"book"`      // what the book holds now
	Citations book.CitationCounts `json:"citations"` // in the whole book
	Vectors   Vectors             `json:"vectors"`
	Published string              `json:"published,omitempty"` // generation that was copied to where it is searched
	Seconds   float64             `json:"seconds"`
}

// Totals is what the book holds.
type Totals struct {
	Laws     int `json:"laws"`
	Units    int `json:"units"`
	Articles int `json:"articles"`
	Chunks   int `json:"chunks"`
}

// Vectors tells how far the vectors are.
type Vectors struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// Coverage adds up where the characters of text sources went, white space apart.
type Coverage struct {
	Chars    int     `json:"chars"`
	InUnits  int     `json:"in_units"`
	Headings int     `json:"in_headings"`
	Rest     int     `json:"rest"` // listed by the readers: headers, comments, contents
	Share    float64 `json:"share"`
}

func (c *Coverage) add(d corpus.Coverage) {
	c.Chars += d.Chars
	c.InUnits += d.InUnits
	c.Headings += d.InHeadings
	c.Rest += d.RestChars()
	if c.Chars > 0 {
		c.Share = float64(c.InUnits+c.Headings+c.Rest) / float64(c.Chars)
	}
}

// Skip is an input, or a place in one, that could not be read.
type Skip struct {
	Path   string `json:"path"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

// String renders the skip as "path:line: reason".
func (s Skip) String() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", s.Path, s.Line, s.Reason)
	}
	return s.Path + ": " + s.Reason
}

// Note is what a reader found odd about a source.
type Note struct {
	Source string `json:"source"`
	Text   string `json:"text"`
}

// skip reports an error of reading. named tells an input that was asked for from
// one that was found in a folder, where files that hold no laws are no failure.
func (r *Report) skip(path string, named bool, err error) {
	s := Skip{Path: path, Reason: err.Error()}
	var re *corpus.ReadError
	if errors.As(err, &re) {
		s = Skip{Path: re.Path, Line: re.Line, Reason: re.Reason}
	}
	if !named && errors.Is(err, corpus.ErrNotCorpus) {
		r.Ignored = append(r.Ignored, s)
		return
	}
	r.Skipped = append(r.Skipped, s)
}

// maxListed bounds how many lines of a kind the printed report shows; the JSON
// one has all of them.
const maxListed = 20

// String renders the report for people.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "files     %d read, %d unchanged, %d with problems\n", r.Files-r.Unchanged, r.Unchanged, r.problemFiles())
	fmt.Fprintf(&b, "laws      %d read\n", r.Laws)
	fmt.Fprintf(&b, "units     %d read (%d articles): %d new, %d already there\n", r.Units, r.Articles, r.New, r.Same)
	if r.LeftOut > 0 {
		fmt.Fprintf(&b, "          %d left out, since the list of ids does not name them\n", r.LeftOut)
	}
	if r.Coverage.Chars > 0 {
		fmt.Fprintf(&b, "coverage  %.2f %% of %d characters: %d in units, %d in headings, %d in headers and other rest\n",
			100*r.Coverage.Share, r.Coverage.Chars, r.Coverage.InUnits, r.Coverage.Headings, r.Coverage.Rest)
	}
	list(&b, "id taken", r.Variants, func(id string) string { return "another text has its id; kept as " + id })
	list(&b, "note", r.Notes, func(n Note) string { return n.Source + ": " + n.Text })
	list(&b, "ignored", r.Ignored, Skip.String)
	list(&b, "skipped", r.Skipped, Skip.String)
	fmt.Fprintf(&b, "book      %d laws, %d units, %d articles, %d chunks\n", r.Book.Laws, r.Book.Units, r.Book.Articles, r.Book.Chunks)
	c := &r.Citations
	fmt.Fprintf(&b, "citations %d cite, %d amend, %d repeal; %d resolved, %d without such a law, %d without such an article, %d unclear\n",
		c.Cites, c.Amends, c.Repeals, c.Resolved, c.Unresolved[book.ReasonNoLaw], c.Unresolved[book.ReasonNoArticle], c.Unresolved[book.ReasonUnclear])
	fmt.Fprintf(&b, "repealed  %d laws, by clauses in other texts\n", c.Ended)
	fmt.Fprintf(&b, "vectors   %d of %d\n", r.Vectors.Done, r.Vectors.Total)
	if r.Published != "" {
		fmt.Fprintf(&b, "published generation %s\n", r.Published)
	}
	fmt.Fprintf(&b, "time      %.1f s", r.Seconds)
	return b.String()
}

func list[T any](b *strings.Builder, name string, items []T, line func(T) string) {
	for i, it := range items {
		if i == maxListed {
			fmt.Fprintf(b, "%-9s … and %d more (--json lists all)\n", name, len(items)-i)
			return
		}
		fmt.Fprintf(b, "%-9s %s\n", name, line(it))
	}
}

func (r *Report) problemFiles() int {
	paths := map[string]bool{}
	for _, s := range r.Skipped {
		paths[s.Path] = true
	}
	return len(paths)
}
