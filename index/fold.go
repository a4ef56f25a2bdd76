package index

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lexagent/statute"
)

// stop stands between runs of letters that don't belong together.
const stop = '\n'

// maxReference bounds the numeral of an article reference, in runes.
const maxReference = 16

// Fold makes equal what only looks different: full width becomes half width and
// upper case lower case; white space between Chinese characters is dropped, marks
// (and bytes that aren't UTF-8) become a newline, and so does white space beside
// Latin letters or digits; a reference to an article becomes 第120条之1 between
// newlines. Simplified and traditional characters stay as they are.
func Fold(text string) string {
	letters := foldLetters(text)
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(letters); {
		if letters[i] == '第' {
			if ref, n := reference(letters[i:]); n > 0 {
				b.WriteRune(stop)
				b.WriteString(ref)
				b.WriteRune(stop)
				i += n
				continue
			}
		}
		b.WriteRune(letters[i])
		i++
	}
	return b.String()
}

// foldLetters maps text to letters, digits and stops. Runs of stops are one.
func foldLetters(text string) []rune {
	out := make([]rune, 0, len(text)/2)
	space := false // white space seen since the last letter
	for i, r := range text {
		if r >= '！' && r <= '～' {
			r -= '！' - '!'
		} else if r == '○' {
			r = '〇' // the printer's zero: 二○二○年
		}
		last := rune(stop)
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case isHan(r):
			if space && !isHan(last) && !isDigit(last) {
				out = addStop(out)
			}
			out = append(out, r)
		case r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if space && !isHan(last) {
				out = addStop(out)
			}
			out = append(out, unicode.ToLower(r))
		case r == '.' && !space && isDigit(last) && digitFollows(text[i+1:]):
			out = append(out, '.')
		default:
			out = addStop(out)
		}
		space = false
	}
	return out
}

func addStop(out []rune) []rune {
	if len(out) == 0 || out[len(out)-1] == stop {
		return out
	}
	return append(out, stop)
}

func isHan(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r > 0x2e00 && unicode.Is(unicode.Han, r)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func digitFollows(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isDigit(r) || r >= '０' && r <= '９'
}

// reference reads 第N条[之M] at the head of letters and returns its one spelling
// and how many runes it takes; 0 when there is none.
func reference(letters []rune) (string, int) {
	number, n := numeral(letters[1:])
	end := 1 + n
	if n == 0 || end >= len(letters) || letters[end] != '条' {
		return "", 0
	}
	end++
	ref := "第" + strconv.Itoa(number) + "条"
	if end < len(letters) && letters[end] == '之' {
		if sub, n := numeral(letters[end+1:]); n > 0 {
			return ref + "之" + strconv.Itoa(sub), end + 1 + n
		}
	}
	return ref, end
}

// numeral reads the longest numeral at the head of letters.
func numeral(letters []rune) (value, length int) {
	n := 0
	for n < len(letters) && n < maxReference && isNumeral(letters[n]) {
		n++
	}
	if n == 0 {
		return 0, 0
	}
	value, err := statute.ParseNumeral(string(letters[:n]))
	if err != nil {
		return 0, 0
	}
	return value, n
}

func isNumeral(r rune) bool {
	return isDigit(r) || strings.ContainsRune("零〇一二两三四五六七八九十百千万廿卅", r)
}

// HasChinese reports whether text has a Chinese character.
func HasChinese(text string) bool { return strings.ContainsFunc(text, isHan) }
