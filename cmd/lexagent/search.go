package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/experiment"
	"lexagent/retrieval"
	"lexagent/statute"
)

// searchFlags are the flags of search.
type searchFlags struct {
	mode, by, asOf, region, fusion, queries, out string
	levels                                       []int
	collections, without                         []string
	k, pool                                      int
	alpha                                        float64
	neighbours                                   int
	share                                        float64
	expand, preset                               string
	lambda                                       []float64
	explain, asJSON, trec, overwrite             bool
}

func searchCommand(c *config) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search \"question\"",
		Short: "Find the articles that govern a question",
		Example: "  lexagent search 离婚冷静期是多久\n  lexagent search 劳动合同法82条 --json\n" +
			"  lexagent search --queries dev.jsonl --run dev.run.jsonl --mode hybrid -k 20 --as-of any",
	}
	fl := cmd.Flags()
	fl.StringVar(&f.mode, "mode", "", modeNames()+" (default: fast, or hybrid for an encoder without a ranker)")
	fl.IntVarP(&f.k, "k", "k", retrieval.DefaultHits, "hits wanted")
	fl.IntVar(&f.pool, "pool", retrieval.DefaultPool, "candidates that are fused")
	fl.StringVar(&f.by, "granularity", string(retrieval.Articles), "article, chunk (consecutive articles of a section), or dual (both)")
	fl.StringVar(&f.asOf, "as-of", "", "day whose law is asked for, such as 2021-01-01; \"any\" for all versions (default today)")
	fl.IntSliceVar(&f.levels, "level", nil, "only these levels, 0 (Constitution) to 6 (other)")
	fl.StringVar(&f.region, "region", "", "national law and this region's, such as 上海")
	fl.StringSliceVar(&f.collections, "collection", nil, "collections to search (default public)")
	fl.StringVar(&f.fusion, "fusion", string(retrieval.Arctan), "how scores are fused: arctan (LexPath), minmax or rrf")
	fl.Float64Var(&f.alpha, "alpha", retrieval.DefaultAlpha, "weight of the word path, 0 to 1")
	fl.StringVar(&f.preset, "preset", "", "LexPath's parameters as tuned for a data set: "+strings.Join(retrieval.Presets(), ", ")+" (default "+retrieval.DefaultPreset+"); flags given beside it win")
	fl.Float64SliceVar(&f.lambda, "lambda", nil, "weights of LexPath's reranker, fused and intent scores, such as 1,1,1.5")
	fl.StringVar(&f.expand, "expand", "", "what is appended to the question for the word path: by a language model irac, qr, query2doc or hyde; without one distilled; or none (default irac in mode lexpath, else none)")
	fl.String("llm-cache", "", "file that keeps the language model's replies (default "+repliesFile+" in the data folder) ["+envReplies+"]")
	fl.StringSliceVar(&f.without, "without", nil, "stages to leave out: direct (look-up of articles that the question names), place (national law, and local law of the places that the question names), structneg (the tuned encoder), rerank (the reranker), intent (its intent score), expand (the expansion), sparse, dense (a path)")
	fl.IntVar(&f.neighbours, "neighbours", 0, "of so many of the strongest candidates the articles that they cite, and those that cite them, may enter the pool (modes hybrid, fast, lexpath)")
	fl.Float64Var(&f.share, "neighbour-share", 0, "of the fused score of its candidate that such a neighbour has at least, 0 to 1")
	fl.BoolVar(&f.explain, "explain", false, "show the scores of each stage")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	fl.StringVar(&f.queries, "queries", "", "question file for a batch, JSON lines with id and question")
	fl.StringVar(&f.out, "run", "", "run file that a batch writes, JSON lines")
	fl.BoolVar(&f.trec, "trec", false, "also write the run in TREC format, beside it")
	fl.BoolVar(&f.overwrite, "overwrite", false, "start the batch anew when the run file has other settings")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q, err := f.query(cmd.Flags().Changed)
		if err != nil {
			return err
		}
		if err := oneOrBatch(args, f.queries, f.out, "--run"); err != nil {
			return err
		}
		if q.Mode == retrieval.LexPath || q.Expand != "" && q.Expand != retrieval.NoExpansion {
			c.LLM.Cache = c.repliesPath()
		}
		s, err := c.openSystem(cmd.Context(), warn)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // opened for reading; the process ends
		if q.Mode == "" {
			q.Mode = s.search.Best()
		}
		if f.queries != "" {
			return f.batch(cmd.Context(), s, q)
		}
		q.Text = strings.Join(args, " ")
		return f.single(cmd.Context(), s, q)
	}
	return cmd
}

// query makes the query that the flags describe, without its text. changed tells
// which flags were given.
func (f *searchFlags) query(changed func(flag string) bool) (retrieval.Query, error) {
	asOf, err := retrieval.ParseAsOf(f.asOf)
	if err != nil {
		return retrieval.Query{}, err
	}
	q := retrieval.Query{
		Mode: retrieval.Mode(f.mode), By: retrieval.Granularity(f.by), K: f.k, Pool: f.pool, Explain: f.explain,
		Fusion: retrieval.Fusion{Method: retrieval.Method(f.fusion), Alpha: &f.alpha},
		Scope:  retrieval.Scope{AsOf: asOf, Region: f.region, Collections: f.collections},
		Expand: retrieval.Expansion(f.expand), Neighbours: retrieval.Neighbours{Of: f.neighbours, Share: f.share},
	}
	if err := f.parameters(&q, changed); err != nil {
		return q, err
	}
	for _, n := range f.levels {
		l, err := statute.ParseLevel(n)
		if err != nil {
			return q, err
		}
		q.Scope.Levels = append(q.Scope.Levels, l)
	}
	for _, stage := range f.without {
		q.Without = append(q.Without, retrieval.Stage(stage))
	}
	return q, nil
}

// parameters sets LexPath's: those of the preset, but for what was given beside it.
func (f *searchFlags) parameters(q *retrieval.Query, changed func(flag string) bool) error {
	if f.preset != "" {
		p, err := retrieval.Preset(f.preset)
		if err != nil {
			return err
		}
		q.Lambda = &p.Lambda
		if !changed("alpha") {
			q.Fusion.Alpha = &p.Alpha
		}
		if !changed("pool") {
			q.Pool = p.Pool
		}
	}
	switch len(f.lambda) {
	case 0:
	case 3:
		q.Lambda = &retrieval.Lambda{Rerank: f.lambda[0], Fused: f.lambda[1], Intent: f.lambda[2]}
	default:
		return fmt.Errorf("--lambda needs three numbers, of the reranker, the fused score and the intent, such as 1,1,1.5; it has %d", len(f.lambda))
	}
	return nil
}

// modeNames are the modes as help texts name them.
func modeNames() string {
	return "bm25 (words), dense (vectors), hybrid (both, fused), fast (both, ordered by the learned ranker), or lexpath (expanded, fused and reranked by intent, with a language model)"
}

func (f *searchFlags) single(ctx context.Context, s *system, q retrieval.Query) error {
	res, err := s.search.Search(ctx, q)
	if err != nil {
		return err
	}
	if f.asJSON {
		return printJSON(res)
	}
	for _, n := range res.Notes {
		warn(n)
	}
	if len(res.Hits) == 0 && len(res.Notes) == 0 {
		warn("nothing was found")
	}
	if q.Explain && res.LLM != nil {
		fmt.Printf("question: intent %q, %d calls of the language model, %d replies kept\n", res.QueryIntent, res.LLM.Calls, res.LLM.Kept)
		if x := res.Expansion; x != nil {
			fmt.Printf("expansion (%s): %s\n", x.Kind, x.Text)
		}
	}
	for i := range res.Hits {
		h := &res.Hits[i]
		fmt.Printf("%d. 《%s》%s  %s  %.4f\n   %s\n", i+1, h.Law, h.Label, h.Status, h.Score, h.ID)
		if h.Scores != nil {
			if err := printJSON(h.Scores); err != nil {
				return err
			}
		}
		fmt.Println("   " + strings.ReplaceAll(strings.TrimSpace(h.Text), "\n", "\n   "))
	}
	return nil
}

func printJSON(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (f *searchFlags) batch(ctx context.Context, s *system, q retrieval.Query) error {
	questions, digest, err := batch.ReadQuestions(f.queries)
	if err != nil {
		return err
	}
	if done, total := vectorsFor(s, q.By); q.Mode != retrieval.BM25 && done < total {
		return fmt.Errorf("the vectors are not complete (%d of %d), so a %s run would mix modes; run `lexagent ingest` with vectors first", done, total, q.Mode)
	}
	if q.Mode != retrieval.BM25 && s.search.Encoder == nil {
		return fmt.Errorf("a %s run needs the encoder", q.Mode)
	}
	job := &batch.Job{
		Out: f.out, Questions: questions, Overwrite: f.overwrite,
		Meta: batch.Meta{
			Command: "search", Config: experiment.SearchConfig(q, s.encoderName(q.Mode), s.llm), Corpus: s.live.Current().Manifest().Digest, Queries: digest, Program: version,
		},
		Do: func(ctx context.Context, item batch.Question) (any, error) {
			line, err := experiment.SearchLine(ctx, s.search, q, item)
			if err == nil && line.Error != "" {
				warn(fmt.Sprintf("question %s: %s", item.ID, line.Error))
			}
			return line, err
		},
	}
	resumed, err := job.Run(ctx)
	if err != nil {
		return err
	}
	if resumed > 0 {
		warn(fmt.Sprintf("%d of %d questions were there already", resumed, len(questions)))
	}
	if f.trec {
		return writeTREC(f.out, string(q.Mode))
	}
	return nil
}

// vectorsFor returns how many of the vectors that a granularity needs are there.
func vectorsFor(s *system, by retrieval.Granularity) (done, total int) {
	store := s.live.Current()
	done, total = store.Vectors()
	if by == retrieval.Articles {
		total = store.Units()
	}
	return min(done, total), total
}
