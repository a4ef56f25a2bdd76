package verify

import (
	"strings"

	"lexagent/statute"
)

// maxNumberRunes bounds a number: longer runs of digits are names, not amounts.
const maxNumberRunes = 24

// one is the number 1: numbers are counted in thousandths, so that 1.5 is whole.
const one = 1000

// mostNumber is the largest number read, 288 million millions: the months of as many
// years are still counted rightly.
const mostNumber = 1 << 58

// number reads the number that begins at runes[i], as laws and people write it: 30,
// 1,000.5, 三十, 一千零五十, 5万, 一亿二千万. The value counts thousandths; end is i
// when there is none.
func number(runes []rune, i int) (value int64, end int) {
	if isArabic(at(runes, i)) {
		return arabicNumber(runes, i)
	}
	return chineseNumber(runes, i)
}

func at(runes []rune, i int) rune {
	if i < 0 || i >= len(runes) {
		return 0
	}
	return runes[i]
}

func isArabic(r rune) bool { return r >= '0' && r <= '9' || r >= '０' && r <= '９' }

func arabicDigit(r rune) int64 {
	if r >= '０' {
		r -= '０' - '0'
	}
	return int64(r - '0')
}

func isChineseNumeral(r rune) bool {
	switch r {
	case '零', '〇', '○', '一', '二', '两', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万', '亿', '廿', '卅', '卌':
		return true
	}
	return false
}

// isNumeral reports whether a number may begin with r.
func isNumeral(r rune) bool { return isArabic(r) || isChineseNumeral(r) }

// arabicNumber reads 30, 1,000, 1.5, and 5万 and 1亿5000万, which mix both ways.
func arabicNumber(runes []rune, i int) (value int64, end int) {
	end = i
	limit := int64(1) << 50
	for {
		v, next, ok := digits(runes, i)
		if !ok {
			return value, end
		}
		unit, after := multiplier(runes, next)
		if unit >= limit || v > (mostNumber-value)/unit {
			return value, end
		}
		value, end = value+v*unit, after
		if unit < 10_000 || !isArabic(at(runes, after)) {
			return value, end
		}
		i, limit = after, unit // 1亿5000万
	}
}

// digits reads 1,000.5 at runes[i] in thousandths.
func digits(runes []rune, i int) (value int64, end int, ok bool) {
	j := i
	for isArabic(at(runes, j)) || at(runes, j) == ',' && j > i && threeDigits(runes, j+1) {
		if runes[j] != ',' {
			value = value*10 + arabicDigit(runes[j])
		}
		if j++; j-i > 15 {
			return 0, i, false
		}
	}
	value *= one
	if r := at(runes, j); j > i && (r == '.' || r == '．') && isArabic(at(runes, j+1)) {
		j++
		for scale := int64(one / 10); isArabic(at(runes, j)); j++ {
			value += scale * arabicDigit(runes[j])
			scale /= 10
		}
	}
	return value, j, j > i
}

// threeDigits reports whether exactly three digits stand at i: a group of thousands.
func threeDigits(runes []rune, i int) bool {
	return isArabic(at(runes, i)) && isArabic(at(runes, i+1)) && isArabic(at(runes, i+2)) && !isArabic(at(runes, i+3))
}

// multiplier reads 万, 亿, 百 or 千 behind digits; a blank may part them.
func multiplier(runes []rune, i int) (unit int64, end int) {
	unit, end = 1, i
	j := i
	if at(runes, j) == ' ' {
		j++
	}
	switch at(runes, j) {
	case '百':
		if at(runes, j+1) == '分' { // 30百分之 is no number
			return unit, i
		}
		unit, j = 100, j+1
	case '千':
		if at(runes, j+1) == '分' || at(runes, j+1) == '克' || at(runes, j+1) == '米' {
			return unit, i
		}
		unit, j = 1000, j+1
	}
	switch at(runes, j) {
	case '万':
		unit, j = unit*10_000, j+1
	case '亿':
		unit, j = unit*100_000_000, j+1
	}
	if unit > 1 {
		end = j
	}
	return unit, end
}

// chineseNumber reads 三十, 一千零五十, 一亿二千万, 二〇二一.
func chineseNumber(runes []rune, i int) (value int64, end int) {
	end = i
	for end < len(runes) && isChineseNumeral(runes[end]) && end-i < maxNumberRunes {
		end++
	}
	if end == i {
		return 0, i
	}
	rest, total := runes[i:end], int64(0)
	for _, u := range []struct {
		name rune
		unit int64
	}{{'亿', 100_000_000}, {'万', 10_000}} {
		k := indexRune(rest, u.name)
		if k < 0 {
			continue
		}
		v, ok := section(rest[:k])
		if !ok || v == 0 {
			return 0, i
		}
		total += v * u.unit
		if rest = rest[k+1:]; len(rest) == 1 && u.unit == 10_000 { // 一万五 is 15,000
			if d, ok := section(rest); ok && d < 10 {
				return (total + d*1000) * one, end
			}
		}
	}
	v, ok := section(rest)
	if !ok && total == 0 || !ok && len(rest) > 0 {
		return 0, i
	}
	part, end := decimals(runes, end)
	return (total+v)*one + part, end
}

// decimals reads 点五 behind a number, in thousandths; 九点三十分 is a time.
func decimals(runes []rune, i int) (value int64, end int) {
	if at(runes, i) != '点' {
		return 0, i
	}
	end = i + 1
	for scale := int64(one / 10); ; scale /= 10 {
		d := strings.IndexRune("零一二三四五六七八九", at(runes, end))
		if d < 0 {
			break
		}
		value += scale * int64(d/len("零"))
		end++
	}
	if end == i+1 || isChineseNumeral(at(runes, end)) || at(runes, end) == '分' && at(runes, end+1) != '之' {
		return 0, i
	}
	return value, end
}

// section reads a number below 10,000; a leading 零 is passed over.
func section(runes []rune) (int64, bool) {
	for len(runes) > 1 && (runes[0] == '零' || runes[0] == '〇') {
		runes = runes[1:]
	}
	if len(runes) == 1 && (runes[0] == '零' || runes[0] == '〇') {
		return 0, true
	}
	n, err := statute.ParseNumeral(string(runes))
	return int64(n), err == nil
}

func indexRune(runes []rune, r rune) int {
	for i, have := range runes {
		if have == r {
			return i
		}
	}
	return -1
}
