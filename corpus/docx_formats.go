package corpus

import (
	"strconv"
	"strings"

	"lexagent/statute"
)

// cycles are formats that count through a row of characters.
var cycles = map[string]string{
	"ideographTraditional":         "甲乙丙丁戊己庚辛壬癸",
	"ideographZodiac":              "子丑寅卯辰巳午未申酉戌亥",
	"decimalEnclosedCircle":        "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
	"decimalEnclosedCircleChinese": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
	"decimalEnclosedParen":         "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇",
	"decimalEnclosedFullstop":      "⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛",
	"ideographEnclosedCircle":      "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉",
}

// printNumber prints n in a number format of Word (ECMA-376 part 1, 17.18.59).
// Formats that no Chinese text uses, and numbers that a format can't print, come
// in digits. Word prints 一百〇一 where statutes have 一百零一; the latter is
// taken, so that a law has the same labels from every format.
func printNumber(n int, format string) string {
	if row := []rune(cycles[format]); n >= 1 && n <= len(row) {
		return string(row[n-1])
	}
	switch format {
	case "none", "bullet":
		return ""
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "decimalFullWidth", "decimalFullWidth2":
		return eachDigit(n, "０１２３４５６７８９")
	case "numberInDash":
		return "- " + strconv.Itoa(n) + " -"
	case "lowerLetter":
		return letters(n)
	case "upperLetter":
		return strings.ToUpper(letters(n))
	case "lowerRoman":
		return roman(n)
	case "upperRoman":
		return strings.ToUpper(roman(n))
	case "ideographDigital", "japaneseDigitalTenThousand", "taiwaneseDigital":
		return eachDigit(n, "〇一二三四五六七八九")
	case "chineseCounting", "taiwaneseCounting":
		if n >= 100 { // these count tens only below a hundred
			return eachDigit(n, "○一二三四五六七八九")
		}
		return counted(n)
	case "chineseCountingThousand", "taiwaneseCountingThousand", "japaneseCounting":
		return counted(n)
	case "chineseLegalSimplified", "ideographLegalTraditional":
		return strings.NewReplacer("一", "壹", "二", "贰", "三", "叁", "四", "肆", "五", "伍", "六", "陆",
			"七", "柒", "八", "捌", "九", "玖", "十", "拾", "百", "佰", "千", "仟").Replace(counted(n))
	}
	return strconv.Itoa(n)
}

// counted prints 二十三.
func counted(n int) string {
	if s, err := statute.Numeral(n); err == nil {
		return s
	}
	return eachDigit(n, "〇一二三四五六七八九")
}

// eachDigit replaces the decimal digits of n.
func eachDigit(n int, digits string) string {
	row := []rune(digits)
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return r
		}
		return row[r-'0']
	}, strconv.Itoa(n))
}

// letters counts a to z, then aa, bb and so on, as Word does.
func letters(n int) string {
	const most = 26 * 30 // Word repeats a letter thirty times at most
	if n < 1 || n > most {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
}

// roman prints n as a small Roman numeral.
func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		value int
		text  string
	}{
		{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"},
		{50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"},
	} {
		for ; n >= d.value; n -= d.value {
			b.WriteString(d.text)
		}
	}
	return b.String()
}
