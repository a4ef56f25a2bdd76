package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

func evalCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{Use: "eval", Short: "Measure runs and answers against gold files", Args: cobra.NoArgs}
	cmd.AddCommand(evalRetrieval(), evalAnswers(c), evalRerank(), evalRun(c))
	return cmd
}

// evalFlags are the flags of eval retrieval.
type evalFlags struct {
	run, run2, gold, by, seen string
	groups                    []string
	k                         []int
	asJSON                    bool
	seed                      uint64
}

func evalRetrieval() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "retrieval",
		Short: "Measure a run (recall, NDCG, MRR …), or compare two",
		Example: "  lexagent eval retrieval --run dev.run.jsonl --gold dev.jsonl --k 1,5,20\n" +
			"  lexagent eval retrieval --run a.jsonl --run2 b.jsonl --gold dev.jsonl --seen train.jsonl --group level",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.run, "run", "", "run file, JSON lines or TREC")
	fl.StringVar(&f.run2, "run2", "", "second run: a paired test of the two")
	fl.StringVar(&f.gold, "gold", "", "gold file, or a data set that lexagent dataset reads")
	fl.StringVar(&f.by, "by", "", "match hits by article, by name (law and label, whatever the id) or by evidence (default: what the gold has)")
	fl.StringVar(&f.seen, "seen", "", "training gold: report apart the questions whose golds occur in it, and those whose don't")
	fl.StringVar(&f.seen, "seen-in", "", "")
	fl.Lookup("seen-in").Hidden = true // the first name of --seen, which scripts still use
	fl.StringSliceVar(&f.groups, "group", nil, "report groups of questions apart, by type or by level of the law")
	fl.IntSliceVar(&f.k, "k", nil, "cutoffs (default 1,5,10,20,100)")
	fl.Uint64Var(&f.seed, "seed", 0, "of the bootstrap and the permutations")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON, values unrounded")
	for _, name := range []string{"run", "gold"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not declared above
		}
	}
	cmd.RunE = func(*cobra.Command, []string) error { return f.evaluate(os.Stdout) }
	return cmd
}

// grouped lists the groups of questions that are to be reported apart.
func (f *evalFlags) grouped(gold []dataset.Question) ([]evaluator.Grouping, error) {
	var out []evaluator.Grouping
	if f.seen != "" {
		train, err := dataset.ReadFile(f.seen)
		if err != nil {
			return nil, err
		}
		out = append(out, evaluator.SeenGroups(train, gold))
	}
	for _, name := range f.groups {
		g, err := grouping(name, gold)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// grouping parts the questions of the gold as a flag names it.
func grouping(name string, gold []dataset.Question) (evaluator.Grouping, error) {
	switch name {
	case "type":
		return evaluator.TypeGroups(gold), nil
	case "level":
		return evaluator.LevelGroups(gold), nil
	}
	return evaluator.Grouping{}, fmt.Errorf("there are no groups by %q", name)
}

func (f *evalFlags) evaluate(w io.Writer) error {
	gold, err := dataset.ReadFile(f.gold)
	if err != nil {
		return err
	}
	o := evaluator.Options{K: f.k, By: evaluator.By(f.by), Seed: f.seed}
	if o.Groups, err = f.grouped(gold); err != nil {
		return err
	}
	first, err := run.ReadFile(f.run)
	if err != nil {
		return err
	}
	var result interface{ WriteTable(io.Writer) error }
	if f.run2 == "" {
		result, err = evaluator.Evaluate(first, gold, o)
	} else {
		second, rerr := run.ReadFile(f.run2)
		if rerr != nil {
			return rerr
		}
		result, err = evaluator.Compare(first, second, gold, o)
	}
	if err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	if f.asJSON {
		return printJSON(result)
	}
	return result.WriteTable(w)
}
