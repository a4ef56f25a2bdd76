package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/faults"
	"lexagent/model"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// faultsFlags are the flags of bench faults.
type faultsFlags struct {
	queries                  string
	each, drafts             int
	seed                     uint64
	meaning, review, verbose bool
}

func faultsCommand(c *config) *cobra.Command {
	var f faultsFlags
	cmd := &cobra.Command{
		Use:   "faults",
		Short: "Plant lies and faults of meaning in drafts over real articles, and see whether they leave",
		Long: "Writes drafts with one planted fault each (a wrong number, an invented law, a changed quotation …) and true ones over the\n" +
			"articles that questions find, treats them as a language model's, and counts what was taken out, put right, marked, or left.\n" +
			"With --meaning faults of meaning are planted (可以 for 不得, a 但书 left out …), and as many with an item (项) or a limiting\n" +
			"paragraph (款) left out; --review has the configured language model review each draft.",
		Example: "  lexagent bench faults --queries train.jsonl --each 18\n  lexagent bench faults --queries train.jsonl --meaning --each 25",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), c) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.queries, "queries", "", "question file")
	fl.IntVar(&f.each, "each", 18, "drafts with each fault")
	fl.IntVar(&f.drafts, "true", 100, "true drafts")
	fl.Uint64Var(&f.seed, "seed", 1, "of the choice of questions and faults")
	fl.BoolVar(&f.meaning, "meaning", false, "plant faults of meaning")
	fl.BoolVar(&f.review, "review", false, "with the language model's review")
	fl.BoolVar(&f.verbose, "verbose", false, "show the drafts that went wrong")
	return cmd
}

func (f *faultsFlags) run(ctx context.Context, c *config) error {
	if f.queries == "" {
		return errors.New("say which questions with --queries FILE")
	}
	questions, err := dataset.ReadFile(f.queries)
	if err != nil {
		return err
	}
	s, err := c.openSystem(ctx, warn)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // opened for reading; the process ends
	o, err := f.options(ctx, c, s, questions)
	if err != nil {
		return err
	}
	all, err := f.runs(ctx, o)
	if err != nil {
		return err
	}
	for i := range all {
		if d := &all[i]; f.verbose && (d.Kind != faults.True && !d.Caught() || d.Changed || d.False > 0) {
			fmt.Printf("%s\n  draft: %s\n  left:  %s\n  notes: %q\n", d.Kind, d.Text, d.Answer.Text, d.Answer.Notes)
		}
	}
	return faults.WriteTable(os.Stdout, all)
}

// runs plants the faults, then writes the true drafts.
func (f *faultsFlags) runs(ctx context.Context, o faults.Options) ([]faults.Outcome, error) {
	all, err := faults.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	if f.meaning { // omissions: as many as of the four faults of meaning together, lists making up for what paragraphs lack
		for i, k := range faults.Omissions {
			o.Kinds, o.Each = []faults.Kind{k}, 2*f.each*(i+1)-(len(all)-len(faults.Meanings)*f.each)
			left, err := faults.Run(ctx, o)
			if err != nil {
				return nil, err
			}
			all = append(all, left...)
		}
	}
	o.Kinds, o.Each, o.Seed = []faults.Kind{faults.True}, f.drafts, f.seed+1
	good, err := faults.Run(ctx, o)
	return append(all, good...), err
}

func (f *faultsFlags) options(ctx context.Context, c *config, s *system, questions []dataset.Question) (faults.Options, error) {
	o := faults.Options{Search: s.search, Check: s.check, Meaning: verify.Meaning{}, Book: s.book, Day: statute.DateOf(time.Now()), Kinds: faults.Lies, Each: f.each, Seed: f.seed}
	if s.encoder != nil {
		o.Meaning = verify.Meaning{Similarity: model.Comparer{Encoder: s.encoder}}
	}
	if f.meaning {
		o.Kinds = faults.Meanings
	}
	if f.review {
		asker, err := c.needAsker(ctx, "the review")
		if err != nil {
			return o, err
		}
		o.Review = verify.Reviewer{LLM: asker}
	}
	for i := range questions {
		if n := len([]rune(questions[i].Question)); n > 0 && n <= retrieval.MaxQuestion {
			o.Questions = append(o.Questions, questions[i].Question)
		}
	}
	o.Progress = func(done, total int) {
		if done%20 == 0 {
			warn(fmt.Sprintf("%d of %d drafts", done, total))
		}
	}
	return o, nil
}
