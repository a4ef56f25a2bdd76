package retrieval

import (
	"context"
	"errors"
	"strings"

	"lexagent/book"
	"lexagent/index"
)

// fastDepth is how many candidates each path brings for the ranker. It was trained
// on just these, whose ranks and shares it sees: what a longer list needs beyond
// them comes behind, in the order of the fused scores.
const fastDepth = 60

// markDeep notes which candidates are among the first fastDepth of neither path.
func markDeep(found []candidate, paths ...[]index.Hit) {
	near := map[string]bool{}
	for _, hits := range paths {
		for _, h := range hits[:min(len(hits), fastDepth)] {
			near[h.ID] = true
		}
	}
	for i := range found {
		found[i].deep = !near[found[i].id]
	}
}

// rerank orders the candidates of both paths by the learned ranker. It looks at
// what LexPath's formula looks at and at more (Features), and needs no language
// model and no cross-encoder.
func (s *search) rerank(ctx context.Context, found []candidate) ([]candidate, error) {
	if s.q.without(Rerank) || s.engine.Ranker.trees == nil {
		return found, nil
	}
	near, deep := parted(found)
	rows, near, err := s.rows(ctx, near)
	if err != nil {
		return nil, err
	}
	lowest := 0.0
	for i := range near {
		c := &near[i]
		c.score = s.engine.Ranker.trees.score(rows[i])
		c.scores.Rerank = &c.score
		lowest = min(lowest, c.score)
	}
	best(near)
	for i := range deep {
		deep[i].score += lowest - 1 // a fused score is at most 1
	}
	return append(near, deep...), nil
}

// parted are the candidates that the ranker can judge, and those too far down.
func parted(found []candidate) (near, deep []candidate) {
	for _, c := range found {
		if c.deep {
			deep = append(deep, c)
		} else {
			near = append(near, c)
		}
	}
	return near, deep
}

// rows reads the candidates and computes their features. What left the book since
// the index was made is passed over.
func (s *search) rows(ctx context.Context, found []candidate) ([][]float64, []candidate, error) {
	kept := found[:0]
	for _, c := range found {
		err := s.fetch(ctx, &c)
		if errors.Is(err, book.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		kept = append(kept, c)
	}
	if len(kept) == 0 {
		return nil, nil, nil
	}
	return s.features(kept, s.engine.Ranker), kept, nil
}

// Candidate is a unit that Fast ranks, as a ranker is trained on it.
type Candidate struct {
	Hit
	Row []float64 // Features
}

// Candidates returns what a search in the mode Fast would rank, with the rows that
// the ranker would look at. It needs a Ranker, with or without trees.
func (e *Engine) Candidates(ctx context.Context, q Query) ([]Candidate, error) {
	q.Mode = Fast
	q, err := q.normalise()
	if err != nil {
		return nil, err
	}
	s := e.search(q)
	s.place(nil)
	if err := s.vectors(ctx); err != nil {
		return nil, err
	}
	if s.result.Mode != Fast {
		return nil, errors.New(strings.Join(s.result.Notes, ""))
	}
	found, err := s.pool(ctx)
	if err != nil {
		return nil, err
	}
	rows, found, err := s.rows(ctx, found)
	if err != nil {
		return nil, err
	}
	out := make([]Candidate, len(found))
	for i, c := range found {
		out[i] = Candidate{s.hit(c.unit, c.law, c), rows[i]}
		out[i].Units = c.units
	}
	return out, nil
}
