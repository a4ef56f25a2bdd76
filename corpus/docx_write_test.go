package corpus

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const wordNames = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
	`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
	`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ` +
	`xmlns:v="urn:schemas-microsoft-com:vml"`

// parts are the parts of a document by name; "body" stands for the inside of
// word/document.xml, "styles" for that of word/styles.xml and so on.
type parts map[string]string

var roots = map[string]string{"body": "document", "styles": "styles", "numbering": "numbering",
	"footnotes": "footnotes", "endnotes": "endnotes", "header1": "hdr", "footer1": "ftr", "comments": "comments"}

// writeDOCX makes the bytes of a Word document.
func writeDOCX(t testing.TB, p parts) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range p {
		if root := roots[name]; root != "" {
			if name == "body" {
				name, content = "document", "<w:body>"+content+"</w:body>"
			}
			content = fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><w:%s %s>%s</w:%s>`, root, wordNames, content, root)
			name = "word/" + name + ".xml"
		}
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wp is a paragraph of plain text.
func wp(text string) string { return "<w:p>" + wr(text) + "</w:p>" }

// wr is a run of plain text.
func wr(text string) string { return "<w:r><w:t>" + text + "</w:t></w:r>" }

// ws is a paragraph in a style.
func ws(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>` + wr(text) + `</w:p>`
}

// wn is a paragraph numbered by a list.
func wn(list, level int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr>%s</w:p>`, level, list, wr(text))
}

// wtbl is a table of rows of cells, each cell the inside of a w:tc.
func wtbl(rows ...[]string) string {
	var b strings.Builder
	b.WriteString("<w:tbl><w:tblPr/><w:tblGrid/>")
	for _, r := range rows {
		b.WriteString("<w:tr>")
		for _, c := range r {
			b.WriteString("<w:tc>" + c + "</w:tc>")
		}
		b.WriteString("</w:tr>")
	}
	return b.String() + "</w:tbl>"
}

// wlvl is a level of a list.
func wlvl(level int, format, text, more string) string {
	return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/>%s<w:lvlText w:val="%s"/></w:lvl>`, level, format, more, text)
}

// wnum is a list with a scheme of its own.
func wnum(id int, levels ...string) string {
	return fmt.Sprintf(`<w:abstractNum w:abstractNumId="%d">%s</w:abstractNum><w:num w:numId="%d"><w:abstractNumId w:val="%d"/></w:num>`,
		id, strings.Join(levels, ""), id, id)
}

// readParts reads a document made of parts.
func readParts(t testing.TB, name string, p parts) *source {
	t.Helper()
	b := writeDOCX(t, p)
	src, err := docxSource(t.Context(), name, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// lines shows the blocks of a source: # for each depth of a heading, | before a
// row of a table, ! and the reason before what is left out.
func (s *source) lines() []string {
	out := []string{}
	for _, b := range s.blocks {
		mark := ""
		switch {
		case b.rest != "":
			mark = "!" + b.rest + ": "
		case b.depth > 0:
			mark = strings.Repeat("#", b.depth) + " "
		case b.table > 0:
			mark = "| "
		}
		out = append(out, mark+b.text)
	}
	return out
}
