package statute

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const country = "中华人民共和国"

// versionBracket is a bracket at the end of a title that tells a version or a
// document number and is no part of the name: （2018年修正）, （2020修订）,
// （2004年）, （二〇一八年修正）, （修正）, （法释〔2020〕25号）. Ordinals such as
// （一） and words such as （试行） are part of the name.
var versionBracket = regexp.MustCompile(`（(?:` +
	`(?:[12][0-9]{3}|[一二][〇○零一二三四五六七八九]{3})(?:[年.\-/0-9月日]*)(?:最新|第[一二三四五六七八九十]+次)?(?:修正|修订|修改|公布|发布|施行|通过|制定)?(?:版|本)?` +
	`|(?:最新|新)?(?:修正|修订|修改)(?:版|本|稿)?|最新版|现行有效|已失效|失效` +
	`|(?:法释|法发|高检发释字|国发|国办发|国务院令|主席令)[〔\[［(（]?[0-9]{0,4}[〕\]］)）]?第?[0-9]*号?` +
	`)）$`)

// ShortTitle is a law's title without what does not tell laws apart: brackets
// around the whole, white space, 中华人民共和国 at the head, version brackets at
// the end. Full-width letters, digits and ASCII brackets take one form. 试行 and
// 暂行 stay, and so does the year of an amendment, which is its name:
//
//	《中华人民共和国刑法》（2020年修正）   → 刑法
//	中华人民共和国宪法修正案（2004年）      → 宪法修正案（2004年）
func ShortTitle(title string) string {
	s := strings.Map(foldTitleRune, norm.NFC.String(strings.ToValidUTF8(title, "")))
	for range 4 { // brackets, country and versions wrap one another a few times at most
		before := s
		s = unwrapTitle(s)
		if i := strings.LastIndex(s, "（"); i > 0 && !strings.HasSuffix(s[:i], "修正案") {
			s = versionBracket.ReplaceAllString(s, "")
		}
		if rest := strings.TrimPrefix(s, country); rest != "" {
			s = rest
		}
		if s == before {
			break
		}
	}
	return s
}

// foldTitleRune drops white space and controls and folds full-width letters and
// digits to ASCII, and ASCII brackets and commas to the Chinese ones.
func foldTitleRune(r rune) rune {
	switch {
	case unicode.IsSpace(r) || !unicode.IsPrint(r):
		return -1
	case r >= '０' && r <= '９', r >= 'Ａ' && r <= 'Ｚ', r >= 'ａ' && r <= 'ｚ':
		return r - '！' + '!'
	}
	switch r {
	case '(':
		return '（'
	case ')':
		return '）'
	case '<', '＜':
		return '〈'
	case '>', '＞':
		return '〉'
	case ',':
		return '，'
	case ':':
		return '：'
	}
	return r
}

// unwrapTitle takes off one pair of title brackets when it encloses the whole.
func unwrapTitle(s string) string {
	if !strings.HasPrefix(s, "《") && !strings.HasPrefix(s, "〈") {
		return s
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '《', '〈':
			depth++
		case '》', '〉':
			depth--
		}
		if depth > 0 {
			continue
		}
		end := i + len("》")
		if end == len(s) {
			return s[len("《"):i]
		}
		if versionBracket.FindStringIndex(s[end:]) != nil && strings.HasPrefix(s[end:], "（") {
			return s[len("《"):i] + s[end:]
		}
		return s
	}
	return s
}

// keyNoise is what TitleKey drops beside what ShortTitle drops.
var keyNoise = strings.NewReplacer(country, "", "《", "", "》", "", "〈", "", "〉", "",
	"、", "", "，", "", "“", "", "”", "", "‘", "", "’", "", "\"", "", "'", "", "·", "")

// TitleKey is the form under which titles are compared. Beside what ShortTitle
// drops, inner 中华人民共和国, inner title brackets, quotes, and the marks that
// part issuing bodies are gone:
// 最高人民法院关于适用〈中华人民共和国民法典〉物权编的解释（一） and
// 最高人民法院关于适用《民法典》物权编的解释(一) have one key.
func TitleKey(title string) string {
	short := ShortTitle(title)
	if key := keyNoise.Replace(short); key != "" {
		return key
	}
	return short
}
