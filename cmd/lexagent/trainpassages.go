package main

import (
	"errors"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/retrieval"
)

// passagesLine is a question with the passages of its hits, from which the reader
// learns which of them answers it.
type passagesLine struct {
	ID       string          `json:"id"`
	Answer   string          `json:"answer"`
	Passages []retrieval.Row `json:"passages"`
}

func trainPassages(c *config) *cobra.Command {
	var gold, out string
	cmd := &cobra.Command{
		Use:   "passages",
		Short: "Write the passages of what questions find, with the features that the reader sees",
		Long: "Writes a line with the features' names, and then a line a question: {\"id\",\"answer\",\"passages\":[{\"text\",\"row\"}]}.\n" +
			"Questions need reference answers.",
		Example: "  lexagent train passages --gold train.jsonl --out passages.jsonl",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&gold, "gold", "", "questions with reference answers")
	cmd.Flags().StringVar(&out, "out", "", "file to write, JSON lines")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.learn(cmd.Context(), gold, func(s *system, questions []dataset.Question) error {
			if s.encoder == nil {
				return errors.New("the features of passages need the encoder")
			}
			reader := retrieval.NewReader(s.encoder)
			return writeFeatures(out, retrieval.PassageFeatures(), questions, func(q *dataset.Question) (any, error) {
				res, err := s.search.Search(cmd.Context(), retrieval.Query{Text: q.Question, By: retrieval.Dual, Explain: true, Whole: true})
				if err != nil {
					return nil, err
				}
				rows, err := reader.Rows(cmd.Context(), q.Question, res.Hits)
				return passagesLine{q.ID, q.Answer, rows}, err
			})
		})
	}
	return cmd
}
