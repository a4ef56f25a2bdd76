package verify

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote is a passage that a text gives as somebody's words.
type quote struct {
	open, close int    // with its marks, in bytes
	lines       []line // what is quoted
	block       bool   // a block quote (>)
}

// line is a piece of a text without a line end, in bytes.
type line struct{ from, to int }

// maxQuoteRunes is the longest passage between two marks that is a quotation; a mark
// that is closed farther away was left open.
const maxQuoteRunes = 20_000

// pairs are the marks of quotations and what closes them.
var pairs = map[rune]rune{'“': '”', '‘': '’', '「': '」', '『': '』', '＂': '＂', '"': '"'}

// quotes finds the quotations of a text in order, none inside another: block quotes
// and what stands between marks. The cost is linear in the text.
func quotes(text string) []quote {
	blocks := blockQuotes(text)
	out := append(blocks, marked(text, blocks)...)
	slices.SortFunc(out, func(a, b quote) int { return a.open - b.open })
	return out
}

// blockQuotes finds runs of lines that begin with >.
func blockQuotes(text string) []quote {
	var out []quote
	open := false
	for from := 0; from < len(text); {
		to, next := lineEnd(text, from)
		at := from + len(text[from:to]) - len(strings.TrimLeft(text[from:to], " \t　"))
		mark := false
		for at < to && (text[at] == '>' || text[at] == ' ' && mark) {
			at, mark = at+1, true
		}
		if !mark {
			open, from = false, next
			continue
		}
		if !open {
			out = append(out, quote{open: from, block: true})
			open = true
		}
		q := &out[len(out)-1]
		q.close = to
		if strings.TrimSpace(text[at:to]) != "" {
			q.lines = append(q.lines, line{at, to})
		}
		from = next
	}
	return slices.DeleteFunc(out, func(q quote) bool { return len(q.lines) == 0 })
}

// lineEnd returns where the line at from ends, and where the next one begins.
func lineEnd(text string, from int) (to, next int) {
	n := strings.IndexByte(text[from:], '\n')
	if n < 0 {
		return len(text), len(text)
	}
	return from + n, from + n + 1
}

// marked finds what stands between quotation marks outside of block quotes. Marks
// nest; the outermost pair counts. A mark that nothing closes is no quotation. Marks
// that look the same open and close in turn within a paragraph.
func marked(text string, blocks []quote) []quote {
	type mark struct {
		at    int
		runes int
		r     rune
	}
	var stack []mark
	var found []quote
	n, curly := 0, -1 // curly: the next “ or ” or line end at or behind i, where it was asked for
	for i, r := range text {
		n++
		width := utf8.RuneLen(r)
		for len(blocks) > 0 && i >= blocks[0].close {
			blocks = blocks[1:]
		}
		if len(blocks) > 0 && i >= blocks[0].open {
			stack = stack[:0]
			continue
		}
		if r == '\n' { // straight marks don't reach over a paragraph's end
			stack = slices.DeleteFunc(stack, func(m mark) bool { return pairs[m.r] == m.r })
			continue
		}
		if top := len(stack) - 1; r == '"' && top >= 0 && stack[top].r == '“' {
			if curly < i {
				curly = nextCurly(text, i)
			}
			if curly == len(text) || !strings.HasPrefix(text[curly:], "”") { // “严重困难": typed with another mark
				r = '”'
			}
		}
		k := -1
		for j := len(stack) - 1; j >= max(0, len(stack)-maxNested) && k < 0; j-- {
			if pairs[stack[j].r] == r {
				k = j
			}
		}
		switch {
		case k >= 0:
			m := stack[k]
			stack = stack[:k]
			if n-m.runes > maxQuoteRunes {
				continue
			}
			for len(found) > 0 && found[len(found)-1].open > m.at { // what it encloses
				found = found[:len(found)-1]
			}
			found = append(found, quote{open: m.at, close: i + width, lines: splitLines(text, m.at+utf8.RuneLen(m.r), i)})
		case pairs[r] != 0:
			if len(stack) == maxOpen {
				stack = stack[:copy(stack, stack[maxOpen/2:])]
			}
			stack = append(stack, mark{i, n, r})
		}
	}
	return slices.DeleteFunc(found, func(q quote) bool { return len(q.lines) == 0 })
}

// nextCurly returns where the next “ or ” or line end is, from i on.
func nextCurly(text string, i int) int {
	if n := strings.IndexAny(text[i:], "“”\n"); n >= 0 {
		return i + n
	}
	return len(text)
}

const (
	maxNested = 8  // open marks that are looked through for the one that is closed
	maxOpen   = 64 // open marks that are remembered
)

// splitLines returns the lines of text[from:to] that hold anything.
func splitLines(text string, from, to int) []line {
	var out []line
	for from < to {
		end, next := lineEnd(text, from)
		end = min(end, to)
		if strings.TrimSpace(text[from:end]) != "" {
			out = append(out, line{from, end})
		}
		from = next
	}
	return out
}

// squeeze drops white space and Markdown emphasis.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '*' || r == '_' || r == '`' || r == '#' {
			return -1
		}
		return r
	}, s)
}
