package corpus

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// header is the top of a document: title, part and dated lines, and what follows.
type header struct {
	title      string
	part       string // the 编 that the file holds, where a law is kept in several files
	lines      []string
	body       []block
	titleChars int
	rest       []Span
}

// Bounds of a first line that is taken for a title, and of a line in brackets
// that tells all the amendments of a law: 刑法 has fourteen.
const (
	maxTitleRunes   = 120
	maxHistoryRunes = 2000
)

// splitHead parts the top of a document from its body.
func splitHead(src *source) header {
	h := header{title: src.title, part: src.part, lines: src.header}
	i := 0
	for ; i < len(src.blocks) && h.title == ""; i++ {
		b := src.blocks[i]
		if b.rest != "" {
			continue
		}
		if !titleLike(b) {
			break
		}
		h.title, h.titleChars = tidy(b.text), chars(b.text)
	}
	if h.title == "" {
		h.title = titleInName(src.path)
	}
	end := src.bodyAt
	if end < 0 {
		end = headerEnd(src.blocks, i)
		if h.part == "" && end > i && partHead.MatchString(src.blocks[i].text) {
			h.part = tidy(src.blocks[i].text)
			h.titleChars += chars(src.blocks[i].text)
			i++
		}
	}
	for ; i < len(src.blocks); i++ {
		b := src.blocks[i]
		switch {
		case i >= end:
			h.body = src.blocks[i:]
			return h
		case b.rest != "":
			continue
		case b.depth == 1 && h.part == "":
			h.part = tidy(b.text)
			h.titleChars += chars(b.text)
		default:
			if n := len(h.lines); n > 0 && openBracket(h.lines[n-1]) {
				h.lines[n-1] += b.text // a line broken in two
			} else {
				h.lines = append(h.lines, b.text)
			}
			h.rest = append(h.rest, Span{b.line, chars(b.text), "header"})
		}
	}
	return h
}

// partHead is the line between title and dates that names the part of a law which
// the file holds.
var partHead = regexp.MustCompile(`^(?:\p{Han}{1,10}编|总\s*则|附\s*则)$`)

// maxHeaderLines bounds the header of a text that doesn't mark where it ends.
const maxHeaderLines = 40

// headerEnd finds where the header ends that begins at blocks[from]: behind the last
// line that looks like one of a header, with nothing before it that looks like text.
func headerEnd(blocks []block, from int) int {
	end := from
	for i := from; i < len(blocks) && i < from+maxHeaderLines; i++ {
		b := blocks[i]
		if b.rest != "" {
			continue
		}
		if headerLike(b) {
			i = bracketEnd(blocks, i)
			end = i + 1
			continue
		}
		first := i == from && partHead.MatchString(b.text) // its dates stand behind it
		if !first && (isHeading(b) || heads(b)) || endsSentence(b.text) || utf8.RuneCountInString(b.text) > maxTitleRunes {
			break
		}
	}
	return end
}

// openBracket reports whether a bracket that opens a line isn't closed in it.
func openBracket(s string) bool {
	return strings.IndexAny(s, "（(") == 0 && brackets(s) > 0
}

// bracketEnd returns the place of the line that closes the bracket which opens
// line i, where the line is broken in two or three; else i.
func bracketEnd(blocks []block, i int) int {
	const most = 3
	if !openBracket(blocks[i].text) {
		return i
	}
	text := blocks[i].text
	for j := i + 1; j < len(blocks) && j < i+most && !isHeading(blocks[j]) && !heads(blocks[j]); j++ {
		if text += blocks[j].text; brackets(text) == 0 {
			return j
		}
	}
	return i
}

// brackets counts the brackets that s opens and doesn't close.
func brackets(s string) int {
	return strings.Count(s, "（") + strings.Count(s, "(") - strings.Count(s, "）") - strings.Count(s, ")")
}

// titleLike reports whether the first block of a text is its title.
func titleLike(b block) bool {
	if _, ok := articleOf(b); ok {
		return false
	}
	if b.depth > 0 {
		return b.depth == 1
	}
	return rankOf(b) == 0 && utf8.RuneCountInString(b.text) <= maxTitleRunes && !strings.ContainsAny(b.text, "。；：")
}

// headerLike reports whether a line below the title belongs to the header of a
// text that doesn't mark where its header ends: a dated act, or a document number.
func headerLike(b block) bool {
	if b.depth > 0 || b.table > 0 {
		return false
	}
	if strings.HasPrefix(b.text, "（") || strings.HasPrefix(b.text, "(") {
		return dayPattern.MatchString(b.text) && utf8.RuneCountInString(b.text) <= maxHistoryRunes
	}
	if utf8.RuneCountInString(b.text) > 2*maxTitleRunes || endsSentence(b.text) && !actAtEnd.MatchString(b.text) {
		return false
	}
	at := dayPattern.FindStringIndex(b.text)
	return at != nil && at[0] == 0 || documentNumber.MatchString(b.text)
}

// actAtEnd is the end of a dated act that is written like a sentence.
var actAtEnd = regexp.MustCompile(`(?:通过|修正|修订|公布|发布|批准|公告|施行)。$`)

func endsSentence(s string) bool {
	return strings.HasSuffix(s, "。") || strings.HasSuffix(s, "：") || strings.HasSuffix(s, "；")
}

// documentNumber is a line that holds nothing but one: 法释〔2020〕17号.
var documentNumber = regexp.MustCompile(`^\p{Han}{1,20}\s*[〔\[（(【]\s*\d{4}\s*[〕\]）)】]\s*第?\s*\d{1,5}\s*号$`)

// skipTitle leaves out the lines at the top of the body that repeat the title.
func skipTitle(body []block, title string, cov *Coverage) []block {
	want := squeeze(title)
	joined := ""
	for i, b := range body {
		if b.rest != "" {
			continue
		}
		if joined += squeeze(b.text); !strings.HasPrefix(want, joined) {
			return body
		}
		if joined == want {
			for _, t := range body[:i+1] {
				if t.rest == "" {
					cov.Rest = append(cov.Rest, Span{t.line, chars(t.text), "repeated title"})
				}
			}
			return body[i+1:]
		}
	}
	return body
}

// skipContents leaves out a table of contents: the line 目录, and a run of
// headings before the first article that come again later.
func skipContents(body []block, cov *Coverage) []block {
	from, to := contents(body)
	if from == to {
		return body
	}
	out := append([]block(nil), body[:from]...)
	for _, b := range body[from:to] {
		if b.rest == "" {
			cov.Rest = append(cov.Rest, Span{b.line, chars(b.text), "table of contents"})
		}
	}
	return append(out, body[to:]...)
}

// contents finds the table of contents as body[from:to].
func contents(body []block) (from, to int) {
	later := map[string]int{} // headings still to come
	for _, b := range body {
		if isHeading(b) {
			later[contentsKey(b)]++
		}
	}
	marked := false
	for i := 0; i < len(body); i++ {
		b := body[i]
		if _, ok := articleOf(b); ok {
			break
		}
		if contentsHead.MatchString(b.text) {
			marked, from = true, i
			continue
		}
		if !isHeading(b) {
			continue
		}
		run, seen := i, map[string]bool{}
		for ; run < len(body) && isHeading(body[run]); run++ {
			key := contentsKey(body[run])
			if seen[key] || later[key] < 2 {
				break
			}
			seen[key] = true
		}
		if run-i < 3 && !marked {
			i = max(i, run-1)
			continue
		}
		if !marked {
			from = i
		}
		return from, run
	}
	if marked {
		return from, from + 1
	}
	return 0, 0
}

// contentsKey is a heading's text without white space, dots and page number.
func contentsKey(b block) string { return squeeze(contentsDots.ReplaceAllString(b.text, "")) }
