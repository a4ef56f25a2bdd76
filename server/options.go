package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"runtime"
	"time"

	"lexagent/graph"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/server/access"
	"lexagent/state"
	"lexagent/statute"
	"lexagent/tools"
)

// Answerer answers one question.
type Answerer interface {
	// Answer calls emit for each event in order, on the caller's goroutine. The
	// Text events together are the answer's Text. It returns soon after ctx ends.
	Answer(ctx context.Context, r graph.Request, emit func(graph.Event)) (*graph.Answer, error)
}

// Searcher finds units of the statute book.
type Searcher interface {
	Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error)
}

// Statutes is the statute book; *book.Book is one. What is not there is an error
// that wraps Options.NotFound. Callers do not change what they are given.
type Statutes interface {
	Laws
	Units
}

// Laws reads the book's laws.
type Laws interface {
	Law(collections []string, id string, day statute.Date) (*statute.Law, error)
	Laws(collections []string) []*statute.Law
}

// Units reads what laws consist of.
type Units interface {
	Unit(ctx context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error)
	Units(ctx context.Context, l *statute.Law) ([]statute.Unit, error)
	Intents(ctx context.Context, collection, law, unit string) (prompts.Odds, error) // what a unit is for; zeros = nobody has told
}

// Health tells how ready the system is. It is asked often and must be quick.
type Health interface {
	Ready(ctx context.Context) Readiness
}

// Readiness is the state of what the server depends on.
type Readiness struct {
	BM25       bool     // searches by words are answered
	Dense      float64  // share of the vectors that are made, 0 to 1; below 0 = none are being made
	DenseReady bool     // searches by vectors are answered
	LLM        string   // the language model in use, "" = none
	Articles   int      // units in the book
	Laws       int      // versions of laws in the book
	Notes      []string // what an operator should know

	Dependencies map[string]string // other services: "ready", "down" or what they are
}

// Options configure a Server. The ports are required; the zero value of every
// other field is its default.
type Options struct {
	Answerer Answerer
	Agent    Answerer // answers by calling tools; nil: there is no model lexagent-agent
	Searcher Searcher
	Statutes Statutes
	Health   Health
	Checker  Checker    // nil: POST /v1/check is not there
	Tools    *tools.Kit // nil: /mcp is not there

	State         state.Store   // conversations, rates and caches; nil = in this process
	CacheSearches time.Duration // how long the results of searches are kept; 0 = they are not
	Retention     time.Duration // how long a conversation is kept after its last turn; default 30 days

	Judge   Judge // nil: POST /v1/judge is not there
	Reports fs.FS // folder with a folder for each report of an experiment; nil: none are shown

	Documents Documents // nil: documents can't be uploaded
	Relations Relations // nil: versions and citations of articles are not told

	Audit      Journal       // a record of each answer (Audit); nil: none is kept
	Feedback   Journal       // what readers say of answers (Feedback); nil: POST /v1/feedback is not there
	Generation func() string // name of the index in use, for the records; nil = ""
	LLM        string        // name of the language model, for the records
	Disclaimer string        // line that ends the content of every answer; "" = none

	Keys    *access.Keys // who may ask; nil, or none in it: everybody, and then only on this machine unless Open
	Open    bool         // everybody may ask, also from other machines, where there are no keys
	Origins []string     // of foreign pages that may ask, such as https://desk.example; none = no page but our own
	Hosts   []string     // names by which a server on this machine may be called, beside localhost's; for a proxy in front

	RequestsPerMinute int // of one key, or of one address where there are no keys; 0 = no limit. A key may have its own
	TokensPerDay      int // likewise, of the language model

	NotFound    error   // what errors of Statutes wrap when something is not there; nil = nothing is ever "not found"
	Unavailable []error // errors that mean "try again later": answered with 503

	Addr      string // host:port; default 127.0.0.1:8080, port 0 = any free one
	Version   string // shown by /healthz and the page
	PublicURL string // where readers reach the page; default: the host they asked, by http

	MaxBody       int           // bytes of a request's body; default 2 MiB
	MaxUpload     int           // bytes of an upload; default 32 MiB
	MaxAnswers    int           // answers made at the same time; default 200
	MaxSearches   int           // searches and checks at the same time; default two for each processor, at least 4
	Queue         int           // requests of a class that may wait for their turn, more get 503; default 256, below 0 = none
	Patience      time.Duration // the longest wait for it; default 5 s
	AnswerTimeout time.Duration // for one answer, then 504; default 3 minutes
	ReadTimeout   time.Duration // for a request to arrive, for a search or look-up, and for one write; default 30 s
	IdleTimeout   time.Duration // a connection without requests; default 2 minutes
	ShutdownGrace time.Duration // what answers in flight get when Run's context ends; default 10 s
	Heartbeat     time.Duration // a stream's longest silence; default 10 s
	ResumeWithin  time.Duration // how long a resumable stream goes on without a reader; default 15 s

	Logger *slog.Logger     // default slog.Default()
	Now    func() time.Time // default time.Now
}

const (
	defaultAddr      = "127.0.0.1:8080"
	defaultMaxBody   = 2 << 20
	defaultUpload    = 32 << 20
	defaultRetention = 30 * 24 * time.Hour
	defaultAnswers   = 200
	defaultQueue     = 256
)

// withDefaults fills in what is not set and refuses what can't be served with.
func (o Options) withDefaults() (Options, error) {
	if o.Answerer == nil || o.Searcher == nil || o.Statutes == nil || o.Health == nil {
		return o, errors.New("server: Answerer, Searcher, Statutes and Health are required")
	}
	if o.Addr == "" {
		o.Addr = defaultAddr
	}
	if _, _, err := net.SplitHostPort(o.Addr); err != nil {
		return o, fmt.Errorf("%q is not an address like %s: %w", o.Addr, defaultAddr, err)
	}
	if o.MaxBody < 0 || o.MaxAnswers < 0 || o.MaxSearches < 0 {
		return o, errors.New("server: MaxBody, MaxAnswers and MaxSearches must not be negative")
	}
	setDefault(&o.MaxBody, defaultMaxBody)
	setDefault(&o.MaxUpload, defaultUpload)
	setDefault(&o.MaxAnswers, defaultAnswers)
	setDefault(&o.MaxSearches, max(2*runtime.GOMAXPROCS(0), 4))
	setDefault(&o.Queue, defaultQueue)
	setDefault(&o.Patience, 5*time.Second)
	setDefault(&o.AnswerTimeout, 3*time.Minute)
	setDefault(&o.ReadTimeout, 30*time.Second)
	setDefault(&o.IdleTimeout, 2*time.Minute)
	setDefault(&o.ShutdownGrace, 10*time.Second)
	setDefault(&o.Heartbeat, 10*time.Second)
	setDefault(&o.ResumeWithin, 15*time.Second)
	setDefault(&o.Retention, defaultRetention)
	if o.State == nil {
		o.State = state.NewMemory(nil)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

func setDefault[T comparable](v *T, fallback T) {
	var zero T
	if *v == zero {
		*v = fallback
	}
}
