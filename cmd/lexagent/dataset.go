package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

func datasetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dataset",
		Short: "Look into data sets and convert them",
		Long: "Read are STARD, LeCoQA, LexRAG, StatuteRAG, Legal-DC and COLIEE as published, BEIR folders, TREC qrels and runs, and\n" +
			"gold files of our own. The form is told from the content.",
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(datasetInfo(), datasetConvert())
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
	out, form, split string
	seed             uint64
	overwrite        bool
}

func datasetConvert() *cobra.Command {
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
	fl.StringVar(&f.form, "form", string(dataset.Current), "of a question with history: current, prefix (all that the user said) or dialogue")
	fl.StringVar(&f.split, "split", "", "shares of train, dev and test, such as 7:1:2")
	fl.Uint64Var(&f.seed, "seed", 0, "of the split")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err) // a flag that is not declared above
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error { return f.convert(args[0]) }
	return cmd
}

func (f *convertFlags) convert(path string) error {
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
	for i := range set.Questions {
		q := &set.Questions[i]
		if q.Question, err = q.Text(dataset.Form(f.form)); err != nil {
			return err
		}
		if f.form != string(dataset.Current) {
			q.History = nil // it's in the question now
		}
	}
	names, parts := []string{"questions"}, [][]dataset.Question{set.Questions}
	if f.split != "" {
		shares, err := dataset.ParseShares(f.split)
		if err != nil {
			return err
		}
		if parts, err = dataset.Split(set.Questions, shares, f.seed); err != nil {
			return err
		}
		names = dataset.Parts
	}
	for i, name := range names {
		err := f.write(name+".jsonl", func(w io.Writer) error { return dataset.WriteQuestions(w, parts[i]) })
		if err != nil {
			return err
		}
		warn(fmt.Sprintf("%s.jsonl: %d questions", name, len(parts[i])))
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
