package embedded

import (
	"context"

	"lexagent/index"
	"lexagent/statute"
)

// Likelihood makes the ranking by query likelihood over the units of the generation,
// in memory.
func (s *Store) Likelihood(ctx context.Context, mu float64) (*index.Likelihood, error) {
	l := index.NewLikelihood(s.manifest, mu)
	err := s.Rows(ctx, 0, func(_ int, r *Row) error {
		if r.Doc.Kind != statute.Chunk {
			l.Add(r.Doc.ID, r.Sparse)
		}
		return nil
	})
	return l, err
}
