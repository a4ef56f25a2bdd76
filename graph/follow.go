package graph

import (
	"context"
	"fmt"
	"slices"

	"lexagent/retrieval"
)

// Follower finds the articles that an article refers to (依照第N条).
type Follower interface {
	// Cited returns the units that a unit cites and a reader of the scope may see, in
	// the order of the text.
	Cited(ctx context.Context, unit string, scope retrieval.Scope) ([]retrieval.Hit, error)
}

// Bounds of what is followed: one hop, from the best units only.
const (
	followFrom = 2
	followed   = 2
)

// follow brings the articles that the best units refer to, in the last seats.
func (g *Graph) follow(ctx context.Context, j *job) error {
	if g.o.Follow == nil || !j.request.Follow {
		return nil
	}
	var targets []retrieval.Hit
	for i := range j.evidence[:min(len(j.evidence), followFrom)] {
		cited, err := g.o.Follow.Cited(ctx, j.evidence[i].ID, j.request.Scope)
		if err != nil {
			return fmt.Errorf("follow the references of %s: %w", j.evidence[i].ID, err)
		}
		for _, h := range cited {
			there := func(o retrieval.Hit) bool { return o.ID == h.ID }
			if len(targets) < followed && !slices.ContainsFunc(j.evidence, there) && !slices.ContainsFunc(targets, there) {
				targets = append(targets, h)
			}
		}
	}
	j.evidence = append(j.evidence[:min(len(j.evidence), maxEvidence-len(targets))], targets...)
	kept := j.passages[:0:0]
	for _, p := range j.passages {
		if p.Hit < len(j.evidence)-len(targets) {
			kept = append(kept, p)
		}
	}
	j.passages = kept
	return nil
}
