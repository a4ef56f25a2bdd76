package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lexagent/evaluator"
	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/experiment"
	"lexagent/evaluator/run"
	"lexagent/retrieval"
)

// tuneFlags are the flags of tune.
type tuneFlags struct {
	gold, out, measure, expand string
	alphas, lambdas            []float64
	without, merges            []string
	pool                       int
	method                     string
}

// tuned is what tune writes: each parameter with the measure at each of its values.
type tuned struct {
	Measure   string   `json:"measure"`
	Questions int      `json:"questions"`
	Gold      string   `json:"gold"`
	Curves    []*curve `json:"curves"` // in the order in which they were tuned
}

// curve is one parameter.
type curve struct {
	Parameter string  `json:"parameter"` // alpha, lambda3 or merge
	Held      string  `json:"held"`      // what was held meanwhile
	Best      float64 `json:"best"`      // the value of the highest measure, the first of equal ones
	Points    []point `json:"points"`
}

type point struct {
	At float64 `json:"at"` // the parameter's value
	evaluator.Metric
}

func tuneCommand(c *config) *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Tune LexPath's parameters on a development set, in the paper's order, and draw them",
		Long: "First α by the order of the fused scores, then λ3 with that α (LexPath § 4.1), each over a grid. Writes tune.json and a plot a parameter\n" +
			"(alpha.svg, lambda3.svg, and merge.svg where encoders merged by different weights are given). Tune on a development set, never on the\n" +
			"questions that a result is reported for.",
		Example: "  lexagent tune --gold dev.jsonl --out tune/ --expand none\n" +
			"  lexagent tune --gold dev.jsonl --out tune/ --merge 0.3=enc/m3,0.5=enc/m5,1=enc/m10",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.gold, "gold", "", "questions of the development set with the articles that govern them")
	fl.StringVar(&f.out, "out", "", "folder to write to")
	fl.StringVar(&f.measure, "measure", "recall@5", "what is tuned for: recall, ndcg, mrr or hit at a cutoff up to the pool")
	fl.Float64SliceVar(&f.alphas, "alphas", grid(1, 0.1), "values of α, the weight of the word path")
	fl.Float64SliceVar(&f.lambdas, "lambdas", grid(3, 0.25), "values of λ3, the weight of the intent")
	fl.IntVar(&f.pool, "pool", retrieval.DefaultPool, "candidates that are reranked")
	fl.StringVar(&f.method, "fusion", string(retrieval.Arctan), "how scores are fused")
	fl.StringVar(&f.expand, "expand", "", "as for search, in both steps (default irac, which needs a language model)")
	fl.StringSliceVar(&f.without, "without", nil, "stages to leave out, as for search")
	fl.StringSliceVar(&f.merges, "merge", nil, "weight=FOLDER of encoders whose query side was merged by that weight; their passages' model must be that of the index")
	fl.String("llm-cache", "", "file that keeps the language model's replies (default "+repliesFile+" in the data folder) ["+envReplies+"]")
	for _, name := range []string{"gold", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not declared above
		}
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c.LLM.Cache = c.repliesPath()
		return f.run(cmd.Context(), c)
	}
	return cmd
}

// grid are the values from 0 to high.
func grid(high, step float64) []float64 {
	var out []float64
	for i := 0; float64(i)*step <= high+step/2; i++ {
		out = append(out, math.Round(1e6*float64(i)*step)/1e6) // 0.3, not 0.30000000000000004
	}
	return out
}

func (f *tuneFlags) run(ctx context.Context, c *config) error {
	gold, err := dataset.ReadFile(f.gold)
	if err != nil {
		return err
	}
	s, err := c.openSystem(ctx, warn)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // opened for reading; the process ends
	result := &tuned{Measure: f.measure, Questions: len(gold), Gold: filepath.Base(f.gold)}
	base := retrieval.Query{
		Mode: retrieval.LexPath, Pool: f.pool, K: f.pool, Expand: retrieval.Expansion(f.expand),
		Fusion: retrieval.Fusion{Method: retrieval.Method(f.method)}, Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}},
	}
	for _, stage := range f.without {
		base.Without = append(base.Without, retrieval.Stage(stage))
	}
	if len(f.merges) > 0 {
		merged, err := f.merge(ctx, c, s, gold)
		if err != nil {
			return err
		}
		result.Curves = append(result.Curves, merged)
	}
	alpha, err := f.sweep(ctx, s, gold, &curve{Parameter: "alpha", Held: "no reranking"}, f.alphas, func(a float64) retrieval.Query {
		q := base
		q.Without = append([]retrieval.Stage{retrieval.Rerank}, base.Without...)
		q.Fusion.Alpha = &a
		return q
	})
	if err != nil {
		return err
	}
	lambda, err := f.sweep(ctx, s, gold, &curve{Parameter: "lambda3", Held: fmt.Sprintf("alpha %g, lambda1 = lambda2 = 1", alpha.Best)}, f.lambdas, func(l float64) retrieval.Query {
		q := base
		q.Fusion.Alpha = &alpha.Best
		q.Lambda = &retrieval.Lambda{Rerank: 1, Fused: 1, Intent: l}
		return q
	})
	if err != nil {
		return err
	}
	result.Curves = append(result.Curves, alpha, lambda)
	return f.write(result)
}

// merge measures the dense path with encoders of other merge weights.
func (f *tuneFlags) merge(ctx context.Context, c *config, s *system, gold []dataset.Question) (*curve, error) {
	own := s.search.Encoder
	defer func() { s.search.Encoder = own }()
	out := &curve{Parameter: "merge", Held: "dense path alone"}
	for _, spec := range f.merges {
		weight, folder, ok := strings.Cut(spec, "=")
		value, err := strconv.ParseFloat(weight, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("--merge is %q; it must be weight=FOLDER, such as 0.5=encoders/half", spec)
		}
		other := *c
		other.Encoder = folder
		enc, err := other.openEncoder()
		if err != nil {
			return nil, err
		}
		s.search.Encoder = enc
		m, err := f.measured(ctx, s, gold, retrieval.Query{Mode: retrieval.Dense, K: f.pool, Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}}})
		if err := errors.Join(err, enc.Close()); err != nil {
			return nil, fmt.Errorf("with %s: %w", folder, err)
		}
		out.add(value, m)
	}
	return out, nil
}

// sweep measures a query at each value.
func (f *tuneFlags) sweep(ctx context.Context, s *system, gold []dataset.Question, out *curve, values []float64, query func(float64) retrieval.Query) (*curve, error) {
	for _, v := range values {
		m, err := f.measured(ctx, s, gold, query(v))
		if err != nil {
			return nil, fmt.Errorf("%s %g: %w", out.Parameter, v, err)
		}
		out.add(v, m)
		warn(fmt.Sprintf("%s %g: %s %.4f", out.Parameter, v, f.measure, m.Value))
	}
	return out, nil
}

func (c *curve) add(value float64, m evaluator.Metric) {
	if len(c.Points) == 0 || m.Value > c.at(c.Best) {
		c.Best = value
	}
	c.Points = append(c.Points, point{value, m})
}

// at is the measure at a value that was tried.
func (c *curve) at(value float64) float64 {
	for _, p := range c.Points {
		if p.At == value {
			return p.Value
		}
	}
	return 0
}

// measured runs all questions and returns the measure.
func (f *tuneFlags) measured(ctx context.Context, s *system, gold []dataset.Question, q retrieval.Query) (evaluator.Metric, error) {
	var r run.Run
	for _, question := range gold {
		line, err := experiment.SearchLine(ctx, s.search, q, batch.Question{ID: question.ID, Question: question.Question})
		if err != nil {
			return evaluator.Metric{}, err
		}
		r.Lines = append(r.Lines, runLine(line))
	}
	report, err := evaluator.Evaluate(&r, gold, evaluator.Options{K: []int{1, 3, 5, 10, 20}})
	if err != nil {
		return evaluator.Metric{}, err
	}
	m, ok := report.Metrics[f.measure]
	if !ok {
		return m, fmt.Errorf("there is no measure %q; there are recall@5, ndcg@5, mrr@10 and their like", f.measure)
	}
	return m, nil
}

// runLine is a line as evaluation reads it.
func runLine(l *experiment.Line) run.Line {
	out := run.Line{ID: l.ID, MS: l.MS}
	for i := range l.Hits {
		h := &l.Hits[i]
		out.Hits = append(out.Hits, run.Hit{ID: h.ID, SourceID: h.SourceID, SourceIDs: h.Also, Kind: h.Kind, Law: h.Law, Label: h.Label, Articles: h.Units, Text: h.Text, Score: h.Score})
	}
	return out
}

// write writes what was found, and prints the best values.
func (f *tuneFlags) write(t *tuned) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	raw, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(f.out, "tune.json"), append(raw, '\n'), 0o644); err != nil {
		return err
	}
	for _, c := range t.Curves {
		if err := os.WriteFile(filepath.Join(f.out, c.Parameter+".svg"), c.draw(t.Measure), 0o644); err != nil {
			return err
		}
		fmt.Printf("%s %g: %s %.4f\n", c.Parameter, c.Best, t.Measure, c.at(c.Best))
	}
	return nil
}
