package corpus

import (
	"context"
	"strings"
)

// infoEnd closes the header in the Markdown of public collections of laws.
const infoEnd = "INFO END"

// readMarkdown reads Markdown and plain text: one law a file.
func readMarkdown(ctx context.Context, path string, yield func(*Document, error) bool) {
	if err := ctx.Err(); err != nil {
		yield(nil, err)
		return
	}
	text, err := readText(path)
	if err != nil {
		yield(nil, err)
		return
	}
	yield(recognise(markdownBlocks(path, text)), nil)
}

// markdownBlocks cuts Markdown into blocks. Each line is one: in laws a line is
// a paragraph (款) or an item (项).
func markdownBlocks(path, text string) *source {
	src := &source{path: path, bodyAt: -1}
	comment, front := false, false
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
