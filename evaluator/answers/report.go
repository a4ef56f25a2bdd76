package answers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
)

// Report is how good the answers of one system are. Values are not rounded.
type Report struct {
	Queries   int                         `json:"queries"`
	Metrics   map[string]Metric           `json:"metrics"` // by name; a measure that no question allows is not there
	Groups    map[string]map[string]Group `json:"groups,omitempty"`
	Kinds     map[string]int              `json:"kinds"`   // answers by how they came about; missing ones too
	Checked   bool                        `json:"checked"` // citations were looked up in a book
	Level     float64                     `json:"level"`
	Bootstrap int                         `json:"bootstrap"`
	Seed      uint64                      `json:"seed"`
	Problems  Problems                    `json:"problems"`

	sums map[string]*metrics.Series
}

// Series is a measure question by question, in the order of the gold, for tests; nil
// where no question allows it.
func (r *Report) Series(measure string) *metrics.Series { return r.sums[measure] }

// Metric is a measure with its bootstrap interval.
type Metric struct {
	Value     float64 `json:"value"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Questions int     `json:"questions"` // that it has a meaning for
}

// Group is the part of a report for some of the questions.
type Group struct {
	Queries int               `json:"queries"`
	Metrics map[string]Metric `json:"metrics"`
}

// Problems lists what was untidy in predictions and gold.
type Problems struct {
	Missing              evaluator.List `json:"missing,omitzero"`               // questions without a prediction; they count as empty answers
	Unknown              evaluator.List `json:"unknown,omitzero"`               // predictions for questions that the gold lacks; ignored
	DuplicatePredictions evaluator.List `json:"duplicate_predictions,omitzero"` // further predictions for a question; ignored
	DuplicateQuestions   evaluator.List `json:"duplicate_questions,omitzero"`   // further gold lines for a question; ignored
}

// KindGroups parts the questions by the kind of their answer: generated,
// extractive, abstained.
func KindGroups(preds []Prediction) evaluator.Grouping {
	out := make(map[string]string, len(preds))
	for i := range preds {
		if out[preds[i].ID] == "" {
			out[preds[i].ID] = kindOf(&preds[i])
		}
	}
	return evaluator.Grouping{Name: "kind", Of: out}
}

// order is that of the measures in tables.
var order = []string{
	"f1_char", "f1_word", "rouge_l_char", "rouge_l_word", "keyword_accuracy", "keyword_accuracy_without_articles",
	"label_accuracy", "label_accuracy_parsed", "unparsable",
	"citation_precision", "citation_precision_micro", "citation_recall", "citation_recall_micro",
	"false_citation_rate", "false_citation_answers", "not_in_force_rate", "abstention_rate",
}

// fill computes the report from the sums.
func (r *Report) fill(e *evaluation, questions []*dataset.Question) {
	r.Queries, r.sums = len(questions), e.sums
	all := make([]int, len(questions))
	for i := range all {
		all[i] = i
	}
	r.Metrics = e.metrics(all)
	for _, g := range e.o.Groups {
		members := map[string][]int{}
		for i, q := range questions {
			name := g.Of[q.ID]
			if name == "" {
				name = "other"
			}
			members[name] = append(members[name], i)
		}
		groups := make(map[string]Group, len(members))
		for name, places := range members {
			groups[name] = Group{Queries: len(places), Metrics: e.metrics(places)}
		}
		if r.Groups == nil {
			r.Groups = map[string]map[string]Group{}
		}
		r.Groups[g.Name] = groups
	}
}

// metrics computes the measures over some of the questions.
func (e *evaluation) metrics(places []int) map[string]Metric {
	var names []string
	var series []metrics.Series
	counts := map[string]int{}
	for _, name := range order {
		sum := e.sums[name]
		if sum == nil {
			continue
		}
		var s metrics.Series
		for _, p := range places {
			s.Num = append(s.Num, sum.Num[p])
			s.Den = append(s.Den, sum.Den[p])
			if sum.Den[p] > 0 {
				counts[name]++
			}
		}
		if counts[name] > 0 {
			names, series = append(names, name), append(series, s)
		}
	}
	out := make(map[string]Metric, len(names))
	for i, in := range metrics.Bootstrap(series, e.o.Bootstrap, e.o.Level, e.o.Seed) {
		out[names[i]] = Metric{Value: series[i].Value(), Low: in.Low, High: in.High, Questions: counts[names[i]]}
	}
	return out
}

// WriteTable writes the report for people, as Markdown tables.
func (r *Report) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "questions: %d (", r.Queries)
	for i, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%s %d", kind, r.Kinds[kind])
	}
	fmt.Fprintf(b, "); values with %g %% bootstrap intervals\n\n", r.Level*100)
	writeMetrics(b, r.Metrics)
	for _, by := range slices.Sorted(maps.Keys(r.Groups)) {
		for _, name := range slices.Sorted(maps.Keys(r.Groups[by])) {
			g := r.Groups[by][name]
			fmt.Fprintf(b, "\n%s: %s, questions: %d\n\n", by, name, g.Queries)
			writeMetrics(b, g.Metrics)
		}
	}
	r.writeNotes(b)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMetrics(b *strings.Builder, values map[string]Metric) {
	rows := [][]string{{"measure", "value", "interval", "questions"}}
	for _, name := range order {
		if m, ok := values[name]; ok {
			rows = append(rows, []string{name, fmt.Sprintf("%.4f", m.Value), fmt.Sprintf("[%.3f, %.3f]", m.Low, m.High), fmt.Sprint(m.Questions)})
		}
	}
	evaluator.WriteRows(b, rows)
}

func (r *Report) writeNotes(b *strings.Builder) {
	b.WriteString("\n")
	if !r.Checked {
		b.WriteString("- there is no book, so references were not looked up: no false citations, and citations are compared by name\n")
	}
	evaluator.WriteNotes(b, []evaluator.Note{
		{List: r.Problems.Missing, Says: "questions without a prediction, counted as empty answers"},
		{List: r.Problems.Unknown, Says: "predictions for questions that the gold lacks, ignored"},
		{List: r.Problems.DuplicatePredictions, Says: "predictions that repeat a question, ignored"},
		{List: r.Problems.DuplicateQuestions, Says: "gold lines that repeat a question, ignored"},
	})
}
