package main

import (
	"context"
	"sync/atomic"

	"lexagent/ingest"
	"lexagent/retrieval"
	"lexagent/server"
)

// health tells the server how ready the system is.
type health struct {
	system *system
	llm    string // name of the language model, "" = none
	store  string // where the index is
	data   string // folder of the book
	ready  atomic.Bool
}

// Ready implements server.Health.
func (h *health) Ready(ctx context.Context) server.Readiness {
	r := server.Readiness{BM25: h.ready.Load(), LLM: h.llm, Notes: []string{}}
	if h.store == storeMilvus {
		r.Dependencies = map[string]string{"milvus": "down"}
		if r.BM25 {
			r.Dependencies["milvus"] = "ready"
		}
	}
	done, total := vectorsFor(h.system, retrieval.Articles)
	switch e := h.system.encoder; {
	case e == nil:
		r.Dense = -1 // none are being made
		r.Notes = append(r.Notes, "no encoder: searching by words only")
	case e.Digest() == "":
		r.Notes = append(r.Notes, "the embedding endpoint has not answered yet: searching by words only")
		r.Dense = float64(done) / float64(max(total, 1))
	case done > 0 && h.system.live.Current().VectorEncoder() != e.Digest():
		r.Notes = append(r.Notes, "the vectors in the index are not of the encoder "+e.Name())
		if done, total = ingest.Building(h.data, e); total > 0 {
			r.Dense = float64(done) / float64(total)
		}
	default:
		r.Dense = float64(done) / float64(max(total, 1))
		r.DenseReady = done == total
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
