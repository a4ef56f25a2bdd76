package corpus

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLevels is the number of levels that a list of Word can have.
const maxLevels = 9

// listLevel is one level of a list: how its numbers look and where they begin.
type listLevel struct {
	Index   int    `xml:"ilvl,attr"`
	Start   *value `xml:"start"`
	Format  *value `xml:"numFmt"`
	Text    *value `xml:"lvlText"`
	Suffix  *value `xml:"suff"`
	Restart *value `xml:"lvlRestart"`
	Legal   *value `xml:"isLgl"`
	Style   *value `xml:"pStyle"`
	Run     struct {
		Hidden *value `xml:"vanish"`
	} `xml:"rPr"`
	Older struct { // a format that only newer versions know stands in mc:Choice
		Format *value `xml:"Fallback>numFmt"`
	} `xml:"AlternateContent"`
}

// format returns the name of the number format.
func (l *listLevel) format() string {
	switch {
	case l.Format != nil:
		return l.Format.Val
	case l.Older.Format != nil:
		return l.Older.Format.Val
	}
	return "decimal"
}

// scheme is an abstractNum: the levels that several lists share, with the numbers
// reached. Lists of one scheme count on from each other.
type scheme struct {
	ID        string      `xml:"abstractNumId,attr"`
	Levels    []listLevel `xml:"lvl"`
	StyleLink *value      `xml:"numStyleLink"` // its levels are those of this numbering style
	count     [maxLevels]int
	counting  [maxLevels]bool // false: the next number is the first
}

// list is a num: a scheme, with levels of its own where it overrides them.
type list struct {
	ID        string `xml:"numId,attr"`
	SchemeID  value  `xml:"abstractNumId"`
	Overrides []struct {
		Index int        `xml:"ilvl,attr"`
		Start *value     `xml:"startOverride"`
		Level *listLevel `xml:"lvl"`
	} `xml:"lvlOverride"`
	scheme *scheme
	levels [maxLevels]*listLevel
	start  [maxLevels]int
	used   bool
}

// numbering renders the automatic numbers of a document's paragraphs, which must
// be asked for in text order.
type numbering struct {
	lists map[string]*list
}

func readNumbering(z *docxZip, s *styles) (*numbering, error) {
	var doc struct {
		Schemes []*scheme `xml:"abstractNum"`
		Lists   []*list   `xml:"num"`
	}
	if err := z.decode("word/numbering.xml", &doc); err != nil {
		return nil, err
	}
	schemes := map[string]*scheme{}
	for _, sc := range doc.Schemes {
		schemes[sc.ID] = sc
	}
	n := &numbering{lists: map[string]*list{}}
	for _, l := range doc.Lists {
		l.scheme = schemes[l.SchemeID.Val]
		n.lists[l.ID] = l
	}
	for _, l := range doc.Lists {
		n.link(l, s)
	}
	return n, nil
}

// link gives a list its levels: those of its scheme (or of the numbering style
// that the scheme names), overridden by its own.
func (n *numbering) link(l *list, s *styles) {
	if l.scheme == nil {
		return
	}
	if link := l.scheme.StyleLink; link != nil && len(l.scheme.Levels) == 0 {
		id, _, _ := s.numbers(link.Val)
		if other := n.lists[id]; other != nil && other.scheme != nil {
			l.scheme = other.scheme
		}
	}
	for i := range l.scheme.Levels {
		if lv := &l.scheme.Levels[i]; lv.Index >= 0 && lv.Index < maxLevels {
			l.levels[lv.Index] = lv
			l.start[lv.Index] = lv.Start.number(0)
		}
	}
	for _, o := range l.Overrides {
		if o.Index < 0 || o.Index >= maxLevels {
			continue
		}
		if o.Level != nil {
			l.levels[o.Index] = o.Level
			l.start[o.Index] = o.Level.Start.number(0)
		}
		if o.Start != nil {
			l.start[o.Index] = o.Start.number(0)
		}
	}
}

// levelOf returns the level that a paragraph style is linked to, or or.
func (n *numbering) levelOf(listID, styleID string, or int) int {
	if l := n.lists[listID]; l != nil {
		for i, lv := range l.levels {
			if lv != nil && lv.Style != nil && lv.Style.Val == styleID {
				return i
			}
		}
	}
	return or
}

// next counts a paragraph of the list at the level and returns its number as
// printed, with white space behind it where the list has some; "" for bullets and
// lists that don't exist.
func (n *numbering) next(listID string, level int) string {
	l := n.lists[listID]
	if l == nil || l.scheme == nil || level < 0 || level >= maxLevels || l.levels[level] == nil {
		return ""
	}
	sc := l.scheme
	if !l.used { // a list that sets its own start begins anew
		l.used = true
		for _, o := range l.Overrides {
			if o.Start != nil && o.Index >= 0 && o.Index < maxLevels {
				sc.counting[o.Index] = false
			}
		}
	}
	if sc.counting[level] {
		sc.count[level]++
	} else {
		sc.count[level], sc.counting[level] = l.start[level], true
	}
	for deeper := level + 1; deeper < maxLevels; deeper++ {
		restart := deeper
		if lv := l.levels[deeper]; lv != nil {
			restart = lv.Restart.number(deeper)
		}
		if level < restart {
			sc.counting[deeper] = false
		}
	}
	return l.print(level)
}

// print fills the numbers reached into the text of the level: 第%1章, %1.%2.
func (l *list) print(level int) string {
	lv := l.levels[level]
	if lv.Text == nil || lv.format() == "bullet" || lv.Run.Hidden.on() {
		return ""
	}
	var b strings.Builder
	text := lv.Text.Val
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+1 < len(text) && text[i+1] >= '1' && text[i+1] <= '9' {
			i++
			b.WriteString(l.numberAt(int(text[i]-'1'), lv.Legal.on()))
			continue
		}
		b.WriteByte(text[i])
	}
	out := b.String()
	if trim(out) == "" {
		return ""
	}
	// Labels such as 第三条 are set off even where the list leaves no room, because
	// the number is known not to be part of the sentence; behind （三） and 三、 no
	// statute has white space.
	last, _ := utf8.DecodeLastRuneInString(out)
	switch {
	case strings.ContainsRune("）、．", last):
		return out
	case lv.Suffix == nil || lv.Suffix.Val != "nothing" || strings.HasPrefix(trim(out), "第"):
		return out + " "
	}
	return out
}

// numberAt prints the number that a level has reached, in digits when legal.
func (l *list) numberAt(level int, legal bool) string {
	n := l.scheme.count[level]
	if !l.scheme.counting[level] {
		n = l.start[level]
	}
	lv := l.levels[level]
	if lv == nil || legal {
		return strconv.Itoa(n)
	}
	return printNumber(n, lv.format())
}
