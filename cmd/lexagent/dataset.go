package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/experiment"
	"lexagent/evaluator/run"
	"lexagent/state"
)

func datasetCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dataset",
		Short: "Look into data sets and convert them",
		Long: "Read are STARD, LeCoQA, LexRAG, StatuteRAG, Legal-DC and COLIEE as published, BEIR folders, TREC qrels and runs, and\n" +
			"gold files of our own. The form is told from the content.",
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(datasetInfo(), datasetConvert(c), datasetSplit(), datasetStatuteRAG(c), datasetStatements(c))
	return cmd
}

func datasetInfo() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "info PATH",
		Short:   "Tell what a data set or a run holds",
		Example: "  lexagent dataset info STARD/data/queries.json",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		set, err := dataset.Open(args[0])
		if errors.Is(err, dataset.ErrRun) {
			return runInfo(args[0], asJSON)
		}
		if err != nil {
			return err
		}
		info := dataset.Describe(set)
		if asJSON {
			return printJSON(info)
		}
		return info.WriteTable(os.Stdout)
	}
	return cmd
}

// runInfo tells what a run holds.
func runInfo(path string, asJSON bool) error {
	r, err := run.ReadFile(path)
	if err != nil {
		return err
	}
	hits, depth := 0, 0
	for i := range r.Lines {
		hits += len(r.Lines[i].Hits)
		depth = max(depth, len(r.Lines[i].Hits))
	}
	if asJSON {
		return printJSON(map[string]any{"format": "run", "questions": len(r.Lines), "hits": hits, "depth": depth})
	}
	fmt.Printf("%-20s run\n%-20s %d\n%-20s %d, at most %d a question\n", "format", "questions", len(r.Lines), "hits", hits, depth)
	return nil
}

// convertFlags are the flags of dataset convert.
type convertFlags struct {
	out, history, split, group string
	seed                       uint64
	overwrite                  bool
}

func datasetConvert(c *config) *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert PATH",
		Short: "Write a data set in our own form",
		Long: "Writes questions.jsonl, which is a question file for search and ask and a gold file for eval, and articles.jsonl,\n" +
			"which ingest reads, where the data set brings its articles along. With --split it writes train.jsonl, dev.jsonl and\n" +
			"test.jsonl instead; the statements of one seed question, the turns of one conversation and the questions on one\n" +
			"document stay together. A TREC run becomes run.jsonl.",
		Example: "  lexagent dataset convert LexRAG/data/dataset.json --out lexrag --form prefix\n" +
			"  lexagent dataset convert statuterag.jsonl --out statuterag --split 7:1:2 --seed 1",
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "folder to write to")
	fl.StringVar(&f.history, "history", string(dataset.Current), "how much of a dialogue a question is: current, prefix (all that the user said), prefix+answers (the whole dialogue), suffix (as prefix, the newest first) or rewrite (made to stand alone by the language model)")
	fl.StringVar(&f.history, "form", string(dataset.Current), "")
	fl.Lookup("form").Hidden = true // the first name of --history, which scripts still use
	fl.StringVar(&f.split, "split", "", "shares of train, dev and test, such as 7:1:2")
	fl.Uint64Var(&f.seed, "seed", 0, "of the split")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err) // a flag that is not declared above
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.convert(cmd.Context(), c, args[0]) }
	return cmd
}

// datasetSplit parts a data set into train, dev and test.
func datasetSplit() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "split PATH",
		Short: "Part a data set into train, dev and test",
		Long: "Writes train.jsonl, dev.jsonl and test.jsonl in our own form. What belongs together stays together: else a model would be\n" +
			"trained on what it is tested on.",
		Example: "  lexagent dataset split statements.jsonl --out parts --ratio 7:1:2 --group seed --seed 1",
		Args:    cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "folder to write to")
	fl.StringVar(&f.split, "ratio", "7:1:2", "shares of train, dev and test")
	fl.StringVar(&f.group, "group", "", "what stays together: seed (the statements of a seed question), dialogue (its turns), or document (the questions on it); default what the file tells")
	fl.Uint64Var(&f.seed, "seed", 0, "of the split")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err) // a flag that is not declared above
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		qs, err := dataset.ReadFile(args[0])
		if err != nil {
			return err
		}
		return f.writeParts(qs)
	}
	return cmd
}

// writeParts splits questions and writes the parts.
func (f *convertFlags) writeParts(qs []dataset.Question) error {
	shares, err := dataset.ParseShares(f.split)
	if err != nil {
		return err
	}
	parts, err := dataset.Split(qs, shares, dataset.Together(f.group), f.seed)
	if err != nil {
		return err
	}
	for i, name := range dataset.Parts {
		if err := f.writeQuestions(name, parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *convertFlags) writeQuestions(name string, qs []dataset.Question) error {
	err := f.write(name+".jsonl", func(w io.Writer) error { return dataset.WriteQuestions(w, qs) })
	if err == nil {
		warn(fmt.Sprintf("%s.jsonl: %d questions", name, len(qs)))
	}
	return err
}

// inForm puts the questions of dialogues into the form that is asked for.
func (f *convertFlags) inForm(ctx context.Context, c *config, qs []dataset.Question) error {
	form, err := dataset.ParseForm(f.history)
	if err != nil {
		return err
	}
	var llm *experiment.LLM
	if form == dataset.Rewrite {
		replies, err := state.OpenReplies(c.repliesPath())
		if err == nil {
			llm, err = c.generator(ctx, experiment.Generator{}, replies)
		}
		if err != nil {
			return fmt.Errorf("rewrite the questions: %w", err)
		}
	}
	for i := range qs {
		q := &qs[i]
		switch {
		case form == dataset.Current || len(q.History) == 0:
			continue
		case llm != nil:
			q.Question, err = experiment.Standalone(ctx, llm.Ask, q)
		default:
			q.Question, err = q.Text(form)
		}
		if err != nil {
			return err
		}
		q.History = nil // it's in the question now
	}
	return nil
}

func (f *convertFlags) convert(ctx context.Context, c *config, path string) error {
	set, err := dataset.Open(path)
	if errors.Is(err, dataset.ErrRun) {
		r, err := run.ReadFile(path)
		if err != nil {
			return err
		}
		return f.write("run.jsonl", func(w io.Writer) error {
			for _, l := range r.Lines {
				if err := l.Write(w); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	if err := f.inForm(ctx, c, set.Questions); err != nil {
		return err
	}
	if f.split != "" {
		err = f.writeParts(set.Questions)
	} else {
		err = f.writeQuestions("questions", set.Questions)
	}
	if err != nil {
		return err
	}
	if len(set.Articles) == 0 {
		return nil
	}
	warn(fmt.Sprintf("articles.jsonl: %d articles", len(set.Articles)))
	return f.write("articles.jsonl", func(w io.Writer) error { return dataset.WriteCandidates(w, set.Articles) })
}

// write writes one file of the folder.
func (f *convertFlags) write(name string, fill func(io.Writer) error) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	return writeFile(filepath.Join(f.out, name), f.overwrite, fill)
}

// writeFile writes a file at once or not at all. One that is there stays, unless
// it may be replaced.
func writeFile(path string, overwrite bool, fill func(io.Writer) error) (err error) {
	if _, err := os.Stat(path); err == nil && !overwrite {
		return fmt.Errorf("%s is there already; give another name, or --overwrite", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if err := errors.Join(fill(tmp), tmp.Chmod(0o644), tmp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}
