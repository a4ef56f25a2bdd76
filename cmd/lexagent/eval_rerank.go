package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/jsonl"
	"lexagent/evaluator/run"
)

// rerankFlags are the flags of eval rerank.
type rerankFlags struct {
	run, gold, by, intents, sheet string
	k                             int
	asJSON, overwrite             bool
}

func evalRerank() *cobra.Command {
	var f rerankFlags
	cmd := &cobra.Command{
		Use:   "rerank",
		Short: "Tell where a run loses the golds: in the pool, in fusion or in reranking, and why",
		Long: "The run must be written with --explain, and with -k as large as --pool, so that all candidates are in it. A gold that\n" +
			"reranking moved out of the first k is labelled as in LexPath's appendix E: intent mismatch, intent prediction or neural\n" +
			"reranker. Wrong predictions are told from mismatches by --intents, lines of {\"id\",\"intent\"} with the right intent of a\n" +
			"question or an article; without it they count as mismatches.",
		Example: "  lexagent search --queries dev.jsonl --run dev.run.jsonl --mode lexpath -k 20 --pool 20 --explain --as-of any\n" +
			"  lexagent eval rerank --run dev.run.jsonl --gold dev.jsonl --sheet lost.html",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.run, "run", "", "run file written with --explain")
	fl.StringVar(&f.gold, "gold", "", "gold file, or a data set that lexagent dataset reads")
	fl.StringVar(&f.by, "by", "", "match hits by article, by name or by evidence (default: what the gold has)")
	fl.StringVar(&f.intents, "intents", "", "right intents of questions and articles, JSON lines")
	fl.StringVar(&f.sheet, "sheet", "", "write every lost gold with the hits in its place, texts side by side, .html or .csv")
	fl.IntVar(&f.k, "k", 5, "cutoff")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON, with the cases")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace a sheet that is there")
	for _, name := range []string{"run", "gold"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not declared above
		}
	}
	cmd.RunE = func(*cobra.Command, []string) error { return f.analyse() }
	return cmd
}

func (f *rerankFlags) analyse() error {
	gold, err := dataset.ReadFile(f.gold)
	if err != nil {
		return err
	}
	r, err := run.ReadFile(f.run)
	if err != nil {
		return err
	}
	o := evaluator.StagesOptions{K: f.k, By: evaluator.By(f.by)}
	if o.Intents, err = readIntents(f.intents); err != nil {
		return err
	}
	s, err := evaluator.AnalyseStages(r, gold, o)
	if err != nil {
		return fmt.Errorf("analyse: %w", err)
	}
	if k, pool := runDepth(f.run); k < pool {
		warn(fmt.Sprintf("the run holds %d hits a question of a pool of %d, so golds that reranking moved further back count as not in the pool: write it with -k %d", k, pool, pool))
	}
	if f.sheet != "" {
		if err := f.write(s); err != nil {
			return err
		}
	}
	if f.asJSON {
		return printJSON(s)
	}
	return s.WriteTable(os.Stdout)
}

func (f *rerankFlags) write(s *evaluator.Stages) error {
	write := s.WriteHTML
	switch strings.ToLower(filepath.Ext(f.sheet)) {
	case ".html":
	case ".csv":
		write = s.WriteCSV
	default:
		return fmt.Errorf("a sheet is .html or .csv, not %q", f.sheet)
	}
	return writeFile(f.sheet, f.overwrite, func(w io.Writer) error { return write(w) })
}

// readIntents reads right intents by id; there are none without a file.
func readIntents(path string) (intents map[string]string, err error) {
	if path == "" {
		return nil, nil
	}
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read from
	type record struct {
		ID     string `json:"id"`
		Intent string `json:"intent"`
	}
	intents = map[string]string{}
	err = jsonl.Each(f, func(r *record) error {
		if r.ID == "" || r.Intent == "" {
			return fmt.Errorf("%w: \"id\" and \"intent\" are needed", jsonl.ErrFormat)
		}
		intents[r.ID] = strings.ToLower(r.Intent)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return intents, nil
}

// runDepth is how many hits a run holds a question and how large its pool was, as
// the file beside it tells; 0 and 0 where there is none.
func runDepth(path string) (k, pool int) {
	var meta struct {
		Config struct {
			K    int `json:"k"`
			Pool int `json:"pool"`
		} `json:"config"`
	}
	data, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
	if err != nil || json.Unmarshal(data, &meta) != nil {
		return 0, 0
	}
	return meta.Config.K, meta.Config.Pool
}
