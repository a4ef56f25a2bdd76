package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/index"
	"lexagent/ingest"
	"lexagent/model"
	"lexagent/retrieval"
	"lexagent/statute"
)

// trainCommand makes what training needs from the program itself, so that what is
// learned is learned on what will run.
func trainCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Make what the training of encoder and ranker needs",
	}
	cmd.AddCommand(trainAsked(c), trainTerms(c), trainIntents(c), trainLegal(c), trainFeatures(c), trainPassages(c), trainMine(c))
	return cmd
}

// learn reads the questions that something is learned from, and opens what answers them.
func (c *config) learn(ctx context.Context, gold string, from func(*system, []dataset.Question) error) error {
	questions, err := dataset.ReadFile(gold)
	if err != nil {
		return err
	}
	s, err := c.openSystem(ctx, warn)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // opened for reading; the process ends
	return from(s, questions)
}

func trainAsked(c *config) *cobra.Command {
	var gold, out string
	cmd := &cobra.Command{
		Use:     "asked",
		Short:   "Make the ranker's questions of training: their vectors and the articles that govern them",
		Example: "  lexagent train asked --gold train.jsonl --out model/pretrained/" + retrieval.AskedFile,
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&gold, "gold", "", "questions with the articles that govern them")
	cmd.Flags().StringVar(&out, "out", "", "file to write")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.learn(cmd.Context(), gold, func(s *system, questions []dataset.Question) error {
			if s.encoder == nil {
				return errors.New("the vectors of the questions need the encoder")
			}
			asked, err := askedQuestions(cmd.Context(), s, questions)
			if err != nil {
				return err
			}
			raw, err := retrieval.EncodeAsked(s.encoder.Tuned(), asked)
			if err != nil {
				return err
			}
			return os.WriteFile(out, raw, 0o644)
		})
	}
	return cmd
}

// bookIDs are the ids of the book's units by every id that gold files may name them by.
func bookIDs(ctx context.Context, s *system) (map[string]string, error) {
	ids := map[string]string{}
	return ids, s.book.Each(ctx, func(u *statute.Unit, _ *statute.Law) error {
		for _, source := range append([]string{u.ID, u.SourceID}, u.Also...) {
			ids[source] = u.ID
		}
		return nil
	})
}

// askedQuestions encodes questions and finds their golds in the book by the ids of
// the corpus. Golds that the book does not have are left out.
func askedQuestions(ctx context.Context, s *system, questions []dataset.Question) ([]retrieval.AskedQuestion, error) {
	ids, err := bookIDs(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []retrieval.AskedQuestion
	for _, q := range questions {
		var gold []string
		for _, g := range q.Gold {
			if id := ids[g.ID]; id != "" && !slices.Contains(gold, retrieval.UnitKey(id)) {
				gold = append(gold, retrieval.UnitKey(id))
			}
		}
		if len(gold) == 0 {
			continue
		}
		v, err := s.encoder.Encode(ctx, []string{q.Question}, model.Tuned)
		if err != nil {
			return nil, err
		}
		out = append(out, retrieval.AskedQuestion{Vector: v[0], Gold: gold})
	}
	return out, nil
}

func trainTerms(c *config) *cobra.Command {
	var gold, out string
	var irac bool
	cmd := &cobra.Command{
		Use:   "terms",
		Short: "Learn which terms of statutes go with those of questions, for --expand distilled",
		Long: "Learns from the articles that govern the questions. With --irac, what a language model wrote of a question's rule and its\n" +
			"legal keywords counts as one article more, where its replies are kept (--expand irac makes them); nothing is asked.",
		Example: "  lexagent train terms --gold train.jsonl --out model/pretrained/" + retrieval.TermsFile,
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&gold, "gold", "", "questions with the articles that govern them")
	cmd.Flags().StringVar(&out, "out", "", "file to write")
	cmd.Flags().BoolVar(&irac, "irac", false, "learn from kept IRAC analyses too")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var analyses retrieval.Expander
		if irac {
			c.LLM.Cache = c.repliesPath()
			asker, err := c.openAsker(cmd.Context())
			if err != nil {
				return err
			}
			if asker == nil {
				return fmt.Errorf("%s holds no replies: `lexagent search --mode bm25 --expand irac --queries %s` makes them", c.LLM.Cache, gold)
			}
			asker.Chat = nil // what is not kept is not asked
			analyses = retrieval.Prompted{LLM: asker}
		}
		return c.learn(cmd.Context(), gold, func(s *system, questions []dataset.Question) error {
			raw, err := learnTerms(cmd.Context(), s, questions, analyses)
			if err != nil {
				return err
			}
			return os.WriteFile(out, raw, 0o644)
		})
	}
	return cmd
}

// learnTerms finds the golds of the questions in the book and learns from the terms
// of both, and of analyses where there are any.
func learnTerms(ctx context.Context, s *system, questions []dataset.Question, analyses retrieval.Expander) ([]byte, error) {
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return nil, err
	}
	articles := map[string][]string{} // terms by the corpus's id
	for i := range questions {
		for _, g := range questions[i].Gold {
			articles[g.ID] = nil
		}
	}
	documents, units := map[string]int{}, 0
	err = s.book.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		units++
		terms := analyzer.Terms(ingest.Searchable(u, l, ""))
		slices.Sort(terms)
		terms = slices.Compact(terms)
		for _, t := range terms {
			documents[t]++
		}
		for _, source := range append([]string{u.ID, u.SourceID}, u.Also...) {
			if _, ok := articles[source]; ok {
				articles[source] = terms
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var pairs []retrieval.TermPair
	analysed := 0
	for i := range questions {
		terms := analyzer.Terms(questions[i].Question)
		for _, g := range questions[i].Gold {
			if articles[g.ID] != nil {
				pairs = append(pairs, retrieval.TermPair{Question: terms, Article: articles[g.ID]})
			}
		}
		if analyses == nil {
			continue
		}
		x, _, err := analyses.Expand(ctx, retrieval.IRAC, questions[i].Question)
		switch {
		case errors.Is(err, model.ErrNoModel) || errors.Is(err, model.ErrRefused):
			continue
		case err != nil:
			return nil, err
		}
		analysed++
		pairs = append(pairs, retrieval.TermPair{Question: terms, Article: analyzer.Terms(x.Analysis.Rule + "\n" + x.Text)})
	}
	if analyses != nil {
		warn(fmt.Sprintf("%d of %d questions have an analysis", analysed, len(questions)))
	}
	return retrieval.LearnTerms(pairs, func(t string) int { return documents[t] }, units)
}

// featuresLine is a question with the candidates that the ranker is to order.
type featuresLine struct {
	ID         string          `json:"id"`
	Golds      int             `json:"golds"` // articles or passages that a perfect list would have
	Candidates []candidateLine `json:"candidates"`
}

type candidateLine struct {
	ID   string    `json:"id"`
	Gold bool      `json:"gold"`
	Row  []float64 `json:"row"`
}

func trainFeatures(c *config) *cobra.Command {
	var gold, out string
	cmd := &cobra.Command{
		Use:   "features",
		Short: "Write the candidates of questions with the features that the ranker sees",
		Long: "Writes a line with the features' names, and then a line a question: {\"id\",\"golds\",\"candidates\":[{\"id\",\"gold\",\"row\"}]}.\n" +
			"Scores of questions that the encoder was tuned on are too good to learn from: use an encoder that has not seen them.",
		Example: "  lexagent train features --gold part0.jsonl --out part0.features.jsonl",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&gold, "gold", "", "questions with golds by article or by evidence passage")
	cmd.Flags().StringVar(&out, "out", "", "file to write, JSON lines")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.learn(cmd.Context(), gold, func(s *system, questions []dataset.Question) error {
			if s.search.Ranker == nil {
				return fmt.Errorf("there is no %s beside the encoder: make it with `lexagent train asked`", retrieval.AskedFile)
			}
			return writeFeatures(out, retrieval.Features(), questions, func(q *dataset.Question) (any, error) { return candidatesOf(cmd.Context(), s, q) })
		})
	}
	return cmd
}

// writeFeatures writes a line with the features' names, and then a line a question.
func writeFeatures(out string, features []string, questions []dataset.Question, lineOf func(*dataset.Question) (any, error)) (err error) {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	if err := enc.Encode(map[string]any{"features": features}); err != nil {
		return err
	}
	for i := range questions {
		line, err := lineOf(&questions[i])
		if err != nil {
			return fmt.Errorf("question %s: %w", questions[i].ID, err)
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

func candidatesOf(ctx context.Context, s *system, q *dataset.Question) (*featuresLine, error) {
	found, err := s.search.Candidates(ctx, retrieval.Query{Text: q.Question, Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}}})
	if err != nil {
		return nil, err
	}
	line := &featuresLine{ID: q.ID, Golds: max(len(q.Gold), len(q.Evidence)), Candidates: make([]candidateLine, len(found))}
	for i, f := range found {
		line.Candidates[i] = candidateLine{f.ID, governs(&f.Hit, q), f.Row}
	}
	return line, nil
}

// governs reports whether a hit is gold: by its id, or because it holds a passage
// of the evidence or lies within one.
func governs(h *retrieval.Hit, q *dataset.Question) bool {
	for _, g := range q.Gold {
		if g.ID == h.ID || g.ID == h.SourceID || slices.Contains(h.Also, g.ID) {
			return true
		}
	}
	text := dataset.Squeeze(h.Text)
	for _, e := range q.Evidence {
		if e := dataset.Squeeze(e); strings.Contains(text, e) || strings.Contains(e, text) {
			return true
		}
	}
	return false
}
