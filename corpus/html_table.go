package corpus

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxCellChars bounds a cell of a table of data; a longer one means that the table
// only lays out the page.
const maxCellChars = 1500

// tableRows returns the rows of a table, nil for a table that only lays out the
// page: it has a table or an article in it, or never two cells in a row.
func tableRows(table *html.Node) []*html.Node {
	if role := attr(table, "role"); role == "presentation" || role == "none" {
		return nil
	}
	var rows []*html.Node
	wide, layout := false, false
	var find func(*html.Node)
	find = func(n *html.Node) {
		for c := n.FirstChild; c != nil && !layout; c = c.NextSibling {
			switch c.DataAtom {
			case atom.Thead, atom.Tbody, atom.Tfoot:
				find(c)
			case atom.Tr:
				rows = append(rows, c)
				cells := cellsOf(c)
				wide = wide || len(cells) > 1
				for _, cell := range cells {
					layout = layout || laysOut(cell)
				}
			}
		}
	}
	find(table)
	if layout || !wide {
		return nil
	}
	return rows
}

func cellsOf(tr *html.Node) []*html.Node {
	var cells []*html.Node
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if (c.DataAtom == atom.Td || c.DataAtom == atom.Th) && !hidden(c) {
			cells = append(cells, c)
		}
	}
	return cells
}

// laysOut reports a cell that holds what cells of data don't.
func laysOut(cell *html.Node) bool {
	for n := range cell.Descendants() {
		switch n.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.Article, atom.Main:
			return true
		}
	}
	return chars(textOf(cell)) > maxCellChars
}

// table writes each row as one block, its cells joined by cellMark. The text of a
// cell that spans rows or columns is written once.
func (p *page) table(n *html.Node, rows []*html.Node, at place) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			p.walk(c, at)
		}
	}
	p.tables++
	for _, tr := range rows {
		if hidden(tr) {
			continue
		}
		var cells []string
		seen := 0
		for _, cell := range cellsOf(tr) {
			s := tidy(collapse(cellText(cell)))
			cells = append(cells, s)
			seen += chars(s)
		}
		if seen == 0 {
			continue
		}
		p.chars += seen
		row := block{text: trim(strings.Join(cells, cellMark)), line: len(p.blocks) + 1, rest: at.rest, table: p.tables}
		p.blocks = append(p.blocks, row)
		p.linked = append(p.linked, false)
	}
}

// cellText returns a cell's text with spaces where its blocks part.
func cellText(cell *html.Node) string {
	inner := &page{}
	inner.children(cell, place{})
	inner.flush(place{})
	parts := make([]string, len(inner.blocks))
	for i, b := range inner.blocks {
		parts[i] = b.text
	}
	return strings.Join(parts, " ")
}
