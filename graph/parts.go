package graph

import (
	"context"
	"strings"
	"unicode/utf8"

	"lexagent/retrieval"
)

// Bounds of what counts as a question of its own.
const (
	minPart  = 6 // characters
	maxParts = 3
)

// partsOf splits a question that asks several things, 试用期最长多久？工资可以少给吗？ or
// 被辞退了，能赔多少，怎么申请仲裁？; nil where it asks one.
func partsOf(question string) []string {
	var out []string
	for p := range strings.FieldsFuncSeq(question, func(r rune) bool { return strings.ContainsRune("？?\n", r) }) {
		for _, q := range asksOf(p) {
			if q = strings.TrimSpace(q); utf8.RuneCountInString(q) >= minPart {
				out = append(out, q+"？")
			}
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out[:min(len(out), maxParts)]
}

// asksOf splits a sentence behind each clause that asks something; facts go with the
// clause that they lead to.
func asksOf(sentence string) []string {
	var out []string
	from, asked := 0, false
	for i, r := range sentence {
		if !strings.ContainsRune("，,；;", r) {
			continue
		}
		clause := sentence[from:i]
		if asks.MatchString(clause) && asks.MatchString(sentence[i:]) {
			out = append(out, clause)
			from, asked = i+utf8.RuneLen(r), true
		}
	}
	if !asked {
		return []string{sentence}
	}
	return append(out, sentence[from:])
}

// forParts makes sure that the evidence has the best unit of each part of the question:
// the best of the whole question stay, and each part brings its first.
func (g *Graph) forParts(ctx context.Context, j *job) error {
	parts := partsOf(j.request.Question)
	if len(parts) == 0 || len(j.evidence) == 0 || j.named() > 0 {
		return nil
	}
	var found [][]retrieval.Hit
	for _, p := range parts {
		hits, err := g.find(ctx, j, p)
		if err != nil {
			return err
		}
		found = append(found, hits[:min(1, len(hits))])
	}
	merged, fresh := merge(j.evidence[:min(len(j.evidence), maxEvidence-len(parts))], found, j.evidence)
	if fresh == 0 {
		return nil
	}
	j.evidence = merged
	if g.o.Reader == nil {
		return nil
	}
	passages, err := g.o.Reader.Read(ctx, j.request.Question, merged)
	j.passages = passages
	return err
}

// find searches for a part of what the question needs, and keeps what answers it best.
func (g *Graph) find(ctx context.Context, j *job, text string) ([]retrieval.Hit, error) {
	hits, named, err := g.hits(ctx, j, text, "")
	if err != nil {
		return nil, err
	}
	hits, _, err = g.choose(ctx, text, hits, named)
	return hits, err
}

// hits searches within the scope of the question, and keeps what bears on the text; the
// first so many are those that it names.
func (g *Graph) hits(ctx context.Context, j *job, text string, x retrieval.Expansion) (hits []retrieval.Hit, named int, err error) {
	res, err := g.o.Search.Search(ctx, retrieval.Query{
		Text: text, Mode: j.result.Mode, By: j.by(), Scope: j.request.Scope, Expand: x, Explain: true, Whole: true,
	})
	if err != nil {
		return nil, 0, err
	}
	return relevant(text, res, g.o.Floor), res.Named, nil
}
