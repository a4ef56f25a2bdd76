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
	Files     int      `json:"files"`            // inputs given or found
	Shard     string   `json:"shard,omitempty"`  // this worker's share of them
	Others    int      `json:"others,omitempty"` // inputs of other workers, which are not in Files
	Unchanged int      `json:"unchanged"`        // inputs that were stored before
	Laws      int      `json:"laws"`             // documents read
	Units     int      `json:"units"`            // units read, all kinds
	Articles  int      `json:"articles"`         // of them articles (条)
	New       int      `json:"new"`              // units stored that were not there
	Same      int      `json:"same"`             // units that were there already
	Replaced  int      `json:"replaced"`         // units that have another text now
	Removed   Removed  `json:"removed"`          // what changed inputs no longer have
	Pruned    []Pruned `json:"pruned"`           // inputs taken out, with what only they had brought
	LeftOut   int      `json:"left_out"`         // units that --only-ids did not name
	Variants  []string `json:"variants"`         // ids given to different texts under an id that was taken
	Coverage  Coverage `json:"coverage"`         // of all inputs
	Sources   []File   `json:"sources"`          // each input that text was read of, now or before
	Skipped   []Skip   `json:"skipped"`          // what could not be read, and why
	Ignored   []Skip   `json:"ignored"`          // files found in a folder that hold no laws
	Notes     []Note   `json:"notes"`            // what a person should know about the sources

	Book      Totals              `json:"book"`      // what the book holds now
	Citations book.CitationCounts `json:"citations"` // in the whole book
	Vectors   Vectors             `json:"vectors"`
	Published string              `json:"published,omitempty"` // generation that was copied to where it is searched
	Intents   Intents             `json:"intents"`
	Seconds   float64             `json:"seconds"`
}

// Totals is what the book holds.
type Totals struct {
	Laws     int `json:"laws"`
	Units    int `json:"units"`
	Articles int `json:"articles"`
	Chunks   int `json:"chunks"`
}

// Removed counts what left the book.
type Removed struct {
	Units int `json:"units"`
	Laws  int `json:"laws"`
}

// Vectors tells how far the vectors are.
type Vectors struct {
	Done  int `json:"done"`
	Total int `json:"total"`
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
	if !named && (errors.Is(err, corpus.ErrNotCorpus) || errors.Is(err, errLinkedFolder) || errors.Is(err, errDeadLink)) {
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
	if r.Shard != "" {
		fmt.Fprintf(&b, "shard     %s; %d files are other workers'\n", r.Shard, r.Others)
	}
	fmt.Fprintf(&b, "laws      %d read\n", r.Laws)
	fmt.Fprintf(&b, "units     %d read (%d articles): %d new, %d already there", r.Units, r.Articles, r.New, r.Same)
	if r.Replaced > 0 {
		fmt.Fprintf(&b, ", %d with another text than before", r.Replaced)
	}
	b.WriteString("\n")
	if r.LeftOut > 0 {
		fmt.Fprintf(&b, "          %d left out, since the list of ids does not name them\n", r.LeftOut)
	}
	if r.Removed != (Removed{}) {
		fmt.Fprintf(&b, "removed   %d units and %d laws that changed files no longer have\n", r.Removed.Units, r.Removed.Laws)
	}
	list(&b, "pruned", r.Pruned, func(p Pruned) string { return fmt.Sprintf("%s: %d units, %d laws", p.Path, p.Units, p.Laws) })
	if r.Coverage.Chars > 0 {
		fmt.Fprintf(&b, "coverage  %s of %d characters: %d in units, %d in headings, %d in headers and other rest, %d in none of these\n",
			r.Coverage.percent(), r.Coverage.Chars, r.Coverage.InUnits, r.Coverage.Headings, r.Coverage.Rest, r.Coverage.Missed)
	}
	list(&b, "warning", r.below(), File.warning)
	list(&b, "id taken", r.Variants, func(id string) string { return "another text has its id; kept as " + id })
	list(&b, "note", r.Notes, func(n Note) string { return n.Source + ": " + n.Text })
	list(&b, "ignored", r.Ignored, Skip.String)
	list(&b, "skipped", r.Skipped, Skip.String)
	r.writeBook(&b)
	fmt.Fprintf(&b, "time      %.1f s", r.Seconds)
	return b.String()
}

// writeBook tells what the book holds now.
func (r *Report) writeBook(b *strings.Builder) {
	fmt.Fprintf(b, "book      %d laws, %d units, %d articles, %d chunks\n", r.Book.Laws, r.Book.Units, r.Book.Articles, r.Book.Chunks)
	c := &r.Citations
	fmt.Fprintf(b, "citations %d cite, %d amend, %d repeal; %d resolved, %d without such a law, %d without such an article, %d unclear\n",
		c.Cites, c.Amends, c.Repeals, c.Resolved, c.Unresolved[book.ReasonNoLaw], c.Unresolved[book.ReasonNoArticle], c.Unresolved[book.ReasonUnclear])
	fmt.Fprintf(b, "repealed  %d laws, by clauses in other texts\n", c.Ended)
	fmt.Fprintf(b, "vectors   %d of %d\n", r.Vectors.Done, r.Vectors.Total)
	fmt.Fprintf(b, "intents   %s\n", r.Intents.String())
	if r.Published != "" {
		fmt.Fprintf(b, "published generation %s\n", r.Published)
	}
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
