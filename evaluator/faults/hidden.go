package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"golang.org/x/sync/errgroup"

	"lexagent/evaluator/dataset"
	"lexagent/graph"
	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/verify"
)

// HiddenOptions say what is measured where an article that a question needs is kept
// from the first search (LegRAG's supplementary retrieval).
type HiddenOptions struct {
	Graph     graph.Options // without a language model: one quotes the first article, and a review passes it
	Questions []dataset.Question
	ID        func(gold string) string // of the book, for a gold's; "": not there
	Count     int                      // questions with several golds
	Tokens    int                      // bound of a draft
	Seed      uint64
	Progress  func(done, total int)
}

// Hidden is what became of one question whose article was hidden.
type Hidden struct {
	Question string
	ID       string         // of the hidden article
	Review   *verify.Review // of the first draft; nil: the model declined, or cited nothing
	Again    bool           // the question alone, searched again, finds it among the first five
	Found    bool           // it is in the evidence of the second round
	Anyway   bool           // with nothing hidden there is new evidence too, after a draft that the review passes
}

// inFlight is how many questions are asked at a time: what a language model on the same
// machine takes together.
const inFlight = 4

// RunHidden answers questions as far as the second round's evidence. The article that
// is hidden is one of a question's golds, drawn by the seed.
func RunHidden(ctx context.Context, o HiddenOptions) ([]Hidden, error) {
	if o.Graph.LLM == nil {
		o.Graph.LLM, o.Graph.Review = quoter{}, satisfied{}
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	var out []Hidden
	for _, n := range rng.Perm(len(o.Questions)) {
		q := &o.Questions[n]
		if len(q.Gold) < 2 || len(out) == o.Count {
			continue
		}
		if id := o.ID(q.Gold[rng.IntN(len(q.Gold))].ID); id != "" {
			out = append(out, Hidden{Question: q.Question, ID: id})
		}
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	var done atomic.Int32
	for i := range out {
		group.Go(func() error {
			if err := o.hide(within, &out[i]); err != nil {
				return fmt.Errorf("%s: %w", out[i].Question, err)
			}
			if o.Progress != nil {
				o.Progress(int(done.Add(1)), len(out))
			}
			return nil
		})
	}
	return out, group.Wait()
}

// hide answers one question.
func (o *HiddenOptions) hide(ctx context.Context, h *Hidden) error {
	again, err := o.Graph.Search.Search(ctx, retrieval.Query{Text: h.Question, K: 5, By: retrieval.Dual})
	if err != nil {
		return err
	}
	is := func(hit retrieval.Hit) bool { return holds(hit, h.ID) }
	h.Again = slices.ContainsFunc(again.Hits, is)

	if h.Anyway, err = o.round(ctx, h.Question, quoter{}, &curtain{Searcher: o.Graph.Search, Reviewer: satisfied{}}, func(retrieval.Hit) bool { return true }); err != nil {
		return err
	}
	c := &curtain{Searcher: o.Graph.Search, Reviewer: o.Graph.Review, id: h.ID}
	h.Found, err = o.round(ctx, h.Question, o.Graph.LLM, c, is)
	h.Review = c.review.Load()
	return err
}

// round answers as far as the second round's evidence, and reports whether there is one
// with such a hit in it.
func (o *HiddenOptions) round(ctx context.Context, question string, writer model.BaseChatModel, c *curtain, is func(retrieval.Hit) bool) (found bool, err error) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	g := o.Graph
	g.Search, g.Review, g.LLM, g.Rounds = c, c, oneDraft{writer, c, stop}, 2
	compiled, err := graph.New(ctx, g)
	if err != nil {
		return false, err
	}
	_, err = compiled.Answer(within, graph.Request{Question: question, MaxTokens: o.Tokens}, func(e graph.Event) {
		if e, ok := e.(graph.Evidence); ok && c.open.Load() {
			found = slices.ContainsFunc(e.Hits, is)
		}
	})
	if ctx.Err() == nil && within.Err() != nil {
		return found, nil // stopped before the second draft
	}
	return found, err
}

// holds reports whether a hit is the article, or a chunk with it.
func holds(h retrieval.Hit, id string) bool { return h.ID == id || slices.Contains(h.Units, id) }

// curtain keeps one article, or none, from what is found until a draft has been written.
type curtain struct {
	graph.Searcher
	graph.Reviewer
	id     string
	open   atomic.Bool
	review atomic.Pointer[verify.Review]
}

// Search implements graph.Searcher.
func (c *curtain) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	res, err := c.Searcher.Search(ctx, q)
	if err != nil || c.open.Load() || c.id == "" {
		return res, err
	}
	shown := *res
	shown.Hits = slices.DeleteFunc(slices.Clone(res.Hits), func(h retrieval.Hit) bool { return holds(h, c.id) })
	return &shown, nil
}

// Review implements graph.Reviewer.
func (c *curtain) Review(ctx context.Context, in prompts.ReviewInput) (verify.Review, llm.Usage, error) {
	r, used, err := c.Reviewer.Review(ctx, in)
	if err == nil {
		c.review.Store(&r)
	}
	return r, used, err
}

// oneDraft is a language model that writes one draft, and opens the curtain with it.
// Where it is asked for another, the evidence of the second round is there, and the
// measurement ends.
type oneDraft struct {
	model.BaseChatModel
	curtain *curtain
	stop    func()
}

// Generate implements model.BaseChatModel.
func (m oneDraft) Generate(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.Message, error) {
	if m.curtain.open.Swap(true) {
		m.stop()
		return nil, ctx.Err()
	}
	return m.BaseChatModel.Generate(ctx, in, o...)
}

// quoter is a language model that quotes the first article it is shown.
type quoter struct{ model.BaseChatModel }

var shownArticle = regexp.MustCompile(`编号="([^"]+)"[^>]*>\n([^\n]+)`)

// Generate implements model.BaseChatModel.
func (quoter) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	m := shownArticle.FindStringSubmatch(in[len(in)-1].Content)
	if m == nil {
		return nil, errors.New("no article is shown")
	}
	return schema.AssistantMessage(m[2]+"["+m[1]+"]", nil), nil
}

// satisfied is a reviewer that passes everything.
type satisfied struct{}

// Review implements graph.Reviewer.
func (satisfied) Review(context.Context, prompts.ReviewInput) (verify.Review, llm.Usage, error) {
	ok := verify.Judgement{Outcome: verify.Passed}
	return verify.Review{Evidence: ok, Consistency: ok, Completeness: ok}, llm.Usage{Calls: 1}, nil
}

// WriteHidden writes how many of the hidden articles the second round has, and why the
// others are not there.
func WriteHidden(w io.Writer, all []Hidden) error {
	var reviewed, failed, asked, found, again, anyway int
	for i := range all {
		h := &all[i]
		for _, c := range []struct {
			n   *int
			yes bool
		}{
			{&reviewed, h.Review != nil}, {&failed, h.Review != nil && h.Review.Completeness.Outcome == verify.Failed},
			{&asked, h.Review != nil && len(h.Review.Missing) > 0}, {&found, h.Found}, {&again, h.Again}, {&anyway, h.Anyway},
		} {
			if c.yes {
				*c.n++
			}
		}
	}
	_, err := fmt.Fprintf(w, "| questions | drafts reviewed | called incomplete | with queries | found by round 2 | found by the question again | something new with nothing hidden |\n|---|---|---|---|---|---|---|\n| %d | %d | %d | %d | %d | %d | %d |\n",
		len(all), reviewed, failed, asked, found, again, anyway)
	return err
}
