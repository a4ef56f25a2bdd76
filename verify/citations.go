package verify

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/statute"
)

// Book is what the checks need of the statute book.
type Book interface {
	// Mentions looks up every reference in a text.
	Mentions(ctx context.Context, collections []string, text string, own *statute.Context, day statute.Date) ([]book.Mention, error)
}

// Draft is a text to check, and what it was written from.
type Draft struct {
	Text        string
	Evidence    []Evidence
	Collections []string
	Day         statute.Date // the day whose law was asked for
}

// Evidence is a unit that the draft was given.
type Evidence struct {
	ID   string
	Law  string // title
	Text string
}

// Checker checks drafts against a book. It is safe for concurrent use.
type Checker struct{ Book Book }

// Citations looks up every statute reference in a draft and says of each whether
// it may stand. Findings come in the order of the text; their places count
// characters.
func (c *Checker) Citations(ctx context.Context, d Draft) ([]Finding, error) {
	mentions, err := c.Book.Mentions(ctx, d.Collections, d.Text, nil, d.Day)
	if err != nil {
		return nil, fmt.Errorf("look up references: %w", err)
	}
	known, err := c.evidence(ctx, d)
	if err != nil {
		return nil, err
	}
	findings := make([]Finding, 0, len(mentions))
	place := places(d.Text)
	for i := range mentions {
		m := &mentions[i]
		f := judge(m, known, d.Day)
		f.Text, f.Start, f.End = m.Text, place(m.Start), place(m.End)
		findings = append(findings, f)
	}
	return findings, nil
}

// evidence is what a draft may refer to.
type evidence struct {
	units   map[string]bool // ids that were given
	laws    map[string]bool // ids of their laws
	named   map[string]bool // ids that the given texts refer to themselves
	printed string          // the given texts
}

// evidence collects the ids given and those that the given texts refer to: a
// draft that repeats 依照刑法第二百六十六条 from an article repeats the evidence.
func (c *Checker) evidence(ctx context.Context, d Draft) (*evidence, error) {
	e := &evidence{units: map[string]bool{}, laws: map[string]bool{}, named: map[string]bool{}}
	var printed strings.Builder
	for _, ev := range d.Evidence {
		e.units[ev.ID] = true
		if id, err := statute.ParseID(ev.ID); err == nil {
			e.laws[id.LawID()] = true
		}
		mentions, err := c.Book.Mentions(ctx, d.Collections, ev.Text, &statute.Context{Law: ev.Law}, d.Day)
		if err != nil {
			return nil, fmt.Errorf("look up references in the evidence: %w", err)
		}
		for _, m := range mentions {
			if m.Unit != nil {
				e.named[m.Unit.ID] = true
			} else if m.Law != nil {
				e.laws[m.Law.ID] = true
			}
		}
		printed.WriteString(ev.Text)
		printed.WriteByte('\n')
	}
	e.printed = printed.String()
	return e, nil
}

// judge gives the verdict on one reference.
func judge(m *book.Mention, e *evidence, day statute.Date) Finding {
	f := Finding{Note: m.Note}
	if m.Unit != nil {
		f.ID = m.Unit.ID
	}
	switch {
	case m.Outcome == book.Unclear:
		f.Verdict = NotChecked
	case strings.Contains(e.printed, m.Text) && (m.Unit == nil || !e.units[m.Unit.ID]):
		// The given texts say it in the same words, whatever it refers to.
		f.Verdict, f.Note = Exists, "见于所引法条原文"
	case m.Outcome == book.NoLaw:
		f.Verdict = NoSuchLaw
	case m.Outcome == book.Ended:
		f.Verdict = NotInForce
		return f
	case m.Outcome == book.NoArticle:
		f.Verdict = NoSuchArticle
	case m.Unit == nil:
		f.Verdict = lawVerdict(m, e, day)
	case e.units[m.Unit.ID]:
		f.Verdict = Exists
	case e.named[m.Unit.ID]:
		f.Verdict, f.Note = Exists, "见于所引法条原文"
	default:
		f.Verdict = NotInEvidence
		if ended(m.Law, day) {
			f.Verdict = NotInForce
		}
	}
	if f.Verdict == NotInForce || f.Verdict == Exists && m.Law != nil && ended(m.Law, day) {
		f.Note = statusNote(m.Law, m.Successor, day)
	}
	return f
}

// lawVerdict judges a law named as a whole: naming it is no claim about its
// content, so it need not be in the evidence, but it must be in force unless the
// evidence is of it.
func lawVerdict(m *book.Mention, e *evidence, day statute.Date) Verdict {
	if ended(m.Law, day) && !e.laws[m.Law.ID] {
		return NotInForce
	}
	return Exists
}

func ended(l *statute.Law, day statute.Date) bool {
	s := l.StatusOn(day)
	return s == statute.Repealed || s == statute.Superseded || s == statute.NotYet
}

func statusNote(l *statute.Law, successor string, day statute.Date) string {
	if successor != "" {
		successor = fmt.Sprintf("，由《%s》取代", successor)
	}
	switch s := l.StatusOn(day); {
	case s == statute.NotYet:
		return fmt.Sprintf("《%s》自 %s 起施行", l.Title, l.Effective)
	case !l.Ended.IsZero():
		return fmt.Sprintf("《%s》（%s）已于 %s 失效%s", l.Title, l.Version, l.Ended, successor)
	}
	return fmt.Sprintf("《%s》（%s）已失效%s", l.Title, l.Version, successor)
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
