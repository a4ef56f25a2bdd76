package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lexagent/evaluator/batch"
	"lexagent/model"
	"lexagent/retrieval"
)

func trainLegal(c *config) *cobra.Command {
	var law, other []string
	var out string
	cmd := &cobra.Command{
		Use:   "legal",
		Short: "Learn to tell questions of law from those of everyday life",
		Long: "Takes files of questions, JSON lines with id and question. A question of everyday life is turned away where no article is near it;\n" +
			"a book of statutes has a neighbour for every question.",
		Example: "  lexagent train legal --law stard/train.jsonl,legal_dc/train.jsonl --other training/questions/everyday.jsonl --out model/pretrained/" + retrieval.LegalFile,
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringSliceVar(&law, "law", nil, "files with questions of law")
	cmd.Flags().StringSliceVar(&other, "other", nil, "files with questions of everyday life")
	cmd.Flags().StringVar(&out, "out", "", "file to write")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if out == "" {
			return errors.New("say with --out which file to write")
		}
		e, err := c.openEncoder()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, e.Close()) }()
		a, err := questionVectors(cmd.Context(), e, law)
		if err != nil {
			return err
		}
		b, err := questionVectors(cmd.Context(), e, other)
		if err != nil {
			return err
		}
		l, err := retrieval.LearnLegal(e.Tuned(), a, b)
		if err != nil {
			return err
		}
		raw, err := json.Marshal(l)
		if err != nil {
			return err
		}
		return os.WriteFile(out, append(raw, '\n'), 0o644)
	}
	return cmd
}

// forms are the ways in which people write one question. A question mark or a greeting
// must not tell the questions of one file from those of another.
func forms(question string) []string {
	bare := strings.TrimRight(strings.TrimSpace(question), "?？。！!")
	return []string{bare, bare + "？", "请问" + bare + "？", "您好，" + bare, bare + "，谢谢"}
}

// questionVectors encodes the questions of files as searches do, in all their forms.
func questionVectors(ctx context.Context, e encoder, files []string) ([][]float32, error) {
	var out [][]float32
	for _, path := range files {
		questions, _, err := batch.ReadQuestions(path)
		if err != nil {
			return nil, err
		}
		for _, q := range questions {
			vs, err := e.Encode(ctx, forms(q.Question), model.Tuned)
			if err != nil {
				return nil, err
			}
			out = append(out, vs...)
		}
	}
	return out, nil
}
