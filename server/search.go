package server

import (
	"context"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/retrieval"
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
	if err := requireJSON(ctx); err != nil {
		return err
	}
	if err := parseJSON(bodyOf(ctx), &r, true); err != nil {
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
	leave, err := s.enter(c, s.searches)
	if err != nil {
		return err
	}
	defer leave()
	res, err := s.o.Searcher.Search(c, q)
	if err != nil {
		return err
	}
	for stage, ms := range res.Stages {
		s.metrics.stage.WithLabelValues("search." + stage).Observe(ms / 1000)
	}
	out := *res
	out.Hits, out.Notes = list(out.Hits), list(out.Notes)
	return writeJSON(ctx, 200, struct {
		retrieval.Result
		Lexagent scopeEcho `json:"lexagent"`
	}{out, echoOf(q.Scope, q.Mode, q.By, s.o.Now())})
}
