package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/evaluator"
	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
	"lexagent/index"
	"lexagent/retrieval"
)

// answersFlags are the flags of eval answers.
type answersFlags struct {
	pred, asOf      string
	golds, groups   []string
	asJSON, systems bool
	seed            uint64
	outside         outsideFlags
}

func evalAnswers(c *config) *cobra.Command {
	var f answersFlags
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Measure answers: overlap with references, keywords, true or false, citations",
		Long: "Predictions are what `lexagent ask --queries … --out` writes, lines of {\"id\",\"answer\"}, the output of OpenAI's Batch API, or a\n" +
			"CSV table with the columns id and answer (or text, or response; kind, system and setting may be there too). With --ask they are asked\n" +
			"of an endpoint. With a statute book in the data folder, the references in the answers are looked up; without one that is left out.",
		Example: "  lexagent eval answers --pred answers.jsonl --gold dev.jsonl --group kind\n" +
			"  lexagent eval answers --pred published.jsonl.gz --gold train.jsonl,dev.jsonl --systems\n" +
			"  lexagent eval answers --ask http://127.0.0.1:9380/v1 --ask-model assistant --pred theirs.jsonl --gold dev.jsonl",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.pred, "pred", "", "file of predictions, JSON lines or CSV")
	fl.StringSliceVar(&f.golds, "gold", nil, "gold file, or a data set that lexagent dataset reads; several are put together")
	fl.BoolVar(&f.systems, "systems", false, "a row for each system of the predictions, which their fields system and setting name, on the questions that these answer")
	fl.StringVar(&f.asOf, "as-of", "", "day whose law the answers are held to, or \"any\" (default today)")
	fl.StringSliceVar(&f.groups, "group", nil, "report groups of questions apart, by kind (of the answer), type or level")
	fl.Uint64Var(&f.seed, "seed", 0, "of the bootstrap")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON, values unrounded")
	f.outside.register(cmd)
	for _, name := range []string{"pred", "gold"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not declared above
		}
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.evaluate(cmd.Context(), c) }
	return cmd
}

func (f *answersFlags) evaluate(ctx context.Context, c *config) (err error) {
	var gold []dataset.Question
	for _, path := range f.golds {
		qs, err := dataset.ReadFile(path)
		if err != nil {
			return err
		}
		gold = append(gold, qs...)
	}
	preds, gold, err := f.outside.predictions(ctx, c, f.pred, gold)
	if err != nil {
		return err
	}
	asOf, err := retrieval.ParseAsOf(f.asOf)
	if err != nil {
		return err
	}
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return err
	}
	o := answers.Options{Words: analyzer.Words, Day: asOf.On(time.Now()), Seed: f.seed}
	if o.Groups, err = f.grouped(preds, gold); err != nil {
		return err
	}
	switch b, err := book.Open(ctx, c.Data); {
	case errors.Is(err, book.ErrEmpty):
	case err != nil:
		return err
	default:
		defer b.Close() //nolint:errcheck // opened for reading; the process ends
		o.Book = b
	}
	var report interface{ WriteTable(io.Writer) error }
	if f.systems {
		report, err = answers.EvaluateSystems(ctx, preds, gold, o)
	} else {
		report, err = answers.Evaluate(ctx, preds, gold, o)
	}
	if err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	if f.asJSON {
		return printJSON(report)
	}
	return report.WriteTable(os.Stdout)
}

// grouped lists the groups of questions that are to be reported apart.
func (f *answersFlags) grouped(preds []answers.Prediction, gold []dataset.Question) ([]evaluator.Grouping, error) {
	var out []evaluator.Grouping
	for _, name := range f.groups {
		if name == "kind" {
			out = append(out, answers.KindGroups(preds))
			continue
		}
		g, err := grouping(name, gold)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}
