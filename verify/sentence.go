package verify

import (
	"slices"
	"strings"
)

// Sentences splits a text into sentences, each with the marks, white space and citations
// that follow it: joined they are the text again.
func Sentences(text string) []string { return sentences(text) }

// sentences splits a text into sentences, each with the marks and white space
// that follow it, so that joining them gives the text again. Marks inside book
// titles and quotes end no sentence, unless what opened is never closed.
func sentences(text string) []string {
	var out []string
	start, depth := 0, 0
	runes, offsets := make([]rune, 0, len(text)), make([]int, 0, len(text)+1) // in bytes: a text may hold what is no UTF-8
	for i, r := range text {
		runes, offsets = append(runes, r), append(offsets, i)
	}
	offsets = append(offsets, len(text))
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case strings.ContainsRune("《〈“‘「『", r):
			depth++
		case strings.ContainsRune("》〉”’」』", r):
			depth = max(0, depth-1)
		case r == '\n', depth == 0 && strings.ContainsRune("。！？；!?;", r):
			depth = 0 // a line end closes what was left open
			for i+1 < len(runes) && strings.ContainsRune("。！？；!?;”’」』）) \n\r\t", runes[i+1]) {
				i++
			}
			if trailing := citationTail(runes[i+1:], runes[i] != '\n'); trailing > 0 {
				i += trailing
			}
			out = append(out, text[offsets[start]:offsets[i+1]])
			start = i + 1
		}
	}
	if start < len(runes) {
		out = append(out, text[offsets[start]:])
	}
	return out
}

// citationTail measures citations in brackets that stand behind the full stop of the
// sentence they belong to: 三十日。[民法典:1077] or, in the same line, 三十日。
// （《民法典》第一千零七十七条）. They are part of it.
func citationTail(rest []rune, sameLine bool) int {
	closing := map[rune]rune{'[': ']', '（': '）', '(': ')'}
	n := 0
	for n < len(rest) && closing[rest[n]] != 0 {
		end := n
		for end < len(rest) && rest[end] != closing[rest[n]] && rest[end] != '\n' {
			end++
		}
		if end == len(rest) || rest[end] == '\n' {
			return n
		}
		if rest[n] != '[' && !(sameLine && slices.Contains(rest[n:end], '条')) {
			return n
		}
		for n = end + 1; n < len(rest) && strings.ContainsRune("。，；、 \n", rest[n]); n++ {
			sameLine = sameLine && rest[n] != '\n'
		}
	}
	return n
}
