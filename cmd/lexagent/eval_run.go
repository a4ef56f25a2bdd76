package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lexagent/agent"
	"lexagent/book"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/experiment"
	"lexagent/evaluator/judge"
	"lexagent/evaluator/report"
	"lexagent/graph"
	"lexagent/index"
	"lexagent/model"
	"lexagent/retrieval"
	"lexagent/state"
	"lexagent/statute"
	"lexagent/verify"
)

// evalRunFlags are the flags of eval run.
type evalRunFlags struct {
	datasets, out     string
	limit             int
	dryRun, overwrite bool
}

// reportsFolder is where reports lie in the data folder, for the server to show.
const reportsFolder = "reports"

func evalRun(c *config) *cobra.Command {
	var f evalRunFlags
	cmd := &cobra.Command{
		Use:   "run FILE.yaml",
		Short: "Run an experiment: systems, data sets, measures, one report",
		Long: "An experiment file names data sets, systems and measures; experiments/ holds those of the papers' tables. Each system makes\n" +
			"one run on each data set. What is done is not done again. Beside the runs there are report.json, .md, .html and .tex. What\n" +
			"can't be run here is listed with the reason.",
		Example: "  lexagent eval run experiments/lexpath-t1.yaml --datasets ../shared/data --dry-run\n" +
			"  lexagent eval run experiments/lexpath-t1.yaml --datasets ../shared/data --limit 10",
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.datasets, "datasets", ".", "folder below which the file's data sets lie")
	fl.StringVar(&f.out, "out", "", "folder of the results (default reports/NAME in the data folder, which serve shows at /reports/)")
	fl.IntVar(&f.limit, "limit", 0, "only the first questions of each data set, as a trial (results go to reports/NAME-first-N)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "tell what would be done, and do none of it")
	fl.BoolVar(&f.overwrite, "overwrite", false, "make anew what other settings made")
	fl.String("llm-cache", "", "file that keeps the language model's replies (default "+repliesFile+" in the data folder) ["+envReplies+"]")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), c, args[0]) }
	return cmd
}

func (f *evalRunFlags) run(ctx context.Context, c *config, path string) error {
	file, err := experiment.ReadFile(path)
	if err != nil {
		return err
	}
	if f.limit < 0 {
		return fmt.Errorf("--limit is %d; it must not be negative", f.limit)
	}
	if f.out == "" {
		f.out = filepath.Join(c.Data, reportsFolder, file.Name)
		if f.limit > 0 {
			f.out += fmt.Sprintf("-first-%d", f.limit)
		}
	}
	e := &experiment.Experiment{
		File: file, Datasets: f.datasets, Out: f.out, Program: version, Limit: f.limit, Overwrite: f.overwrite, Open: c.openLab, Progress: warn,
	}
	if f.dryRun {
		steps, err := e.Plan(ctx)
		if err != nil {
			return err
		}
		return writePlan(os.Stdout, steps, c.rates())
	}
	r, err := e.Run(ctx)
	if err != nil {
		return err
	}
	if err := writeReports(f.out, r); err != nil {
		return err
	}
	warn("the report is " + filepath.Join(f.out, "report.html") + ", and beside it report.md, .json and .tex")
	return r.WriteMarkdown(os.Stdout)
}

// writePlan tells a step a line, and what all of them take of a language model.
func writePlan(w io.Writer, steps []experiment.Step, rates judge.Rates) error {
	var all experiment.Use
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		if s.Why != "" {
			fmt.Fprintf(t, "%s\t%s\tnot run: %s\n", s.Set, s.Row, s.Why)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%d of %d to run", s.Set, s.Row, s.Questions-s.Done, s.Questions)
		if s.LLM.Calls > 0 {
			fmt.Fprintf(t, ", up to %d calls of the language model", s.LLM.Calls)
		}
		if s.Judge.Calls > 0 {
			fmt.Fprintf(t, ", %d of the judge", s.Judge.Calls)
		}
		fmt.Fprintln(t)
		all.Add(s.LLM, 1)
		all.Add(s.Judge, 1)
	}
	if all.Calls > 0 {
		fmt.Fprintf(t, "all\t\tup to %d calls, roughly %d tokens of prompts and %d of replies where nothing is kept%s\n",
			all.Calls, all.Prompt, all.Completion, rates.Costs(all.Prompt, all.Completion))
	}
	return t.Flush()
}

// writeReports writes the report in each form.
func writeReports(dir string, r *report.Report) error {
	for name, write := range map[string]func(io.Writer) error{
		"report.md": r.WriteMarkdown, "report.html": r.WriteHTML, "report.tex": r.WriteLaTeX,
		"report.json": func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(r)
		},
	} {
		if err := writeFile(filepath.Join(dir, name), true, write); err != nil {
			return err
		}
	}
	return nil
}

// openLab opens a corpus for an experiment: in another data folder, or with another
// encoder, where these are named.
func (c *config) openLab(ctx context.Context, p experiment.Parts) (*experiment.Lab, error) {
	own, err := c.with(p)
	if err != nil {
		return nil, err
	}
	own.LLM.Cache = own.repliesPath()
	if _, err := os.Stat(own.LLM.Cache); err != nil && !own.llmOptions().Set() {
		own.LLM.Cache = "" // nothing to keep, and no folder to make
	}
	s, err := own.openSystem(ctx, warn)
	if errors.Is(err, book.ErrEmpty) {
		return nil, experiment.Unready("there is no statute book in the data folder %s", own.Data)
	}
	if err != nil {
		return nil, err
	}
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	l := &experiment.Lab{
		Corpus: s.live.Current().Manifest().Digest, Search: s.search, Book: s.book, Words: analyzer.Words, Close: s.Close,
		Ready: s.ready,
		Config: func(q retrieval.Query) map[string]any {
			return experiment.SearchConfig(q, s.encoderName(q.Mode), s.llm)
		},
	}
	l.Holds = s.holds
	replies, err := state.OpenReplies(own.repliesPath())
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	l.Generator = func(ctx context.Context, g experiment.Generator) (*experiment.LLM, error) {
		return own.generator(ctx, g, replies)
	}
	own.answerers(l, s)
	if e, ok := s.live.(embeddedIndex); ok {
		l.Likelihood = func(ctx context.Context, mu float64) (func(string, int) []index.Hit, error) {
			store := e.Live.Current()
			ql, err := store.Likelihood(ctx, mu)
			if err != nil {
				return nil, fmt.Errorf("make the language models of the documents: %w", err)
			}
			return func(text string, k int) []index.Hit { return ql.Search(store.Query(text), k) }, nil
		}
	}
	return l, nil
}

// answerers gives a lab what answers with a language model, or without.
func (c *config) answerers(l *experiment.Lab, s *system) {
	answering := func(ctx context.Context, llm *experiment.LLM) (*graph.Graph, error) {
		o := s.answering
		if llm != nil {
			o.LLM, o.Review = llm.Chat, verify.Reviewer{LLM: llm.Ask}
		}
		return graph.New(ctx, o)
	}
	l.Graph = func(ctx context.Context, llm *experiment.LLM) (experiment.Answerer, error) {
		return answering(ctx, llm)
	}
	l.Tools = func(ctx context.Context, llm *experiment.LLM) (experiment.Answerer, error) {
		g, err := answering(ctx, llm)
		if err != nil {
			return nil, err
		}
		return &agent.Loop{LLM: llm.Chat, Tools: s.tools(), Gate: g, Workflow: g, Deadline: c.LLM.Deadline}, nil
	}
}

// with is the configuration with what an experiment names.
func (c *config) with(p experiment.Parts) (*config, error) {
	own := *c
	if p.Data != "" {
		own.Data = p.Data
	}
	if p.Encoder != "" {
		if _, err := os.Stat(filepath.Join(p.Encoder, model.ConfigFile)); err != nil {
			return nil, experiment.Unready("there is no encoder in %s", p.Encoder)
		}
		own.Encoder, own.Embed = p.Encoder, embedConfig{}
	}
	if p.Reranker != "" {
		if _, err := os.Stat(filepath.Join(p.Reranker, model.ConfigFile)); err != nil {
			return nil, experiment.Unready("there is no reranker in %s", p.Reranker)
		}
		own.Rerank.Path = p.Reranker
	}
	return &own, nil
}

// holds reads which articles the book has, by all their ids and by name.
func (s *system) holds(ctx context.Context) (func(key string) bool, error) {
	all := map[string]bool{}
	err := s.book.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		for _, key := range append([]string{u.ID, u.SourceID, dataset.Name(l.Title, u.Label)}, u.Also...) {
			all[key] = true
		}
		return nil
	})
	return func(key string) bool { return all[key] }, err
}

// generator opens a language model for an experiment: the configured one, but for
// what g names.
func (c *config) generator(ctx context.Context, g experiment.Generator, replies *state.Replies) (*experiment.LLM, error) {
	o := c.llmOptions()
	if g.URL != "" {
		o.URL, o.Key = g.URL, "" // a key is for its own endpoint only
	}
	if g.Model != "" {
		o.Model = g.Model
	}
	if g.Key != "" {
		o.Key = os.Getenv(g.Key)
	}
	if !o.Set() {
		return nil, experiment.Unready("it needs a language model; set LEXAGENT_LLM_URL and LEXAGENT_LLM_MODEL")
	}
	chat, err := model.OpenLLM(ctx, o)
	if err != nil {
		return nil, err
	}
	return &experiment.LLM{Name: o.Model, Chat: chat, Ask: &model.Asker{Chat: chat, Name: o.Model, Replies: replies}}, nil
}

// ready says why a search can't be part of an experiment here.
func (s *system) ready(q retrieval.Query) error {
	done, total := vectorsFor(s, q.By)
	switch {
	case q.Asks() > 0 && s.llm == "":
		return experiment.Unready("it needs a language model; set LEXAGENT_LLM_URL and LEXAGENT_LLM_MODEL")
	case q.Mode == retrieval.BM25:
		return nil
	case s.encoder == nil:
		return experiment.Unready("it needs the encoder")
	case done < total:
		return experiment.Unready("the vectors are not complete (%d of %d); run `lexagent ingest` with vectors first", done, total)
	case s.live.Current().VectorEncoder() != s.encoder.Digest():
		return experiment.Unready("the vectors are another encoder's; run `lexagent ingest` with this one first")
	case (q.Mode == retrieval.Fast || q.Mode == retrieval.LexPath) && s.search.Ranker == nil:
		return experiment.Unready("this encoder has no ranker")
	}
	return nil
}

// encoderName is what of the encoder, and of a cross-encoder, decides a run in a mode.
func (s *system) encoderName(mode retrieval.Mode) string {
	if s.encoder == nil || mode == retrieval.BM25 {
		return ""
	}
	name := s.encoder.Digest() + s.encoder.Tuned()
	if mode == retrieval.LexPath {
		name += s.cross
	}
	return name
}
