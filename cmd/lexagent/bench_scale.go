package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/corpus"
	"lexagent/evaluator/bench"
	"lexagent/index/embedded"
	"lexagent/ingest"
	"lexagent/statute"
)

// scaleFlags are the flags of bench scale.
type scaleFlags struct {
	articles            int
	from, into, queries string
	asJSON              bool
}

func scaleCommand(c *config) *cobra.Command {
	var f scaleFlags
	cmd := &cobra.Command{
		Use:   "scale",
		Short: "Measure search over a million articles",
		Long: "Makes a data folder with as many articles as asked for, by varying those of --from or, without it, of the book in\n" +
			"--data, ingests it, gives each document a vector near one that the index in --data has (or made up where it has\n" +
			"none), and runs bench over it in a process of its own. What is there from an earlier run is used again.",
		Example: "  lexagent bench scale --articles 1000000\n  lexagent bench scale --articles 1000000 --from articles.jsonl.gz --into /data/scale",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().IntVar(&f.articles, "articles", 1_000_000, "articles to search")
	cmd.Flags().StringVar(&f.from, "from", "", "file of statutes to vary (default: the book in --data)")
	cmd.Flags().StringVar(&f.into, "into", filepath.Join("var", "scale"), "data folder to make; some 9 GB for a million articles")
	cmd.Flags().StringVar(&f.queries, "queries", "", "question file (default: ten everyday questions, repeated)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.articles < 1 {
			return errors.New("how many articles? Give --articles a number above 0")
		}
		if err := c.scale(cmd.Context(), &f); err != nil {
			return err
		}
		return c.measureScale(cmd.Context(), &f)
	}
	return cmd
}

// scale makes the data folder.
func (c *config) scale(ctx context.Context, f *scaleFlags) error {
	enc, err := c.openEncoder()
	if err != nil {
		return err
	}
	defer enc.Close() //nolint:errcheck // the process ends
	if err := askSize(ctx, enc); err != nil {
		return err
	}
	if err := os.MkdirAll(f.into, 0o755); err != nil {
		return err
	}
	path := filepath.Join(f.into, fmt.Sprintf("articles-%d.jsonl", f.articles))
	if _, err := os.Stat(path); err != nil {
		warn("varying the articles")
		if err := c.writeScale(ctx, f, path); err != nil {
			return err
		}
	}
	report, err := ingest.Run(ctx, f.into, []string{path}, ingest.Options{Progress: progressLine()})
	endProgress()
	if err != nil {
		return err
	}
	warn(fmt.Sprintf("%d articles and %d chunks are stored", report.Book.Articles, report.Book.Chunks))
	root := ingest.IndexRoot(f.into)
	name, err := embedded.Current(root)
	if err != nil {
		return err
	}
	p := &bench.Perturbed{Base: c.realVectors(enc), Dim: enc.Dim(), Noise: 0.35}
	line := progressLine()
	err = p.Write(ctx, root, name, enc.Digest(), func(done int) {
		line(ingest.Progress{Stage: "vectors", Units: done, Total: report.Vectors.Total})
	})
	endProgress()
	return err
}

// writeScale writes the corpus that is ingested.
func (c *config) writeScale(ctx context.Context, f *scaleFlags, path string) (err error) {
	laws, err := c.scaleLaws(ctx, f.from)
	if err != nil {
		return err
	}
	out, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<20)
	err = bench.WriteVaried(ctx, w, laws, f.articles)
	if err := errors.Join(err, w.Flush(), out.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// scaleLaws reads the laws to vary, with their articles only.
func (c *config) scaleLaws(ctx context.Context, from string) (laws []bench.Law, err error) {
	add := func(u *statute.Unit, l *statute.Law) {
		if u.Kind != statute.Article {
			return
		}
		if n := len(laws); n == 0 || laws[n-1].ID != l.ID {
			laws = append(laws, bench.Law{ID: l.ID, Title: l.Title, Level: l.Level})
		}
		last := &laws[len(laws)-1]
		last.Units = append(last.Units, *u)
	}
	if from == "" {
		b, err := book.Open(ctx, c.Data)
		if err != nil {
			return nil, err
		}
		defer b.Close() //nolint:errcheck // only read from
		err = b.Each(ctx, func(u *statute.Unit, l *statute.Law) error { add(u, l); return nil })
		return laws, err
	}
	for doc, err := range corpus.Read(ctx, from) {
		if err != nil {
			return nil, err
		}
		for i := range doc.Units {
			add(&doc.Units[i], &doc.Law)
		}
	}
	return laws, nil
}

// realVectors takes vectors from all over the index in the data folder, nil where it
// has none of this encoder.
func (c *config) realVectors(enc encoder) [][]float32 {
	const most = 50_000
	s, err := embedded.Open(ingest.IndexRoot(c.Data))
	if err != nil {
		return nil
	}
	defer s.Close() //nolint:errcheck // only read from
	done, _ := s.Vectors()
	if s.VectorEncoder() != enc.Digest() || done == 0 {
		return nil
	}
	var list [][]float32
	for i := 0; i < done; i += max(1, done/most) {
		list = append(list, s.Vector(i))
	}
	return list
}

// measureScale runs bench over the data folder, in a process whose memory is its own.
func (c *config) measureScale(ctx context.Context, f *scaleFlags) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"bench", "--config", c.file, "--data", f.into, "--queries", f.queries, "--passages", "0", "--json=" + strconv.FormatBool(f.asJSON)}
	cmd := exec.CommandContext(ctx, self, args...) //nolint:gosec // this program, with the files that its user named
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	return nil
}
