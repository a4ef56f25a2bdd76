package corpus

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageBlocks makes paragraphs of the glyphs of all pages.
func pageBlocks(pages []pdfPage) []block {
	em, height := bodySize(pages)
	var lines []printed
	for i, p := range pages {
		lines = append(lines, pageLines(p, i+1, em, height)...)
	}
	joinCells(lines)
	usual := usualStep(lines)
	markSmall(lines, usual)
	markRunning(lines)
	markGaps(lines, usual)
	markHeadings(lines)
	m, _ := measureOf(lines)
	blocks := join(lines, m)
	for i, p := range pages {
		if len(p.turned) > 0 {
			blocks = append(blocks, block{text: string(p.turned), line: i + 1, rest: "turned text, as of a watermark"})
		}
	}
	markTables(blocks)
	return blocks
}

// bodySize returns the width of a Chinese character of the body, and the height of
// its lines, in points.
func bodySize(pages []pdfPage) (em, height float64) {
	var widths, heights []float64
	for _, p := range pages {
		for _, g := range p.glyphs {
			heights = append(heights, g.top-g.bottom)
			if unicode.Is(unicode.Han, g.r) {
				widths = append(widths, g.right-g.left)
			}
		}
	}
	if height = median(heights); height <= 0 {
		height = 1
	}
	if em = median(widths); em <= 0 {
		em = height
	}
	return em, height
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// pageLines puts the glyphs of a page into lines, from top to bottom. rise is where
// a line stands, in em from the bottom of the page.
func pageLines(p pdfPage, number int, em, height float64) []printed {
	glyphs := slices.Clone(p.glyphs)
	middle := func(g glyph) float64 { return (g.top + g.bottom) / 2 }
	slices.SortStableFunc(glyphs, func(a, b glyph) int { return cmp.Compare(middle(b), middle(a)) })
	var out []printed
	for from := 0; from < len(glyphs); {
		first, to := glyphs[from], from+1
		near := .45 * max(first.top-first.bottom, height/2)
		for to < len(glyphs) && middle(first)-middle(glyphs[to]) < near {
			to++
		}
		line := glyphs[from:to]
		from = to
		slices.SortStableFunc(line, func(a, b glyph) int { return cmp.Compare(a.left, b.left) })
		if l := printLine(line, em, height); l.text != "" {
			l.line, l.page, l.rise = number, number, middle(first)/em
			out = append(out, l)
		}
	}
	return out
}

const (
	wordGap = .3  // em between glyphs that makes a space
	cellGap = 2.2 // and one that may part the cells of a table
	cellTab = "\t"
)

// printLine writes the glyphs of one line, from left to right.
func printLine(line []glyph, em, height float64) printed {
	var widths, heights []float64
	for _, g := range line {
		heights = append(heights, g.top-g.bottom)
		if unicode.Is(unicode.Han, g.r) {
			widths = append(widths, g.right-g.left)
		}
	}
	l := printed{size: median(heights) / height}
	if len(widths) > 0 {
		l.size = median(widths) / em
	}
	unit := max(l.size, .1) * em
	var b strings.Builder
	var last glyph
	for _, g := range line {
		if blank(g.r) {
			if b.Len() > 0 && g.right > last.right {
				b.WriteByte(' ')
				last.right = max(last.right, min(g.right, g.left+unit))
			}
			continue
		}
		switch gap := g.left - last.right; {
		case b.Len() == 0:
			l.left = g.left / em
		case g.r == last.r && g.left-last.left < .15*unit:
			continue // printed twice to look bold
		case gap > cellGap*unit:
			b.WriteString(cellTab)
		case gap > wordGap*unit:
			b.WriteByte(' ')
		}
		b.WriteRune(g.r)
		last = g
		l.right = max(l.right, g.right/em)
	}
	l.text = trim(b.String())
	return l
}

// joinCells decides what wide gaps are: where two neighbouring lines have some,
// they part the cells of a table.
func joinCells(lines []printed) {
	wide := make([]bool, len(lines)+2)
	for i, l := range lines {
		wide[i+1] = strings.Contains(l.text, cellTab)
	}
	for i := range lines {
		if !wide[i+1] {
			continue
		}
		mark := " "
		if wide[i] || wide[i+2] {
			mark = cellMark
		}
		cells := strings.Split(lines[i].text, cellTab)
		for j, c := range cells {
			cells[j] = tidy(c)
		}
		lines[i].text = strings.Join(cells, mark)
	}
}

// step returns how far, in em, line i stands below the one before it on its page; 0
// when that one stands on another page.
func step(lines []printed, i int) float64 {
	if i < 1 || i >= len(lines) || lines[i-1].page != lines[i].page {
		return 0
	}
	return lines[i-1].rise - lines[i].rise
}

// usualStep is the step from line to line within a paragraph of the body.
func usualStep(lines []printed) float64 {
	var steps []float64
	for i := 1; i < len(lines); i++ {
		if s := step(lines, i); s > .5 && lines[i].size < headingSize && lines[i-1].size < headingSize {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/4]
}

// markSmall marks small print at the edge of a page and well away from its text, as
// running heads are, also where one page doesn't show that they run.
func markSmall(lines []printed, usual float64) {
	const small, longest = .93, 40
	for i := range lines {
		l := &lines[i]
		above, below := step(lines, i), step(lines, i+1)
		alone := above == 0 && below > usual*1.5 || below == 0 && above > usual*1.5
		if alone && l.size < small && utf8.RuneCountInString(l.text) <= longest {
			l.rest = "running head"
		}
	}
}

// markGaps marks lines with more space above than lines of a paragraph have.
func markGaps(lines []printed, usual float64) {
	for i := 1; i < len(lines); i++ {
		if lines[i].rest == "" && lines[i-1].rest == "" && usual > 0 {
			lines[i].gap = step(lines, i) > max(usual*1.3, usual+.3) && lines[i].size < headingSize
		}
	}
}

// headingSize is the size, with the body's as 1, from which a line is a heading.
const headingSize = 1.12

// markHeadings gives depths by size: the title's size and larger ones 1, the next 2.
func markHeadings(lines []printed) {
	const longest = 80
	is := func(l printed) bool {
		return l.rest == "" && l.size >= headingSize && utf8.RuneCountInString(l.text) <= longest && !endsSentence(l.text)
	}
	var sizes []float64
	title := 0.0
	for _, l := range lines {
		if l.rest == "" && title == 0 {
			title = l.size
		}
		if is(l) && l.size < title*.95 || is(l) && title < headingSize {
			sizes = append(sizes, l.size)
		}
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	sizes = slices.CompactFunc(sizes, func(a, b float64) bool { return a < b*1.05 && b < a*1.05 })
	for i := range lines {
		l := &lines[i]
		switch {
		case !is(*l):
		case title >= headingSize && l.size >= title*.95:
			l.depth = 1
		default:
			at := slices.IndexFunc(sizes, func(s float64) bool { return l.size > s*.95 })
			l.depth = min(2+max(at, 0), 6)
		}
	}
}
