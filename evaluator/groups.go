package evaluator

import (
	"lexagent/evaluator/dataset"
)

// The groups of SeenGroups.
const (
	Seen   = "seen"   // every gold of the question is a gold in training
	Unseen = "unseen" // none is
	Mixed  = "mixed"
)

// SeenGroups tells for each question of eval whether its golds occur as golds
// in train, for Options.Groups: a model that was trained on an article's
// questions finds it more easily. Golds are articles, or passages where a
// question has no articles. Questions without gold are left out.
func SeenGroups(train, eval []dataset.Question) map[string]string {
	known := map[string]bool{}
	for i := range train {
		for _, g := range golds(&train[i]) {
			known[g] = true
		}
	}
	out := make(map[string]string, len(eval))
	for i := range eval {
		id, all := eval[i].ID, golds(&eval[i])
		seen := 0
		for _, g := range all {
			if known[g] {
				seen++
			}
		}
		switch {
		case len(all) == 0:
		case seen == 0:
			out[id] = Unseen
		case seen == len(all):
			out[id] = Seen
		default:
			out[id] = Mixed
		}
	}
	return out
}

func golds(q *dataset.Question) []string {
	by := ByArticle
	if len(q.Gold) == 0 {
		by = ByEvidence
	}
	p, _ := prepare(q, by)
	return p.golds
}
