package server_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lexagent/retrieval"
	"lexagent/server"
	"lexagent/state/redistest"
)

// counted counts the searches that are made; a question with 说明 gets a note.
type counted struct {
	*shelf
	n atomic.Int32
}

func (s *counted) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	s.n.Add(1)
	time.Sleep(20 * time.Millisecond)
	r, err := s.shelf.Search(ctx, q)
	if err == nil && !strings.Contains(q.Text, "说明") {
		r.Notes = nil
	}
	return r, err
}

// Replicas search once for who asks the same, at the same time or soon after; another
// question or scope is another search, and what failed or has a note is not kept.
func TestSearchCache(t *testing.T) {
	r := redistest.Start(t)
	spy := &counted{shelf: newShelf()}
	use := func(o *server.Options) {
		o.Searcher, o.CacheSearches, o.Generation = spy, time.Minute, func() string { return "g-1" }
	}
	one, two := serve(t, redisOf(t, r), use), serve(t, redisOf(t, r), use)
	var wait sync.WaitGroup
	bodies := make([]string, 8)
	for i := range bodies {
		wait.Go(func() { _, bodies[i] = []*site{one, two}[i%2].do("POST", "/v1/search", searchBody) })
	}
	wait.Wait()
	for _, b := range bodies {
		if b != bodies[0] || !strings.Contains(b, `"hits":[{`) || !strings.HasSuffix(b, `"lexagent":{"as_of":"2026-01-02","collections":["public"]}}`) {
			t.Errorf("%s", b)
		}
	}
	made := func(want int32, what string, times int, body string) {
		t.Helper()
		before := spy.n.Load()
		for range times {
			one.do("POST", "/v1/search", body)
		}
		if n := spy.n.Load() - before; n != want {
			t.Errorf("%s: %d searches", what, n)
		}
	}
	if n := spy.n.Load(); n != 1 {
		t.Errorf("%d searches for one question", n)
	}
	made(0, "the same again", 2, searchBody)
	made(1, "another collection", 2, `{"question":"离婚","collections":["firm"]}`)
	made(1, "another day", 2, `{"question":"离婚","as_of":"2020-01-01"}`)
	made(2, "with a note", 2, `{"question":"离婚说明"}`)
	made(2, "a failure", 2, `{"question":"down"}`)
	if _, text := one.do("GET", "/metrics", ""); !strings.Contains(text, `lexagent_cache_requests_total{cache="search",outcome="hit"}`) {
		t.Error("the metrics do not tell of the cache")
	}
	r.Kill()
	made(2, "without Redis", 2, searchBody)
}
