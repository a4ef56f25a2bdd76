package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lexagent/model"
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

func cacheCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Hand on the replies of a language model, so that others repeat an experiment without it",
		Long: "A search keeps what a language model replied, by the whole prompt and the model's name, in " + repliesFile + " of the data\n" +
			"folder or in --llm-cache FILE. Where the replies are there, the same search needs no language model.",
	}
	cmd.PersistentFlags().String("llm-cache", "", "file of replies (default "+repliesFile+" in the data folder) ["+envReplies+"]")
	cmd.AddCommand(cacheExport(c), cacheImport(c))
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
