package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/evaluator/jsonl"
	"lexagent/evaluator/statuterag"
	"lexagent/retrieval"
)

// statementFlags are the flags of dataset statuterag and dataset statements.
type statementFlags struct {
	convertFlags
	reviewed, asOf string
	laws           []string
	n              int
}

// register declares the flags that both commands have.
func (f *statementFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "folder to write to")
	fl.StringVar(&f.split, "ratio", "7:1:2", "shares of train, dev and test; what is made of one seed stays together")
	fl.Uint64Var(&f.seed, "seed", 0, "of the split and of what is drawn")
	fl.StringVar(&f.asOf, "as-of", "", "day whose law is looked up (default today)")
	fl.StringVar(&f.reviewed, "reviewed", "", "review.csv as people filled it in: what they don't keep is taken out")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err) // a flag that is not declared above
	}
}

func datasetStatuteRAG(c *config) *cobra.Command {
	var f statementFlags
	cmd := &cobra.Command{
		Use:   "statuterag ITEMS.jsonl",
		Short: "Make true-or-false statements of single-choice questions",
		Long: "Each option of a question becomes a statement with the articles that the question names for it, looked up in the book. A line\n" +
			"is {\"id\",\"stem\",\"options\":{\"A\":\"…\"},\"answer\":\"A\",\"explanation\",\"references\":[\"《广告法》第九条\"]}. Written are statements.jsonl, train.jsonl,\n" +
			"dev.jsonl, test.jsonl, excluded.jsonl with reasons, and review.csv for people to read through.",
		Example: "  lexagent dataset statuterag questions.jsonl --out statuterag --seed 1",
		Args:    cobra.ExactArgs(1),
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.build(cmd.Context(), c, func(ctx context.Context, b *book.Book, day retrieval.AsOf) (_ *statuterag.Built, err error) {
			in, err := jsonl.Open(args[0])
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, in.Close()) }()
			items, err := statuterag.ReadItems(in)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", args[0], err)
			}
			return statuterag.Build(ctx, items, b, statuterag.Options{Day: day.On(time.Now())})
		})
	}
	return cmd
}

func datasetStatements(c *config) *cobra.Command {
	var f statementFlags
	cmd := &cobra.Command{
		Use:   "statements",
		Short: "Make true-or-false statements of the articles in the book",
		Long: "A sentence as it is printed, and the same with one element changed: a number, a duty into a permission, who decides. Sentences\n" +
			"that can't be understood alone are passed over. The same book and seed make the same statements. A change is made by rules, so\n" +
			"read review.csv before you publish figures.",
		Example: "  lexagent dataset statements --out statuterag -n 300 --seed 1\n" +
			"  lexagent dataset statements --law 民法典,劳动合同法 --out statements",
		Args: cobra.NoArgs,
	}
	f.register(cmd)
	cmd.Flags().StringSliceVar(&f.laws, "law", nil, "laws to ask about (default those of market supervision)")
	cmd.Flags().IntVarP(&f.n, "n", "n", 300, "statements wanted")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.n < 1 {
			return fmt.Errorf("-n is %d; it must be at least 1", f.n)
		}
		return f.build(cmd.Context(), c, func(ctx context.Context, b *book.Book, day retrieval.AsOf) (*statuterag.Built, error) {
			return statuterag.Generate(ctx, b, statuterag.GenerateOptions{Laws: f.laws, N: f.n, Seed: f.seed, Day: day.On(time.Now())})
		})
	}
	return cmd
}

// build makes statements from the book, takes out what people did not keep, and
// writes the set.
func (f *statementFlags) build(ctx context.Context, c *config, fill func(context.Context, *book.Book, retrieval.AsOf) (*statuterag.Built, error)) error {
	day, err := retrieval.ParseAsOf(f.asOf)
	if err != nil {
		return err
	}
	b, err := book.Open(ctx, c.Data)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // opened for reading; the process ends
	built, err := fill(ctx, b, day)
	if err != nil {
		if built != nil {
			err = errors.Join(err, f.writeExcluded(built))
		}
		return err
	}
	if f.reviewed != "" {
		r, err := os.Open(f.reviewed)
		if err != nil {
			return fmt.Errorf("open the review: %w", err)
		}
		if err := errors.Join(built.Apply(r), r.Close()); err != nil {
			return err
		}
	}
	size, err := b.Size(ctx)
	if err != nil {
		return err
	}
	if err := f.writeSet(built); err != nil {
		return err
	}
	s := built.Statistics(size.Articles)
	return s.WriteTable(os.Stdout)
}

func (f *statementFlags) writeSet(b *statuterag.Built) error {
	qs := b.Questions()
	if err := f.writeQuestions("statements", qs); err != nil {
		return err
	}
	if err := f.writeParts(qs); err != nil {
		return err
	}
	if err := f.writeExcluded(b); err != nil {
		return err
	}
	return f.write("review.csv", b.WriteReview)
}

func (f *statementFlags) writeExcluded(b *statuterag.Built) error {
	return f.write("excluded.jsonl", func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, e := range b.Excluded {
			if err := enc.Encode(e); err != nil {
				return err
			}
		}
		return nil
	})
}
