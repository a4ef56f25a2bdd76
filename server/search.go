package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/retrieval"
	"lexagent/state"
	"lexagent/statute"
)

// searchRequest is the body of POST /v1/search. The zero value of each field but
// Question is its default.
type searchRequest struct {
	Question string           `json:"question"`
	K        int              `json:"k"`
	Pool     int              `json:"pool"`
	Fusion   retrieval.Method `json:"fusion"`
	Alpha    *float64         `json:"alpha"`
	Laws     []string         `json:"laws"`
	Explain  bool             `json:"explain"`
	scopeFields
}

// query checks the fields that the engine does not.
func (r *searchRequest) query() (retrieval.Query, error) {
	sc, err := r.scope()
	if err != nil {
		return retrieval.Query{}, err
	}
	if r.Question == "" {
		return retrieval.Query{}, badParam("question", "the question is empty")
	}
	sc.Laws = r.Laws
	return retrieval.Query{
		Text: r.Question, Mode: sc.mode, By: sc.by, K: r.K, Pool: r.Pool, Scope: sc.Scope, Explain: r.Explain,
		Fusion: retrieval.Fusion{Method: r.Fusion, Alpha: r.Alpha},
	}, checkNames("laws", r.Laws)
}

// search answers POST /v1/search with a retrieval.Result.
func (s *Server) search(c context.Context, ctx *app.RequestContext) error {
	var r searchRequest
	if err := readJSON(ctx, &r); err != nil {
		return err
	}
	q, err := r.query()
	if err != nil {
		return err
	}
	if q.Scope.Collections, err = visible(ctx, r.Collections); err != nil {
		return err
	}
	c, cancel := context.WithTimeout(c, s.o.ReadTimeout)
	defer cancel()
	result, found, err := s.searched(c, q)
	if err != nil {
		return err
	}
	if s.live().CacheSearches > 0 {
		outcome := "miss"
		if found {
			outcome = "hit"
		}
		s.metrics.cached.WithLabelValues("search", outcome).Inc()
	}
	echo, err := encode(echoOf(q.Scope, q.Mode, q.By, s.o.Now()))
	if err != nil {
		return err
	}
	body := slices.Concat(bytes.TrimSuffix(result, []byte("}")), []byte(`,"lexagent":`), echo, []byte("}"))
	ctx.Data(200, "application/json; charset=utf-8", body)
	return nil
}

// searched returns the result of a search as JSON, from the cache where it is there.
// Who asks at the same time for the same waits for one who searches.
func (s *Server) searched(c context.Context, q retrieval.Query) (result []byte, found bool, err error) {
	run := func(c context.Context) ([]byte, time.Duration, error) {
		leave, err := s.enter(c, s.searches)
		if err != nil {
			return nil, 0, err
		}
		defer leave()
		res, err := s.o.Searcher.Search(c, q)
		if err != nil {
			return nil, 0, err
		}
		for stage, ms := range res.Stages {
			s.metrics.stage.WithLabelValues("search." + stage).Observe(ms / 1000)
		}
		out := *res
		out.Hits, out.Notes = list(out.Hits), list(out.Notes)
		keep := s.live().CacheSearches
		if len(res.Notes) > 0 {
			keep = 0 // it may say that something failed, or was not ready
		}
		b, err := encode(&out)
		return b, keep, err
	}
	if s.live().CacheSearches == 0 {
		result, _, err = run(c)
		return result, false, err
	}
	key, err := s.searchKey(c, q)
	if err != nil {
		return nil, false, err
	}
	return state.Once(c, s.o.State, key, run)
}

// searchKey is what the result of a search depends on, as a digest: the question,
// what it may find and how, the day, the index, and how far its vectors are.
func (s *Server) searchKey(c context.Context, q retrieval.Query) (string, error) {
	generation := ""
	if s.o.Generation != nil {
		generation = s.o.Generation()
	}
	r := s.o.Health.Ready(c)
	b, err := encode([]any{q, statute.DateOf(s.o.Now()), generation, r.DenseReady, r.Dense, s.o.Version, s.o.LLM})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return "search:" + hex.EncodeToString(sum[:]), nil
}
