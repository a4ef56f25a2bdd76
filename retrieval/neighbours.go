package retrieval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lexagent/book"
	"lexagent/index"
	"lexagent/statute"
)

// Edges reads the citation graph. *book.Book does.
type Edges interface {
	// CitationsFrom returns what a unit refers to.
	CitationsFrom(ctx context.Context, collection, unit string) ([]book.Citation, error)
	// CitationsTo returns what refers to a unit, of the collections that may be read.
	CitationsTo(ctx context.Context, readable []string, collection, id string) ([]book.Citation, error)
}

// Neighbours lets the articles that the strongest candidates cite, or that cite them,
// into the pool. The zero value lets none in.
type Neighbours struct {
	Of    int     `json:"of"`    // how many of the strongest candidates, at most MaxNeighboursOf
	Share float64 `json:"share"` // of the fused score of the candidate that it stands beside, a neighbour has at least; 0 to 1
}

// Bounds of Neighbours: a definition may be cited by hundreds of articles.
const (
	MaxNeighboursOf = 20
	maxBeside       = 8 // of one candidate
)

func (n Neighbours) check() error {
	if n.Of < 0 || n.Of > MaxNeighboursOf || !(n.Share >= 0 && n.Share <= 1) {
		return &InputError{"neighbours", fmt.Sprintf("neighbours are of 0 to %d candidates, with a share of 0 to 1; not of %d with %v", MaxNeighboursOf, n.Of, n.Share)}
	}
	return nil
}

// widen adds the neighbours of the strongest candidates of a search by both paths, with
// their own exact scores in both. They are units that the scope lets in.
func (s *search) widen(ctx context.Context, found []candidate, sparse, dense []index.Hit) ([]candidate, []index.Hit, error) {
	n := s.q.Neighbours
	if n.Of == 0 || s.engine.Edges == nil || s.q.By == Chunks {
		return found, nil, nil
	}
	floor := map[string]float64{} // of the fused score, by document
	have := map[string]bool{}
	for i := range found {
		have[found[i].id] = true
	}
	var fresh []index.Hit
	for i := range found[:min(n.Of, len(found))] {
		ids, err := s.beside(ctx, found[i].id)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range ids {
			floor[id] = max(floor[id], n.Share*found[i].score)
			if !have[id] {
				have[id] = true
				fresh = append(fresh, index.Hit{ID: id})
			}
		}
	}
	if len(fresh) > 0 {
		wider, err := s.fuse(ctx, sparse, slices.Concat(dense, fresh))
		if errors.Is(err, index.ErrUnknownID) {
			return found, nil, nil // the book is ahead of the index
		}
		if err != nil {
			return nil, nil, err
		}
		found = wider
	}
	for i := range found {
		found[i].score = max(found[i].score, floor[found[i].id])
	}
	best(found)
	return found, fresh, nil
}

// beside are the documents that a candidate cites, and then those that cite it.
func (s *search) beside(ctx context.Context, doc string) ([]string, error) {
	collection, id := book.SplitDocID(doc)
	if book.IsChunk(id) {
		return nil, nil
	}
	cited, err := s.engine.Edges.CitationsFrom(ctx, collection, id)
	if err != nil {
		return nil, err
	}
	citing, err := s.engine.Edges.CitationsTo(ctx, s.q.Scope.Visible(), collection, id)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, c := range slices.Concat(cited, citing) {
		to := book.DocID(c.ToIn, c.To)
		if i >= len(cited) {
			to = book.DocID(c.Collection, c.From)
		}
		if c.Kind != book.Cites || c.To == "" || c.Number == 0 || c.Stale || to == doc || slices.Contains(out, to) {
			continue
		}
		ok, err := s.admits(ctx, to)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, to)
		}
		if len(out) == maxBeside {
			break
		}
	}
	return out, nil
}

// admits reports whether a document that no path brought is within the scope.
func (s *search) admits(ctx context.Context, doc string) (bool, error) {
	f := s.filter()
	collection, id := book.SplitDocID(doc)
	if !slices.Contains(f.Collections, collection) {
		return false, nil
	}
	_, l, err := s.engine.Book.Unit(ctx, []string{collection}, id, s.day)
	if errors.Is(err, book.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	status := l.StatusOn(f.AsOf)
	over := status == statute.Repealed || status == statute.Superseded || status == statute.NotYet
	return !(len(f.Levels) > 0 && !slices.Contains(f.Levels, l.Level) || len(f.Laws) > 0 && !slices.Contains(f.Laws, l.ID) ||
		f.Regions != nil && !slices.Contains(f.Regions, l.Region) || f.AsOf != 0 && over), nil
}
