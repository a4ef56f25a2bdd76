package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lexagent/evaluator/batch"
	"lexagent/prompts"
	"lexagent/retrieval"
)

// Searcher searches; *retrieval.Engine is one.
type Searcher interface {
	Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error)
}

// Line is one line of a run file.
type Line struct {
	ID      string             `json:"id"`
	Hits    []retrieval.Hit    `json:"hits"`
	MS      float64            `json:"ms"`
	Mode    retrieval.Mode     `json:"mode,omitempty"`
	StageMS map[string]float64 `json:"stage_ms,omitempty"`
	Error   string             `json:"error,omitempty"` // a question that can't be searched for

	QueryIntent prompts.Intent      `json:"query_intent,omitempty"`
	Expansion   *retrieval.Expanded `json:"expansion,omitempty"`
	LLM         *retrieval.LLMUse   `json:"llm,omitempty"`
}

// SearchLine searches for one question of a batch. A question that can't be
// searched for makes a line without hits, so that it counts as found nothing; what
// would mix modes in one run is an error.
func SearchLine(ctx context.Context, s Searcher, q retrieval.Query, item batch.Question) (*Line, error) {
	q.Text = item.Question
	start := time.Now()
	res, err := s.Search(ctx, q)
	var input *retrieval.InputError
	if errors.As(err, &input) && input.Param == "question" {
		return &Line{ID: item.ID, Hits: []retrieval.Hit{}, MS: since(start), Error: input.Problem}, nil
	}
	if err != nil {
		return nil, err
	}
	if res.Mode != q.Mode {
		return nil, fmt.Errorf("a run must not mix modes, and %s is not possible now: %s", q.Mode, strings.Join(res.Notes, " "))
	}
	if res.LLM != nil && res.LLM.Failed > 0 {
		return nil, fmt.Errorf("a run must not mix questions with and without the language model: %s", strings.Join(res.Notes, " "))
	}
	line := &Line{ID: item.ID, Hits: res.Hits, MS: since(start), LLM: res.LLM}
	if q.Explain {
		line.Mode, line.StageMS = res.Mode, res.Stages
		line.QueryIntent, line.Expansion = res.QueryIntent, res.Expansion
	}
	return line, nil
}

// since is the time from start in milliseconds, to three places.
func since(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }

// SearchConfig is what decides the results of a run, for its meta file.
func SearchConfig(q retrieval.Query, encoder, llm string) map[string]any {
	out := map[string]any{
		"mode": q.Mode, "granularity": q.By, "k": q.K, "pool": q.Pool, "fusion": q.Fusion.Method, "alpha": *q.Fusion.Alpha, "without": q.Without,
		"as_of": q.Scope.AsOf, "levels": q.Scope.Levels, "region": q.Scope.Region, "collections": q.Scope.Collections,
		"explain": q.Explain, "encoder": encoder,
	}
	if q.Mode == retrieval.LexPath || q.Expand != "" {
		out["expand"], out["lambda"], out["llm"] = q.Expand, q.Lambda, llm
	}
	if q.Neighbours.Of > 0 {
		out["neighbours"] = q.Neighbours
	}
	return out
}
