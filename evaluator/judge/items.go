package judge

import (
	"lexagent/evaluator"
	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
)

// Items puts answers and gold together, in the order of the gold. Questions without
// an answer are listed as missing; answers to other questions are passed over.
func Items(preds []answers.Prediction, gold []dataset.Question) (items []Item, missing evaluator.List) {
	found := make(map[string]*answers.Prediction, len(preds))
	for i := range preds {
		if found[preds[i].ID] == nil {
			found[preds[i].ID] = &preds[i]
		}
	}
	for i := range gold {
		q := &gold[i]
		p := found[q.ID]
		if p == nil {
			missing.Add(q.ID, 1)
			continue
		}
		items = append(items, Item{ID: q.ID, Question: q.Question, History: q.History, Reference: q.Answer, Articles: q.Gold, Answer: p.Text})
	}
	return items, missing
}
