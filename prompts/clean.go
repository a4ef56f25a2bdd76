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
		`\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b|\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}[:/]`)
	// A citation that was written as a link is a citation all the same.
	linkedCitation = regexp.MustCompile(`\[(《[^\[\]]+|[^\[\]:]+:[^\[\]]+)\]\([^()]*\)`)
	markup         = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(?:script|style)>|$)|<[a-z/!][^<>]*>`)
	toolName       = regexp.MustCompile(`\b(?:search|get|list|trace|law|verify|check|index)_[a-z]+\b`)
)

// What is told of what was taken out: the words themselves would leave with the record.
const (
	removedLink = "（一处链接）"
	removedTold = "（一处系统提示的内容）"
	removedTool = "（一处工具名称）"
)

// Clean takes out of a draft what no answer has: links, mark-up, names of tools, and
// what it repeats of the system message, but for what the evidence says too. It works on
// clauses, so that what is true beside a link stays; removed says what sort each of those
// taken out is.
func Clean(draft, system, evidence string) (kept string, removed []string) {
	draft = markup.ReplaceAllString(linkedCitation.ReplaceAllString(draft, "[$1]"), "")
	parts := clauses(draft)
	leak := leaks(parts, letters(system), letters(evidence))
	var b strings.Builder
	for i, c := range parts {
		switch {
		case link.MatchString(c):
			removed = append(removed, removedLink)
		case toolName.MatchString(c):
			removed = append(removed, removedTool)
		case leak[i]:
			removed = append(removed, removedTold)
		default:
			b.WriteString(c)
		}
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

// leaks tells of each clause whether it has a part in leakRunes characters in a row of
// what was told and what the evidence does not say, be they of one clause or of several.
func leaks(parts []string, told, evidence string) []bool {
	leak := make([]bool, len(parts))
	var all []rune
	var of []int // the clause of each character
	for i, c := range parts {
		for _, r := range letters(c) {
			all, of = append(all, r), append(of, i)
		}
	}
	for i := 0; i+leakRunes <= len(all); i++ {
		if words := string(all[i : i+leakRunes]); strings.Contains(told, words) && !strings.Contains(evidence, words) {
			for _, c := range of[i : i+leakRunes] {
				leak[c] = true
			}
		}
	}
	return leak
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
