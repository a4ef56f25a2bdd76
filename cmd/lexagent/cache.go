package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lexagent/evaluator/run"
	"lexagent/model"
	"lexagent/retrieval"
	"lexagent/state"
)

// repliesFile is where searches keep the replies of language models, in the data folder.
const repliesFile = "llm-replies.jsonl"

// repliesPath is the file of replies: the one that is configured, else the one in the
// data folder.
func (c *config) repliesPath() string {
	if c.LLM.Cache != "" {
		return c.LLM.Cache
	}
	return filepath.Join(c.Data, repliesFile)
}

// openAsker makes what asks the language model for searches; nil where there is
// none, and no replies of one are kept.
func (c *config) openAsker(ctx context.Context) (*model.Asker, error) {
	o := c.llmOptions()
	a := &model.Asker{Name: o.Model}
	var models []string
	if c.LLM.Cache != "" {
		r, err := state.OpenReplies(c.LLM.Cache)
		if err != nil {
			return nil, err
		}
		a.Replies, models = r, r.Models()
	}
	switch {
	case o.Set():
		llm, err := model.OpenLLM(ctx, o)
		if err != nil {
			return nil, err
		}
		a.Chat = llm
	case len(models) == 0:
		return nil, nil //nolint:nilnil // a search without a language model is a usual one
	case a.Name == "" && len(models) > 1:
		return nil, fmt.Errorf("%s holds replies of several models (%v): say with %s whose to use", c.LLM.Cache, models, envModel)
	case a.Name == "":
		a.Name = models[0]
	}
	return a, nil
}

// needAsker is openAsker for what can't go without a language model that answers.
func (c *config) needAsker(ctx context.Context, what string) (*model.Asker, error) {
	a, err := c.openAsker(ctx)
	if err == nil && (a == nil || a.Chat == nil) {
		err = fmt.Errorf("%s needs a language model: set %s and %s", what, envURL, envModel)
	}
	return a, err
}

func cacheCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Hand on the replies of a language model, so that others repeat an experiment without it",
		Long: "A search keeps what a language model replied, by the whole prompt and the model's name, in " + repliesFile + " of the data\n" +
			"folder or in --llm-cache FILE. Where the replies are there, the same search needs no language model.",
	}
	cmd.PersistentFlags().String("llm-cache", "", "file of replies (default "+repliesFile+" in the data folder) ["+envReplies+"]")
	cmd.AddCommand(cacheExport(c), cacheImport(c), cacheIntents(c))
	return cmd
}

func cacheExport(c *config) *cobra.Command {
	var out string
	var overwrite bool
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write all replies as JSON lines, in an order that does not depend on when they came",
		Example: "  lexagent cache export --out replies.jsonl",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&out, "out", "", "file to write (default standard output)")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace a file that is there")
	cmd.RunE = func(*cobra.Command, []string) error {
		r, err := state.OpenReplies(c.repliesPath())
		if err != nil {
			return err
		}
		if len(r.Models()) == 0 {
			return fmt.Errorf("%s holds no replies of a language model: `lexagent search --mode lexpath` makes them", c.repliesPath())
		}
		if out == "" {
			_, err := r.Export(os.Stdout)
			return err
		}
		return writeFile(out, overwrite, func(w io.Writer) error {
			n, err := r.Export(w)
			if err == nil {
				warn(fmt.Sprintf("%s: %d replies", out, n))
			}
			return err
		})
	}
	return cmd
}

func cacheImport(c *config) *cobra.Command {
	return &cobra.Command{
		Use:     "import FILE…",
		Short:   "Take in replies that `lexagent cache export` wrote",
		Example: "  lexagent cache import replies.jsonl && lexagent search --queries dev.jsonl --run dev.run.jsonl --mode lexpath -k 20 --as-of any",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			r, err := state.OpenReplies(c.repliesPath())
			if err != nil {
				return err
			}
			for _, path := range files {
				if err := importReplies(r, path); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func importReplies(r *state.Replies, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the replies: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	added, lines, err := r.Import(f)
	if err != nil {
		return fmt.Errorf("%s: %w; nothing of it was taken in", path, err)
	}
	warn(fmt.Sprintf("%s: %d replies, %d of them new", path, lines, added))
	return nil
}

func cacheIntents(c *config) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "intents",
		Short: "Ask the language model for the intents of the articles in a run, in the place of those by rules",
		Long: "One call for each article that has no label yet, so that later searches in mode lexpath rerank by the model's labels.\n" +
			"A run of the same questions with -k 20 in mode lexpath holds the candidates that are reranked.",
		Example: "  lexagent cache intents --run dev.run.jsonl",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&path, "run", "", "run file with the articles")
	if err := cmd.MarkFlagRequired("run"); err != nil {
		panic(err) // a flag that is not declared above
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c.LLM.Cache = c.repliesPath()
		asker, err := c.needAsker(cmd.Context(), "labelling articles")
		if err != nil {
			return err
		}
		return labelArticles(cmd.Context(), retrieval.Prompted{LLM: asker}, path)
	}
	return cmd
}

// labelArticles labels every article of a run once. One that gets no label keeps that
// of the rules.
func labelArticles(ctx context.Context, llm retrieval.Prompted, path string) error {
	r, err := run.ReadFile(path)
	if err != nil {
		return err
	}
	var used model.Usage
	seen, none := map[string]bool{}, 0
	for _, line := range r.Lines {
		for _, h := range line.Hits {
			if h.Text == "" || seen[h.ID] {
				continue
			}
			seen[h.ID] = true
			_, u, err := llm.LabelArticle(ctx, retrieval.ArticleName(h.Law, h.Label), h.Text)
			used.Add(u)
			switch {
			case errors.Is(err, model.ErrRefused):
				none++
			case err != nil:
				return fmt.Errorf("article %s: %w; what was labelled is kept, run the same command to go on", h.ID, err)
			}
		}
	}
	warn(fmt.Sprintf("%d articles, %d labelled before; %d calls; %d keep the label of the rules, the model's reply was none", len(seen), used.Kept, used.Calls, none))
	return nil
}
