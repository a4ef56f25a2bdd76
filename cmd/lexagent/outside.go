package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
	"lexagent/model"
)

// envAskKey names the variable with the key of the endpoint that --ask names.
const envAskKey = "LEXAGENT_ASK_KEY"

// outsideFlags say which outside system is to be asked for predictions.
type outsideFlags struct {
	url, model string
	tokens, n  int
	overwrite  bool
}

func (f *outsideFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.url, "ask", "", "base URL of an OpenAI-compatible endpoint that is asked the questions as they stand; its answers are written to --pred, and not asked for again (its key: "+envAskKey+")")
	fl.StringVar(&f.model, "ask-model", "", "the endpoint's name of the model or assistant")
	fl.IntVar(&f.tokens, "ask-tokens", 0, "of an answer at most (default as many as the endpoint gives)")
	fl.IntVar(&f.n, "ask-first", 0, "ask, and measure, only the first questions (default all)")
	fl.BoolVar(&f.overwrite, "overwrite", false, "ask anew where --pred holds the answers of another endpoint or other questions")
}

// predictions reads the file of predictions, after asking the endpoint for what it
// lacks where one is named; gold are then the questions that were asked.
func (f *outsideFlags) predictions(ctx context.Context, c *config, path string, gold []dataset.Question) ([]answers.Prediction, []dataset.Question, error) {
	if f.url == "" {
		if f.model != "" || f.tokens != 0 || f.n != 0 || f.overwrite {
			return nil, nil, errors.New("--ask-model, --ask-tokens, --ask-first and --overwrite belong to --ask, which names the endpoint")
		}
		ps, err := answers.ReadFile(path)
		return ps, gold, err
	}
	if f.tokens < 0 || f.n < 0 {
		return nil, nil, errors.New("--ask-tokens and --ask-first must not be negative")
	}
	if f.model == "" {
		return nil, nil, errors.New("--ask needs --ask-model, the endpoint's name of the model or assistant")
	}
	chat, err := model.OpenLLM(ctx, model.LLMOptions{URL: f.url, Model: f.model, Key: os.Getenv(envAskKey), Timeout: c.LLM.Timeout})
	if err != nil {
		return nil, nil, err
	}
	if f.n > 0 {
		gold = gold[:min(f.n, len(gold))]
	}
	o := answers.Outside{Chat: chat, Tokens: f.tokens}
	whose := map[string]any{"url": mask(f.url), "model": f.model, "tokens": f.tokens}
	if err := o.AskAll(ctx, gold, path, whose, f.overwrite, counted("asked")); err != nil {
		return nil, nil, err
	}
	ps, err := answers.ReadFile(path)
	return ps, gold, err
}
