package verify

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is what texts are compared by: a letter, or the value of a number.
type token int64

// numberToken is the token of a number; letters are positive.
func numberToken(value int64) token { return token(-1 - value) }

func (t token) isNumber() bool { return t < 0 }

// folded is a text as it is compared: letters and the values of numbers. White
// space, marks, brackets and Markdown are gone, width and case are one, and 三十 is
// 30: none of them changes what a quotation says.
type folded struct {
	source string
	tokens []token
	from   []int  // by token: where it begins in source, in bytes
	to     []int  // and ends
	key    string // the tokens as a string, for exact search
	at     []int  // by token: its place in key
	places map[token][]int
}

// fold makes a text comparable, in time linear in its length.
func fold(s string) *folded {
	f := &folded{source: s}
	runes := make([]rune, 0, len(s)/2)
	offsets := make([]int, 0, len(s)/2+1)
	for i, r := range s {
		runes, offsets = append(runes, r), append(offsets, i)
	}
	offsets = append(offsets, len(s))
	var key strings.Builder
	add := func(t token, i, end int) {
		f.tokens, f.from, f.to, f.at = append(f.tokens, t), append(f.from, offsets[i]), append(f.to, offsets[end]), append(f.at, key.Len())
		if t.isNumber() {
			key.WriteByte(1)
			key.WriteString(strconv.FormatInt(int64(-1-t), 10))
			key.WriteByte(2)
		} else {
			key.WriteRune(rune(t))
		}
	}
	for i := 0; i < len(runes); {
		r := runes[i]
		if share, value, end := shareOf(runes, i); end > i { // 百分之三十 is 30%
			add(numberToken(value), i, end)
			add(token(share), end, end)
			i = end
			continue
		}
		if isNumeral(r) {
			if value, end := number(runes, i); end > i {
				add(numberToken(value), i, end)
				i = end
				continue
			}
		}
		if t := letter(r); t > 0 {
			add(t, i, i+1)
		}
		i++
	}
	f.key = key.String()
	return f
}

// letter is the token of a rune, 0 for one that makes no difference.
func letter(r rune) token {
	if r >= '！' && r <= '～' {
		r -= '！' - '!'
	}
	if r == '%' || r == '‰' || r == '‱' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return token(unicode.ToLower(r))
	}
	return 0
}

// shareOf reads 百分之三十, 千分之五 or 万分之五 at runes[i] as a number of %, ‰ or ‱.
func shareOf(runes []rune, i int) (share rune, value int64, end int) {
	if at(runes, i+1) != '分' || at(runes, i+2) != '之' {
		return 0, 0, i
	}
	switch at(runes, i) {
	case '百':
		share = '%'
	case '千':
		share = '‰'
	case '万':
		share = '‱'
	default:
		return 0, 0, i
	}
	value, end = number(runes, i+3)
	if end == i+3 {
		return 0, 0, i
	}
	return share, value, end
}

func (f *folded) len() int { return len(f.tokens) }

// find returns where q stands in f as a whole, in tokens.
func (f *folded) find(q *folded) (from, to int, ok bool) {
	return f.findFrom(q, 0)
}

// findFrom is find behind token i.
func (f *folded) findFrom(q *folded, i int) (from, to int, ok bool) {
	if q.len() == 0 || i+q.len() > f.len() {
		return 0, 0, false
	}
	k := strings.Index(f.key[f.at[i]:], q.key)
	if k < 0 {
		return 0, 0, false
	}
	from, ok = slices.BinarySearch(f.at, f.at[i]+k)
	return from, from + q.len(), ok
}

// words are the source's words of tokens [from, to), with the marks between them.
func (f *folded) words(from, to int) string {
	if from >= to {
		return ""
	}
	return f.source[f.from[from]:f.to[to-1]]
}

// edge reports whether a clause ends before token i: a mark or the end of a line
// stands there, or nothing more.
func (f *folded) edge(i int) bool {
	if i <= 0 || i >= f.len() {
		return true
	}
	return strings.ContainsAny(f.source[f.to[i-1]:f.from[i]], "。，、；：！？,;:!?\n（）()")
}

// index returns where each token occurs.
func (f *folded) index() map[token][]int {
	if f.places == nil {
		f.places = make(map[token][]int, len(f.tokens))
		for i, t := range f.tokens {
			f.places[t] = append(f.places[t], i)
		}
	}
	return f.places
}
