package corpus

import (
	"strings"

	"lexagent/statute"
)

// Coverage counts the characters of a source other than white space:
// Chars = InUnits + InHeadings + the sum over Rest + the sum over Missed. Of a corpus
// that is split into units already, the labels and texts of its units are counted.
type Coverage struct {
	Chars      int    // all of the source
	InUnits    int    // in labels and texts of units
	InHeadings int    // in the title and in headings of 编/章/节 and sections
	Rest       []Span // known to belong to no unit, with the reason
	Missed     []Span // in none of these, which no source should have; Why is how it begins
}

// Span is a piece of a source that belongs to no unit.
type Span struct {
	Line  int    // where it begins: line, paragraph (HTML, DOCX) or page (PDF), from 1; 0 when scattered
	Chars int    // characters other than white space
	Why   string // header, comment, table of contents, repeated title, markup, …
}

// RestChars returns the number of characters in Rest.
func (c *Coverage) RestChars() int { return sum(c.Rest) }

// MissedChars returns the number of characters in Missed.
func (c *Coverage) MissedChars() int { return sum(c.Missed) }

func sum(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += s.Chars
	}
	return n
}

// unitChars counts the characters that a unit takes in a source: not those of a label
// that is made up, or that is a heading too.
func unitChars(u *statute.Unit) int {
	switch {
	case madeLabel(*u), u.Kind == statute.Preamble, u.Kind == statute.Whole, u.Kind == statute.Section:
		return chars(u.Text)
	}
	return chars(u.Label) + chars(u.Text)
}

// countUnits is the coverage of a corpus that is split already.
func countUnits(units []statute.Unit) (c Coverage) {
	for i := range units {
		c.InUnits += unitChars(&units[i])
	}
	c.Chars = c.InUnits
	return c
}

// Bounds of what is told of missed text: pieces, and characters of the first line.
const (
	maxMissed  = 100
	beginRunes = 30
)

// audit looks for every line of the body in the units and headings that came out,
// whatever the counts say, and moves what isn't there to Missed.
func (w *writer) audit(body []block) {
	cov := &w.doc.Coverage
	var text strings.Builder
	for i := range w.doc.Units {
		text.WriteString(squeeze(w.doc.Units[i].Label))
		text.WriteString(squeeze(w.doc.Units[i].Text))
	}
	out := finder{text: text.String()}
	heads := w.heads
	for _, b := range body {
		line := squeeze(b.text)
		switch {
		case b.rest != "" || len(cov.Missed) >= maxMissed:
			continue
		case len(heads) > 0 && heads[0] == line:
			heads = heads[1:]
			continue
		case out.find(line) || out.find(squeeze(behindLabel(b))):
			continue
		}
		cov.InUnits -= chars(line)
		cov.Missed = append(cov.Missed, Span{b.line, chars(line), begin(b.text)})
	}
	if n := cov.Chars - cov.InUnits - cov.InHeadings - cov.RestChars() - cov.MissedChars(); n != 0 {
		cov.Missed = append(cov.Missed, Span{Chars: n, Why: "characters that nobody counted"})
	}
}

// behindLabel is the line without the label that heads it, which a unit may spell
// in another way than the source.
func behindLabel(b block) string {
	if l, ok := articleOf(b); ok {
		return l.Rest
	}
	if _, _, rest, ok := itemOf(b); ok {
		return rest
	}
	if _, rest, ok := attachmentOf(b); ok {
		return rest
	}
	return b.text
}

// begin is how a text begins.
func begin(text string) string {
	r := []rune(text)
	if len(r) <= beginRunes {
		return text
	}
	return string(r[:beginRunes]) + "…"
}

// finder finds pieces of a text that mostly come in its order.
type finder struct {
	text string
	at   int // behind the piece found last
}

func (f *finder) find(piece string) bool {
	if i := strings.Index(f.text[f.at:], piece); i >= 0 {
		f.at += i + len(piece)
		return true
	}
	return strings.Contains(f.text[:f.at], piece)
}
