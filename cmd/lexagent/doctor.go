package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cloudwego/eino/schema"
	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/ingest"
	"lexagent/model"
)

func doctorCommand(c *config) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Show what is configured, reachable and ready, and what to do about the rest",
		Example: "  lexagent doctor --data /data/lexagent",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			failed := 0
			for _, check := range []struct {
				name string
				run  func(context.Context) (string, error)
			}{
				{"book", c.checkBook}, {"index", c.checkIndex}, {"encoder", c.checkEncoder}, {"reranker", c.checkCross}, {"language model", c.checkLLM},
			} {
				text, err := check.run(cmd.Context())
				mark := "ok  "
				if err != nil {
					mark, text = "FAIL", err.Error()
					failed++
				}
				fmt.Printf("%s  %-15s %s\n", mark, check.name, text)
			}
			if failed > 0 {
				return &exitError{code: 1}
			}
			return nil
		},
	}
}

func (c *config) checkBook(ctx context.Context) (string, error) {
	b, err := book.Open(ctx, c.Data)
	if err != nil {
		return "", err
	}
	defer b.Close() //nolint:errcheck // only read from
	size, err := b.Size(ctx)
	return fmt.Sprintf("%d laws, %d units, %d articles in %s", size.Laws, size.Units, size.Articles, c.Data), err
}

func (c *config) checkIndex(ctx context.Context) (string, error) {
	l, err := c.openLive(ctx)
	if err != nil {
		return "", err
	}
	defer l.Close() //nolint:errcheck // only read from
	s := l.Current()
	if err := c.probe(ctx, s); err != nil {
		return "", err
	}
	done, total := s.Vectors()
	text := fmt.Sprintf("%s: generation %s answers; %d of %d vectors", c.Store, s.Manifest().Name(), done, total)
	switch {
	case done > 0:
		return c.checkVectors(ctx, text+" by encoder "+s.VectorEncoder(), done < total, s.VectorEncoder())
	case c.Store == storeMilvus:
		text += " (`lexagent ingest --store milvus` makes and publishes them)"
	default:
		text += " (`lexagent ingest` or `serve` makes them)"
	}
	return text, nil
}

// checkVectors says whether the vectors are those of the encoder that is configured.
func (c *config) checkVectors(ctx context.Context, text string, some bool, by string) (string, error) {
	const makes = "`lexagent ingest` or `serve` makes"
	enc, err := c.openEncoder()
	if err == nil {
		defer enc.Close()     //nolint:errcheck // the process ends
		_ = askSize(ctx, enc) // the encoder's own check tells of failures
	}
	switch {
	case err != nil || enc.Digest() == "" || enc.Digest() == by: // the check of the encoder says what is wrong with it
		if some {
			text += " (" + makes + " the rest)"
		}
		return text, nil
	case c.Store == storeMilvus:
		return "", fmt.Errorf("%s, and the encoder in use is %s: searches are by words only; `lexagent ingest --store milvus` makes and publishes its vectors", text, enc.Digest())
	}
	if done, total := ingest.Building(c.Data, enc); total > 0 {
		return fmt.Sprintf("%s; a generation for encoder %s is being made beside it: building %d %% (%s the rest)", text, enc.Digest(), 100*done/total, makes), nil
	}
	return "", fmt.Errorf("%s, and the encoder in use is %s with %d dimensions: searches are by words only; %s a generation for it, beside this one", text, enc.Digest(), enc.Dim(), makes)
}

func (c *config) checkLLM(ctx context.Context) (string, error) {
	o := c.llmOptions()
	if !o.Set() {
		return "none set; answers are extracts of the articles (set " + envURL + " and " + envModel + ")", nil
	}
	llm, err := model.OpenLLM(ctx, o)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	start := time.Now()
	if _, err := llm.Generate(ctx, []*schema.Message{schema.UserMessage("只回复：好")}); err != nil {
		return "", fmt.Errorf("%s at %s does not answer (%s): check %s, %s and %s", o.Model, o.URL, model.LLMFailure(err), envURL, envModel, envKey)
	}
	return fmt.Sprintf("%s at %s answers in %s", o.Model, o.URL, time.Since(start).Round(10*time.Millisecond)), nil
}
