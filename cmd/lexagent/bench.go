package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/bench"
	"lexagent/graph"
	"lexagent/ingest"
	"lexagent/retrieval"
	"lexagent/statute"
)

// benchQuestions stand in where no question file is given.
var benchQuestions = []string{
	"离婚冷静期是多久？", "公司不签劳动合同怎么赔偿？", "试用期最长可以约定多久？", "借条没有写利息可以要利息吗？", "租房合同到期房东不退押金怎么办？",
	"未成年人打赏主播的钱能要回来吗？", "醉驾会受到什么处罚？", "父母去世房产如何继承？", "网购的商品有质量问题如何退货？", "工伤认定需要多长时间？",
}

func benchCommand(c *config) *cobra.Command {
	var queries string
	var asJSON bool
	var passages int
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Measure speed and memory on this machine, over the statutes that are ingested",
		Example: "  lexagent bench\n  lexagent bench --queries dev.jsonl --data /data/lexagent",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&queries, "queries", "", "question file (default: ten everyday questions, repeated)")
	cmd.Flags().IntVar(&passages, "passages", 1000, "units to embed for the rate; 0 leaves it out")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(scaleCommand(c), faultsCommand(c), hiddenCommand(c))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		questions, err := benchTexts(queries)
		if err != nil {
			return err
		}
		r, err := c.bench(cmd.Context(), questions, passages)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(r)
		}
		return r.WriteTable(os.Stdout)
	}
	return cmd
}

func benchTexts(path string) ([]string, error) {
	if path == "" {
		var texts []string
		for range 10 {
			texts = append(texts, benchQuestions...)
		}
		return texts, nil
	}
	questions, _, err := batch.ReadQuestions(path)
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = q.Question
	}
	return texts, err
}

func (c *config) bench(ctx context.Context, questions []string, passages int) (r *bench.Report, err error) {
	r = &bench.Report{CPUs: runtime.NumCPU()}
	start := time.Now()
	s, err := c.openSystem(ctx, warn)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.encoder != nil {
		s.search.Encoder = s.encoder // questions are asked again and again: what is remembered of them would hide what one costs
	}
	r.Once("open", "ms", since(start))
	if _, err := s.search.Search(ctx, retrieval.Query{Text: questions[0], Mode: retrieval.Hybrid, Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}}}); err != nil {
		return nil, err
	}
	r.Once("open to first answer", "ms", since(start))
	if err := r.Searches(ctx, s.search, questions); err != nil {
		return nil, err
	}
	extract := func(ctx context.Context, q string) error {
		_, err := s.agent.Answer(ctx, graph.Request{Question: q, Extractive: true, Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}}}, nil)
		return err
	}
	if err := r.Answers(ctx, extract, questions); err != nil {
		return nil, err
	}
	units, laws, err := someUnits(ctx, s, 200)
	if err != nil {
		return nil, err
	}
	if err := r.Checks(ctx, s.check, units, laws, statute.DateOf(time.Now())); err != nil {
		return nil, err
	}
	r.Memory()
	if s.encoder == nil || passages == 0 {
		return r, nil
	}
	texts, err := someTexts(ctx, s, passages)
	if err != nil {
		return nil, err
	}
	return r, r.Embedding(ctx, s.encoder, texts)
}

// someTexts takes passages from all over the book, evenly.
func someTexts(ctx context.Context, s *system, n int) ([]string, error) {
	units, laws, err := someUnits(ctx, s, n)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(units))
	for i := range units {
		texts[i] = ingest.Passage(units[i], laws[i])
	}
	return texts, nil
}

// someUnits takes units from all over the book, evenly, with their laws.
func someUnits(ctx context.Context, s *system, n int) (units []*statute.Unit, laws []*statute.Law, err error) {
	size, err := s.book.Size(ctx)
	if err != nil {
		return nil, nil, err
	}
	step := max(1, size.Units/n)
	i := 0
	err = s.book.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		if i%step == 0 && len(units) < n {
			one := *u
			units, laws = append(units, &one), append(laws, l)
		}
		i++
		return nil
	})
	return units, laws, err
}
