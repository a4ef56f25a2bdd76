package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/retrieval"
	"lexagent/retrieval/structneg"
	"lexagent/statute"
)

// mineFlags are the flags of train mine.
type mineFlags struct {
	gold, out, collection string
	method                string
	shares                []float64
	settings              structneg.Settings
	tuned                 bool
}

func trainMine(c *config) *cobra.Command {
	f := mineFlags{settings: structneg.Default}
	d := structneg.Default
	cmd := &cobra.Command{
		Use:   "mine",
		Short: "Mine hard negatives for the training of the encoder (LexPath's Struct-Neg)",
		Long: "Mines once for each gold of each question: structneg takes what the encoder finds for the question on the gold's level\n" +
			"and the adjacent ones (levels 5 and 6 have none), and what the gold cites and is cited by; ann takes what the encoder\n" +
			"finds, random anything. Golds, equal texts and other versions of a gold are never negatives.\n\n" +
			"Writes FlagEmbedding's JSON lines, {\"query\",\"pos\":[text],\"neg\":[text]} with ids beside them; OUT.pairs.jsonl, a line\n" +
			"a question, for python -m lexpath.train; and OUT.meta.json, which names all that decides them.",
		Example: "  lexagent train mine --gold train.jsonl --out structneg.jsonl\n" +
			"  lexagent train mine --gold train.jsonl --out ann.jsonl --negatives ann --m 4",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.gold, "gold", "", "questions with the articles that govern them")
	fl.StringVar(&f.out, "out", "", "file to write, ending in .jsonl")
	fl.StringVar(&f.method, "negatives", string(d.Method), "structneg, or what it is compared with: random, ann")
	fl.IntVar(&f.settings.K, "k", d.K, "depth of the dense search")
	fl.IntVar(&f.settings.M, "m", d.M, "negatives drawn for one gold; citation neighbours come on top")
	fl.Float64SliceVar(&f.shares, "shares", []float64{d.Shares.Same, d.Shares.Above, d.Shares.Below},
		"shares of m: the gold's own level, the one above (nearer to the constitution), the one below")
	fl.BoolVar(&f.settings.Out, "out-edges", d.Out, "add the articles that a gold cites")
	fl.BoolVar(&f.settings.In, "in-edges", d.In, "add the articles that cite a gold")
	fl.Uint64Var(&f.settings.Seed, "seed", d.Seed, "of what is drawn: same seed, same files")
	fl.BoolVar(&f.tuned, "tuned", false, "search with the encoder's tuned side (default: as it was before tuning, like the paper)")
	fl.StringVar(&f.collection, "collection", book.DefaultCollection, "collection to mine in")
	for _, name := range []string{"gold", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not declared above
		}
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(); err != nil {
			return err
		}
		s, err := c.openSystem(cmd.Context(), warn)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // opened for reading; the process ends
		return f.run(cmd.Context(), s, os.Stdout)
	}
	return cmd
}

func (f *mineFlags) check() error {
	if !strings.HasSuffix(f.out, ".jsonl") {
		return fmt.Errorf("--out is %q; it must end in .jsonl, and what is written beside it is named after it", f.out)
	}
	if len(f.shares) != 3 {
		return fmt.Errorf("--shares has %d numbers; it needs three, such as 0.7,0.15,0.15", len(f.shares))
	}
	if f.settings.K > retrieval.MaxHits {
		return fmt.Errorf("--k is %d; at most %d are searched for", f.settings.K, retrieval.MaxHits)
	}
	f.settings.Method = structneg.Method(f.method)
	f.settings.Shares = structneg.Shares{Same: f.shares[0], Above: f.shares[1], Below: f.shares[2]}
	return nil
}

func (f *mineFlags) run(ctx context.Context, s *system, w io.Writer) error {
	start := time.Now()
	gold, err := dataset.ReadFile(f.gold)
	if err != nil {
		return err
	}
	corpus, err := structneg.ReadCorpus(ctx, s.book, f.collection)
	if err != nil {
		return err
	}
	miner, err := structneg.NewMiner(corpus, f.settings)
	if err != nil {
		return err
	}
	units, err := readGoldUnits(ctx, s.book, f.collection)
	if err != nil {
		return err
	}
	search, err := f.searcher(s)
	if err != nil {
		return err
	}
	m := mining{corpus: corpus, levels: map[[2]statute.Level]int{}}
	for i := range gold {
		q := units.question(&gold[i])
		m.golds += len(gold[i].Gold)
		m.found += len(q.Golds)
		if len(q.Golds) == 0 {
			m.unknown++
			continue
		}
		retrieved, err := search(ctx, q.Text)
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		if err := m.add(q, miner.Mine(q, retrieved)); err != nil {
			return err
		}
	}
	if m.questions == 0 {
		return fmt.Errorf("no gold of %s is in the book: mine in the corpus that the questions are about", f.gold)
	}
	with := f.with(s)
	err = m.write(f.out, batch.Meta{
		Command: "train mine", Config: with, Corpus: s.live.Current().Manifest().Digest, Queries: hex.EncodeToString(m.digest), Program: version,
	})
	if err != nil {
		return err
	}
	m.report(w, with)
	fmt.Fprintf(w, "time       %.1f s\n", time.Since(start).Seconds())
	return nil
}

// searcher returns the dense search of the first K units for a question. Random
// negatives need none.
func (f *mineFlags) searcher(s *system) (func(context.Context, string) ([]string, error), error) {
	if f.settings.Method == structneg.Random {
		return func(context.Context, string) ([]string, error) { return nil, nil }, nil
	}
	if s.encoder == nil {
		return nil, fmt.Errorf("%s negatives need the encoder; only random ones do without", f.settings.Method)
	}
	without := []retrieval.Stage{retrieval.Direct, retrieval.Place} // the whole corpus, by its vectors
	switch {
	case !f.tuned:
		without = append(without, retrieval.StructNeg)
	case s.encoder.Tuned() == "":
		return nil, errors.New("this encoder has no tuned side: leave --tuned out")
	}
	return func(ctx context.Context, question string) ([]string, error) {
		res, err := s.search.Search(ctx, retrieval.Query{
			Text: question, Mode: retrieval.Dense, K: f.settings.K, Without: without,
			Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}, Collections: []string{f.collection}},
		})
		if err != nil {
			return nil, err
		}
		if res.Mode != retrieval.Dense {
			return nil, fmt.Errorf("there is no dense search to mine from: %s", strings.Join(res.Notes, " "))
		}
		ids := make([]string, len(res.Hits))
		for i := range res.Hits {
			ids[i] = res.Hits[i].ID
		}
		return ids, nil
	}, nil
}

// goldUnits are the units of a collection by what a gold may call them.
type goldUnits struct {
	ids   map[string]string // by their ids and those of their sources
	names map[string]string // by law and label: of several versions the one that took effect last
}

func readGoldUnits(ctx context.Context, b *book.Book, collection string) (*goldUnits, error) {
	g := &goldUnits{ids: map[string]string{}, names: map[string]string{}}
	since := map[string]statute.Date{}
	err := b.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		if l.Collection != collection {
			return nil
		}
		for _, id := range append([]string{u.ID, u.SourceID}, u.Also...) {
			g.ids[id] = u.ID
		}
		name := dataset.Name(l.Title, u.Label)
		if g.names[name] == "" || l.Effective > since[name] {
			g.names[name], since[name] = u.ID, l.Effective
		}
		return nil
	})
	delete(g.ids, "") // units without a source's id
	return g, err
}

// question finds the golds of a question. Golds that the book does not have are
// left out.
func (g *goldUnits) question(q *dataset.Question) *structneg.Question {
	out := &structneg.Question{ID: q.ID, Text: q.Question}
	for i := range q.Gold {
		a := &q.Gold[i]
		id := g.ids[a.ID]
		if id == "" && a.Name() != "" {
			id = g.names[a.Name()]
		}
		if id != "" && !slices.Contains(out.Golds, id) {
			out.Golds = append(out.Golds, id)
		}
	}
	return out
}

// mining is what has been mined so far.
type mining struct {
	corpus       *structneg.Corpus
	lines, pairs bytes.Buffer
	digest       []byte // of the questions with their golds

	questions, unknown int // mined; without a gold in the book
	golds, found       int
	empty              int // positives without a negative
	drawn, cited       int
	levels             map[[2]statute.Level]int // of positive and negative
}

// add writes the lines of a question. A positive without negatives makes none for
// FlagEmbedding, whose trainer needs one.
func (m *mining) add(q *structneg.Question, runs []structneg.Mined) error {
	m.questions++
	sum := sha256.Sum256(fmt.Appendf(m.digest, "%q %q %q\n", q.ID, q.Text, q.Golds))
	m.digest = sum[:]
	for i := range runs {
		r := &runs[i]
		m.drawn += len(r.Sampled)
		m.cited += len(r.Cited)
		for _, n := range r.All() {
			m.levels[[2]statute.Level{m.corpus.Level(r.Positive), m.corpus.Level(n)}]++
		}
		if len(r.All()) == 0 {
			m.empty++
			continue
		}
		if err := encodeLine(&m.lines, m.corpus.Line(q, r)); err != nil {
			return err
		}
	}
	return encodeLine(&m.pairs, m.corpus.Pair(q, runs))
}

func encodeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// minedWith is what decides the negatives besides corpus and questions.
type minedWith struct {
	structneg.Settings
	Collection string `json:"collection"`
	Encoder    string `json:"encoder,omitempty"` // that searched
	Tuned      bool   `json:"tuned"`             // by its tuned side
}

func (f *mineFlags) with(s *system) minedWith {
	w := minedWith{Settings: f.settings, Collection: f.collection, Tuned: f.tuned}
	if f.settings.Method != structneg.Random {
		w.Encoder = s.encoder.Digest()
		if f.tuned {
			w.Encoder += s.encoder.Tuned()
		}
	}
	return w
}

func (m *mining) write(out string, meta batch.Meta) error {
	raw, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(out, ".jsonl")
	for path, data := range map[string][]byte{out: m.lines.Bytes(), base + ".pairs.jsonl": m.pairs.Bytes(), base + ".meta.json": append(raw, '\n')} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return fmt.Errorf("write what was mined: %w", err)
		}
	}
	return nil
}

// report prints what was mined, and with which settings.
func (m *mining) report(w io.Writer, c minedWith) {
	fmt.Fprintf(w, "settings   %s, K %d, M %d, shares %g same, %g above, %g below, out-edges %t, in-edges %t, seed %d, tuned %t\n",
		c.Method, c.K, c.M, c.Shares.Same, c.Shares.Above, c.Shares.Below, c.Out, c.In, c.Seed, c.Tuned)
	fmt.Fprintf(w, "questions  %d, and %d without a gold in the book; %d of %d golds are in it\n", m.questions, m.unknown, m.found, m.golds)
	fmt.Fprintf(w, "negatives  %d for %d golds: %d drawn, %d cited or citing\n", m.drawn+m.cited, m.found, m.drawn, m.cited)
	if m.empty > 0 {
		fmt.Fprintf(w, "           %d golds have none, and no line for FlagEmbedding\n", m.empty)
	}
	if e := m.corpus.Edges(); c.Method == structneg.StructNeg {
		fmt.Fprintf(w, "citations  %d used; left out: %d stale, %d that amend or repeal, %d unresolved\n", e.Used, e.Stale, e.Other, e.Unresolved)
	}
	var levels []string
	for positive := statute.Constitution; positive <= statute.OtherDocument; positive++ {
		for negative := statute.Constitution; negative <= statute.OtherDocument; negative++ {
			if n := m.levels[[2]statute.Level{positive, negative}]; n > 0 {
				levels = append(levels, fmt.Sprintf("%d→%d %d", positive, negative, n))
			}
		}
	}
	fmt.Fprintf(w, "levels     of gold → negative: %s\n", strings.Join(levels, ", "))
}
