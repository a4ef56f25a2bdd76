package model

import (
	"regexp"
	"strings"
)

var (
	reasoned     = regexp.MustCompile(`(?is)<(?:think|thinking|reasoning|thought)>.*?</(?:think|thinking|reasoning|thought)>`)
	reasonBegin  = regexp.MustCompile(`(?i)<(?:think|thinking|reasoning|thought)>`)
	reasoning    = regexp.MustCompile(`(?is)<(?:think|thinking|reasoning|thought)>.*?(?:</(?:think|thinking|reasoning|thought)>|$)`)
	reasoningEnd = regexp.MustCompile(`(?is)^.*</(?:think|thinking|reasoning|thought)>`)
)

// WithoutReasoning takes out of a reply what a model thought aloud, also where the
// begin or the end of it is not marked. It is nobody's answer.
func WithoutReasoning(reply string) string {
	if !strings.ContainsRune(reply, '<') {
		return reply
	}
	return strings.TrimSpace(reasoningEnd.ReplaceAllString(reasoning.ReplaceAllString(reply, ""), ""))
}

// SplitReasoning parts what has come of a reply so far: what is said, and a thought that is
// still open, with its tag. unopened tells that the begin was a thought without a tag, which
// has just ended: what came before it was none of the answer.
func SplitReasoning(reply string) (said, open string, unopened bool) {
	if !strings.ContainsRune(reply, '<') {
		return reply, "", false
	}
	said = reasoned.ReplaceAllString(reply, "")
	if at := reasonBegin.FindStringIndex(said); at != nil {
		said, open = said[:at[0]], said[at[0]:]
	}
	if end := reasoningEnd.FindStringIndex(said); end != nil {
		said, unopened = said[end[1]:], true
	}
	return said, open, unopened
}
