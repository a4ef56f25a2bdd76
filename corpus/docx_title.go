package corpus

import (
	"strings"
	"unicode/utf8"
)

// titleWithin is how many blocks from the top are looked at for the title.
const titleWithin = 12

// titleBlocks makes one block, marked as the title, of the lines at the top that
// the title stands on. They are the lines that make up the file's name, or else
// the first line and the centred ones below it. Lines above the title, such as
// the number of a standard or the order by which a rule is published, are no part
// of the law; those with a date are returned as its header.
func titleBlocks(blocks []block, centred map[int]bool, path string) (out []block, dated []string) {
	from, to := titleByName(blocks, titleInName(path))
	if len(blocks) > 0 && blocks[0].depth == 1 && from > 0 {
		from, to = 0, 1 // the document's own mark is better than its name
	}
	if from == to {
		from, to = titleByPlace(blocks, centred)
	}
	if from == to {
		return blocks, nil
	}
	title := blocks[from]
	title.text, title.depth = "", 1
	for _, b := range blocks[from:to] {
		title.text += b.text
	}
	out = make([]block, 0, len(blocks))
	for _, b := range blocks[:from] {
		if b.rest == "" {
			b.rest = "above the title"
			if dayPattern.MatchString(b.text) {
				dated = append(dated, b.text)
			}
		}
		out = append(out, b)
	}
	return append(append(out, title), blocks[to:]...), dated
}

// titleByName finds the lines that together are the file's name.
func titleByName(blocks []block, name string) (from, to int) {
	want := comparable(name)
	for from := range min(titleWithin, len(blocks)) {
		joined := ""
		for to := from; to < len(blocks) && blocks[to].rest == "" && blocks[to].table == 0; to++ {
			joined += comparable(blocks[to].text)
			if joined == want {
				return from, to + 1
			}
			if !strings.HasPrefix(want, joined) {
				break
			}
		}
	}
	return 0, 0
}

// comparable is a title without white space and the marks that file names lack.
func comparable(s string) string {
	return strings.NewReplacer("(", "（", ")", "）", "<", "", ">", "", "〈", "", "〉", "", "《", "", "》", "",
		":", "", "：", "", "/", "", "\"", "", "“", "", "”", "", "?", "", "*", "").Replace(squeeze(s))
}

// titleByPlace takes the first line, and centred lines below it that could go on
// with it.
func titleByPlace(blocks []block, centred map[int]bool) (from, to int) {
	for from < len(blocks) && blocks[from].rest != "" {
		from++
	}
	if from == len(blocks) || blocks[from].table > 0 || !titleLike(block{text: blocks[from].text}) {
		return 0, 0
	}
	length := utf8.RuneCountInString(blocks[from].text)
	for to = from + 1; to < len(blocks) && centred[blocks[from].line] && centred[blocks[to].line]; to++ {
		b := blocks[to]
		length += utf8.RuneCountInString(b.text)
		if b.rest != "" || b.table > 0 || length > maxTitleRunes || headerLike(b) || isHeading(block{text: b.text}) ||
			contentsHead.MatchString(b.text) || !titleLike(block{text: b.text}) || strings.HasPrefix(b.text, "（") || strings.HasPrefix(b.text, "(") {
			break
		}
	}
	return from, to
}
