package corpus

import (
	"regexp"
	"strconv"
	"strings"

	"lexagent/statute"
)

// ownTable is the size, in characters, from which a table within a unit is a unit
// of its own: large enough to drown the sentences around it in a search.
const ownTable = 1000

// titleTop is how many characters an attachment may have above its table and still
// be nothing but that table.
const titleTop = 200

// ofUnit stands in the label of a table without a caption, behind the label of
// the unit that it is part of: 第六条附表.
const ofUnit = "附表"

var (
	tableCaption = regexp.MustCompile(`^(表[\s　]*[A-Za-z]?[\d一二三四五六七八九十]+(?:[-－.．]\d+)*)[\s　：:]*(.*)$`)
	tableNote    = regexp.MustCompile(`^注[\s　]*\d*[：:．.]`)
)

// endTable puts the rows read into the current unit, or makes a unit of them.
func (w *writer) endTable() {
	rows, size, above := w.rows, 0, 0
	w.rows = nil
	for _, b := range rows {
		size += chars(b.text)
	}
	for _, l := range w.lines {
		above += chars(l)
	}
	if w.cur == nil || size < ownTable || w.cur.Kind == statute.Attachment && above <= titleTop {
		for _, b := range rows {
			w.text(b)
		}
		return
	}
	u := statute.Unit{Kind: statute.Attachment, Path: append(append([]string{}, w.cur.Path...), w.cur.Label)}
	var lines []string
	if n := len(w.lines); n > 0 && tableCaption.MatchString(w.lines[n-1]) {
		m := tableCaption.FindStringSubmatch(w.lines[n-1])
		w.lines = w.lines[:n-1]
		u.Label = squeeze(m[1])
		if m[2] != "" {
			lines = append(lines, m[2])
		}
	} else if u.Label = w.cur.Label + ofUnit; len(w.tables) > 0 {
		u.Label += strconv.Itoa(len(w.tables) + 1)
	}
	for _, b := range rows {
		lines = append(lines, b.text)
		w.doc.Coverage.InUnits += chars(b.text)
	}
	u.Text = strings.Join(lines, "\n")
	w.tables, w.noted = append(w.tables, u), true
}

// tableNote adds a note below a table that is its own unit, 注：…, to the table.
func (w *writer) tableNote(b block) bool {
	if !w.noted || !tableNote.MatchString(b.text) {
		w.noted = false
		return false
	}
	w.tables[len(w.tables)-1].Text += "\n" + b.text
	w.doc.Coverage.InUnits += chars(b.text)
	return true
}

// madeLabel reports whether the label of a unit isn't printed in the source.
func madeLabel(u statute.Unit) bool {
	return u.Kind == statute.Attachment && strings.Index(u.Label, ofUnit) > 0
}
