package corpus

import (
	"regexp"
	"strings"
)

// infoEnd closes the header in the Markdown of public collections of laws.
const infoEnd = "INFO END"

// markdownBlocks cuts Markdown into blocks. Each line is one: in laws a line is
// a paragraph (款) or an item (项).
func markdownBlocks(path, text string) *source {
	src := &source{path: path, bodyAt: -1}
	comment, front, table := false, false, 1
	for i, line := range splitLines(text) {
		b := block{text: trim(line), line: i + 1}
		switch {
		case b.text == "":
			continue
		case i == 0 && b.text == "---":
			front, b.rest = true, "front matter"
		case front:
			front, b.rest = b.text != "---", "front matter"
		case comment || strings.HasPrefix(b.text, "<!--"):
			b.rest = "comment"
			comment = !strings.Contains(b.text, "-->")
			if src.bodyAt < 0 && strings.Contains(b.text, infoEnd) {
				src.bodyAt = len(src.blocks) + 1
			}
		default:
			b.text, b.depth = headingMark(b.text)
			if !strings.HasPrefix(b.text, "|") {
				table++ // the number of the next one
			}
			b.text, b.table = markdownRow(b.text, table)
			b.text = trim(strings.ReplaceAll(b.text, "**", ""))
			src.markup += chars(line) - chars(b.text)
			if b.text == "" {
				continue
			}
		}
		src.blocks = append(src.blocks, b)
	}
	return src
}

// splitLines cuts at \n, \r\n and \r.
func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

// headingMark takes the "## " off a heading and returns its depth, 0 for a
// paragraph.
func headingMark(line string) (string, int) {
	rest := strings.TrimLeft(line, "#")
	depth := len(line) - len(rest)
	if depth == 0 || depth > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' && !strings.HasPrefix(rest, "\u3000") {
		return line, 0
	}
	return trim(rest), depth
}

// tableRule is the line between the head and the body of a table.
var tableRule = regexp.MustCompile(`^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?$`)

// markdownRow writes a row of a table as all readers do: cells joined by cellMark,
// "" for the rule below the head. Other lines come back as they are, with table 0.
func markdownRow(line string, table int) (row string, of int) {
	if tableRule.MatchString(line) {
		return "", table
	}
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return line, 0
	}
	cells := strings.Split(line[1:len(line)-1], "|")
	for i, c := range cells {
		cells[i] = trim(c)
	}
	return strings.Trim(strings.Join(cells, cellMark), " "), table
}
