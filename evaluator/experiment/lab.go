package experiment

import (
	"context"
	"errors"

	"github.com/cloudwego/eino/components/model"

	"lexagent/evaluator/answers"
	"lexagent/graph"
	"lexagent/index"
	"lexagent/retrieval"
)

// Lab is a corpus with all that searches it and answers from it, opened for the
// systems of an experiment. The funcs are the caller's.
type Lab struct {
	Corpus string // digest of what is searched
	Search Searcher
	Book   answers.Book
	Words  func(text string) []string // cuts a text into words, for measures

	// Ready says why a search can't be run here as it stands: no vectors, no
	// language model. nil = it can.
	Ready func(q retrieval.Query) error
	// Config is what decides the results of a search, for its meta file.
	Config func(q retrieval.Query) map[string]any
	// Likelihood makes a search by query likelihood over the same units. nil: the
	// store can't tell what that needs.
	Likelihood func(ctx context.Context, mu float64) (search func(text string, k int) []index.Hit, err error)

	// Generator opens a language model; an empty one is the configured. Its error
	// wraps ErrUnready where there is none.
	Generator func(ctx context.Context, g Generator) (*LLM, error)
	// Graph makes the answer graph with a language model; nil = without.
	Graph func(ctx context.Context, llm *LLM) (Answerer, error)
	// Tools makes the loop in which a language model calls tools.
	Tools func(ctx context.Context, llm *LLM) (Answerer, error)

	// Holds tells of an article, by an id or by law and label (dataset.Name), whether
	// the corpus has it.
	Holds func(ctx context.Context) (func(key string) bool, error)

	Close func() error
}

// LLM is a language model that is open.
type LLM struct {
	Name string
	Chat model.BaseChatModel
	Ask  retrieval.Asker // with the replies that are kept
}

// Answerer answers questions; *graph.Graph and *agent.Loop are some.
type Answerer interface {
	Answer(ctx context.Context, r graph.Request, emit func(graph.Event)) (*graph.Answer, error)
}

// ErrUnready is wrapped by errors that say why a row or a data set can't be run
// here; the others go on.
var ErrUnready = errors.New("not here")

// Parts name what a lab is made of; empty ones are the configured.
type Parts struct {
	Data     string // folder of the book and the index
	Encoder  string // folder of the encoder
	Reranker string // folder of a cross-encoder
}

// labs opens each lab once.
type labs struct {
	open   func(ctx context.Context, p Parts) (*Lab, error)
	opened map[Parts]opened
}

type opened struct {
	lab *Lab
	err error
}

func (l *labs) get(ctx context.Context, p Parts) (*Lab, error) {
	o, ok := l.opened[p]
	if !ok {
		o.lab, o.err = l.open(ctx, p)
		l.opened[p] = o
	}
	return o.lab, o.err
}

func (l *labs) close() error {
	var errs []error
	for _, o := range l.opened {
		if o.lab != nil {
			errs = append(errs, o.lab.Close())
		}
	}
	return errors.Join(errs...)
}
