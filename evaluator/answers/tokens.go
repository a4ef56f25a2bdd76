package answers

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// chars are the letters, digits and Chinese characters of a text, each a token,
// full width and capitals made equal.
func chars(text string) []string {
	var out []string
	for _, r := range strings.ToLower(norm.NFKC.String(text)) {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			out = append(out, string(r))
		}
	}
	return out
}
