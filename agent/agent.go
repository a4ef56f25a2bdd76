package agent

import (
	"context"
	"time"

	"lexagent/graph"
)

// DefaultDeadline bounds one answer: a small local model writes slowly.
const DefaultDeadline = 3 * time.Minute

// maxHistory is how many earlier turns are kept.
const maxHistory = 20

// Agent answers questions within a deadline. It is safe for concurrent use.
type Agent struct {
	Graph    *graph.Graph
	Deadline time.Duration // of one answer; 0 = DefaultDeadline
}

// Answer answers one question, with the latest turns of its history. Events come
// in order, on the caller's goroutine; emit may be nil.
func (a *Agent) Answer(ctx context.Context, r graph.Request, emit func(graph.Event)) (*graph.Answer, error) {
	deadline := a.Deadline
	if deadline == 0 {
		deadline = DefaultDeadline
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	r.History = r.History[max(0, len(r.History)-maxHistory):]
	return a.Graph.Answer(ctx, r, emit)
}
