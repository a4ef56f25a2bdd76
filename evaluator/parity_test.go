package evaluator

import (
	"fmt"
	"math"
	"testing"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/jsonl"
	"lexagent/evaluator/metrics"
	"lexagent/evaluator/run"
)

// splitMix64 is the generator of testdata/parity/make.py; draw makes the same
// calls in the same order as the draw there.
type splitMix64 uint64

func (s *splitMix64) below(n int) int {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return int((z ^ (z >> 31)) % uint64(n))
}

func draw(seed int) (*run.Run, []dataset.Question) {
	r := splitMix64(seed)
	graded, repeats := seed%2 == 1, seed%3 == 0
	found, questions := &run.Run{}, []dataset.Question(nil)
	for q := range 1 + r.below(6) {
		pool := 5 + r.below(40)
		id := fmt.Sprintf("q%d", q)
		gold := map[string]bool{}
		question := dataset.Question{ID: id}
		for range r.below(7) {
			doc, grade := fmt.Sprintf("d%d", r.below(pool)), 1
			if graded {
				grade = r.below(5)
			}
			if !gold[doc] && grade > 0 {
				question.Gold = append(question.Gold, dataset.Article{ID: doc, Grade: grade})
			}
			gold[doc] = true
		}
		questions = append(questions, question)
		if r.below(8) == 0 {
			continue
		}
		line, seen, score := run.Line{ID: id}, map[string]bool{}, 40
		for range r.below(30) {
			doc := fmt.Sprintf("d%d", r.below(pool))
			score -= r.below(3)
			if repeats || !seen[doc] {
				line.Hits = append(line.Hits, run.Hit{ID: doc, Score: float64(score)})
			}
			seen[doc] = true
		}
		found.Lines = append(found.Lines, line)
	}
	return found, questions
}

// The values are those of ranx and pytrec_eval; see testdata/parity/make.py.
func TestEqualsRanxAndPytrecEval(t *testing.T) {
	type golden struct {
		Seed   int                `json:"seed"`
		Values map[string]float64 `json:"values"`
	}
	f, err := jsonl.Open("testdata/parity/values.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	runs, values, worst := 0, 0, 0.0
	err = jsonl.Each(f, func(g *golden) error {
		if g.Values == nil {
			return nil // a draw without gold
		}
		got := evaluateDraw(t, g.Seed)
		if len(g.Values) != 23 {
			t.Errorf("seed %d: %d measures were made", g.Seed, len(g.Values))
		}
		for name, want := range g.Values {
			off := math.Abs(got[name] - want)
			worst = max(worst, off)
			values++
			if off > 1e-9 {
				t.Errorf("seed %d: %s = %v, want %v", g.Seed, name, got[name], want)
			}
		}
		runs++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if runs < 1000 {
		t.Errorf("only %d runs compared", runs)
	}
	t.Logf("%d values of %d runs; the largest difference is %.1e", values, runs, worst)
}

// evaluateDraw also accepts what Evaluate refuses: a run that answers nothing
// is worth 0 to the tools.
func evaluateDraw(t *testing.T, seed int) map[string]float64 {
	t.Helper()
	found, questions := draw(seed)
	k := []int{1, 5, 10}
	report := &Report{By: ByArticle}
	qs := report.prepare(questions)
	rankings, _ := report.rank(qs, report.index(found, questions))
	table := measure(qs, rankings, nil, k)
	out := map[string]float64{}
	for name, m := range table.values(Options{Bootstrap: 1, Level: 0.95}) {
		out[name] = m.Value
	}
	full, err := Evaluate(found, questions, Options{K: k, Bootstrap: 1})
	if err != nil {
		return out
	}
	for name, m := range full.Metrics {
		if m.Value != out[name] {
			t.Errorf("seed %d: Evaluate has %s = %v, its parts %v", seed, name, m.Value, out[name])
		}
	}
	return out
}

// The values are those of scipy.stats.permutation_test with all permutations.
func TestExactTestEqualsScipy(t *testing.T) {
	f, err := jsonl.Open("testdata/parity/exact.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	type golden struct {
		Diffs []float64 `json:"diffs"`
		P     float64   `json:"p"`
	}
	n := 0
	err = jsonl.Each(f, func(g *golden) error {
		n++
		if p, exact := metrics.Randomise(g.Diffs, 1, 0); !exact || math.Abs(p-g.P) > 1e-9 {
			t.Errorf("%v: p = %v, exact %v; want %v", g.Diffs, p, exact, g.P)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 {
		t.Errorf("only %d cases compared", n)
	}
}
