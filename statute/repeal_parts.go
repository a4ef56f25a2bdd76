package statute

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// sentences cuts a text at 。 ； and line ends outside of titles and brackets. Each
// is given by its bytes, without the mark that ends it.
func sentences(text string) [][2]int {
	var out [][2]int
	start, depth := 0, 0
	for i, r := range text {
		switch r {
		case '《', '（', '(':
			depth++
		case '》', '）', ')':
			depth = max(0, depth-1)
		case '\n':
			depth = 0
			out = append(out, [2]int{start, i})
			start = i + 1
		case '。', '；', ';':
			if depth == 0 {
				out = append(out, [2]int{start, i})
				start = i + utf8.RuneLen(r)
			}
		}
	}
	return append(out, [2]int{start, len(text)})
}

// topTitles finds 《…》 that lie in no other, brackets included.
func topTitles(s string) [][2]int {
	var out [][2]int
	start, depth := -1, 0
	for i, r := range s {
		switch r {
		case '《':
			if depth == 0 {
				start = i
			}
			depth++
		case '》':
			if depth == 0 {
				continue
			}
			if depth--; depth == 0 && i-start < 4*maxTitleRunes {
				out = append(out, [2]int{start, i + len("》")})
			}
		}
	}
	return out
}

// InnerTitles returns the titles in brackets within a text, without the brackets
// and without those inside of them: 关于修改《刑法》的决定 gives 刑法.
func InnerTitles(text string) []string {
	var out []string
	for _, t := range topTitles(text) {
		out = append(out, text[t[0]+len("《"):t[1]-len("》")])
	}
	return out
}

// leadingNotes returns the brackets that s begins with: （法释〔2013〕15号）.
func leadingNotes(s string) string {
	end := 0
	for range 4 {
		rest := strings.TrimLeft(s[end:], " 　")
		at := len(s) - len(rest)
		if !strings.HasPrefix(rest, "（") && !strings.HasPrefix(rest, "(") {
			break
		}
		depth, closed := 0, -1
		for i, r := range rest {
			if r == '（' || r == '(' {
				depth++
			} else if r == '）' || r == ')' {
				if depth--; depth == 0 {
					closed = i + utf8.RuneLen(r)
					break
				}
			}
		}
		if closed < 0 {
			break
		}
		end = at + closed
	}
	return s[:end]
}

var (
	printedDay = regexp.MustCompile(`([0-9０-９]{4}|[一二][〇○零ＯO0一二三四五六七八九]{3})\s*年(?:\s*([0-9０-９]{1,2}|[一二三四五六七八九十]{1,3})\s*月)?(?:\s*([0-9０-９]{1,2}|[一二三四五六七八九十]{1,3})\s*日)?`)
	fileYear   = regexp.MustCompile(`[〔\[［]\s*([12][0-9]{3})\s*[〕\]］]`)
	bodies     = regexp.MustCompile(`(?:最高人民法院|最高人民检察院|全国人民代表大会常务委员会|全国人民代表大会|国务院|公安部|司法部|民政部)(?:[、和]?(?:最高人民法院|最高人民检察院|公安部|司法部|民政部))*`)
)

// lastDay returns the latest day printed in s. Of a month or a year alone, and of
// a file number, it is the last day.
func lastDay(s string) Date {
	var latest Date
	for _, m := range printedDay.FindAllStringSubmatch(s, -1) {
		latest = max(latest, dayOf(m[1], m[2], m[3]))
	}
	for _, m := range fileYear.FindAllStringSubmatch(s, -1) {
		latest = max(latest, dayOf(m[1], "", ""))
	}
	return latest
}

// dayOf reads a day printed in digits or Chinese numerals; 0 when the calendar has
// no such day. Without a day it is the last of the month, without a month of the year.
func dayOf(year, month, day string) Date {
	y, err := ParseNumeral(strings.NewReplacer("Ｏ", "〇", "O", "〇").Replace(year))
	if err != nil {
		return 0
	}
	m, d := 12, 31
	if month != "" {
		if m, err = ParseNumeral(month); err != nil {
			return 0
		}
	}
	if day != "" {
		if d, err = ParseNumeral(day); err != nil {
			return 0
		}
		date, _ := NewDate(y, m, d) // an impossible day is no day
		return date
	}
	for ; d >= 28; d-- {
		if date, err := NewDate(y, m, d); err == nil {
			return date
		}
	}
	return 0
}

var endsOn = regexp.MustCompile(`(?:自|从)\s*(` + printedDay.String() + `)\s*起`)

// namedDay reads the day in 自2010年1月1日起废止.
func namedDay(tail string) Date {
	if m := endsOn.FindStringSubmatch(tail); m != nil && m[4] != "" {
		return dayOf(m[2], m[3], m[4])
	}
	return 0
}

// issuerIn returns the body that s names last.
func issuerIn(s string) string {
	all := bodies.FindAllString(s, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

var (
	beginsOn = regexp.MustCompile(`自\s*(` + printedDay.String() + `)\s*(?:起|开始)?\s*(?:施行|实施|执行|生效|实行)`)
	atOnce   = regexp.MustCompile(`自(?:本[^，。]{1,6})?(?:公布|发布|通过|颁布|印发|下发)之日起?\s*(?:施行|实施|执行|生效|实行)`)
)

// BeginsOn reads from a closing article when the law takes effect: the day in
// 自2021年1月1日起施行, or atOnce for 自公布之日起施行. After an amendment it is
// still the first version's day.
func BeginsOn(text string) (day Date, published bool) {
	if m := beginsOn.FindStringSubmatch(text); m != nil && m[4] != "" {
		if day = dayOf(m[2], m[3], m[4]); day != 0 {
			return day, false
		}
	}
	return 0, atOnce.MatchString(text)
}
