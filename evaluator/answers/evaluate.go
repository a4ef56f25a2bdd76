package answers

import (
	"context"
	"errors"
	"strings"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
	"lexagent/statute"
)

// ErrNoOverlap is returned when the predictions answer none of the questions, so
// that they most likely belong to another data set.
var ErrNoOverlap = errors.New("the predictions answer none of the questions of the gold file")

// Options of an evaluation. Words is required.
type Options struct {
	Words       func(text string) []string // cuts a text into words
	Book        Book                       // nil: citations are compared by name, and none are checked
	Collections []string                   // of the book; nil = public
	Day         statute.Date               // whose law the answers are held to; 0 = any
	Bootstrap   int                        // resamples for the intervals; 0 = 1,000
	Level       float64                    // width of the intervals; 0 = 0.95
	Seed        uint64
	Groups      []evaluator.Grouping
}

// evaluation is the state of one evaluation.
type evaluation struct {
	o    Options
	n    int                        // questions
	sums map[string]*metrics.Series // by measure
}

// Evaluate measures predictions against the gold.
func Evaluate(ctx context.Context, preds []Prediction, gold []dataset.Question, o Options) (*Report, error) {
	if o.Bootstrap == 0 {
		o.Bootstrap = 1000
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Collections == nil {
		o.Collections = []string{"public"}
	}
	r := &Report{Level: o.Level, Bootstrap: o.Bootstrap, Seed: o.Seed, Kinds: map[string]int{}, Checked: o.Book != nil}
	questions := r.questions(gold)
	found := r.index(preds, questions)
	if r.Problems.Missing.Count == len(questions) {
		return nil, ErrNoOverlap
	}
	e := &evaluation{o: o, n: len(questions), sums: map[string]*metrics.Series{}}
	for i, q := range questions {
		p := found[q.ID]
		r.Kinds[kindOf(p)]++
		if err := e.measure(ctx, i, q, p); err != nil {
			return nil, err
		}
	}
	r.fill(e, questions)
	return r, nil
}

// questions lists the questions of the gold, each once.
func (r *Report) questions(gold []dataset.Question) []*dataset.Question {
	seen := make(map[string]bool, len(gold))
	var out []*dataset.Question
	for i := range gold {
		q := &gold[i]
		if seen[q.ID] {
			r.Problems.DuplicateQuestions.Add(q.ID, 1)
			continue
		}
		seen[q.ID] = true
		out = append(out, q)
	}
	return out
}

func kindOf(p *Prediction) string {
	switch {
	case p == nil:
		return "missing"
	case p.Abstained():
		return abstained
	case p.Kind == "":
		return "answered"
	}
	return p.Kind
}

// add notes a measure of question i; over is 1 for a mean over questions.
func (e *evaluation) add(name string, i int, value, over float64) {
	s := e.sums[name]
	if s == nil {
		s = &metrics.Series{Num: make([]float64, e.n), Den: make([]float64, e.n)}
		e.sums[name] = s
	}
	s.Num[i], s.Den[i] = value, over
}

// measure takes every measure of one question; p is nil where it isn't answered.
func (e *evaluation) measure(ctx context.Context, i int, q *dataset.Question, p *Prediction) error {
	missing := p == nil
	if missing {
		p = &Prediction{ID: q.ID}
	}
	e.overlap(i, q, p)
	e.keywords(i, q, p)
	e.label(i, q, p)
	if err := e.cite(ctx, i, q, p); err != nil {
		return err
	}
	if !missing {
		e.add("abstention_rate", i, number(p.Abstained()), 1)
	}
	return nil
}

func (e *evaluation) overlap(i int, q *dataset.Question, p *Prediction) {
	if q.Answer == "" {
		return
	}
	c, d := chars(p.Text), chars(q.Answer)
	w, v := e.o.Words(p.Text), e.o.Words(q.Answer)
	e.add("f1_char", i, metrics.F1(c, d), 1)
	e.add("f1_word", i, metrics.F1(w, v), 1)
	e.add("rouge_l_char", i, metrics.RougeL(c, d), 1)
	e.add("rouge_l_word", i, metrics.RougeL(w, v), 1)
}

func (e *evaluation) keywords(i int, q *dataset.Question, p *Prediction) {
	all, found, plain, plainFound := 0, 0, 0, 0
	for _, k := range q.Keywords {
		has := strings.Contains(p.Text, k)
		all++
		if has {
			found++
		}
		if !dataset.NamesArticle(k) {
			plain++
			if has {
				plainFound++
			}
		}
	}
	if all > 0 {
		e.add("keyword_accuracy", i, float64(found)/float64(all), 1)
	}
	if plain > 0 {
		e.add("keyword_accuracy_without_articles", i, float64(plainFound)/float64(plain), 1)
	}
}

func (e *evaluation) label(i int, q *dataset.Question, p *Prediction) {
	if q.Label == nil {
		return
	}
	verdict, ok := Verdict(p.Text)
	right := number(ok && verdict == *q.Label)
	e.add("label_accuracy", i, right, 1)
	e.add("label_accuracy_parsed", i, right, number(ok))
	e.add("unparsable", i, number(!ok), 1)
}

func (e *evaluation) cite(ctx context.Context, i int, q *dataset.Question, p *Prediction) error {
	refs, err := e.look(ctx, p)
	if err != nil {
		return err
	}
	if len(q.Gold) > 0 {
		right, found := 0, 0
		for a := range refs.articles {
			if hits(&refs.articles[a], q.Gold) {
				right++
			}
		}
		for g := range q.Gold {
			if isCited(refs.articles, &q.Gold[g]) {
				found++
			}
		}
		n, golds := float64(len(refs.articles)), float64(len(q.Gold))
		e.add("citation_precision", i, ratio(right, n), number(n > 0))
		e.add("citation_precision_micro", i, float64(right), n)
		e.add("citation_recall", i, ratio(found, golds), 1)
		e.add("citation_recall_micro", i, float64(found), golds)
	}
	if e.o.Book != nil {
		e.add("false_citation_rate", i, float64(refs.missing), float64(refs.checked))
		e.add("false_citation_answers", i, number(refs.missing > 0), 1)
		e.add("not_in_force_rate", i, float64(refs.notInForce), float64(refs.checked))
	}
	return nil
}

func hits(c *cited, gold []dataset.Article) bool {
	for g := range gold {
		if c.is(&gold[g]) {
			return true
		}
	}
	return false
}

func isCited(list []cited, g *dataset.Article) bool {
	for i := range list {
		if list[i].is(g) {
			return true
		}
	}
	return false
}

func ratio(n int, of float64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / of
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// index maps question ids to the first prediction for each, and notes what is
// missing and what can't count.
func (r *Report) index(preds []Prediction, questions []*dataset.Question) map[string]*Prediction {
	known := make(map[string]bool, len(questions))
	for _, q := range questions {
		known[q.ID] = true
	}
	found := make(map[string]*Prediction, len(preds))
	for i := range preds {
		p := &preds[i]
		if found[p.ID] != nil {
			r.Problems.DuplicatePredictions.Add(p.ID, 1)
			continue
		}
		found[p.ID] = p
		if !known[p.ID] {
			r.Problems.Unknown.Add(p.ID, 1)
		}
	}
	for _, q := range questions {
		if found[q.ID] == nil {
			r.Problems.Missing.Add(q.ID, 1)
		}
	}
	return found
}
