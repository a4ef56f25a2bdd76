package main

import (
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

func faultsCommand(c *config) *cobra.Command {
	var queries string
	var each, drafts int
	var seed uint64
	var meaning, review, verbose bool
	cmd := &cobra.Command{
		Use:   "faults",
		Short: "Plant lies and faults of meaning in drafts over real articles, and see whether they leave",
		Long: "Writes drafts with one planted fault each (a wrong number, an invented law, a changed quotation …) and true ones over the\n" +
			"articles that questions find, treats them as a language model's, and counts what was taken out, put right, marked, or left.\n" +
			"With --meaning faults of meaning are planted (可以 for 不得, a 但书 left out …); --review has the configured language model review each draft.",
		Example: "  lexagent bench faults --queries train.jsonl --each 17\n  lexagent bench faults --queries train.jsonl --meaning --each 20",
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&queries, "queries", "", "question file")
	fl.IntVar(&each, "each", 17, "drafts with each fault")
	fl.IntVar(&drafts, "true", 100, "true drafts")
	fl.Uint64Var(&seed, "seed", 1, "of the choice of questions and faults")
	fl.BoolVar(&meaning, "meaning", false, "plant faults of meaning")
	fl.BoolVar(&review, "review", false, "with the language model's review")
	fl.BoolVar(&verbose, "verbose", false, "show the drafts that went wrong")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if queries == "" {
			return errors.New("say which questions with --queries FILE")
		}
		questions, err := dataset.ReadFile(queries)
		if err != nil {
			return err
		}
		s, err := c.openSystem(cmd.Context(), warn)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // opened for reading; the process ends
		o := faults.Options{Search: s.search, Check: s.check, Book: s.book, Day: statute.DateOf(time.Now()), Kinds: faults.Lies, Each: each, Seed: seed}
		o.Meaning = verify.Meaning{}
		if s.encoder != nil {
			o.Meaning = verify.Meaning{Similarity: model.Comparer{Encoder: s.encoder}}
		}
		if review {
			asker, err := c.openAsker(cmd.Context())
			if err != nil {
				return err
			}
			if asker == nil || asker.Chat == nil {
				return fmt.Errorf("the review needs a language model: set %s and %s", envURL, envModel)
			}
			o.Review = verify.Reviewer{LLM: asker}
		}
		if meaning {
			o.Kinds = faults.Meanings
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
		all, err := faults.Run(cmd.Context(), o)
		if err != nil {
			return err
		}
		o.Kinds, o.Each, o.Seed = []faults.Kind{faults.True}, drafts, seed+1
		good, err := faults.Run(cmd.Context(), o)
		if err != nil {
			return err
		}
		all = append(all, good...)
		if verbose {
			for i := range all {
				if d := &all[i]; d.Kind != faults.True && !d.Caught() || d.Changed || d.False > 0 {
					fmt.Printf("%s\n  draft: %s\n  left:  %s\n  notes: %q\n", d.Kind, d.Text, d.Answer.Text, d.Answer.Notes)
				}
			}
		}
		return faults.WriteTable(os.Stdout, all)
	}
	return cmd
}
