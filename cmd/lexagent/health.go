package main

import (
	"context"
	"sync/atomic"

	"lexagent/retrieval"
	"lexagent/server"
)

// health tells the server how ready the system is.
type health struct {
	system *system
	llm    string // name of the language model, "" = none
	store  string // where the index is
	ready  atomic.Bool
}

// Ready implements server.Health.
func (h *health) Ready(ctx context.Context) server.Readiness {
	r := server.Readiness{BM25: h.ready.Load(), LLM: h.llm, Notes: []string{}}
	done, total := vectorsFor(h.system, retrieval.Articles)
	if total > 0 {
		r.Dense = float64(done) / float64(total)
	}
	r.DenseReady = h.system.encoder != nil && done == total
	if h.system.encoder == nil {
		r.Dense = -1 // none are being made
		r.Notes = append(r.Notes, "no encoder: searching by words only")
	}
	size, err := h.system.book.Size(ctx)
	if err != nil {
		r.BM25 = false
		r.Notes = append(r.Notes, "the statute book can't be read")
		return r
	}
	r.Articles, r.Laws = size.Units, size.Laws
	return r
}

var _ server.Health = (*health)(nil)
