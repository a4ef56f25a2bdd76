package model

import (
	"regexp"
	"strings"
)

var (
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
