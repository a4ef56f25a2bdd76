package verify

import (
	"strings"
	"unicode/utf8"
)

// Gate takes out of a text every sentence that holds a reference or a quotation
// which did not pass. It returns what is left and what was taken out, in order.
// Findings carry places in text, in characters.
func Gate(text string, findings []Finding) (kept string, removed []string) {
	var b strings.Builder
	at := 0
	for _, s := range sentences(text) {
		n := utf8.RuneCountInString(s)
		if fails(findings, at, at+n) {
			removed = append(removed, strings.TrimSpace(s))
		} else {
			b.WriteString(s)
		}
		at += n
	}
	return strings.TrimSpace(b.String()), removed
}

// fails reports whether a finding that must not leave touches [from, to).
func fails(findings []Finding, from, to int) bool {
	for i := range findings {
		if f := &findings[i]; f.Bad() && f.Start < to && f.End > from {
			return true
		}
	}
	return false
}
