package retrieval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/prompts"
	"lexagent/statute"
)

// Mode names a way to search.
type Mode string

// The modes.
const (
	BM25   Mode = "bm25"   // words and bigrams
	Dense  Mode = "dense"  // encoder vectors
	Hybrid Mode = "hybrid" // both, fused
	Fast   Mode = "fast"   // both, ordered by the learned ranker: LexPath without a language model

	// LexPath expands the question, and reranks by intent, with a language model.
	LexPath Mode = "lexpath"
)

// Modes lists the modes in the order in which help texts name them.
var Modes = []Mode{BM25, Dense, Hybrid, Fast, LexPath}

// ranked reports whether a mode reorders what its paths found.
func (m Mode) ranked() bool { return m == Fast || m == LexPath }

// Granularity says what is searched for (LegRAG's two paths).
type Granularity string

// The granularities.
const (
	Articles Granularity = "article" // whole articles and other units
	Chunks   Granularity = "chunk"   // consecutive articles of a section
	Dual     Granularity = "dual"    // both; a chunk and a unit of it take one seat
)

// Granularities lists them in the order in which help texts name them.
var Granularities = []Granularity{Articles, Chunks, Dual}

// Bounds of a query. A question longer than MaxQuestion characters is refused,
// not cut: what was cut might be what matters.
const (
	MaxQuestion = 20_000
	MaxHits     = 1_000
	DefaultHits = 5
	DefaultPool = 20
)

// Query is one search. The zero value of each field but Text is its default.
type Query struct {
	Text    string
	Mode    Mode        // default Engine.Best
	By      Granularity // default Articles
	K       int         // hits wanted; default 5
	Pool    int         // candidates that are fused; default 20, at least K
	Fusion  Fusion      // default LexPath's
	Scope   Scope
	Explain bool // hits carry their scores by stage
	Whole   bool // a chunk gives its seat to the whole units that it holds, so that there may be more than K hits

	Expand  Expansion // of the words; default IRAC in the mode LexPath, else none
	Lambda  *Lambda   // weights of LexPath's rerank score; default those of DefaultPreset
	Without []Stage   // stages to leave out

	Neighbours Neighbours // in the citation graph, that may enter the pool of the modes Hybrid, Fast and LexPath; default none
}

// Scope limits what a search may find.
type Scope struct {
	AsOf        AsOf
	Levels      []statute.Level // any of these; none = all
	Laws        []string        // law ids; none = all
	Region      string          // national law and this region's; "" = all
	Collections []string        // default "public"
}

// Visible returns the collections that the scope lets in: those it names, or else
// the default one.
func (s *Scope) Visible() []string {
	if len(s.Collections) == 0 {
		return []string{DefaultCollection}
	}
	return s.Collections
}

// AsOf is the day whose law is asked for. The zero value is today.
type AsOf struct {
	Day statute.Date
	Any bool // every version of every law, as experiments need
}

// ParseAsOf reads a date, "any", or "" for today.
func ParseAsOf(s string) (AsOf, error) {
	if s == "any" {
		return AsOf{Any: true}, nil
	}
	d, err := statute.ParseDate(s)
	if err != nil {
		return AsOf{}, &InputError{Param: "as_of", Problem: fmt.Sprintf("%q is neither a date like 2021-01-01 nor \"any\"", s)}
	}
	return AsOf{Day: d}, nil
}

// On returns the day itself, with today in the place of none.
func (a AsOf) On(now time.Time) statute.Date {
	if a.Day.IsZero() {
		return statute.DateOf(now)
	}
	return a.Day
}

// Result is what a search found.
type Result struct {
	Hits   []Hit `json:"hits"`
	Mode   Mode  `json:"mode"`   // the mode that ran, which may be less than was asked for
	Direct bool  `json:"direct"` // the question named articles, and they lead the list
	Named  int   `json:"named"`  // how many of them do
	Absent bool  `json:"absent"` // it named an article that is not there
	// Everyday is set where the question is put as questions of everyday life are, and
	// not of law: what is only somewhat near does not answer it.
	Everyday bool `json:"everyday,omitempty"`

	Regions []string           `json:"regions"` // places whose local law was searched beside national law; null = every place's
	Notes   []string           `json:"notes"`   // what the asker should know, in Chinese
	Stages  map[string]float64 `json:"stage_ms"`

	// What a language model told; absent where none was asked.
	QueryIntent prompts.Intent `json:"query_intent,omitempty"`
	Expansion   *Expanded      `json:"expansion,omitempty"`
	LLM         *LLMUse        `json:"llm,omitempty"`
}

// InputError is returned for a query that can't be run as it stands. Its text is
// one sentence for the person who asked.
type InputError struct {
	Param   string // the field that is wrong
	Problem string
}

func (e *InputError) Error() string { return e.Problem }

// Check reports what Search would refuse about the query, whatever its text.
func (q Query) Check() error {
	q.Text = "?"
	_, err := q.normalise()
	return err
}

// Asks is how often a search asks a language model that has not replied before, and
// gives no reply that is refused.
func (q Query) Asks() int {
	q.Text = "?"
	q, err := q.normalise()
	if err != nil {
		return 0
	}
	calls := 0
	switch q.Expand {
	case NoExpansion:
	case IRAC:
		calls = 2
	default:
		calls = 1
	}
	if q.Mode == LexPath && !q.without(Rerank) && !q.without(IntentScore) && q.Lambda.Intent > 0 {
		calls++
	}
	return calls
}

// normalise fills in defaults and refuses what can't be meant.
func (q Query) normalise() (Query, error) {
	q.Text = strings.TrimSpace(strings.ToValidUTF8(q.Text, "\uFFFD"))
	if q.Text == "" {
		return q, &InputError{"question", "the question is empty"}
	}
	if n := utf8.RuneCountInString(q.Text); n > MaxQuestion {
		return q, &InputError{"question", fmt.Sprintf("the question has %d characters; at most %d are allowed", n, MaxQuestion)}
	}
	if !slices.Contains(Modes, q.Mode) {
		return q, &InputError{"mode", fmt.Sprintf("there is no mode %q: use %s", q.Mode, list(Modes))}
	}
	if q.By == "" {
		q.By = Articles
	}
	if !slices.Contains(Granularities, q.By) {
		return q, &InputError{"granularity", fmt.Sprintf("there is no granularity %q: use %s", q.By, list(Granularities))}
	}
	if q.K == 0 {
		q.K = DefaultHits
	}
	if q.K < 0 || q.K > MaxHits {
		return q, &InputError{"k", fmt.Sprintf("k is %d; it must be 1 to %d", q.K, MaxHits)}
	}
	if q.Pool == 0 {
		q.Pool = DefaultPool
	}
	if q.Pool < 0 || q.Pool > MaxHits {
		return q, &InputError{"pool", fmt.Sprintf("pool is %d; it must be 1 to %d", q.Pool, MaxHits)}
	}
	q.Pool = max(q.Pool, q.K)
	for _, l := range q.Scope.Levels {
		if _, err := statute.ParseLevel(int(l)); err != nil {
			return q, &InputError{"levels", err.Error()}
		}
	}
	if q.Lambda == nil {
		l := presets[DefaultPreset].Lambda
		q.Lambda = &l
	}
	if err := errors.Join(q.checkWithout(), q.checkExpand(), q.Lambda.check(), q.Neighbours.check()); err != nil {
		return q, err
	}
	q.Scope.Collections = q.Scope.Visible()
	return q, q.Fusion.check()
}

// list is names with commas between.
func list[T ~string](names []T) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = string(n)
	}
	return strings.Join(parts, ", ")
}

// DefaultCollection is the collection that a scope without any means.
const DefaultCollection = book.DefaultCollection
