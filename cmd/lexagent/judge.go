package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/judge"
	"lexagent/model"
	"lexagent/server"
)

// judgeFlags are the flags of judge.
type judgeFlags struct {
	pred, gold, out, weights string
	human, groups            []string
	swap, each, asJSON       bool
	dryRun                   bool
	repeats                  int
	seed                     uint64
	outside                  outsideFlags
}

func judgeCommand(c *config) *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Score answers with a language model, and compare it with people",
		Long: "Each answer gets 1 to 5 for relevance, accuracy, completeness and fluency from the language model that LEXAGENT_LLM_URL\n" +
			"and LEXAGENT_LLM_MODEL name; the weighted score is between 0 and 1. Verdicts are kept in a file and not asked for again\n" +
			"while question, reference, answer, model and prompt are the same. What could not be judged is counted, and has no score.",
		Example: "  lexagent judge --pred answers.jsonl --gold dev.jsonl --human ratings.csv\n" +
			"  lexagent judge sheet --pred a.jsonl --pred b.jsonl --gold dev.jsonl --out form.html",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.pred, "pred", "", "file of answers, as eval answers reads them: JSON lines or CSV")
	fl.StringVar(&f.gold, "gold", "", "gold file with reference answers, or a data set that lexagent dataset reads")
	fl.StringVar(&f.out, "out", "", "file of verdicts (default: beside the answers, ….judge.jsonl)")
	fl.StringVar(&f.weights, "weights", "0.3,0.4,0.2,0.1", "of relevance, accuracy, completeness and fluency; brought to make 1")
	fl.StringSliceVar(&f.human, "human", nil, "forms that people filled in (see judge sheet), one each, CSV: tells how far the judge agrees with them")
	fl.BoolVar(&f.swap, "swap", false, "judge every answer twice, the second time before its reference: tells how steady the judge is")
	fl.IntVar(&f.repeats, "repeats", 0, "judge every answer so many times more, the model being free in its words: tells the spread of its scores")
	fl.BoolVar(&f.each, "by-dimension", false, "ask for each dimension by a prompt of its own: four calls instead of one")
	fl.BoolVar(&f.dryRun, "dry-run", false, "tell how many calls, tokens, how much time (llm.speed) and money (llm.prompt_price, llm.reply_price) it would take, and judge nothing")
	fl.StringSliceVar(&f.groups, "group", nil, "report groups of questions apart, by kind (of the answer), type or level")
	fl.Uint64Var(&f.seed, "seed", 0, "of the bootstrap")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON, values unrounded")
	f.outside.register(cmd)
	for _, name := range []string{"pred", "gold"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not declared above
		}
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), c) }
	cmd.AddCommand(judgeSheet(), judgeLadder(c))
	return cmd
}

func (f *judgeFlags) run(ctx context.Context, c *config) error {
	weights, err := judge.ParseWeights(f.weights)
	if err != nil {
		return err
	}
	gold, err := dataset.ReadFile(f.gold)
	if err != nil {
		return err
	}
	preds, gold, err := f.outside.predictions(ctx, c, f.pred, gold)
	if err != nil {
		return err
	}
	o := judge.Options{Weights: weights, Seed: f.seed}
	if o.Groups, err = (&answersFlags{groups: f.groups}).grouped(preds, gold); err != nil {
		return err
	}
	for _, path := range f.human {
		if o.Human == nil {
			o.Human = judge.Ratings{}
		}
		if err := o.Human.ReadFile(path); err != nil {
			return err
		}
	}
	var items []judge.Item
	if items, o.Missing = judge.Items(preds, gold); len(items) == 0 {
		return answers.ErrNoOverlap
	}
	if f.out == "" {
		f.out = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(f.pred, ".gz"), ".jsonl"), ".csv") + ".judge.jsonl"
	}
	if f.repeats < 0 {
		return fmt.Errorf("--repeats is %d; it must not be negative", f.repeats)
	}
	o.Own = writtenBy(f.pred, c.LLM.Model)
	b := &judge.Batch{
		Judge: &judge.Judge{Name: c.LLM.Model, Each: f.each}, Out: f.out, Items: items, Swap: f.swap, Repeats: f.repeats, Progress: counted("judged"),
	}
	if done, err := f.estimated(c, b); err != nil || done {
		return err
	}
	if b.Judge.Model, err = judgingModel(ctx, c, b); err != nil {
		return err
	}
	lines, err := b.Run(ctx)
	if err != nil {
		return err
	}
	report := judge.Summarise(b.Judge, items, lines, o)
	if f.asJSON {
		return printJSON(report)
	}
	return report.WriteTable(os.Stdout)
}

// estimated tells what a batch will take; done where that is all that is wanted.
func (f *judgeFlags) estimated(c *config, b *judge.Batch) (done bool, err error) {
	e, err := b.Estimate(c.rates())
	switch {
	case err != nil:
		return false, err
	case f.dryRun && f.asJSON:
		return true, printJSON(e)
	case f.dryRun:
		fmt.Println(e)
		return true, nil
	case e.Calls > 0:
		warn(e.String())
	}
	return false, nil
}

// writtenBy reports whether the file beside predictions says that this model wrote them.
func writtenBy(pred, name string) bool {
	var meta struct {
		Config struct {
			LLM       string `json:"llm"`
			Generator string `json:"generator"`
			Model     string `json:"model"`
		} `json:"config"`
	}
	b, err := os.ReadFile(strings.TrimSuffix(pred, ".jsonl") + ".meta.json")
	if err != nil || json.Unmarshal(b, &meta) != nil || name == "" {
		return false // nobody tells
	}
	return slices.Contains([]string{meta.Config.LLM, meta.Config.Generator, meta.Config.Model}, name)
}

// judgingModel opens the language model when there is something left to judge.
func judgingModel(ctx context.Context, c *config, b *judge.Batch) (model.Chat, error) {
	left, err := b.Left()
	if err != nil || left == 0 {
		return nil, err
	}
	lo := c.llmOptions()
	if !lo.Set() {
		return nil, errors.New("a judge needs a language model: set LEXAGENT_LLM_URL and LEXAGENT_LLM_MODEL")
	}
	return model.OpenLLM(ctx, lo)
}

// openJudge makes the server's judge; nil where no language model is configured.
func (c *config) openJudge(ctx context.Context) (server.Judge, error) {
	o := c.llmOptions()
	if !o.Set() {
		return nil, nil //nolint:nilnil // a server without a language model is a usual one
	}
	llm, err := model.OpenLLM(ctx, o)
	if err != nil {
		return nil, err
	}
	return &judge.Judge{Model: llm, Name: o.Model}, nil
}

// sheetFlags are the flags of judge sheet.
type sheetFlags struct {
	preds     []string
	gold, out string
	n         int
	seed      uint64
	overwrite bool
}

func judgeSheet() *cobra.Command {
	var f sheetFlags
	cmd := &cobra.Command{
		Use:   "sheet",
		Short: "Make a blind form for people to rate answers on",
		Long: "The answers of all files stand in random order under codes; nothing tells which system gave which. A .csv form is for a\n" +
			"spreadsheet, an .html form for a browser, which saves the ratings as CSV. `lexagent judge --human` reads them.",
		Example: "  lexagent judge sheet --pred a.jsonl --pred b.jsonl --gold dev.jsonl --out form.html --n 50",
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.preds, "pred", nil, "file of answers; give it once for each system")
	fl.StringVar(&f.gold, "gold", "", "gold file with reference answers, or a data set that lexagent dataset reads")
	fl.StringVar(&f.out, "out", "", "form to write, .csv or .html")
	fl.IntVar(&f.n, "n", 0, "how many answers at most (default all)")
	fl.Uint64Var(&f.seed, "seed", 0, "of the order")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace a form that is there")
	for _, name := range []string{"pred", "gold", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not declared above
		}
	}
	cmd.RunE = func(*cobra.Command, []string) error { return f.write() }
	return cmd
}

func (f *sheetFlags) write() error {
	write := judge.WriteCSV
	switch strings.ToLower(filepath.Ext(f.out)) {
	case ".csv":
	case ".html":
		write = judge.WriteHTML
	default:
		return fmt.Errorf("a form is .csv or .html, not %q", f.out)
	}
	gold, err := dataset.ReadFile(f.gold)
	if err != nil {
		return err
	}
	var all []judge.Item
	for _, path := range f.preds {
		preds, err := answers.ReadFile(path)
		if err != nil {
			return err
		}
		items, _ := judge.Items(preds, gold)
		if len(items) == 0 {
			return fmt.Errorf("%s: %w", path, answers.ErrNoOverlap)
		}
		all = append(all, items...)
	}
	form := judge.Blind(all, f.seed)
	if f.n > 0 && f.n < len(form) {
		form = form[:f.n]
	}
	if err := writeFile(f.out, f.overwrite, func(w io.Writer) error { return write(w, form) }); err != nil {
		return err
	}
	warn(fmt.Sprintf("%s: %d answers", f.out, len(form)))
	return nil
}
