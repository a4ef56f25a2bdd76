package graph

import (
	"context"
	"fmt"
	"slices"

	"lexagent/retrieval"
)

// lookedAgain tells that articles were found which no draft has seen yet.
const lookedAgain = "按法条用语再查，有未用到的法条"

// look is the completeness check that needs no reviewer: once an answer, after its first
// draft, it searches for the question together with the words of the statutes that
// govern such questions. What stands among the best then, and was not found before, is what
// the first search overlooked. A model that passes whatever it reads (a small one does) can't
// hide that an article is missing; and most questions get nothing new, so that another
// draft stays the exception.
func (g *Graph) look(ctx context.Context, j *job) error {
	if j.looked || j.named() > 0 {
		return nil
	}
	j.looked = true
	hits, _, err := g.hits(ctx, j, j.query, retrieval.Distilled)
	if err != nil {
		return fmt.Errorf("search in the words of statutes: %w", err)
	}
	seen := slices.Concat(j.result.Hits, j.evidence) // found before, and chosen or left
	j.overlooked = slices.DeleteFunc(slices.Clone(j.unsaid(hits)), func(h retrieval.Hit) bool {
		return slices.ContainsFunc(seen, func(s retrieval.Hit) bool { return s.ID == h.ID })
	})
	return nil
}
