package statute

import (
	"fmt"
	"strings"
	"unicode"
)

// maxNumeral is the largest number that is read or printed. No law has more
// articles; the Civil Code, the longest, has 1,260.
const maxNumeral = 9999

// maxNumeralRunes bounds what ParseNumeral looks at: 九千九百九十九 has seven.
const maxNumeralRunes = 16

// chineseDigits are the digits by their value.
var chineseDigits = [10]rune{'零', '一', '二', '三', '四', '五', '六', '七', '八', '九'}

// digitValue gives the value of one digit: ASCII, full-width or Chinese, 两
// included. ok is false for every other rune.
func digitValue(r rune) (v int, ok bool) {
	switch {
	case r == '〇' || r == '○':
		return 0, true
	case r == '两':
		return 2, true
	case r >= '0' && r <= '9':
		return int(r - '0'), true
	case r >= '０' && r <= '９':
		return int(r - '０'), true
	}
	for i, c := range chineseDigits {
		if c == r {
			return i, true
		}
	}
	return 0, false
}

// unitValue gives the value of a unit (十, 百, 千) or of the old contracted tens
// 廿, 卅, 卌, which are a digit and a unit in one; digit is 0 for plain units.
func unitValue(r rune) (unit, digit int, ok bool) {
	switch r {
	case '十':
		return 10, 0, true
	case '百':
		return 100, 0, true
	case '千':
		return 1000, 0, true
	case '廿':
		return 10, 2, true
	case '卅':
		return 10, 3, true
	case '卌':
		return 10, 4, true
	}
	return 0, 0, false
}

// ParseNumeral reads a whole number from 1 to 9999 as laws and people write it:
// 一千零七十七, 十二, 两百, 廿一, 1077, １０７７, and digit by digit 一〇七七 or
// 二〇二一. White space inside is ignored.
//
// Sloppy forms are read as they are spoken: 百二十 is 120, 一百十五 is 115, a
// missing 零 before a unit is forgiven (一千五十 is 1050), and a last digit
// without unit belongs to the next lower unit: 一百五 is 150, not 105, which
// is said 一百零五.
func ParseNumeral(s string) (int, error) {
	var runes []rune
	units := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			continue
		}
		_, digit := digitValue(r)
		_, _, unit := unitValue(r)
		if !digit && !unit || len(runes) == maxNumeralRunes {
			return 0, notNumeral(s)
		}
		units = units || unit
		runes = append(runes, r)
	}
	read := digitString
	if units {
		read = spokenNumber
	}
	n, ok := read(runes)
	if !ok || n < 1 || n > maxNumeral {
		return 0, notNumeral(s)
	}
	return n, nil
}

func notNumeral(s string) error {
	if r := []rune(s); len(r) > maxNumeralRunes {
		s = string(r[:maxNumeralRunes]) + "…"
	}
	return fmt.Errorf("%q is not a number from 1 to %d", s, maxNumeral)
}

// digitString reads digits by position: 二〇二一, 1077.
func digitString(runes []rune) (n int, ok bool) {
	for _, r := range runes {
		d, _ := digitValue(r)
		if n = n*10 + d; n > maxNumeral {
			return 0, false
		}
	}
	return n, len(runes) > 0
}

// spokenNumber reads digits with units: 一千零七十七, 百二十, 廿一, 一百五.
func spokenNumber(runes []rune) (n int, ok bool) {
	digit, last, zero := -1, 10000, false
	for _, r := range runes {
		if u, contracted, isUnit := unitValue(r); isUnit {
			switch {
			case u >= last || digit == 0 || contracted > 0 && digit > 0:
				return 0, false
			case contracted > 0:
				digit = contracted
			case digit < 0:
				digit = 1 // 十二, 百二十, 一百十五
			}
			n, last, digit, zero = n+digit*u, u, -1, false
			continue
		}
		d, _ := digitValue(r)
		if digit >= 0 || d == 0 && (zero || n == 0) {
			return 0, false
		}
		if d == 0 {
			zero = true
			continue
		}
		digit = d
	}
	switch {
	case digit < 0:
		return n, !zero
	case zero || last == 10:
		return n + digit, true
	}
	return n + digit*last/10, true
}

// Numeral prints n as statutes do: 10 is 十, 110 一百一十, 1001 一千零一, 1077
// 一千零七十七. It fails outside 1 to 9999.
func Numeral(n int) (string, error) {
	if n < 1 || n > maxNumeral {
		return "", fmt.Errorf("%d is outside 1 to %d", n, maxNumeral)
	}
	var b strings.Builder
	gap := false
	for _, u := range []struct {
		value int
		name  string
	}{{1000, "千"}, {100, "百"}, {10, "十"}, {1, ""}} {
		d := n / u.value % 10
		if d == 0 {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteString("零")
			gap = false
		}
		if u.value != 10 || d > 1 || b.Len() > 0 {
			b.WriteRune(chineseDigits[d])
		}
		b.WriteString(u.name)
	}
	return b.String(), nil
}
