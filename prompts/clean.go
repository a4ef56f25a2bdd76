package prompts

import (
	"regexp"
	"strings"
	"unicode"
)

// leakRunes is how many characters in a row of what a model was told are a leak and no
// chance: a rule of a prompt is longer, what people say to one another rarely the same.
const leakRunes = 10

var (
	// Nothing in a statute book needs a link, and the links to articles are ours to make.
	link = regexp.MustCompile(`(?i)!?\[[^\[\]]*\]\([^()]*\)|\b(?:https?|ftp|file|data|javascript|vbscript|mailto|tel):\S+|\bwww\.\S+|` +
		`\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|cn|net|org|info|io|top|xyz|vip|site|online|cc|example|test)\b`)
	// A citation that was written as a link is a citation all the same.
	linkedCitation = regexp.MustCompile(`\[(《[^\[\]]+|[^\[\]:]+:[^\[\]]+)\]\([^()]*\)`)
	markup         = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(?:script|style)>|$)|<[a-z/!][^<>]*>`)
	toolName       = regexp.MustCompile(`\b(?:search|get|list|trace|law|verify|check|index)_[a-z]+\b`)
)

// Clean takes out of a draft what no answer has: links, mark-up, names of tools, and
// what it repeats of the system message. It works on clauses, so that what is true beside
// a link stays; removed are those taken out.
func Clean(draft, system string) (kept string, removed []string) {
	draft = markup.ReplaceAllString(linkedCitation.ReplaceAllString(draft, "[$1]"), "")
	told := letters(system)
	var b strings.Builder
	for _, c := range clauses(draft) {
		if link.MatchString(c) || toolName.MatchString(c) || leaks(c, told) {
			removed = append(removed, strings.TrimSpace(c))
			continue
		}
		b.WriteString(c)
	}
	kept = strings.TrimSpace(b.String())
	if len(removed) > 0 { // what stood before the end of a sentence ends it now
		if rest, ok := strings.CutSuffix(kept, "，"); ok {
			kept = rest + "。"
		}
	}
	return kept, removed
}

// clauses cuts a text behind its marks and line ends.
func clauses(text string) []string {
	var out []string
	from := 0
	for i, r := range text {
		if strings.ContainsRune("，。；！？\n", r) {
			end := i + len(string(r))
			out = append(out, text[from:end])
			from = end
		}
	}
	return append(out, text[from:])
}

// leaks reports whether a clause has leakRunes characters in a row of what was told.
func leaks(clause, told string) bool {
	r := []rune(letters(clause))
	for i := 0; i+leakRunes <= len(r); i++ {
		if strings.Contains(told, string(r[i:i+leakRunes])) {
			return true
		}
	}
	return false
}

// letters drops everything but letters and digits.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
