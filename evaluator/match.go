package evaluator

import (
	"slices"
	"strings"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
	"lexagent/evaluator/run"
	"lexagent/statute"
)

// question is what must be found for one question, ready to be matched: ids of
// articles, their names, or passages without white space. golds has no doubles.
type question struct {
	id     string
	golds  []string
	named  []bool // the gold is a name; see dataset.Name
	grades []int
}

// prepare makes a question ready. Of golds that occur twice the higher grade
// counts; doubles is how many were taken together.
func prepare(q *dataset.Question, by By) (out question, doubles int) {
	out.id = q.ID
	add := func(gold string, named bool, grade int) {
		if i := slices.Index(out.golds, gold); i >= 0 {
			out.grades[i] = max(out.grades[i], grade)
			doubles++
			return
		}
		out.golds = append(out.golds, gold)
		out.named = append(out.named, named)
		out.grades = append(out.grades, grade)
	}
	if by == ByEvidence {
		for _, e := range q.Evidence {
			add(dataset.Squeeze(e), false, 1)
		}
		return out, doubles
	}
	for i := range q.Gold {
		g := &q.Gold[i]
		grade := max(g.Grade, 1)
		switch name := g.Name(); {
		case by == ByName && name != "", g.ID == "":
			add(name, true, grade)
		case by == ByArticle:
			add(g.ID, false, grade)
		}
	}
	return out, doubles
}

// rank finds the rank of each gold among hits that have no doubles.
func (q *question) rank(hits []run.Hit, by By) metrics.Ranking {
	r := metrics.Ranking{Ranks: make([]int, len(q.golds)), Grades: q.grades}
	for i := range hits {
		shown := q.shown(&hits[i], by)
		for j := range q.golds {
			if r.Ranks[j] == 0 && shown.has(q, j) {
				r.Ranks[j] = i + 1
			}
		}
	}
	return r
}

// shown is what of a hit golds are compared with.
type shown struct {
	by    By
	hit   *run.Hit
	names []string // of its articles, where golds are looked for by name
	text  string   // where passages are
}

func (q *question) shown(h *run.Hit, by By) shown {
	s := shown{by: by, hit: h}
	if by == ByEvidence {
		s.text = printed(h)
	}
	if slices.Contains(q.named, true) {
		s.names = names(h)
	}
	return s
}

// has reports whether the hit finds gold j.
func (s shown) has(q *question, j int) bool {
	gold, h := q.golds[j], s.hit
	switch {
	case s.by == ByEvidence:
		return strings.Contains(s.text, gold)
	case q.named[j]:
		return slices.Contains(s.names, gold)
	}
	return h.SourceID == gold || h.ID == gold || slices.Contains(h.SourceIDs, gold) || slices.Contains(h.Articles, gold)
}

// names are the names of the articles that a hit shows.
func names(h *run.Hit) []string {
	out := []string{dataset.Name(h.Law, h.Label)}
	for _, a := range h.Articles {
		if id, err := statute.ParseID(a); err == nil {
			if number, sub, ok := id.Number(); ok {
				out = append(out, dataset.Name(id.Law, statute.Label(number, sub)))
			}
		}
	}
	return out
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

// passages tells at which ranks hits hold each passage whole, and from which rank on
// the texts of the hits so far, put together, hold it.
func (q *question) passages(hits []run.Hit) metrics.Passages {
	p := metrics.Passages{Ranks: make([][]int, len(q.golds)), Joined: make([]int, len(q.golds))}
	var joined strings.Builder
	for i := range hits {
		text := printed(&hits[i])
		before := joined.Len()
		joined.WriteString(text)
		for j, gold := range q.golds {
			if strings.Contains(text, gold) {
				p.Ranks[j] = append(p.Ranks[j], i+1)
			}
			if p.Joined[j] == 0 && strings.Contains(joined.String()[max(0, before-len(gold)):], gold) {
				p.Joined[j] = i + 1
			}
		}
	}
	return p
}
