package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/judge"
)

// ladderFlags are the flags of judge ladder.
type ladderFlags struct {
	gold, out, weights string
	n                  int
	seed               uint64
	dryRun, asJSON     bool
}

func judgeLadder(c *config) *cobra.Command {
	var f ladderFlags
	cmd := &cobra.Command{
		Use:   "ladder",
		Short: "Tell without people whether a judge is fit: does it order graded copies of the right answer?",
		Long: "Each reference answer is judged as it is, shortened, with a wrong article, replaced by the answer to another question, and empty.\n" +
			"A judge that does not order these is unfit; the command says so and ends with exit code 3. Verdicts are kept in --out.",
		Example: "  lexagent judge ladder --gold dev.jsonl -n 20",
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.gold, "gold", "", "gold file with reference answers, or a data set that lexagent dataset reads")
	fl.StringVar(&f.out, "out", "", "file of verdicts (default: beside the gold file, ….ladder.jsonl)")
	fl.StringVar(&f.weights, "weights", "0.3,0.4,0.2,0.1", "of relevance, accuracy, completeness and fluency")
	fl.IntVarP(&f.n, "n", "n", 20, "questions, five judgements each; 0 = all")
	fl.Uint64Var(&f.seed, "seed", 0, "of the questions drawn")
	fl.BoolVar(&f.dryRun, "dry-run", false, "tell how many calls, tokens, how much time and money it would take, and judge nothing")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON, values unrounded")
	if err := cmd.MarkFlagRequired("gold"); err != nil {
		panic(err) // a flag that is not declared above
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), c) }
	return cmd
}

func (f *ladderFlags) run(ctx context.Context, c *config) error {
	weights, err := judge.ParseWeights(f.weights)
	if err != nil {
		return err
	}
	if f.n < 0 {
		return fmt.Errorf("-n is %d; it must not be negative", f.n)
	}
	gold, err := dataset.ReadFile(f.gold)
	if err != nil {
		return err
	}
	items, err := judge.Ladder(gold, f.n, f.seed)
	if err != nil {
		return err
	}
	if f.out == "" {
		f.out = strings.TrimSuffix(strings.TrimSuffix(f.gold, ".gz"), ".jsonl") + ".ladder.jsonl"
	}
	b := &judge.Batch{
		Judge: &judge.Judge{Name: c.LLM.Model}, Out: f.out, Items: items,
		Progress: counted("judged"),
	}
	if done, err := (&judgeFlags{dryRun: f.dryRun, asJSON: f.asJSON}).estimated(c, b); err != nil || done {
		return err
	}
	if b.Judge.Model, err = judgingModel(ctx, c, b); err != nil {
		return err
	}
	lines, err := b.Run(ctx)
	if err != nil {
		return err
	}
	report := judge.Climbed(b.Judge, items, lines, weights, f.seed)
	if f.asJSON {
		err = printJSON(report)
	} else {
		err = report.WriteTable(os.Stdout)
	}
	if err == nil && !report.Fit {
		err = &exitError{code: 3, text: fmt.Sprintf("%s is UNFIT to judge: it does not order graded copies of the right answer", report.Model)}
	}
	return err
}
