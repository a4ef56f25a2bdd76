package corpus

import (
	"strings"
	"unicode/utf8"

	"lexagent/statute"
)

// heading is one level of the path above a unit.
type heading struct {
	text  string
	rank  int // 编 1, 分编 2, 章 3, 节 4; 0 = no division; -1 = the file's own part
	depth int // as marked by the format; 0 = a paragraph
}

// above reports whether h can stand above a heading n.
func (h heading) above(n heading) bool {
	switch {
	case h.rank < 0:
		return true
	case h.rank > 0 && n.rank > 0:
		return h.rank < n.rank
	}
	return (h.depth > 0 || h.rank > 0) && n.depth > h.depth
}

// writer puts blocks into units, in text order.
type writer struct {
	doc   *Document
	form  form
	title string // of the law, squeezed
	path  []heading
	heads []string // all lines taken for headings, squeezed

	cur     *statute.Unit // the unit being written; nil between units
	lines   []string
	started bool // an article, item or section was seen
	last    int  // number of the last article or item
	lastSub int
	pending bool // the innermost heading has no unit yet

	rows   []block        // of the table being read
	tables []statute.Unit // tables that follow the current unit as units of their own
	noted  bool           // the line before was the end of such a table
}

// maxTailRunes bounds a line that goes on with the heading above it.
const maxTailRunes = 40

// body takes all blocks of the body.
func (w *writer) body(body []block) {
	var prev block
	body = splitInline(body, w.form)
	for i, b := range body {
		if b.rest != "" {
			continue
		}
		if len(w.rows) > 0 && w.rows[0].table != b.table {
			w.endTable()
		}
		if b.table > 0 {
			w.rows = append(w.rows, b)
			prev = b
			continue
		}
		if isHeading(prev) && w.tail(b, body[i+1:]) {
			w.path[len(w.path)-1].text += tidy(b.text)
			w.headed(b)
		} else {
			w.block(b)
		}
		prev = b
	}
	if len(w.rows) > 0 {
		w.endTable()
	}
	w.flush()
}

// splitInline parts articles that a source runs together on one line: behind an
// article, the end of a sentence, and the label that is next in order, set off by
// white space.
func splitInline(body []block, f form) []block {
	if f != ofArticles {
		return body
	}
	out := make([]block, 0, len(body))
	last := 0
	for _, b := range body {
		if l, ok := articleOf(b); ok {
			last = l.Number
		}
		for last > 0 && b.rest == "" && b.table == 0 {
			i := inlineHead(b.text, statute.Label(last+1, 0))
			if i < 0 {
				break
			}
			head := b
			head.text, b.text = trim(b.text[:i]), b.text[i:]
			out = append(out, head)
			last++
		}
		out = append(out, b)
	}
	return out
}

// inlineHead returns where label heads an article within text, or -1.
func inlineHead(text, label string) int {
	i := strings.Index(text, "。"+label)
	if i >= 0 {
		i += len("。")
	} else if i = strings.Index(text, " "+label); i >= 0 && strings.HasSuffix(trim(text[:i]), "。") {
		i++
	} else {
		return -1
	}
	rest := text[i+len(label):]
	if after := trim(rest); after == rest || after == "" || strings.HasPrefix(after, "第") {
		return -1
	}
	return i
}

// tail reports whether b is the second line of a heading that was broken in two:
// a short line without an end, between a heading and the first article below it.
func (w *writer) tail(b block, next []block) bool {
	if w.form != ofArticles || w.cur != nil || len(w.path) == 0 || len(next) == 0 ||
		isHeading(b) && !w.headingGoesOn(b) ||
		utf8.RuneCountInString(b.text) > maxTailRunes || strings.ContainsAny(b.text, "。；：") {
		return false
	}
	if _, ok := articleOf(b); ok {
		return false
	}
	_, ok := articleOf(next[0])
	return ok
}

// headingGoesOn reports whether a marked heading is the second line of the 章 or 节
// above it: some formats mark both lines alike.
func (w *writer) headingGoesOn(b block) bool {
	above := w.path[len(w.path)-1]
	return above.rank > 0 && b.depth == above.depth && rankOf(b) == 0 && !namedHead.MatchString(b.text) && !preambleHead.MatchString(b.text)
}

// block takes the next block of the body.
func (w *writer) block(b block) {
	inAttachment := w.cur != nil && w.cur.Kind == statute.Attachment
	if label, rest, ok := attachmentOf(b); ok && (w.started || b.depth > 0) {
		w.open(statute.Unit{Kind: statute.Attachment, Label: label}, rest, b)
		w.cur.Path = nil
		return
	}
	if w.form == ofItems && inAttachment && w.revised(b) {
		w.form, w.last, inAttachment = ofArticles, 0, false
		w.flush()
	}
	if w.form == ofArticles {
		if l, ok := articleOf(b); ok && w.isArticle(l, inAttachment, b) {
			w.last, w.lastSub, w.started = l.Number, l.Sub, true
			w.open(statute.Unit{Kind: statute.Article, Label: l.Label, Number: l.Number, Sub: l.Sub}, trim(l.Rest), b)
			return
		}
	}
	if w.form == ofItems && !inAttachment {
		if n, label, rest, ok := itemOf(b); ok && n > w.last {
			w.last, w.started = n, true
			w.open(statute.Unit{Kind: statute.Item, Label: label, Number: n}, trim(rest), b)
			return
		}
	}
	if isHeading(b) && !inAttachment {
		w.heading(b)
		return
	}
	w.text(b)
}

// revised reports whether b opens the amended text that a decision appends: the
// first article under an attachment that bears the law's own title.
func (w *writer) revised(b block) bool {
	l, ok := articleOf(b)
	if !ok || l.Number != 1 || l.Sub != 0 {
		return false
	}
	const top = 6 // the title is at the top of the attachment
	return strings.Contains(squeeze(strings.Join(w.lines[:min(top, len(w.lines))], "")), w.title)
}

// isArticle decides whether a block that looks like the head of an article is
// one. Where the order is broken, a head set off by white space still counts: the
// source may be in disorder. Text set close to the label counts only in order.
func (w *writer) isArticle(l statute.LineLabel, inAttachment bool, b block) bool {
	next := l.Number == w.last+1 && l.Sub == 0 || l.Number == w.last && l.Sub == w.lastSub+1
	switch {
	case inAttachment: // an attachment may have articles of its own
		return next && w.last > 0
	case next || !w.started || b.depth > 0:
		return true
	case l.Rest == "":
		return true
	}
	first := []rune(l.Rest)[0]
	if first != ' ' && first != '\u3000' && first != '\t' && first != '\u00a0' {
		return false
	}
	// 第五条 第二款 … is a reference all the same.
	return !strings.HasPrefix(trim(l.Rest), "第")
}

// heading takes a heading of 编, 章, 节, or of a section.
func (w *writer) heading(b block) {
	w.flush()
	h := heading{text: tidy(b.text), rank: rankOf(b), depth: b.depth}
	for len(w.path) > 0 && !w.path[len(w.path)-1].above(h) {
		w.path = w.path[:len(w.path)-1]
	}
	w.path = append(w.path, h)
	w.pending = true
	w.headed(b)
}

// headed counts a line as a heading.
func (w *writer) headed(b block) {
	w.heads = append(w.heads, squeeze(b.text))
	w.doc.Coverage.InHeadings += chars(b.text)
}

// text adds a paragraph to the current unit, or opens the unit that a paragraph
// without a head of its own belongs to.
func (w *writer) text(b block) {
	if w.tableNote(b) {
		return
	}
	if w.cur != nil {
		w.lines = append(w.lines, b.text)
		w.doc.Coverage.InUnits += chars(b.text)
		return
	}
	u := statute.Unit{Kind: statute.Preamble, Label: unnamed[statute.Preamble]}
	top := ""
	if n := len(w.path); n > 0 && w.path[n-1].rank >= 0 {
		top = w.path[n-1].text
	}
	switch {
	case w.pending && preambleHead.MatchString(top):
		u.Label = squeeze(top)
	case w.pending && (w.started || w.form == ofSections):
		u.Kind, u.Label = statute.Section, top
		w.started = true
	case w.form == asWhole:
		u.Kind, u.Label = statute.Whole, unnamed[statute.Whole]
	}
	w.open(u, b.text, b)
}

// open closes the current unit and begins u with its first line of text.
func (w *writer) open(u statute.Unit, text string, b block) {
	w.flush()
	u.Path = w.pathOf(u)
	w.cur = &u
	if text != "" {
		w.lines = append(w.lines, text)
	}
	w.pending = false
	w.doc.Coverage.InUnits += chars(b.text)
}

// pathOf lists the headings above u; a heading that became u's label isn't one.
func (w *writer) pathOf(u statute.Unit) []string {
	path := make([]string, 0, len(w.path))
	for _, h := range w.path {
		path = append(path, h.text)
	}
	if n := len(path); n > 0 && w.pending && (u.Kind == statute.Section || squeeze(path[n-1]) == u.Label) {
		path = path[:n-1]
	}
	return path
}

// flush closes the current unit.
func (w *writer) flush() {
	if w.cur == nil {
		return
	}
	w.cur.Text = strings.Join(w.lines, "\n")
	w.doc.Units = append(w.doc.Units, *w.cur)
	w.doc.Units = append(w.doc.Units, w.tables...)
	w.cur, w.lines, w.tables, w.noted = nil, nil, nil, false
}
