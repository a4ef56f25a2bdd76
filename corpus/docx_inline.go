package corpus

import (
	"strconv"
	"unicode"
)

// inline reads what stands in a paragraph up to the end of the current element.
func (w *wordText) inline(p *paragraph) error {
	return w.each(func(e xmlStart) error { return w.piece(p, e) }, nil)
}

// piece reads one element of a paragraph or a run.
func (w *wordText) piece(p *paragraph, e xmlStart) error {
	switch name := element(e.Name); name {
	case "pPr":
		return w.paragraphProperties(p)
	case "r":
		return w.run(p)
	case "t", "m:t":
		return w.each(w.ignore, func(s string) { w.add(p, s) })
	case "delText":
		return w.leaving(leftDeleted, func() error { return w.each(w.ignore, func(s string) { w.add(p, s) }) })
	case "del", "moveFrom":
		return w.leaving(leftDeleted, func() error { return w.inline(p) })
	case "rt":
		return w.leaving(leftRuby, func() error { return w.inline(p) })
	case "mc:AlternateContent":
		return w.alternative(func() error { return w.inline(p) })
	case "txbxContent":
		return w.box(p)
	case "sdt":
		return w.control(func() error { return w.inline(p) })
	case "fldChar":
		w.field(attribute(e, "fldCharType"))
		return w.skip()
	case "footnoteReference", "endnoteReference":
		w.note(p, name[:len(name)-len("Reference")]+attribute(e, "id"))
		return w.skip()
	case "sym":
		w.symbol(p, attribute(e, "font"), attribute(e, "char"))
		return w.skip()
	case "tab", "ptab":
		w.add(p, " ")
		return w.skip()
	case "br", "cr":
		w.add(p, "\n")
		return w.skip()
	case "noBreakHyphen":
		w.add(p, "-")
		return w.skip()
	case "instrText", "delInstrText":
		return w.skip()
	default:
		if isProperties(name) {
			return w.skip()
		}
		return w.inline(p) // a wrapper: insertions, links, content controls, drawings, …
	}
}

func (w *wordText) ignore(xmlStart) error { return w.skip() }

// run reads a run, whose properties stand first.
func (w *wordText) run(p *paragraph) error {
	hidden := w.styles.hidden(w.styleOf(p))
	why := len(w.why)
	hide := func() {
		w.why = w.why[:why]
		if hidden && why == 0 {
			w.why = append(w.why, leftHidden)
		}
	}
	hide()
	err := w.each(func(e xmlStart) error {
		if element(e.Name) != "rPr" {
			return w.piece(p, e)
		}
		err := w.each(func(e xmlStart) error {
			switch element(e.Name) {
			case "rStyle":
				hidden = hidden || w.styles.hidden(attribute(e, "val"))
			case "vanish":
				hidden = isOn(e)
			}
			return w.skip()
		}, nil)
		hide()
		return err
	}, nil)
	w.why = w.why[:why]
	return err
}

// paragraphProperties reads style, list, outline level and the paragraph's mark.
func (w *wordText) paragraphProperties(p *paragraph) error {
	return w.each(func(e xmlStart) error {
		switch element(e.Name) {
		case "pStyle":
			p.style = attribute(e, "val")
		case "outlineLvl":
			p.outline = &value{attribute(e, "val")}
		case "jc":
			p.align = attribute(e, "val")
		case "numPr":
			p.list = &listRef{}
			return w.each(func(e xmlStart) error {
				switch element(e.Name) {
				case "ilvl":
					p.list.Level = &value{attribute(e, "val")}
				case "numId":
					p.list.List = &value{attribute(e, "val")}
				}
				return w.skip()
			}, nil)
		case "rPr":
			return w.each(func(e xmlStart) error {
				switch element(e.Name) {
				case "del", "moveFrom":
					p.open = true
				case "vanish", "specVanish":
					p.open = p.open || isOn(e)
				}
				return w.skip()
			}, nil)
		}
		return w.skip()
	}, nil)
}

// box reads a text box, whose paragraphs stand behind the one that anchors it.
func (w *wordText) box(p *paragraph) error {
	carry, fields := w.carry, w.fields
	w.carry, w.fields = "", nil
	err := w.content(&p.boxes)
	w.carry, w.fields = carry, fields
	return err
}

// control reads a content control, whose properties stand first. The words that
// invite to fill in an empty one are no text.
func (w *wordText) control(read func() error) error {
	empty := false
	return w.each(func(e xmlStart) error {
		switch name := element(e.Name); {
		case name == "sdtPr":
			return w.each(func(e xmlStart) error {
				empty = empty || element(e.Name) == "showingPlcHdr" && isOn(e)
				return w.skip()
			}, nil)
		case isProperties(name):
			return w.skip()
		case empty:
			return w.leaving(leftPrompt, read)
		}
		return read()
	}, nil)
}

// field follows a field from its code to its result.
func (w *wordText) field(mark string) {
	last := len(w.fields) - 1
	switch {
	case mark == "begin" && len(w.fields) < maxNesting:
		w.fields = append(w.fields, true)
	case mark == "separate" && last >= 0:
		w.fields[last] = false
	case mark == "end" && last >= 0:
		w.fields = w.fields[:last]
	}
}

// note takes a footnote or an endnote to the paragraph that refers to it.
func (w *wordText) note(p *paragraph, id string) {
	if text := w.notes[id]; text != "" && len(w.why) == 0 {
		p.notes = append(p.notes, text)
		delete(w.notes, id)
	}
}

// symbols are the characters of fonts of symbols that forms and lists use: by
// font, and under "" those that most fonts agree on.
var symbols = map[string]map[uint64]string{
	"Symbol": {0xf0a3: "≤", 0xf0b3: "≥", 0xf0b0: "°", 0xf0b1: "±", 0xf0b4: "×", 0xf0b7: "•", 0xf0ae: "→", 0xf0b9: "≠"},
	"": {
		0xf0a8: "□", 0xf06f: "□", 0xf0a3: "□", 0xf071: "□", 0xf0fe: "☑", 0xf052: "☑", 0xf054: "☒", 0xf0fd: "☒",
		0xf0fc: "✓", 0xf050: "✓", 0xf0fb: "✗", 0xf0b7: "•", 0xf06c: "●", 0xf06e: "■", 0xf0a1: "○", 0xf0e0: "→",
	},
}

// symbol takes a character given by its code, often one of a font of symbols.
func (w *wordText) symbol(p *paragraph, font, code string) {
	n, err := strconv.ParseUint(code, 16, 32)
	if err == nil && n > ' ' && n <= 0xff && symbols[font] != nil {
		n |= 0xf000
	}
	row := symbols[font]
	if row == nil {
		row = symbols[""]
	}
	switch {
	case err == nil && row[n] != "":
		w.add(p, row[n])
	case err == nil && n > ' ' && n <= unicode.MaxRune && !unicode.Is(unicode.Co, rune(n)):
		w.add(p, string(rune(n)))
	default:
		w.why = append(w.why, leftSymbol)
		w.add(p, "?")
		w.why = w.why[:len(w.why)-1]
	}
}
