package statute

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Label prints the label of an article: Label(120, 1) is 第一百二十条之一. Sub 0
// means a plain article. Numbers that have no Chinese form are printed in digits.
func Label(number, sub int) string {
	s := "第" + numeralOrDigits(number) + "条"
	if sub > 0 {
		s += "之" + numeralOrDigits(sub)
	}
	return s
}

func numeralOrDigits(n int) string {
	s, err := Numeral(n)
	if err != nil {
		return strconv.Itoa(n)
	}
	return s
}

// ParseLabel reads a whole label: 第一百二十条之一, 第120条之一, 第１２０条,
// 第 五 条. Sub is 0 without 之.
func ParseLabel(s string) (number, sub int, err error) {
	l, ok := cutLabel(s)
	if !ok || strings.TrimSpace(l.Rest) != "" {
		return 0, 0, fmt.Errorf("%q is not an article label such as 第一百二十条之一", s)
	}
	return l.Number, l.Sub, nil
}

// LineLabel is an article label found at the head of a line.
type LineLabel struct {
	Number int    // 120
	Sub    int    // 1 for 之一
	Label  string // as printed, without white space and marks: 第一百二十条之一
	Rest   string // what follows, with its leading white space and marks
}

// LeadingLabel finds an article label at the head of a line. Leading white space
// and Markdown marks (#, *, >) are passed over. Whether the line is the head of an
// article or a sentence that begins with a reference, Heads tells.
func LeadingLabel(line string) (LineLabel, bool) {
	head := strings.TrimLeftFunc(line, isLineMark)
	l, ok := cutLabel(head)
	if !ok {
		return LineLabel{}, false
	}
	if len(head) < len(line) && strings.HasPrefix(l.Rest, "*") {
		l.Rest = strings.TrimLeft(l.Rest, "*")
	}
	return l, true
}

func isLineMark(r rune) bool {
	return unicode.IsSpace(r) || r == '#' || r == '*' || r == '>' || r == '\ufeff'
}

// continuations are the beginnings by which a sentence goes on after a reference
// to an article: 第五条规定的…, 第五条、第六条…. Words that also begin an article's
// own text (有关部门, 和解, 中华人民共和国, 所有权) are longer here or left out.
var continuations = []string{
	"规定", "所规定", "所列", "所称", "所述", "所指", "所涉", "的", "、", "，", "。", "；", "和第", "至第", "或者第", "或第",
	"与第", "及第", "及其", "以及", "以外", "之", "等", "中的", "中规定", "中增加", "修改为", "增加一", "改为", "作为第",
	"后增加", "另有规定", "前款", "前两款", "前三款", "）", ")", "”", "’", "》", "：“", ":“",
}

// Heads reports whether the text after a label makes it the head of an article:
// white space (U+3000 too), the end of the line, or text that does not carry on a
// sentence about the article.
func (l LineLabel) Heads() bool {
	r, _ := utf8.DecodeRuneInString(l.Rest)
	if l.Rest == "" || unicode.IsSpace(r) {
		return true
	}
	for _, c := range continuations {
		if strings.HasPrefix(l.Rest, c) {
			return false
		}
	}
	return !beginsWithPlace(l.Rest)
}

// beginsWithPlace reports whether s begins with 第N款, 第N项 or 第N条, unlike 第三人.
func beginsWithPlace(s string) bool {
	after, ok := strings.CutPrefix(s, "第")
	if !ok {
		return false
	}
	_, after, ok = cutNumeral(strings.TrimLeft(after, "（("))
	after = strings.TrimLeft(after, "）)")
	return ok && (strings.HasPrefix(after, "款") || strings.HasPrefix(after, "项") || strings.HasPrefix(after, "条"))
}

// cutLabel reads 第N条[之M] at the head of s.
func cutLabel(s string) (LineLabel, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "第")
	if !ok {
		return LineLabel{}, false
	}
	number, rest, ok := cutNumeral(rest)
	if !ok {
		return LineLabel{}, false
	}
	rest, ok = strings.CutPrefix(rest, "条")
	if !ok {
		return LineLabel{}, false
	}
	l := LineLabel{Number: number, Rest: rest}
	if after, ok := strings.CutPrefix(rest, "之"); ok {
		if sub, after, ok := cutNumeral(after); ok {
			l.Sub, l.Rest = sub, after
		}
	}
	printed := strings.TrimSuffix(strings.TrimSpace(s), l.Rest)
	l.Label = strings.Join(strings.Fields(printed), "")
	return l, true
}

// cutNumeral reads the numeral at the head of s, white space inside and around it
// allowed, and returns the rest, which begins right after the last digit unless
// only white space parts it from what follows.
func cutNumeral(s string) (n int, rest string, ok bool) {
	end, last := 0, 0
	for i, r := range s {
		_, digit := digitValue(r)
		_, _, unit := unitValue(r)
		if digit || unit {
			last = i + utf8.RuneLen(r)
		} else if !unicode.IsSpace(r) {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	n, err := ParseNumeral(s[:last])
	if err != nil {
		return 0, s, false
	}
	if strings.HasPrefix(s[end:], "条") {
		return n, s[end:], true
	}
	return n, s[last:], true
}
