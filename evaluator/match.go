package evaluator

import (
	"slices"
	"strings"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
	"lexagent/evaluator/run"
)

// question is what must be found for one question, ready to be matched: ids of
// articles, or passages without white space. golds has no doubles.
type question struct {
	id     string
	golds  []string
	grades []int
}

// prepare makes a question ready. Of golds that occur twice the higher grade
// counts; doubles is how many were taken together.
func prepare(q *dataset.Question, by By) (out question, doubles int) {
	out.id = q.ID
	add := func(gold string, grade int) {
		if i := slices.Index(out.golds, gold); i >= 0 {
			out.grades[i] = max(out.grades[i], grade)
			doubles++
			return
		}
		out.golds = append(out.golds, gold)
		out.grades = append(out.grades, grade)
	}
	if by == ByEvidence {
		for _, e := range q.Evidence {
			add(dataset.Squeeze(e), 1)
		}
		return out, doubles
	}
	for _, g := range q.Gold {
		add(g.ID, max(g.Grade, 1))
	}
	return out, doubles
}

// rank finds the rank of each gold among hits that have no doubles.
func (q *question) rank(hits []run.Hit, by By) metrics.Ranking {
	r := metrics.Ranking{Ranks: make([]int, len(q.golds)), Grades: q.grades}
	for i := range hits {
		text := ""
		if by == ByEvidence {
			text = printed(&hits[i])
		}
		for j, gold := range q.golds {
			if r.Ranks[j] > 0 {
				continue
			}
			if by == ByEvidence && strings.Contains(text, gold) || by == ByArticle && isArticle(&hits[i], gold) {
				r.Ranks[j] = i + 1
			}
		}
	}
	return r
}

func isArticle(h *run.Hit, gold string) bool {
	return h.SourceID == gold || h.ID == gold || slices.Contains(h.SourceIDs, gold)
}

// printed is the text of a hit as the law prints it, its label first, without
// white space.
func printed(h *run.Hit) string {
	text, label := dataset.Squeeze(h.Text), dataset.Squeeze(h.Label)
	if strings.HasPrefix(text, label) {
		return text
	}
	return label + text
}

// distinct returns the hits without those whose id occurred before, and how
// many these were.
func distinct(hits []run.Hit) ([]run.Hit, int) {
	seen := make(map[string]bool, len(hits))
	again := func(h run.Hit) bool {
		id := h.ID
		if id == "" {
			id = h.SourceID
		}
		known := seen[id]
		seen[id] = true
		return known
	}
	first := slices.IndexFunc(hits, again)
	if first < 0 {
		return hits, 0
	}
	rest := slices.DeleteFunc(slices.Clone(hits[first+1:]), again)
	out := append(slices.Clone(hits[:first]), rest...)
	return out, len(hits) - len(out)
}
