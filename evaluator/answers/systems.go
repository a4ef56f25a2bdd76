package answers

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
)

// Systems are the reports on the systems whose answers one file holds, by name.
type Systems map[string]*Report

// EvaluateSystems measures each system of the predictions on its own, all on the
// questions that any of them answers.
func EvaluateSystems(ctx context.Context, preds []Prediction, gold []dataset.Question, o Options) (Systems, error) {
	asked, by := map[string]bool{}, map[string][]Prediction{}
	for _, p := range preds {
		asked[p.ID] = true
		by[p.System] = append(by[p.System], p)
	}
	gold = slices.DeleteFunc(slices.Clone(gold), func(q dataset.Question) bool { return !asked[q.ID] })
	out := Systems{}
	for name, list := range by {
		r, err := Evaluate(ctx, list, gold, o)
		if err != nil {
			return nil, fmt.Errorf("system %s: %w", name, err)
		}
		out[name] = r
	}
	return out, nil
}

// overview are the measures of the table of systems.
var overview = []string{
	"f1_char", "rouge_l_char", "label_accuracy", "keyword_accuracy", "citation_precision", "citation_recall", "false_citation_rate", "false_citation_answers",
	"abstention_rate",
}

// WriteTable writes a row a system, with the measures that any of them has.
func (s Systems) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	names := slices.Sorted(maps.Keys(s))
	measures := slices.DeleteFunc(slices.Clone(overview), func(m string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { _, ok := s[n].Metrics[m]; return ok })
	})
	rows := [][]string{append([]string{"system", "questions"}, measures...)}
	for _, name := range names {
		row := []string{name, fmt.Sprint(s[name].Queries)}
		for _, measure := range measures {
			cell := "–"
			if m, ok := s[name].Metrics[measure]; ok {
				cell = fmt.Sprintf("%.3f [%.3f, %.3f]", m.Value, m.Low, m.High)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	evaluator.WriteRows(b, rows)
	b.WriteString("\nOn the questions that any of the systems answers; a question without an answer counts as an empty one. Values with 95 % bootstrap intervals.\n")
	_, err := io.WriteString(w, b.String())
	return err
}
