package statute

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner walks over a text once. Places are rune indexes; at holds their bytes.
type scanner struct {
	text  string
	runes []rune
	at    []int
	ctx   Context
	key   string // TitleKey of the own law
	refs  []Reference
	focus focus
	saved []focus // one for each open quotation
	done  int     // end of the last reference: names do not reach behind it
}

// focus is the law a number without a name belongs to.
type focus struct {
	law    string
	own    bool
	set    bool
	ended  bool    // a sentence has ended since
	amends bool    // the text amends the law, which holds beyond the sentence
	named  string  // last law named that is not the own one
	points []Point // articles last named by number, for 该条 and 第二款
}

// maxQuotes bounds the depth of quotations that are followed.
const maxQuotes = 32

func newScanner(text string, own *Context) *scanner {
	s := &scanner{text: text}
	if own != nil {
		s.ctx = *own
	}
	s.key = TitleKey(s.ctx.Law)
	n := utf8.RuneCountInString(text)
	s.runes, s.at = make([]rune, 0, n), make([]int, 0, n+1)
	for i, r := range text {
		s.runes, s.at = append(s.runes, r), append(s.at, i)
	}
	s.at = append(s.at, len(text))
	if strings.Contains(text, "简称") {
		aliases := ShortNames(text)
		for name, full := range s.ctx.Aliases {
			if _, here := aliases[name]; !here {
				aliases[name] = full
			}
		}
		s.ctx.Aliases = aliases
	}
	return s
}

// step reads what stands at i and returns where to go on; i when nothing is there.
func (s *scanner) step(i int) int {
	switch r := s.runes[i]; r {
	case '。', '！', '？', '!', '?':
		s.focus.ended = true
	case '\n':
		if s.isOpenBracket(i+1) || s.runeAt(i+1) == '|' { // （一） and the row of a table begin a sentence of their own
			s.focus.ended = true
		}
	case '“', '‘', '「':
		again := s.runeAt(i-1) == '\n' && len(s.saved) > 0 // a quoted paragraph after another
		if len(s.saved) < maxQuotes && !again {
			s.saved = append(s.saved, s.focus)
		}
	case '”', '’', '」':
		if n := len(s.saved); n > 0 {
			s.focus, s.saved = s.saved[n-1], s.saved[:n-1]
		}
	case '《':
		return s.cited(i)
	case '[', '【':
		return s.ids(i)
	case ']':
		return s.linkTarget(i)
	}
	return s.words(i)
}

// words reads the forms that begin with a word or a number.
func (s *scanner) words(i int) int {
	end, r := i, s.runes[i]
	switch r {
	case '本':
		end = s.ownForm(i)
	case '前':
		end = s.previous(i)
	case '该', '同', '上':
		end = s.sameForm(i)
	}
	if end == i {
		end = s.bare(i)
	}
	if end == i && (r == '第' || isNumeralRune(r) && !isHan(r)) {
		end = s.number(i)
	}
	return end
}

// emit adds a reference that ends before rune end, keeps what later numbers refer
// to, and returns end.
func (s *scanner) emit(ref Reference, start, end int) int {
	ref.Start, ref.End = s.at[start], s.at[end]
	if ref.Law != "" && s.key != "" && ref.Form != FormID && TitleKey(ref.Law) == s.key {
		ref.Law, ref.Own, ref.Carried = "", true, false
	}
	s.refs = append(s.refs, ref)
	s.done = end
	s.refocus(ref)
	return end
}

// refocus makes the law of ref the one that numbers without a name belong to. In
// the text of a law, a name without articles does not take them away from the own
// law: 依照刑法追究刑事责任；不符合第五条….
func (s *scanner) refocus(ref Reference) {
	switch {
	case ref.Form == FormID || ref.Form == FormPrevious:
		return
	case s.focus.amends:
		if ref.Law != "" {
			s.focus.named = ref.Law
		}
	case ref.Own:
		s.focus.law, s.focus.own, s.focus.set, s.focus.ended = "", true, true, false
	case ref.Law != "":
		s.focus.named = ref.Law
		if len(ref.Points) > 0 || ref.Part != "" || s.key == "" || !s.focus.own {
			s.focus.law, s.focus.own, s.focus.set, s.focus.ended = ref.Law, false, true, false
		}
	}
}

// owner says whose article number is that stands without a name.
func (s *scanner) owner(number int) (law string, own, carried bool) {
	f := s.focus
	switch {
	case s.key == "":
		return f.named, false, f.named != ""
	case s.ctx.Last > 0 && number > s.ctx.Last && f.named != "":
		return f.named, false, true
	case f.set && !f.own && (!f.ended || f.amends):
		return f.law, false, true
	}
	return "", true, false
}

// linkTarget passes over the address of a Markdown link: ](…).
func (s *scanner) linkTarget(i int) int {
	if s.runeAt(i+1) != '(' {
		return i
	}
	for j := i + 2; j < len(s.runes) && j < i+500 && s.runes[j] != '\n'; j++ {
		if s.runes[j] == ')' {
			return j + 1
		}
	}
	return i
}

// runeAt returns the rune at i, 0 outside the text.
func (s *scanner) runeAt(i int) rune {
	if i < 0 || i >= len(s.runes) {
		return 0
	}
	return s.runes[i]
}

// has reports whether word stands at i.
func (s *scanner) has(i int, word string) bool {
	return i >= 0 && i < len(s.runes) && strings.HasPrefix(s.text[s.at[i]:], word)
}

// anyOf returns the end of the first of words that stands at i, or i.
func (s *scanner) anyOf(i int, words []string) int {
	for _, w := range words {
		if s.has(i, w) {
			return i + utf8.RuneCountInString(w)
		}
	}
	return i
}

// endsWith reports whether one of words ends right before i.
func (s *scanner) endsWith(i int, words []string) bool {
	before := s.text[s.at[max(0, i-8)]:s.at[i]]
	for _, w := range words {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// slice returns the text of the runes from i to j.
func (s *scanner) slice(i, j int) string { return s.text[s.at[i]:s.at[j]] }

// skipSpace passes over blanks and Markdown emphasis, but not over a line's end.
func (s *scanner) skipSpace(i int) int {
	for i < len(s.runes) && i >= 0 {
		r := s.runes[i]
		if r == '\n' || !unicode.IsSpace(r) && r != '*' && r != '_' && r != '`' {
			break
		}
		i++
	}
	return i
}

func isHan(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }

func isNumeralRune(r rune) bool {
	_, digit := digitValue(r)
	_, _, unit := unitValue(r)
	return digit || unit
}
