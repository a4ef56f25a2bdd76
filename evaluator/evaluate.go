package evaluator

import (
	"errors"
	"fmt"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
	"lexagent/evaluator/run"
)

// Errors of an evaluation that would say nothing.
var (
	// ErrNoGold is returned when no question has any gold to be found.
	ErrNoGold = errors.New("no question has any gold")
	// ErrNoOverlap is returned when the run answers none of the questions, so
	// that it most likely belongs to another gold file.
	ErrNoOverlap = errors.New("the run has none of the questions of the gold file")
	// ErrNoText is returned when evidence is to be found in a run whose hits
	// have no text.
	ErrNoText = errors.New("the hits have no text to find the evidence in")
)

// Evaluate measures a run against the gold. See the package's documentation for
// what counts as found and what becomes of untidy input.
func Evaluate(r *run.Run, gold []dataset.Question, o Options) (*Report, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.By == "" {
		o.By = matchBy(gold)
	}
	report := &Report{By: o.By, Level: o.Level, Bootstrap: o.Bootstrap, Seed: o.Seed}
	questions := report.prepare(gold)
	if len(questions) == 0 {
		return nil, fmt.Errorf("%w by %s", ErrNoGold, o.By)
	}
	lines := report.index(r, gold)
	if report.By == ByEvidence && !hasText(lines) {
		return nil, ErrNoText
	}
	rankings, passages := report.rank(questions, lines)
	if report.Problems.Missing.Count == len(questions) {
		return nil, ErrNoOverlap
	}
	report.Queries = len(questions)
	report.table = measure(questions, rankings, passages, o.K)
	report.Metrics = report.table.values(o)
	report.Groups = report.table.groups(o)
	return report, nil
}

func matchBy(gold []dataset.Question) By {
	by := ByArticle
	for i := range gold {
		if len(gold[i].Gold) > 0 {
			return ByArticle
		}
		if len(gold[i].Evidence) > 0 {
			by = ByEvidence
		}
	}
	return by
}

// prepare makes the questions ready and notes those that can't count.
func (r *Report) prepare(gold []dataset.Question) []question {
	seen := make(map[string]bool, len(gold))
	var out []question
	for i := range gold {
		id := gold[i].ID
		if seen[id] {
			r.Problems.DuplicateQuestions.Add(id, 1)
			continue
		}
		seen[id] = true
		q, doubles := prepare(&gold[i], r.By)
		r.Problems.DuplicateGold.Add(id, doubles)
		if len(q.golds) == 0 {
			r.Problems.NoGold.Add(id, 1)
			continue
		}
		out = append(out, q)
	}
	return out
}

// index maps question ids to the first line of the run for each, and notes the
// lines that can't count.
func (r *Report) index(found *run.Run, gold []dataset.Question) map[string]*run.Line {
	known := make(map[string]bool, len(gold))
	for i := range gold {
		known[gold[i].ID] = true
	}
	lines := make(map[string]*run.Line, len(found.Lines))
	for i := range found.Lines {
		l := &found.Lines[i]
		if lines[l.ID] != nil {
			r.Problems.DuplicateLines.Add(l.ID, 1)
			continue
		}
		lines[l.ID] = l
		if !known[l.ID] {
			r.Problems.Unknown.Add(l.ID, 1)
		}
	}
	return lines
}

func hasText(lines map[string]*run.Line) bool {
	hits := 0
	for _, l := range lines {
		for i := range l.Hits {
			hits++
			if l.Hits[i].Text != "" {
				return true
			}
		}
	}
	return hits == 0
}

// rank ranks the golds of every question; a question without a line finds none.
// Of passages of evidence it also tells what Legal-DC's own measures need.
func (r *Report) rank(questions []question, lines map[string]*run.Line) ([]metrics.Ranking, []metrics.Passages) {
	out := make([]metrics.Ranking, len(questions))
	var passages []metrics.Passages
	for i := range questions {
		q := &questions[i]
		line := lines[q.id]
		if line == nil {
			r.Problems.Missing.Add(q.id, 1)
			line = &run.Line{}
		}
		hits, doubles := distinct(line.Hits)
		r.Problems.DuplicateHits.Add(q.id, doubles)
		if line.Rising() {
			r.Problems.Rising.Add(q.id, 1)
		}
		r.Depth = max(r.Depth, len(hits))
		out[i] = q.rank(hits, r.By)
		if r.By == ByEvidence {
			passages = append(passages, q.passages(hits))
		}
	}
	return out, passages
}
