package evaluator

import (
	"fmt"
	"slices"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
	"lexagent/evaluator/run"
)

// Comparison is two runs over the same questions. In JSON the first run's
// report is at the top, as when it's evaluated alone, with "second" and
// "paired" beside it.
type Comparison struct {
	*Report
	Second *Report `json:"second"`
	Paired Paired  `json:"paired"`
}

// Paired is the test whether the runs really differ, question by question.
type Paired struct {
	Test         string          `json:"test"` // always "randomisation"
	Permutations int             `json:"permutations"`
	Metrics      map[string]Pair `json:"metrics"`
}

// Pair compares one measure. A difference is second − first, so that a positive
// one says that the second run is better.
type Pair struct {
	First      float64 `json:"first"`
	Second     float64 `json:"second"`
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"` // bootstrap interval of the difference
	High       float64 `json:"high"`
	P          float64 `json:"p"`     // two-sided; see metrics.Randomise
	Exact      bool    `json:"exact"` // all sign patterns were tried, none drawn
	Better     int     `json:"better"`
	Worse      int     `json:"worse"` // questions on which the second run is worse
	Same       int     `json:"same"`
}

// Compare evaluates two runs and tests each measure for a difference. The
// p values are for one measure each: of twenty measures tested, one falls below
// 0.05 by chance, so decide beforehand which one is asked about.
func Compare(first, second *run.Run, gold []dataset.Question, o Options) (*Comparison, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	a, err := Evaluate(first, gold, o)
	if err != nil {
		return nil, fmt.Errorf("first run: %w", err)
	}
	b, err := Evaluate(second, gold, o)
	if err != nil {
		return nil, fmt.Errorf("second run: %w", err)
	}
	pairs := make(map[string]Pair, len(a.table.names))
	diffs := make([]metrics.Series, len(a.table.names))
	for i, name := range a.table.names {
		diffs[i] = minus(b.table.series[i], a.table.series[i])
		pairs[name] = pair(diffs[i].Num, o)
	}
	for i, in := range metrics.Bootstrap(diffs, o.Bootstrap, o.Level, o.Seed) {
		name := a.table.names[i]
		p := pairs[name]
		p.First, p.Second = a.Metrics[name].Value, b.Metrics[name].Value
		p.Difference, p.Low, p.High = p.Second-p.First, in.Low, in.High
		pairs[name] = p
	}
	return &Comparison{Report: a, Second: b,
		Paired: Paired{Test: "randomisation", Permutations: o.Permutations, Metrics: pairs}}, nil
}

// Pair tests whether the second series of one measure differs from the first, question
// by question. Where the questions weigh otherwise in the two, as references that are
// counted do, the systems' answers to a question change places whole, and the measure
// is taken anew.
func (o Options) Pair(first, second metrics.Series) (Pair, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Pair{}, err
	}
	if slices.Equal(first.Den, second.Den) {
		diff := minus(second, first)
		p := pair(diff.Num, o)
		in := metrics.Bootstrap([]metrics.Series{diff}, o.Bootstrap, o.Level, o.Seed)[0]
		p.First, p.Second = first.Value(), second.Value()
		p.Difference, p.Low, p.High = p.Second-p.First, in.Low, in.High
		return p, nil
	}
	p := Pair{First: first.Value(), Second: second.Value()}
	p.Difference = p.Second - p.First
	p.P = metrics.RandomiseRatios(first, second, o.Permutations, o.Seed)
	in := metrics.BootstrapOf(len(first.Num), o.Bootstrap, o.Level, o.Seed, func(drawn []int) float64 {
		return second.Of(drawn) - first.Of(drawn)
	})
	p.Low, p.High = in.Low, in.High
	for i := range first.Num {
		switch a, b := first.Of([]int{i}), second.Of([]int{i}); {
		case b > a:
			p.Better++
		case b < a:
			p.Worse++
		default:
			p.Same++
		}
	}
	return p, nil
}

// minus is the series of differences. Both have the same denominators, since
// these depend on the gold alone.
func minus(b, a metrics.Series) metrics.Series {
	out := metrics.Series{Num: make([]float64, len(b.Num)), Den: b.Den}
	for i := range b.Num {
		out.Num[i] = b.Num[i] - a.Num[i]
	}
	return out
}

func pair(diffs []float64, o Options) Pair {
	var p Pair
	for _, d := range diffs {
		switch {
		case d > 0:
			p.Better++
		case d < 0:
			p.Worse++
		default:
			p.Same++
		}
	}
	p.P, p.Exact = metrics.Randomise(diffs, o.Permutations, o.Seed)
	return p
}
