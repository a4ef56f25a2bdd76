package corpus

import "strings"

// tableRow is a row of a table with what its cells hold.
type tableRow struct {
	cells [][]block
	line  int
}

// table reads a table: one block a row, cells joined by |, each with the number
// of the table. Text of merged cells comes once, where the cell begins. A table
// with one column is a frame around ordinary paragraphs.
func (w *wordText) table(out *[]block) error {
	w.tables++
	number := w.tables
	var rows []tableRow
	if err := w.rows(&rows); err != nil {
		return err
	}
	frame := true
	for _, r := range rows {
		frame = frame && len(r.cells) <= 1
	}
	for _, r := range rows {
		if frame {
			for _, c := range r.cells {
				*out = append(*out, c...)
			}
			continue
		}
		texts := make([]string, len(r.cells))
		for i, c := range r.cells {
			texts[i] = joinBlocks(c)
		}
		if text := trim(strings.Join(texts, " | ")); strings.Trim(text, "| ") != "" {
			*out = append(*out, block{text: text, line: r.line, table: number})
		}
	}
	return nil
}

// rows reads the rows up to the end of the current element.
func (w *wordText) rows(rows *[]tableRow) error {
	return w.each(func(e xmlStart) error {
		switch name := element(e.Name); {
		case name == "tr":
			return w.row(rows)
		case isProperties(name):
			return w.skip()
		default:
			return w.rows(rows) // a wrapper
		}
	}, nil)
}

// row reads one row. One that a tracked change deletes is left out.
func (w *wordText) row(rows *[]tableRow) error {
	r := tableRow{line: w.line + 1}
	deleted := false
	err := w.each(func(e xmlStart) error {
		if element(e.Name) == "trPr" {
			return w.each(func(e xmlStart) error {
				deleted = deleted || element(e.Name) == "del"
				return w.skip()
			}, nil)
		}
		read := func() error { return w.cell(&r, e) }
		if deleted {
			return w.leaving(leftDeleted, read)
		}
		return read()
	}, nil)
	if !deleted {
		*rows = append(*rows, r)
	}
	return err
}

// cell reads one cell, or the cells in a wrapper.
func (w *wordText) cell(r *tableRow, e xmlStart) error {
	name := element(e.Name)
	if isProperties(name) {
		return w.skip()
	}
	if name != "tc" {
		return w.each(func(e xmlStart) error { return w.cell(r, e) }, nil)
	}
	w.cells++
	defer func() { w.cells-- }()
	var blocks []block
	why := ""
	err := w.each(func(e xmlStart) error {
		if element(e.Name) == "tcPr" {
			return w.each(func(e xmlStart) error {
				switch name := element(e.Name); {
				case (name == "vMerge" || name == "hMerge") && attribute(e, "val") != "restart":
					why = leftMerged
				case name == "cellDel":
					why = leftDeleted
				}
				return w.skip()
			}, nil)
		}
		read := func() error { return w.cellContent(&blocks, e) }
		if why != "" {
			return w.leaving(why, read)
		}
		return read()
	}, nil)
	w.carried(&blocks)
	r.cells = append(r.cells, blocks)
	return err
}

// cellContent reads one element of a cell.
func (w *wordText) cellContent(out *[]block, e xmlStart) error {
	switch name := element(e.Name); {
	case name == "p":
		return w.paragraph(out)
	case name == "tbl":
		return w.table(out)
	case isProperties(name):
		return w.skip()
	case name == "sdt":
		return w.control(func() error { return w.content(out) })
	case name == "mc:AlternateContent":
		return w.alternative(func() error { return w.content(out) })
	default:
		return w.content(out)
	}
}
