package corpus

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// readHTML reads a page: one law a file.
func readHTML(ctx context.Context, path string, yield func(*Document, error) bool) {
	if err := ctx.Err(); err != nil {
		yield(nil, err)
		return
	}
	b, err := readBytes(path, maxTextBytes)
	if err != nil {
		yield(nil, err)
		return
	}
	text, reason := decodeHTML(b)
	if reason != "" {
		yield(nil, &ReadError{Path: path, Reason: reason})
		return
	}
	src, reason := htmlBlocks(path, text)
	if reason != "" {
		yield(nil, &ReadError{Path: path, Reason: reason})
		return
	}
	yield(recognise(src), nil)
}

// decodeHTML returns a page as UTF-8. Valid UTF-8 is that, whatever the page says of
// itself; then counts what it says, then what decodes to Chinese.
func decodeHTML(b []byte) (text, reason string) {
	if utf8.Valid(b) {
		return decode(b)
	}
	e, name, _ := charset.DetermineEncoding(b[:min(len(b), sniffBytes)], "")
	const unknown = "windows-1252" // what the standard takes a page for that says nothing
	if name == unknown || strings.HasPrefix(name, "gb") || strings.HasPrefix(name, "utf-") {
		return decode(b)
	}
	out, err := e.NewDecoder().Bytes(b)
	if err != nil || bytes.ContainsRune(out, utf8.RuneError) {
		return "", "the page says that it is in " + name + " and is not"
	}
	return decode(out)
}

// htmlBlocks makes blocks of a page, or tells why it can't.
func htmlBlocks(path, text string) (src *source, reason string) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, "the page can't be taken apart: " + strings.TrimPrefix(err.Error(), "html: ")
	}
	p := &page{}
	p.walk(root, place{})
	p.flush(place{})
	if p.chars == 0 {
		return nil, "the page has no text"
	}
	src = &source{path: path, bodyAt: -1, blocks: p.blocks}
	frame(src, p)
	if s := tidy(p.unread.String()); s != "" {
		src.blocks = append(src.blocks, block{text: s, rest: "hidden or struck out"})
	}
	return src, ""
}

// page collects the blocks of a page.
type page struct {
	blocks []block
	linked []bool // by block: all of it is a link
	title  string // of the page, which isn't seen on it
	cur    strings.Builder
	marker string // of a list item, to stand before its text
	tables int    // seen so far
	unread strings.Builder
	chars  int // of text seen, white space apart
	inLink int // of them in links, in the current block
	in     int // in the current block
}

// place is where in the page the walk is.
type place struct {
	depth int    // of the heading, 1 = h1; 0 outside of headings
	rest  string // set in what frames the text: why
	link  bool
	pre   bool // white space counts
	list  *htmlList
}

// struck elements hold what is no longer text of the law, as with deletions in Word
// files. It is listed rest, like what the page hides.
var struck = map[atom.Atom]bool{atom.Del: true, atom.S: true, atom.Strike: true}

// unseen elements have no text at all that a reader of the page sees.
var unseen = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Iframe: true,
	atom.Object: true, atom.Svg: true, atom.Math: true, atom.Canvas: true, atom.Audio: true, atom.Video: true,
	atom.Input: true, atom.Textarea: true, atom.Datalist: true, atom.Rp: true,
	atom.Noframes: true, atom.Noembed: true,
}

// inline elements don't end a block. All others do.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true, atom.Cite: true,
	atom.Code: true, atom.Data: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true,
	atom.Ins: true, atom.Kbd: true, atom.Label: true, atom.Map: true, atom.Mark: true, atom.Nobr: true, atom.Q: true,
	atom.Rt: true, atom.Ruby: true, atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strong: true,
	atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}

// walk takes a node and what is below it. The parser bounds the depth to 512.
func (p *page) walk(n *html.Node, at place) {
	switch {
	case n.Type == html.TextNode:
		p.write(n.Data, at)
		return
	case n.Type == html.DocumentNode:
		p.children(n, at)
		return
	case n.Type != html.ElementNode || unseen[n.DataAtom]:
		return
	case struck[n.DataAtom] || hidden(n):
		p.unread.WriteString(anyText(n) + " ")
		return
	case n.DataAtom == atom.Title:
		p.title = tidy(textOf(n))
		return
	case n.DataAtom == atom.Br:
		if at.depth == 0 {
			p.flush(at)
		}
		return
	case inline[n.DataAtom] || n.DataAtom == 0 && !strings.Contains(n.Data, "-"):
		at.link = at.link || n.DataAtom == atom.A
		p.children(n, at)
		return
	}
	p.flush(at)
	p.element(n, at)
}

// element takes an element that is a block, or holds blocks.
func (p *page) element(n *html.Node, at place) {
	if at.rest == "" {
		at.rest = frameOf(n)
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		at.depth = int(n.Data[1] - '0')
	case atom.Pre, atom.Listing, atom.Plaintext, atom.Xmp:
		at.pre = true
	case atom.Ol, atom.Ul, atom.Menu:
		at.list = newList(n)
	case atom.Li:
		p.marker = at.list.marker(n)
	case atom.Table:
		if rows := tableRows(n); rows != nil {
			p.table(n, rows, at)
			return
		}
	}
	p.children(n, at)
	p.flush(at)
	if n.DataAtom == atom.Li {
		p.marker = ""
	}
}

func (p *page) children(n *html.Node, at place) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.walk(c, at)
	}
}

// write adds text to the current block. In preformatted text each line is one.
func (p *page) write(s string, at place) {
	for at.pre {
		line, rest, more := strings.Cut(s, "\n")
		p.add(line, at)
		if !more {
			return
		}
		p.flush(at)
		s = rest
	}
	p.add(s, at)
}

func (p *page) add(s string, at place) {
	n := chars(s)
	if n > 0 && p.marker != "" {
		p.cur.WriteString(p.marker)
		p.marker = ""
	}
	p.chars += n
	p.in += n
	if at.link {
		p.inLink += n
	}
	p.cur.WriteString(s)
}

// flush ends the current block.
func (p *page) flush(at place) {
	s := p.cur.String()
	p.cur.Reset()
	linked := p.in > 0 && p.inLink == p.in
	p.in, p.inLink = 0, 0
	if !at.pre {
		s = collapse(s)
	}
	if s = trim(s); s != "" {
		p.blocks = append(p.blocks, block{text: s, line: len(p.blocks) + 1, depth: at.depth, rest: at.rest})
		p.linked = append(p.linked, linked)
	}
}

// sourceBreak is white space with a line end in it.
var sourceBreak = regexp.MustCompile(`[ \t\f]*[\r\n][ \t\f\r\n]*`)

// collapse makes white space of the source what a page shows of it: one space, and
// nothing where the source only broke a Chinese sentence over lines.
func collapse(s string) string {
	var b strings.Builder
	from := 0
	for _, m := range sourceBreak.FindAllStringIndex(s, -1) {
		b.WriteString(s[from:m[0]])
		last, _ := utf8.DecodeLastRuneInString(s[:m[0]])
		next, _ := utf8.DecodeRuneInString(s[m[1]:])
		if last < 0x2000 || next < 0x2000 {
			b.WriteByte(' ')
		}
		from = m[1]
	}
	b.WriteString(s[from:])
	return asciiSpace.ReplaceAllString(b.String(), " ")
}

var asciiSpace = regexp.MustCompile(`[ \t\f\r\n]+`)

// hiding styles make an element's text invisible.
var hiding = regexp.MustCompile(`(?i)(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|pt|em|rem|%)?\s*(?:;|!|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))`)

// hidden reports an element that the page itself doesn't show. Styles of a style
// sheet are not looked up.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" && !strings.EqualFold(a.Val, "until-found") || a.Key == "style" && hiding.MatchString(a.Val) {
			return true
		}
	}
	return n.DataAtom == atom.Dialog && !hasAttr(n, "open")
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// textOf returns the text below n that can be seen.
func textOf(n *html.Node) string {
	return gather(n, func(n *html.Node) bool { return !unseen[n.DataAtom] && !struck[n.DataAtom] && !hidden(n) })
}

// anyText returns the text below n whether it can be seen or not.
func anyText(n *html.Node) string {
	return gather(n, func(n *html.Node) bool { return !unseen[n.DataAtom] })
}

// gather returns the text of the nodes below n, without what is below those that
// keep turns down.
func gather(n *html.Node, keep func(*html.Node) bool) string {
	var b strings.Builder
	var add func(*html.Node)
	add = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.DataAtom == atom.Br:
			b.WriteByte(' ')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode || keep(c) {
				add(c)
			}
		}
	}
	add(n)
	return b.String()
}
