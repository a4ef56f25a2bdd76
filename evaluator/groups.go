package evaluator

import (
	"strconv"
	"strings"

	"lexagent/evaluator/dataset"
	"lexagent/statute"
)

// The groups of SeenGroups.
const (
	Seen   = "seen"   // every gold of the question is a gold in training
	Unseen = "unseen" // none is
	Mixed  = "mixed"
)

// SeenGroups tells for each question of eval whether its golds occur as golds
// in train: a model that was trained on an article's questions finds it more
// easily. Golds are articles, or passages where a question has no articles.
// Questions without gold are left out.
func SeenGroups(train, eval []dataset.Question) Grouping {
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
	return Grouping{"seen", out}
}

// TypeGroups parts the questions by their type: concept, summary, logic ….
func TypeGroups(gold []dataset.Question) Grouping {
	out := map[string]string{}
	for i := range gold {
		if gold[i].Type != "" {
			out[gold[i].ID] = gold[i].Type
		}
	}
	return Grouping{"type", out}
}

// LevelGroups parts the questions by the level of the law that their golds are of,
// 0 to 6, told from its title; golds of different levels make the group "several".
func LevelGroups(gold []dataset.Question) Grouping {
	out := map[string]string{}
	for i := range gold {
		q := &gold[i]
		titles := make([]string, 0, len(q.Gold)+1)
		for j := range q.Gold {
			titles = append(titles, lawOf(&q.Gold[j]))
		}
		if len(q.Gold) == 0 {
			titles = append(titles, q.Document)
		}
		for _, title := range titles {
			if title == "" {
				continue
			}
			level := strconv.Itoa(int(statute.LevelOf(title, "", "")))
			if before := out[q.ID]; before != "" && before != level {
				level = "several"
			}
			out[q.ID] = level
			if level == "several" {
				break
			}
		}
	}
	return Grouping{"level", out}
}

// lawOf is the title of a gold's law, as the gold or an id of ours tells it.
func lawOf(g *dataset.Article) string {
	if id, err := statute.ParseID(g.ID); g.Law == "" && err == nil && strings.Contains(g.ID, "@") {
		return id.Law
	}
	return g.Law
}

func golds(q *dataset.Question) []string {
	by := ByArticle
	if len(q.Gold) == 0 {
		by = ByEvidence
	}
	p, _ := prepare(q, by)
	return p.golds
}
