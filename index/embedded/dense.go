package embedded

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/viterin/vek/vek32"

	"lexagent/index"
)

const (
	denseStep    = 2048 // rows between two looks at the context
	denseMinimum = 4096 // rows below which one goroutine is enough
	denseWorkers = 4    // memory feeds no more
)

// inner is the one inner product of the dense path, so that searches and Scores
// agree to the last bit.
func inner(a, b []float32) float64 { return float64(vek32.Dot(a, b)) }

// readyVectors returns the vectors that can be compared with v.
func (s *Store) readyVectors(v []float32) (*vectors, error) {
	vectors, err := s.openVectors()
	if err != nil {
		return nil, err
	}
	if vectors.rows() == 0 {
		return nil, index.ErrNoVectors
	}
	if len(v) != vectors.header.dim {
		return nil, fmt.Errorf("%w: %d instead of %d", index.ErrDimension, len(v), vectors.header.dim)
	}
	return vectors, nil
}

// SearchDense implements index.Store: it compares v with every vector that passes
// the filter.
func (s *Store) SearchDense(ctx context.Context, v []float32, f index.Filter, k int) ([]index.Hit, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	vectors, err := s.readyVectors(v)
	if err != nil {
		return nil, err
	}
	sel := s.filters.get(s.docs, f)
	lo, hi := sel.lo, min(sel.hi, vectors.rows())
	k = min(k, sel.count)
	if k <= 0 || lo >= hi {
		return nil, nil
	}
	parts := 1
	if hi-lo >= denseMinimum {
		parts = min(denseWorkers, runtime.GOMAXPROCS(0))
	}
	found := make([][]scored, parts)
	var wait sync.WaitGroup
	for p := range parts {
		from, to := lo+(hi-lo)*p/parts, lo+(hi-lo)*(p+1)/parts
		wait.Go(func() { found[p] = scan(ctx, v, vectors, sel, from, to, k) })
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	slices.SortFunc(all, scored.compare)
	hits := make([]index.Hit, 0, k)
	for _, x := range all[:min(k, len(all))] {
		hits = append(hits, index.Hit{ID: s.docs.ids.at(int(x.doc)), Score: x.score})
	}
	return hits, nil
}

// scored is a document with its score.
type scored struct {
	score float64
	doc   uint32
}

// compare puts the better one first: the higher score, then the earlier document.
func (x scored) compare(y scored) int {
	return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.doc, y.doc))
}

// scan returns the k best rows of a range, in any order. When ctx ends it stops.
func scan(ctx context.Context, v []float32, vectors *vectors, sel *selection, from, to, k int) []scored {
	kept := make([]scored, 0, min(2*k, to-from))
	floor, full := 0.0, false
	for i := from; i < to; i++ {
		if i%denseStep == 0 && ctx.Err() != nil {
			return nil
		}
		if !sel.all && !sel.pass[i] {
			continue
		}
		score := inner(v, vectors.row(i))
		if full && score <= floor {
			continue // a tie with an earlier document loses
		}
		if kept = append(kept, scored{score, uint32(i)}); len(kept) >= 2*k {
			slices.SortFunc(kept, scored.compare)
			kept = kept[:k]
			floor, full = kept[k-1].score, true
		}
	}
	return kept
}
