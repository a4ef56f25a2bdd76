package server

import (
	"context"
	"fmt"
	"maps"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/state"
)

// healthz answers GET /healthz: the process lives.
func (s *Server) healthz(_ context.Context, ctx *app.RequestContext) error {
	return writeJSON(ctx, 200, struct {
		Status  string `json:"status"`
		Version string `json:"version"`
	}{"ok", s.o.Version})
}

// readyz answers GET /readyz: 200 once BM25 answers and until the server stops.
func (s *Server) readyz(c context.Context, ctx *app.RequestContext) error {
	r := s.o.Health.Ready(c)
	ready := r.BM25 && !s.stopping()
	status := 200
	if !ready {
		status = 503
		ctx.Header("Retry-After", "1")
	}
	llm := r.LLM
	if llm == "" {
		llm = "none"
	}
	return writeJSON(ctx, status, struct {
		Ready      bool     `json:"ready"`
		BM25       string   `json:"bm25"`
		Dense      string   `json:"dense"`       // "ready", "building 41 %", or "none" when no vectors are made
		DenseShare float64  `json:"dense_share"` // share of the vectors that are made
		LLM        string   `json:"llm"`
		Articles   int      `json:"articles"`
		Laws       int      `json:"laws"`
		Notes      []string `json:"notes"`
		Version    string   `json:"version"`

		Dependencies map[string]string `json:"dependencies"` // redis, milvus, llm: "none", "ready", "down"; a language model is not called for this
	}{ready, bm25Word(r.BM25), denseWord(r), max(r.Dense, 0), llm, r.Articles, r.Laws, list(r.Notes), s.o.Version, s.dependencies(c, r)})
}

// dependencies tells of the services that this server uses. None of them is needed
// for it to be ready but the one that searches.
func (s *Server) dependencies(c context.Context, r Readiness) map[string]string {
	d := map[string]string{"redis": "none", "milvus": "none", "llm": "none"}
	maps.Copy(d, r.Dependencies)
	if r.LLM != "" {
		d["llm"] = "configured"
	}
	if _, here := s.o.State.(*state.Memory); !here {
		d["redis"] = "ready"
		if s.o.State.Check(c) != nil {
			d["redis"] = "down"
		}
	}
	return d
}

func bm25Word(ready bool) string {
	if ready {
		return "ready"
	}
	return "starting"
}

// denseWord says how far the vectors are. Whole percents are rounded down: 100 %
// is said only of what is there.
func denseWord(r Readiness) string {
	switch {
	case r.DenseReady:
		return "ready"
	case r.Dense < 0:
		return "none"
	}
	return fmt.Sprintf("building %d %%", min(int(r.Dense*100), 99))
}
