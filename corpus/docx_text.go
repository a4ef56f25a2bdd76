package corpus

import (
	"encoding/xml"
	"maps"
	"regexp"
	"slices"
	"strings"
)

type xmlStart = xml.StartElement

// Why text of a document isn't in the units.
const (
	leftDeleted = "deleted by a tracked change"
	leftHidden  = "hidden text"
	leftField   = "field code"
	leftMerged  = "behind a merged cell"
	leftRuby    = "phonetic guide"
	leftSymbol  = "symbol without a character"
	leftPrompt  = "prompt of an empty form field"
)

var reasonsLeft = []string{leftDeleted, leftHidden, leftField, leftMerged, leftRuby, leftSymbol, leftPrompt}

// wordText makes blocks of the XML of a Word document.
type wordText struct {
	*xmlPart
	zip     *docxZip
	styles  *styles
	numbers *numbering
	notes   map[string]string // by kind and id; those referred to are taken out

	left    map[string]*strings.Builder // what is left out, by reason
	why     []string                    // reasons to leave out what is read now
	fields  []bool                      // open fields; true: in the code, not the result
	line    int                         // number of the last paragraph
	centred map[int]bool                // paragraphs set in the middle
	cells   int                         // how many cells are open
	tables  int                         // number of the last table
	seen    int                         // characters that were read, to tell whether any were
	carry   string                      // text of a paragraph whose mark is deleted
}

// pageNumber is a line such as — 35 —, left by programs that turn pages into text.
var pageNumber = regexp.MustCompile(`^\s*[—–－-]\s*\d{1,4}\s*[—–－-]\s*$`)

// paragraph is what is known of the paragraph being read.
type paragraph struct {
	text    strings.Builder
	style   string
	list    *listRef
	outline *value
	align   string
	open    bool    // its mark is deleted or hidden: it goes on in the next one
	boxes   []block // text boxes anchored in it
	notes   []string
}

// content reads paragraphs and tables up to the end of the current element.
func (w *wordText) content(out *[]block) error {
	err := w.each(func(e xmlStart) error {
		switch name := element(e.Name); name {
		case "p":
			return w.paragraph(out)
		case "tbl":
			return w.table(out)
		case "del", "moveFrom":
			return w.leaving(leftDeleted, func() error { return w.content(out) })
		case "sdt":
			return w.control(func() error { return w.content(out) })
		case "mc:AlternateContent":
			return w.alternative(func() error { return w.content(out) })
		default:
			if isProperties(name) {
				return w.skip()
			}
			return w.content(out) // a wrapper: insertions, content controls, …
		}
	}, nil)
	w.carried(out)
	return err
}

// carried makes a block of text whose paragraph was to go on, when none follows.
func (w *wordText) carried(out *[]block) {
	if w.carry != "" {
		w.line++
		w.emit(&paragraph{}, "", out)
	}
}

// isProperties reports elements that hold settings or former settings.
func isProperties(name string) bool {
	return strings.HasSuffix(name, "Pr") || strings.HasSuffix(name, "PrChange") || name == "tblGrid" || name == "numberingChange"
}

// leaving runs read while what is read is left out for the reason why.
func (w *wordText) leaving(why string, read func() error) error {
	w.why = append(w.why, why)
	err := read()
	w.why = w.why[:len(w.why)-1]
	return err
}

// alternative reads the first of the alternatives that has any text: a text box
// is often there twice, for newer and for older programs.
func (w *wordText) alternative(read func() error) error {
	before := w.seen
	return w.each(func(e xmlStart) error {
		switch element(e.Name) {
		case "mc:Choice", "mc:Fallback":
			if w.seen == before {
				return read()
			}
		}
		return w.skip()
	}, nil)
}

// paragraph reads one paragraph.
func (w *wordText) paragraph(out *[]block) error {
	p := &paragraph{}
	if err := w.inline(p); err != nil {
		return err
	}
	w.line++
	text := p.text.String()
	for _, n := range p.notes {
		text += "〔注：" + n + "〕"
	}
	if p.open && len(w.why) == 0 {
		w.carry += text
	} else {
		w.emit(p, text, out)
	}
	*out = append(*out, p.boxes...)
	return nil
}

// emit makes blocks of a finished paragraph: one a line.
func (w *wordText) emit(p *paragraph, text string, out *[]block) {
	text, w.carry = w.carry+text, ""
	number := ""
	if len(w.why) == 0 {
		number = w.number(p)
	}
	if trim(text) == "" {
		if number = trim(number); number != "" && w.cells > 0 { // a column of numbers
			*out = append(*out, block{text: number, line: w.line})
		}
		return
	}
	depth := w.styles.depth(w.styleOf(p))
	if p.outline != nil {
		depth = outlineDepth(p.outline.number(9))
	}
	if p.align == "center" || p.align == "" && w.styles.centred(w.styleOf(p)) {
		w.centred[w.line] = true
	}
	rest := ""
	switch {
	case w.styles.isContents(p.style):
		rest = "table of contents"
	case pageNumber.MatchString(text):
		rest = "page number"
	}
	lines := strings.Split(number+text, "\n")
	if depth > 0 && len(lines) > 1 { // a heading over several lines
		for i := range lines {
			lines[i] = trim(lines[i])
		}
		lines = []string{strings.Join(lines, "")}
	}
	for _, l := range lines {
		if l = trim(l); l != "" {
			*out = append(*out, block{text: l, line: w.line, depth: headingDepth(depth, l), rest: rest})
		}
	}
}

// headingDepth doubts a heading that the style marks but the text isn't: some
// documents set whole paragraphs in a heading's style.
func headingDepth(depth int, text string) int {
	const longest = 60 // runes
	runes := []rune(text)
	if len(runes) > longest || strings.ContainsAny(text, "。；") || strings.ContainsRune("：，、:,;", runes[len(runes)-1]) ||
		runes[0] == '（' || runes[0] == '(' {
		return 0
	}
	return depth
}

func (w *wordText) styleOf(p *paragraph) string {
	if p.style != "" {
		return p.style
	}
	return w.styles.initial
}

// number counts the paragraph in its list and returns its number as printed.
func (w *wordText) number(p *paragraph) string {
	id := w.styleOf(p)
	listID, level, from := w.styles.numbers(id)
	if p.list != nil {
		if p.list.List != nil {
			listID, from = p.list.List.Val, ""
			level = p.list.Level
		} else if p.list.Level != nil {
			level, from = p.list.Level, ""
		}
	}
	n := level.number(0)
	if from != "" {
		n = w.numbers.levelOf(listID, from, n)
	}
	return w.numbers.next(listID, n)
}

// add takes characters of the text, or books them as left out.
func (w *wordText) add(p *paragraph, s string) {
	w.seen += chars(s)
	why := ""
	switch {
	case len(w.why) > 0:
		why = w.why[len(w.why)-1]
	case slices.Contains(w.fields, true):
		why = leftField
	default:
		p.text.WriteString(s)
		return
	}
	if w.left[why] == nil {
		w.left[why] = &strings.Builder{}
	}
	w.left[why].WriteString(s)
}

// noteOrder lists the ids of the notes that nothing referred to.
func (w *wordText) noteOrder() []string { return slices.Sorted(maps.Keys(w.notes)) }
