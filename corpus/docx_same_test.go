package corpus

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"lexagent/statute"
)

// wordStyles are the styles that Word has for headings.
const wordStyles = `<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="h1"><w:name w:val="Title"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="h2"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="h3"><w:name w:val="heading 2"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="h4"><w:name w:val="heading 3"/></w:style><w:style w:type="paragraph" w:styleId="h5"><w:name w:val="heading 4"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="h6"><w:name w:val="heading 5"/></w:style>`

// asWord writes a law as a Word document with headings by style.
func asWord(t testing.TB, md string) []byte {
	t.Helper()
	return wordLaw(t, md, func(l lineOf) string { return wordParagraph(l.depth, "", l.text) })
}

// asNumberedWord writes a law as a Word document whose articles are numbered by
// Word: each label is a list of its own that begins at its number.
func asNumberedWord(t testing.TB, md string) []byte {
	t.Helper()
	var lists strings.Builder
	id := 1
	numbered := func(l lineOf) string {
		label, ok := articleOf(block{text: l.text})
		rest := strings.TrimLeft(label.Rest, " 　")
		if !ok || label.Label != statute.Label(label.Number, 0) || rest == label.Rest {
			return wordParagraph(l.depth, "", l.text)
		}
		id++
		fmt.Fprintf(&lists, `<w:num w:numId="%d"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="%d"/></w:lvlOverride></w:num>`, id, label.Number)
		return wordParagraph(l.depth, fmt.Sprintf(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="%d"/></w:numPr>`, id), rest)
	}
	return wordLaw(t, md, numbered, &lists)
}

// wordLaw writes a law line by line; lists are those that paragraph made.
func wordLaw(t testing.TB, md string, paragraph func(lineOf) string, lists ...fmt.Stringer) []byte {
	t.Helper()
	var body strings.Builder
	var rows [][]string
	flush := func() {
		if len(rows) > 0 {
			body.WriteString(wtbl(rows...))
			rows = nil
		}
	}
	for _, l := range lawLines(md) {
		if !l.table {
			flush()
			body.WriteString(paragraph(l))
			continue
		}
		var row []string
		for _, cell := range strings.Split(l.text, strings.TrimSpace(cellMark)) {
			row = append(row, wordParagraph(0, "", strings.TrimSpace(cell)))
		}
		rows = append(rows, row)
	}
	flush()
	p := parts{"body": body.String(), "styles": wordStyles}
	for _, l := range lists {
		p["numbering"] = `<w:abstractNum w:abstractNumId="1">` + wlvl(0, "chineseCountingThousand", "第%1条", "") + `</w:abstractNum>` + l.String()
	}
	return writeDOCX(t, p)
}

// wordParagraph is a paragraph in the heading style of a depth, with properties.
func wordParagraph(depth int, properties, text string) string {
	if depth > 0 {
		properties = fmt.Sprintf(`<w:pStyle w:val="h%d"/>`, depth) + properties
	}
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return err.Error() // a strings.Builder takes everything
	}
	return "<w:p><w:pPr>" + properties + "</w:pPr>" + wr(b.String()) + "</w:p>"
}
