package graph

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/retrieval"
	"lexagent/verify"
)

// Bounds of an extractive answer.
const (
	maxExtracts     = 3   // articles quoted
	maxExtractRunes = 280 // an article up to this long is quoted whole
)

// extract answers with the articles' own words: those that the question names, else the
// passage that answers best, with its article. Without a reader it quotes the best
// articles. Articles are quoted whole when they are short, else their lead sentence and
// the paragraphs (款) and items (项) that share most with the question.
func extract(question string, hits []retrieval.Hit, named int, passages []retrieval.Passage) string {
	if len(passages) > 0 && named == 0 {
		p := passages[0]
		h := &hits[p.Hit]
		return fmt.Sprintf("%s（《%s》%s）", p.Text, h.Law, h.Label)
	}
	if named > 0 {
		hits = hits[:min(len(hits), named)]
	}
	hits = hits[:min(len(hits), maxExtracts)]
	var b strings.Builder
	b.WriteString("以下是与问题最相关的法条原文摘录：")
	for i := range hits {
		h := &hits[i]
		fmt.Fprintf(&b, "\n\n《%s》%s：\n", h.Law, h.Label)
		for _, line := range quoted(question, h.Text, maxExtractRunes) {
			b.WriteString("\n> " + line)
		}
	}
	return b.String()
}

// omission stands where lines of an article were left out.
const omission = "……"

// quoted chooses the lines of an article to quote, up to limit characters of them
// (its first line whatever its length).
func quoted(question, text string, limit int) []string {
	lines := splitLines(text)
	if utf8.RuneCountInString(text) <= limit || len(lines) == 1 {
		return lines
	}
	keep := make([]bool, len(lines))
	keep[0] = true // the lead sentence, without which an item means nothing
	left := limit - utf8.RuneCountInString(lines[0])
	for _, i := range byOverlap(question, lines) {
		lead := leadOf(lines, i)
		n := utf8.RuneCountInString(lines[i])
		if !keep[lead] && lead != i {
			n += utf8.RuneCountInString(lines[lead])
		}
		if keep[i] || n > left {
			continue
		}
		keep[i], keep[lead] = true, true
		left -= n
	}
	var out []string
	for i, l := range lines {
		if keep[i] {
			out = append(out, l)
		} else if out[len(out)-1] != omission {
			out = append(out, omission)
		}
	}
	return out
}

// itemOf finds the items (项) of an article.
var itemOf = regexp.MustCompile(`^[（(][一二三四五六七八九十]+[）)]`)

// leadOf is the line that an item belongs to; a line that is no item is its own.
func leadOf(lines []string, i int) int {
	for i > 0 && itemOf.MatchString(lines[i]) {
		i--
	}
	return i
}

func splitLines(text string) []string {
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// byOverlap returns the numbers of the lines, best first: by the share of the
// question's character pairs that a line has, rare pairs counting more.
func byOverlap(question string, lines []string) []int {
	sets := make([]map[string]bool, len(lines))
	seen := map[string]int{}
	for i, l := range lines {
		sets[i] = verify.Bigrams(l)
		for p := range sets[i] {
			seen[p]++
		}
	}
	score := make([]float64, len(lines))
	for p := range verify.Bigrams(question) {
		for i := range lines {
			if sets[i][p] {
				score[i] += 1 / float64(seen[p])
			}
		}
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order
}
