package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"

	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// Searcher finds the units that a question is answered from.
type Searcher interface {
	Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error)
}

// Checker checks what a draft says about statutes.
type Checker interface {
	Check(ctx context.Context, d verify.Draft) (*verify.Report, error)
}

// Meaning finds the sentences of a text that its evidence does not bear out.
type Meaning interface {
	Check(ctx context.Context, text, question string, evidence []verify.Evidence, references []verify.Finding) ([]verify.Finding, error)
}

// Reviewer has a draft reviewed for evidence, consistency and completeness.
type Reviewer interface {
	Review(ctx context.Context, in prompts.ReviewInput) (verify.Review, llm.Usage, error)
}

// Reader finds the passages of hits that answer a question.
type Reader interface {
	// Read returns the passages, best first.
	Read(ctx context.Context, question string, hits []retrieval.Hit) ([]retrieval.Passage, error)
}

// Options are the parts of a graph. Search and Check are required.
type Options struct {
	Search       Searcher
	Check        Checker
	LLM          model.BaseChatModel // nil: every answer is extractive
	Meaning      Meaning             // nil: sentences are not held against the evidence
	Review       Reviewer            // nil: drafts are not reviewed, and written once
	Reader       Reader              // nil: extractive answers quote the first articles
	Follow       Follower            // nil: references are not followed
	Conversation Conversation        // makes questions stand alone; the zero one by their words
	Floor        float64             // similarity below which no hit bears on the question; 0 = every hit does
	MaxTokens    int                 // bound of a draft; 0 = 700
	Rounds       int                 // drafts written at most; 0 = 2
	Budget       int                 // tokens of the language model after which no round begins; 0 = 24,000
	Now          func() time.Time    // nil: the clock
}

const (
	defaultMaxTokens = 700
	defaultRounds    = 2
	defaultBudget    = 24_000
	maxEvidence      = 5 // units that a draft is written from (LegRAG: K = 5)
)

// Graph answers questions. It is safe for concurrent use.
type Graph struct {
	o   Options
	run compose.Runnable[*job, *job]
}

// job is one question on its way through the graph.
type job struct {
	request    Request
	emit       func(Event)
	query      string // what is searched for
	standing   Standing
	happened   statute.Date // the past day that the question speaks of, 0 for none
	result     *retrieval.Result
	evidence   []retrieval.Hit     // of this round
	passages   []retrieval.Passage // of the evidence, best first
	told       string              // the rules of the prompt that the draft was asked for with
	draft      string
	cut        bool // it had no more room
	cleaned    int  // clauses taken out of it that no answer has: links, names of tools, the prompt's words
	uncompared bool // an encoder was to compare it with the evidence, and could not
	kind       Kind
	notes      []string // about the whole answer
	usage      Usage
	rounds     int             // drafts written
	began      time.Time       // of this round
	lasted     time.Duration   // of the longest round
	objections []string        // to the draft
	missing    []string        // queries for what it lacks
	looked     bool            // a search in the words of statutes was made
	overlooked []retrieval.Hit // what it found that no draft has seen
	removed    []string        // passages of all drafts that did not pass
	fallen     []verify.Finding
	best       *attempt
	next       string  // the node that follows
	inline     *inline // of an answer whose text has left already
	answer     *Answer
}

// New compiles the graph.
func New(ctx context.Context, o Options) (*Graph, error) {
	if o.MaxTokens == 0 {
		o.MaxTokens = defaultMaxTokens
	}
	if o.Rounds == 0 {
		o.Rounds = defaultRounds
	}
	if o.Budget == 0 {
		o.Budget = defaultBudget
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	g := &Graph{o: o}
	cg := compose.NewGraph[*job, *job]()
	var errs []error
	add := func(err error) { errs = append(errs, err) }
	node := func(name string, step Step, fn func(context.Context, *job) (string, error)) {
		add(cg.AddLambdaNode(name, compose.InvokableLambda(reported(step, fn)), compose.WithNodeName(name)))
	}
	branch := func(from string, ends ...string) {
		allowed := map[string]bool{}
		for _, e := range ends {
			allowed[e] = true
		}
		add(cg.AddBranch(from, compose.NewGraphBranch(func(_ context.Context, j *job) (string, error) { return j.next, nil }, allowed)))
	}
	node("understand", Understand, g.understand)
	node("retrieve", Retrieve, g.retrieve)
	node("draft", Draft, g.write)
	node("extract", Draft, g.quote)
	node("abstain", Draft, g.abstain)
	node("verify", Verify, g.verify)
	node("supplement", Supplement, g.supplement)
	add(cg.AddLambdaNode("settle", compose.InvokableLambda(settle), compose.WithNodeName("settle")))
	add(cg.AddEdge(compose.START, "understand"))
	branch("understand", "retrieve", "settle")
	branch("retrieve", "draft", "extract", "abstain")
	branch("draft", "verify", "supplement", "extract", "abstain", "settle")
	add(cg.AddEdge("extract", "verify"))
	add(cg.AddEdge("abstain", "verify"))
	branch("verify", "draft", "supplement", "extract", "settle")
	branch("supplement", "draft", "settle")
	add(cg.AddEdge("settle", compose.END))
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("build the answer graph: %w", err)
	}
	run, err := cg.Compile(ctx, compose.WithGraphName("answer"), compose.WithMaxRunSteps(8+3*o.Rounds))
	if err != nil {
		return nil, fmt.Errorf("compile the answer graph: %w", err)
	}
	g.run = run
	return g, nil
}

// reported wraps a step so that its begin, end and outcome are events.
func reported(step Step, fn func(context.Context, *job) (string, error)) func(context.Context, *job) (*job, error) {
	return func(ctx context.Context, j *job) (*job, error) {
		j.emit(StepStarted{Step: step})
		start := time.Now()
		note, err := fn(ctx, j)
		if err != nil {
			return nil, err
		}
		j.emit(StepDone{Step: step, MS: float64(time.Since(start).Microseconds()) / 1000, Note: note})
		return j, nil
	}
}

// Answer answers one question. Events are emitted in order, on the caller's
// goroutine; emit may be nil. An error means that there is no answer at all: the
// question can't be meant (*retrieval.InputError), the context is done, or the
// book or the index failed. A language model that fails is no error: the answer
// is extractive then and says so.
func (g *Graph) Answer(ctx context.Context, r Request, emit func(Event)) (*Answer, error) {
	if emit == nil {
		emit = func(Event) {}
	}
	j, err := g.invoke(ctx, r, emit)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	a := j.answer
	rest := a.Text
	if j.inline != nil {
		rest = strings.TrimPrefix(rest, j.inline.sent.String())
	}
	for _, piece := range pieces(rest) {
		emit(Text{Text: piece})
	}
	emit(Done{Answer: a})
	return a, nil
}

// invoke runs the graph, whose nodes may run on goroutines of Eino's, and emits
// their events on the caller's.
func (g *Graph) invoke(ctx context.Context, r Request, emit func(Event)) (j *job, err error) {
	events := make(chan Event)
	go func() {
		defer close(events)
		j, err = g.run.Invoke(ctx, &job{request: r, notes: []string{}, emit: func(e Event) { events <- e }})
	}()
	for e := range events {
		emit(e)
	}
	return j, err
}
