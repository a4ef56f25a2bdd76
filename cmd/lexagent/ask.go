package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lexagent/agent"
	"lexagent/evaluator/batch"
	"lexagent/graph"
	"lexagent/retrieval"
)

// askFlags are the flags of ask.
type askFlags struct {
	asOf, mode, by, queries, out string
	extractive, onePass, follow  bool
	tools                        bool
	asJSON, overwrite            bool
}

func askCommand(c *config) *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask \"question\"",
		Short: "Answer a question from the statutes, with checked citations",
		Long: "With a language model configured (LEXAGENT_LLM_URL, LEXAGENT_LLM_MODEL) the answer is written by it from the\n" +
			"articles found and checked against the book; without one it is made of the articles' own sentences.",
		Example: "  lexagent ask 离婚冷静期是多久？\n  lexagent ask --queries questions.jsonl --out answers.jsonl",
	}
	fl := cmd.Flags()
	fl.StringVar(&f.asOf, "as-of", "", "day whose law is asked for, or \"any\" (default today)")
	fl.StringVar(&f.mode, "mode", "", "how to search for the articles: "+modeNames()+" (default: the best there is)")
	fl.StringVar(&f.by, "granularity", string(retrieval.Dual), "what to search for: article, chunk or dual; the answer sees whole articles")
	fl.BoolVar(&f.extractive, "extractive", false, "answer without the language model")
	fl.BoolVar(&f.onePass, "one-pass", false, "one draft, without the language model's review of it: for comparison")
	fl.BoolVar(&f.follow, "follow", false, "articles that the best ones refer to join the evidence, one hop")
	fl.BoolVar(&f.tools, "tools", false, "the language model looks things up itself, by calling tools")
	fl.BoolVar(&f.asJSON, "json", false, "print the whole answer as JSON")
	fl.StringVar(&f.queries, "queries", "", "question file for a batch, JSON lines with id and question")
	fl.StringVar(&f.out, "out", "", "file that a batch writes, JSON lines")
	fl.BoolVar(&f.overwrite, "overwrite", false, "start the batch anew when the file has other settings")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		asOf, err := retrieval.ParseAsOf(f.asOf)
		if err != nil {
			return err
		}
		r := graph.Request{
			Extractive: f.extractive, OnePass: f.onePass, Follow: f.follow, Scope: retrieval.Scope{AsOf: asOf},
			Mode: retrieval.Mode(f.mode), By: retrieval.Granularity(f.by),
		}
		if err := oneOrBatch(args, f.queries, f.out, "--out"); err != nil {
			return err
		}
		s, err := c.openSystem(cmd.Context(), warn)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // opened for reading; the process ends
		if f.queries != "" {
			return f.batch(cmd.Context(), c, s, r)
		}
		r.Question = strings.Join(args, " ")
		a, err := f.answerer(s).Answer(cmd.Context(), r, nil)
		if err != nil {
			return err
		}
		if f.asJSON {
			return printJSON(a)
		}
		fmt.Println(a.Full())
		return nil
	}
	return cmd
}

// answerer is what makes the answers.
func (f *askFlags) answerer(s *system) agent.Workflow {
	if f.tools {
		return s.loop
	}
	return s.agent
}

func (f *askFlags) batch(ctx context.Context, c *config, s *system, r graph.Request) error {
	questions, digest, err := batch.ReadQuestions(f.queries)
	if err != nil {
		return err
	}
	model := ""
	if !f.extractive {
		model = c.LLM.Model
	}
	answerer := f.answerer(s)
	job := &batch.Job{
		Out: f.out, Questions: questions, Overwrite: f.overwrite,
		Meta: batch.Meta{
			Command: "ask", Config: map[string]any{"llm": model, "as_of": r.Scope.AsOf, "mode": r.Mode, "granularity": r.By, "one_pass": r.OnePass, "follow": r.Follow, "tools": f.tools},
			Corpus: s.live.Current().Manifest().Digest, Queries: digest, Program: version,
		},
		Do: func(ctx context.Context, item batch.Question) (any, error) {
			r := r
			r.Question = item.Question
			start := time.Now()
			a, err := answerer.Answer(ctx, r, nil)
			var input *retrieval.InputError
			if errors.As(err, &input) {
				return answerLine{ID: item.ID, Answer: &graph.Answer{Kind: graph.Abstained}, Error: input.Problem}, nil
			}
			if err != nil {
				return nil, err
			}
			return answerLine{ID: item.ID, Answer: a, Text: a.Text, MS: since(start)}, nil
		},
		Progress: func(done, total int) { warn(fmt.Sprintf("%d of %d answered", done, total)) },
	}
	_, err = job.Run(ctx)
	return err
}
