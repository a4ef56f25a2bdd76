package corpus

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// plainBlocks cuts plain text into blocks. A line is one, unless the text is
// recognisably wrapped at a fixed width: then the lines of a paragraph are joined.
func plainBlocks(path, text string) *source {
	lines := printedText(text)
	markRunning(lines)
	src := &source{path: path, bodyAt: -1}
	if m, ok := wrapped(lines); ok {
		src.blocks = join(lines, m)
	} else {
		for _, l := range lines {
			src.blocks = append(src.blocks, block{text: l.text, line: l.line, rest: l.rest})
		}
	}
	markTables(src.blocks)
	return src
}

// printedText measures the lines of a text in em, the width of a Chinese character.
func printedText(text string) []printed {
	var out []printed
	page, blankAbove := 1, false
	for i, line := range splitLines(text) {
		page += strings.Count(line, "\f")
		line = strings.TrimRightFunc(strings.ReplaceAll(line, "\f", ""), blank)
		p := printed{text: trim(line), line: i + 1, page: page, gap: blankAbove, size: 1}
		if blankAbove = p.text == ""; blankAbove {
			continue
		}
		p.left = widthOf(line[:len(line)-len(strings.TrimLeftFunc(line, blank))])
		p.right = widthOf(line)
		out = append(out, p)
	}
	return out
}

// widthOf measures text in em: half of one for what is narrow.
func widthOf(s string) float64 {
	n := 0.0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) float64 {
	switch k := width.LookupRune(r).Kind(); {
	case r == '\t':
		return 2
	case r != '\u00a0' && (unicode.IsControl(r) || blank(r) && r > 0x2000 && r < 0x3000):
		return 0
	case k == width.EastAsianWide || k == width.EastAsianFullwidth || k == width.EastAsianAmbiguous:
		return 1
	}
	return .5
}

var (
	// pageLine is a line that can be nothing else: — 3 —, 第3页 共10页, 3/10.
	pageLine = regexp.MustCompile(`^(?:[-—–－─·•]+\s*\d{1,5}\s*[-—–－─·•]+|第\s*\d{1,5}\s*页(?:\s*[,，、/]?\s*共\s*\d{1,5}\s*页)?|\d{1,5}\s*/\s*\d{1,5}|[Pp]age\s+\d{1,5}(?:\s+of\s+\d{1,5})?)$`)
	// bareNumber is one at the edge of a page.
	bareNumber = regexp.MustCompile(`^(?:\d{1,5}|[ivxlcIVXLC]{1,7})$`)
	digits     = regexp.MustCompile(`\d+`)
)

// edge is how many lines at the top and at the bottom of a page may run through
// the pages.
const edge = 2

// markRunning marks page numbers, and the lines at the edges of pages that come
// again on most of them.
func markRunning(lines []printed) {
	pages := byPage(lines)
	type running struct {
		text string
		at   int // place from the top; negative from the bottom
	}
	count := map[running]int{}
	each := func(f func(l *printed, r running)) {
		for _, p := range pages {
			for i := 0; i < edge && i < len(p); i++ {
				f(p[i], running{runningKey(p[i].text), i + 1})
				if j := len(p) - 1 - i; j >= edge {
					f(p[j], running{runningKey(p[j].text), -i - 1})
				}
			}
		}
	}
	each(func(_ *printed, r running) { count[r]++ })
	each(func(l *printed, r running) {
		switch n := count[r]; {
		case len(pages) > 1 && bareNumber.MatchString(l.text):
			l.rest = "page number"
		case len(pages) > 1 && n > 1 && n*2 >= len(pages)-1 && r.text != "":
			l.rest = "running head"
		}
	})
	for i := range lines {
		if pageLine.MatchString(width.Narrow.String(lines[i].text)) {
			lines[i].rest = "page number"
		}
	}
}

// runningKey is the text that a running head has on each page.
func runningKey(s string) string {
	s = squeeze(s)
	if l, ok := articleOf(block{text: s}); ok && l.Rest != "" {
		return s // two articles differ by more than their numbers
	}
	return digits.ReplaceAllString(s, "#")
}

// byPage parts lines by their pages, in order.
func byPage(lines []printed) [][]*printed {
	var pages [][]*printed
	for i := range lines {
		if i == 0 || lines[i].page != lines[i-1].page {
			pages = append(pages, nil)
		}
		n := len(pages) - 1
		pages[n] = append(pages[n], &lines[i])
	}
	return pages
}
