package corpus

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printed is a line as it stands on a page, or in a text wrapped at a fixed width.
// Lengths are in em, the width of a Chinese character of the body.
type printed struct {
	text        string
	line        int     // of the source: line, or page
	page        int     // from 1
	left, right float64 // where its text begins and ends
	size        float64 // of its characters; 1 = the body's
	rise        float64 // where it stands on its page, from the bottom; 0 in plain text
	gap         bool    // more space above than between the lines of a paragraph
	depth       int     // heading depth; 0 = a paragraph
	rest        string  // set when it is no part of the text: why
}

// measure is the shape of a column of text.
type measure struct {
	left, right float64 // margins: where a line within a paragraph begins, and a full one ends
	indented    bool    // paragraphs begin with an indent
}

const (
	slack     = .6 // by how much of an em a full line may miss the margin
	minIndent = .8
	maxIndent = 4
)

// measureOf finds the margins. ok is false when too few lines end at one place.
func measureOf(lines []printed) (m measure, ok bool) {
	rights := []float64{}
	for _, l := range lines {
		if l.rest == "" && !strings.Contains(l.text, cellMark) {
			rights = append(rights, l.right)
		}
	}
	slices.Sort(rights)
	need := max(2, len(rights)/50)
	for i := len(rights) - 1; i >= need-1 && !ok; i-- {
		// need lines end within two em of this one
		if rights[i]-rights[i-need+1] <= 2 {
			m.right, ok = rights[i], true
		}
	}
	if !ok {
		m.right = math.Inf(1) // no line is known to be full
		return m, false
	}
	m.left, m.indented = leftMargin(lines)
	return m, true
}

// leftMargin finds where lines within a paragraph begin, the leftmost place that is
// no exception, and whether a good part of the lines begins further in.
func leftMargin(lines []printed) (left float64, indented bool) {
	lefts := []float64{}
	for _, l := range lines {
		if l.rest == "" {
			lefts = append(lefts, l.left)
		}
	}
	slices.Sort(lefts)
	left = lefts[len(lefts)/50]
	begun := 0
	for _, l := range lefts {
		if l > left+minIndent && l < left+maxIndent {
			begun++
		}
	}
	return left, begun*5 >= len(lefts)
}

// wrapped reports whether plain text is wrapped at a fixed width: enough lines
// fill it, most of them break off within a sentence, and next to none is longer.
func wrapped(lines []printed) (measure, bool) {
	const narrowest, widest = 12, 60 // em
	m, ok := measureOf(lines)
	if !ok || m.right < narrowest || m.right > widest {
		return m, false
	}
	full, broken, longer := 0, 0, 0
	for i, l := range lines {
		switch {
		case l.rest != "" || strings.Contains(l.text, cellMark):
		case l.right > m.right+1:
			longer++
		case m.full(l, lines[min(i+1, len(lines)-1)]):
			full++
			if !closes(l.text) {
				broken++
			}
		}
	}
	const enough = 3 // two, where indents show the paragraphs
	return m, (broken >= enough || broken == enough-1 && m.indented) && broken*2 >= full && broken*20 >= len(lines) && longer*50 <= len(lines)
}

// full reports whether next's first word found no room behind l.
func (m measure) full(l, next printed) bool {
	return l.right+firstWord(next.text) > m.right-slack
}

// firstWord measures what can't be parted at the head of a line: a Latin word or a
// number, or a character with the punctuation behind it.
func firstWord(s string) float64 {
	n := 0.0
	for i, r := range s {
		narrow := r < utf8.RuneSelf && !unicode.IsSpace(r)
		if i > 0 && !narrow && !noStart(r) {
			break
		}
		n += runeWidth(r)
	}
	return min(n, 10)
}

// noStart reports punctuation that doesn't begin a line.
func noStart(r rune) bool {
	return strings.ContainsRune("，。、；：？！）》〉”’」』】〕…—", r)
}

// closes reports whether a line ends where a sentence or its part does.
func closes(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune("。；：！？…”）;:", r)
}

// pointHead is the head of a 项 or 目: （一）, (1), 1., ①.
var pointHead = regexp.MustCompile(`^(?:[（(][〇零一二三四五六七八九十百\d]{1,4}[）)]|\d{1,3}[.．、](?:\D|$)|[①-⑳])`)

// heads reports whether a line begins as a unit or a division does.
func heads(b block) bool {
	if _, ok := articleOf(b); ok {
		return true
	}
	if _, _, _, ok := itemOf(b); ok {
		return true
	}
	_, _, attached := attachmentOf(b)
	return attached || isHeading(b) || pointHead.MatchString(b.text)
}

// join makes paragraphs of lines.
func join(lines []printed, m measure) []block {
	var out []block
	open := -1 // the block that a line may go on with
	var prev printed
	for _, l := range lines {
		b := block{text: l.text, line: l.line, depth: l.depth, rest: l.rest}
		switch {
		case l.rest != "":
			out = append(out, b)
			continue
		case open >= 0 && m.goesOn(prev, l):
			out[open].text = glue(out[open].text, l.text)
		default:
			out = append(out, b)
			open = len(out) - 1
		}
		prev = l
	}
	return out
}

// goesOn reports whether l is the next line of prev's paragraph.
func (m measure) goesOn(prev, l printed) bool {
	b := block{text: l.text}
	differs := l.size > prev.size*1.08 || prev.size > l.size*1.08
	switch {
	case l.gap || differs || l.depth != prev.depth:
		return false
	case l.depth > 0: // a heading over two lines
		return !heads(b)
	case m.centred(prev) && m.centred(l):
		long := prev.right-prev.left > (m.right-m.left)/2
		return long && !heads(b) && !closes(prev.text)
	case m.centred(l): // the end of a centred line that was too long
		return !heads(b) && !closes(prev.text) && m.full(prev, l)
	case strings.Contains(prev.text, cellMark) || strings.Contains(l.text, cellMark):
		return false
	case !m.full(prev, l) || m.indented && l.left > m.left+minIndent:
		return false
	}
	if a, ok := articleOf(b); ok && trim(a.Rest) != a.Rest || ok && a.Rest == "" {
		return false // a label set off by white space; a reference isn't
	}
	return !heads(b) || !closes(prev.text) && !isHeading(block{text: prev.text})
}

// centred reports whether a line stands in the middle of the column.
func (m measure) centred(l printed) bool {
	before, behind := l.left-m.left, m.right-l.right
	const least, off = 2.4, 3
	return before > least && behind > least && before < behind+off && behind < before+off
}

// cellMark parts the cells of a table's row.
const cellMark = " | "

// glue joins two lines of a paragraph: with a space between Latin words only.
func glue(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if wordRune(last) && wordRune(first) {
		return a + " " + b
	}
	return a + b
}

func wordRune(r rune) bool {
	return r < 0x2000 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// markTables gives neighbouring lines with cells the number of a table.
func markTables(blocks []block) {
	table := 0
	for i := range blocks {
		if blocks[i].rest != "" || !strings.Contains(blocks[i].text, cellMark) {
			continue
		}
		if i == 0 || blocks[i-1].table == 0 {
			table++
		}
		blocks[i].table = table
	}
}
