package retrieval

import (
	"context"
	"errors"
	"slices"

	"lexagent/book"
)

// maxWhole bounds how many units a search brings whose chunks give way to them.
const maxWhole = 12

// whole puts the units that a chunk holds in its place, in the order of the text
// and each unit once: an answer rests on whole articles. They have the chunk's score.
func (s *search) whole(ctx context.Context, hits []Hit) ([]Hit, error) {
	out := make([]Hit, 0, maxWhole)
	add := func(h Hit) {
		if len(out) < maxWhole && !slices.ContainsFunc(out, func(o Hit) bool { return o.ID == h.ID }) {
			out = append(out, h)
		}
	}
	for _, h := range hits {
		if len(h.Units) == 0 {
			add(h)
			continue
		}
		for _, id := range h.Units {
			u, l, err := s.engine.Book.Unit(ctx, s.q.Scope.Collections, id, s.day)
			if errors.Is(err, book.ErrNotFound) {
				continue // it left the book since the index was made
			}
			if err != nil {
				return nil, err
			}
			one := s.hit(u, l, candidate{score: h.Score})
			one.Scores = h.Scores
			add(one)
		}
	}
	return out, nil
}
