package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/faults"
	"lexagent/model"
	"lexagent/verify"
)

func hiddenCommand(c *config) *cobra.Command {
	var queries string
	o := faults.HiddenOptions{}
	cmd := &cobra.Command{
		Use:   "hidden",
		Short: "Hide an article that a question needs from the first search, and see whether the second round finds it",
		Long: "Takes questions with several gold articles, keeps one of them from the first search, has the configured language model draft and\n" +
			"review, and counts how often the search for what is missing brings the hidden article. Without a language model, what is found\n" +
			"is found by the search in the words of statutes alone: the first article is quoted, and a review that passes everything passes\n" +
			"it. Beside it: how often the question alone would find it, searched again, and how often something new is found with nothing hidden.",
		Example: "  lexagent bench hidden --queries train.jsonl --count 100",
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&queries, "queries", "", "question file")
	fl.IntVar(&o.Count, "count", 100, "questions")
	fl.IntVar(&o.Tokens, "tokens", 160, "tokens of a draft")
	fl.Uint64Var(&o.Seed, "seed", 1, "of the choice of questions and articles")
	verbose := fl.Bool("verbose", false, "show each question, what the review missed and what came of it")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if queries == "" {
			return errors.New("say which questions with --queries FILE")
		}
		if o.Questions, err = dataset.ReadFile(queries); err != nil {
			return err
		}
		all, err := benchHidden(cmd.Context(), c, o)
		if err != nil {
			return err
		}
		for i := range all {
			if h := &all[i]; *verbose {
				fmt.Printf("%s\n  hidden %s found %t again %t\n", h.Question, h.ID, h.Found, h.Again)
				if h.Review != nil {
					fmt.Printf("  %s %q missing %q\n", h.Review.Completeness.Outcome, h.Review.Completeness.Reasons, h.Review.Missing)
				}
			}
		}
		return faults.WriteHidden(os.Stdout, all)
	}
	return cmd
}

func benchHidden(ctx context.Context, c *config, o faults.HiddenOptions) ([]faults.Hidden, error) {
	s, err := c.openSystem(ctx, warn)
	if err != nil {
		return nil, err
	}
	defer s.Close() //nolint:errcheck // opened for reading; the process ends
	ids, err := bookIDs(ctx, s)
	if err != nil {
		return nil, err
	}
	o.ID = func(gold string) string { return ids[gold] }
	o.Graph = s.answering
	if lo := c.llmOptions(); lo.Set() {
		asker, err := c.openAsker(ctx)
		if err != nil {
			return nil, err
		}
		llm, err := model.OpenLLM(ctx, lo)
		if err != nil {
			return nil, err
		}
		o.Graph.LLM, o.Graph.Review = llm, verify.Reviewer{LLM: asker}
	}
	o.Progress = func(done, total int) {
		if done%10 == 0 {
			warn(fmt.Sprintf("%d of %d questions", done, total))
		}
	}
	return faults.RunHidden(ctx, o)
}
