package corpus

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"lexagent/statute"
)

// htmlList numbers the items of an ol; a nil one and an ul number none.
type htmlList struct {
	style string // a CSS list style; "" = no numbers
	next  int
	step  int
}

// styleType finds the list style in a style attribute.
var styleType = regexp.MustCompile(`(?i)list-style(?:-type)?\s*:[^;]*?\b(none|decimal|lower-alpha|lower-latin|upper-alpha|upper-latin|lower-roman|upper-roman|cjk-ideographic|simp-chinese-informal|trad-chinese-informal|cjk-decimal|disc|circle|square)\b`)

// styleOf translates the type attribute.
var styleOf = map[string]string{
	"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman",
	"disc": "", "circle": "", "square": "", "none": "",
}

func newList(n *html.Node) *htmlList {
	l := &htmlList{next: 1, step: 1}
	if n.DataAtom != atom.Ol {
		return l
	}
	l.style = "decimal"
	if t, ok := styleOf[attr(n, "type")]; ok {
		l.style = t
	}
	if m := styleType.FindStringSubmatch(attr(n, "style")); m != nil {
		l.style = strings.ToLower(m[1])
	}
	if hasAttr(n, "reversed") {
		l.step, l.next = -1, 0
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Li {
				l.next++
			}
		}
	}
	if start, err := strconv.Atoi(strings.TrimSpace(attr(n, "start"))); err == nil {
		l.next = start
	}
	return l
}

// marker returns what stands before the text of the next item.
func (l *htmlList) marker(li *html.Node) string {
	if l == nil || l.style == "" {
		return ""
	}
	if v, err := strconv.Atoi(strings.TrimSpace(attr(li, "value"))); err == nil {
		l.next = v
	}
	n := l.next
	l.next += l.step
	style := l.style
	if m := styleType.FindStringSubmatch(attr(li, "style")); m != nil {
		style = strings.ToLower(m[1])
	}
	switch style {
	case "none", "disc", "circle", "square":
		return ""
	case "cjk-ideographic", "simp-chinese-informal", "trad-chinese-informal", "cjk-decimal":
		if s, err := statute.Numeral(n); err == nil {
			return s + "、"
		}
	case "lower-alpha", "lower-latin":
		return letters(n) + ". "
	case "upper-alpha", "upper-latin":
		return strings.ToUpper(letters(n)) + ". "
	case "lower-roman":
		return roman(n) + ". "
	case "upper-roman":
		return strings.ToUpper(roman(n)) + ". "
	}
	return strconv.Itoa(n) + ". "
}
