package main

import (
	"context"
	"runtime"

	"lexagent/graph"
	"lexagent/retrieval"
)

// turns has searches that only compute take turns. Many at the same time are all
// done last; one after the other, the first answers begin while the last still wait.
type turns struct {
	graph.Searcher
	slots chan struct{}
}

func newTurns(s graph.Searcher) turns {
	return turns{s, make(chan struct{}, max(2*runtime.GOMAXPROCS(0), 4))}
}

// Search implements graph.Searcher. LexPath waits for a language model most of its
// time, and so takes no turn from others.
func (t turns) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	if q.Mode != retrieval.LexPath {
		select {
		case t.slots <- struct{}{}:
			defer func() { <-t.slots }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return t.Searcher.Search(ctx, q)
}
