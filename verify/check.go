package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/statute"
)

// Bounds of one check. What lies beyond the budgets is not checked and says so.
const (
	MaxText     = 1 << 20    // bytes of a text
	maxSearches = 40         // of the whole book, for words that are not where they should be
	maxCompare  = 20_000_000 // steps of aligning words with articles
)

// ErrTooLong is returned for a text of more than MaxText bytes.
var ErrTooLong = errors.New("the text is too long to be checked")

// Book is what the checks need of the statute book.
type Book interface {
	// Mentions looks up every reference in a text.
	Mentions(ctx context.Context, collections []string, text string, own *statute.Context, day statute.Date) ([]book.Mention, error)
	// Unit returns a unit and its law.
	Unit(ctx context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error)
	// Articles returns the articles of a law that have a number.
	Articles(ctx context.Context, l *statute.Law, number int) ([]statute.Unit, error)
	// Versions returns all versions of a law, oldest first.
	Versions(l *statute.Law) []*statute.Law
}

// Words finds units by their words.
type Words interface {
	// Find returns the ids of the k units whose words are most like text's, best first.
	Find(ctx context.Context, collections []string, text string, k int) ([]string, error)
}

// Draft is a text to check, and what it was written from.
type Draft struct {
	Text        string
	Question    string     // what it answers: figures in it may be repeated
	Evidence    []Evidence // nil: it was given none, so it may refer to any article
	Collections []string
	Day         statute.Date // the day whose law was asked for
	AnyDay      bool         // every version of every law counts; Day is today then
	English     bool         // notes in English
}

// Evidence is a unit that the draft was given.
type Evidence struct {
	ID   string
	Law  string // title
	Text string
}

// Checker checks texts against a book. It is safe for concurrent use.
type Checker struct {
	Book  Book
	Words Words // nil: misplaced quotations are not looked for elsewhere
}

// Check finds every reference to a statute, every quotation and every figure in a
// text and says of each whether the book bears it out. Nothing is guessed: a
// reference is resolved exactly or not at all. The cost is bounded by the text's
// length.
func (c *Checker) Check(ctx context.Context, d Draft) (*Report, error) {
	if len(d.Text) > MaxText {
		return nil, fmt.Errorf("%w: at most %d bytes, and it has %d", ErrTooLong, MaxText, len(d.Text))
	}
	mentions, err := c.Book.Mentions(ctx, d.Collections, d.Text, nil, d.Day)
	if err != nil {
		return nil, fmt.Errorf("look up references: %w", err)
	}
	dropGuesses(d.Text, mentions)
	r := &run{Draft: d, ctx: ctx, checker: c, mentions: mentions, folds: map[string]*folded{}, headings: map[int]bool{}, searches: maxSearches, work: maxCompare}
	for _, step := range []func() error{r.readEvidence, r.quotations, r.references, r.namedOnly, r.figures} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.report(), nil
}

// run is the check of one text.
type run struct {
	Draft
	ctx      context.Context
	checker  *Checker
	mentions []book.Mention
	evidence evidence
	folds    map[string]*folded // of units, by their ids in an index
	marks    []line             // everything between quotation marks, in bytes
	headings map[int]bool       // numbers of the mentions that say whose words a quotation has
	quoted   []line             // of it and of other passages: what is an article's own words
	searches int
	work     budget
	found    []Finding // with places in bytes
}

// say gives a note in the language that is wanted.
func (r *run) say(chinese, english string, args ...any) string {
	if r.English {
		return fmt.Sprintf(english, args...)
	}
	return fmt.Sprintf(chinese, args...)
}

// add keeps a finding about text[from:to].
func (r *run) add(f Finding, from, to int) {
	f.Start, f.End, f.Text = from, to, r.Text[from:to]
	if f.Severity == "" {
		f.Severity = severities[f.Verdict]
	}
	r.found = append(r.found, f)
}

// severities are what verdicts mean unless the text itself says otherwise.
var severities = map[Verdict]Severity{
	Exists: Fine, Verbatim: Fine, FigureFound: Fine,
	NotInEvidence: Unsupported, NoSuchLaw: Unsupported, Stitched: Unsupported, FigureNotFound: Unsupported, NoSupport: Unsupported, Reversed: Unsupported, Misplaced: Unsupported, OtherParty: Unsupported, LeftOut: Unsupported,
	NoSuchArticle: False, NoSuchParagraph: False, NotInForce: False, Altered: False, Elsewhere: False, Nowhere: False,
	NotChecked: Unchecked,
}

// report sorts the findings and counts their places in characters.
func (r *run) report() *Report {
	slices.SortStableFunc(r.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	rep := &Report{OK: true, AsOf: r.Day, Findings: make([]Finding, 0, len(r.found))}
	if r.AnyDay {
		rep.AsOf = 0
	}
	place := places(r.Text)
	for _, f := range r.found {
		f.Start = place(f.Start)
		f.End = f.Start + utf8.RuneCountInString(f.Text)
		rep.OK = rep.OK && f.Severity != False
		rep.Findings = append(rep.Findings, f)
	}
	return rep
}

// places returns a function from places in bytes to places in characters. It is
// asked in ascending order mostly, and goes on from where it was.
func places(text string) func(int) int {
	at, chars := 0, 0
	return func(b int) int {
		if b < at {
			at, chars = 0, 0
		}
		chars += utf8.RuneCountInString(text[at:b])
		at = b
		return chars
	}
}

// fold folds the text of a unit, once.
func (r *run) fold(u *statute.Unit, l *statute.Law) *folded {
	key := book.DocID(l.Collection, u.ID)
	f := r.folds[key]
	if f == nil {
		f = fold(u.Text)
		r.folds[key] = f
	}
	return f
}

// holds reports whether one of sorted passages has all of [from, to) in it.
func holds(sorted []line, from, to int) bool {
	i, _ := slices.BinarySearchFunc(sorted, from, func(l line, at int) int { return cmp.Compare(l.to, at+1) })
	return i < len(sorted) && sorted[i].from <= from && to <= sorted[i].to
}

// overlaps reports whether [from, to) touches one of sorted passages.
func overlaps(sorted []line, from, to int) bool {
	i, _ := slices.BinarySearchFunc(sorted, from, func(l line, at int) int { return cmp.Compare(l.to, at+1) })
	return i < len(sorted) && sorted[i].from < to
}
