package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lexagent/statute"
)

// Sizes of chunks, in characters. 96 % of articles are shorter than a chunk, so a
// chunk joins whole articles; neighbours share whole articles of up to overlap
// characters, so that what spans a border is whole in one of them.
const (
	chunkMax     = 400
	chunkOverlap = 120
)

// Chunks splits the units of a law, given in text order, into chunks (LegRAG's
// chunk path): consecutive whole units under the same headings, up to chunkMax
// characters. A unit that alone is longer is cut between its paragraphs (款) and
// items (项), its lead sentence repeated in every piece. The law's title and dates
// and the headings of 编, 章 and 节 are printed where they stand, before the first
// chunk that they are over.
func Chunks(l *statute.Law, units []statute.Unit) []statute.Passage {
	c := &chunker{law: l.ID, headings: []string{l.Title}}
	if n := utf8.RuneCountInString(l.Header); n > 0 && n <= chunkMax {
		c.headings = append(c.headings, l.Header)
	}
	units = slices.DeleteFunc(slices.Clone(units), func(u statute.Unit) bool { return u.Text == "" })
	for len(units) > 0 {
		n := 1
		for n < len(units) && joinable(&units[n-1], &units[n]) {
			n++
		}
		c.enter(units[0].Path)
		c.section(units[:n])
		units = units[n:]
	}
	return c.out
}

// joinable reports whether two neighbours may share a chunk. Attachments and
// preambles stand alone: what they say belongs to no article.
func joinable(a, b *statute.Unit) bool {
	return a.Kind == b.Kind && a.Kind != statute.Attachment && a.Kind != statute.Preamble && slices.Equal(a.Path, b.Path)
}

type chunker struct {
	law      string
	path     []string // of the section before
	headings []string // not yet printed
	out      []statute.Passage
}

// enter notes the headings of a section that the one before was not under.
func (c *chunker) enter(path []string) {
	same := 0
	for same < len(path) && same < len(c.path) && path[same] == c.path[same] {
		same++
	}
	c.headings = append(c.headings, path[same:]...)
	c.path = path
}

// emit appends a chunk, with the headings that stand before it.
func (c *chunker) emit(p statute.Passage) {
	if len(c.headings) > 0 {
		p.Text = strings.Join(c.headings, "\n") + "\n" + p.Text
		c.headings = nil
	}
	p.LawID, p.Order = c.law, len(c.out)
	p.ID = c.law + ":块" + strconv.Itoa(p.Order)
	c.out = append(c.out, p)
}

// section chunks units that may share chunks.
func (c *chunker) section(units []statute.Unit) {
	for i := 0; i < len(units); {
		if size(&units[i]) > chunkMax {
			c.pieces(&units[i])
			i++
			continue
		}
		j, total := i+1, size(&units[i])
		for j < len(units) && total+size(&units[j]) <= chunkMax {
			total += size(&units[j])
			j++
		}
		c.add(units[i:j])
		if j == len(units) {
			return
		}
		i = c.next(units, i, j)
	}
}

// next returns where the chunk after [i, j) begins: behind it, less the whole
// units at its end that fit in the overlap, and always further than i.
func (c *chunker) next(units []statute.Unit, i, j int) int {
	at, shared := j, 0
	for at-1 > i && shared+size(&units[at-1]) <= chunkOverlap {
		at--
		shared += size(&units[at])
	}
	// Sharing must not crowd out what is new.
	if at < j && shared+size(&units[j]) > chunkMax {
		return j
	}
	return at
}

func (c *chunker) add(units []statute.Unit) {
	p := statute.Passage{Path: units[0].Path, Label: units[0].Label}
	if last := units[len(units)-1].Label; len(units) > 1 {
		p.Label += "至" + last
	}
	texts := make([]string, len(units))
	for i := range units {
		texts[i] = Labelled(&units[i])
		p.Units = append(p.Units, units[i].ID)
	}
	p.Text = strings.Join(texts, "\n")
	c.emit(p)
}

// pieces cuts a long unit between its lines.
func (c *chunker) pieces(u *statute.Unit) {
	parts := cut(u)
	for i, text := range parts {
		c.emit(statute.Passage{
			Path: u.Path, Label: fmt.Sprintf("%s（%d/%d）", u.Label, i+1, len(parts)), Text: text, Units: []string{u.ID},
		})
	}
}

// maxLead bounds the lead sentence that is repeated.
const maxLead = 160

// cut returns the pieces of a long unit.
func cut(u *statute.Unit) []string {
	lines := strings.Split(strings.TrimSpace(Labelled(u)), "\n")
	lead := lines[0]
	if utf8.RuneCountInString(lead) > maxLead {
		lead = u.Label
	}
	var out []string
	var piece []string
	n := 0
	flush := func() {
		if len(piece) > 0 {
			out = append(out, strings.Join(piece, "\n"))
		}
		piece, n = nil, 0
	}
	for i, line := range lines {
		for _, part := range splitLong(line) {
			if r := utf8.RuneCountInString(part); n > 0 && n+r > chunkMax {
				flush()
			}
			if n == 0 && i > 0 && lead != "" {
				piece, n = append(piece, lead), utf8.RuneCountInString(lead)
			}
			piece = append(piece, part)
			n += utf8.RuneCountInString(part)
		}
	}
	flush()
	return out
}

// splitLong cuts a line that alone is longer than a chunk behind full stops.
func splitLong(line string) []string {
	if utf8.RuneCountInString(line) <= chunkMax {
		return []string{line}
	}
	var out []string
	var b strings.Builder
	n := 0
	for s := range strings.SplitAfterSeq(line, "。") {
		r := utf8.RuneCountInString(s)
		if n > 0 && n+r > chunkMax {
			out = append(out, b.String())
			b.Reset()
			n = 0
		}
		b.WriteString(s)
		n += r
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// Labelled is a unit as printed: label, then text.
func Labelled(u *statute.Unit) string {
	if u.Label == "" || u.Kind != statute.Article && u.Kind != statute.Item {
		return u.Text
	}
	return u.Label + "　" + u.Text
}

func size(u *statute.Unit) int { return utf8.RuneCountInString(Labelled(u)) }
