package statute

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// opencc holds OpenCC's tables from traditional to simplified characters: a line a
// character or phrase, a tab, and what it becomes, the usual form first.
//
//go:embed opencc/TSCharacters.txt opencc/TSPhrases.txt
var opencc embed.FS

// traditional are the tables as they are looked up.
type traditional struct {
	runes   map[rune]string
	phrases map[string]string
	longest int           // phrase, in runes
	tells   map[rune]bool // characters that simplified Chinese doesn't have
}

var readTraditional = sync.OnceValue(func() *traditional {
	t := &traditional{runes: map[rune]string{}, phrases: map[string]string{}, tells: map[rune]bool{}}
	simplified := simplifiedchinese.HZGB2312.NewEncoder()
	for from, to := range tableOf("opencc/TSCharacters.txt") {
		r, _ := utf8.DecodeRuneInString(from)
		t.runes[r] = to
		if _, err := simplified.String(from); err != nil && to != from {
			t.tells[r] = true
		}
	}
	for from, to := range tableOf("opencc/TSPhrases.txt") {
		t.phrases[from] = to
		t.longest = max(t.longest, utf8.RuneCountInString(from))
	}
	return t
})

// tableOf reads a table: what to replace, and by what.
func tableOf(name string) map[string]string {
	raw, err := opencc.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	table := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if to, _, _ = strings.Cut(to, " "); ok && to != "" {
			table[from] = to
		}
	}
	return table
}

// Simplified turns traditional characters into simplified ones, and reports whether
// it did. A text without a character that only traditional Chinese has stays as it
// is: 乾, 著 and the like stand in both, and 乾隆 or 著作权 must not change.
func Simplified(text string) (string, bool) {
	t := readTraditional()
	if strings.IndexFunc(text, func(r rune) bool { return t.tells[r] }) < 0 {
		return text, false
	}
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		n, to := t.replace(text)
		b.WriteString(to)
		text = text[n:]
	}
	return b.String(), true
}

// replace returns what the head of text becomes, and the bytes that it takes: the
// longest phrase that is known, or one character.
func (t *traditional) replace(text string) (n int, to string) {
	ends := make([]int, 0, t.longest)
	for i := range text {
		if i > 0 {
			ends = append(ends, i)
		}
		if len(ends) == t.longest {
			break
		}
	}
	if len(ends) < t.longest {
		ends = append(ends, len(text))
	}
	for i := len(ends) - 1; i > 0; i-- {
		if to, ok := t.phrases[text[:ends[i]]]; ok {
			return ends[i], to
		}
	}
	r, n := utf8.DecodeRuneInString(text)
	if to, ok := t.runes[r]; ok {
		return n, to
	}
	return n, text[:n]
}
