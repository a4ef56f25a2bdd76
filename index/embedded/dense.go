package embedded

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/viterin/vek/vek32"

	"lexagent/index"
)

const (
	denseStep    = 2048 // rows between two looks at the context
	denseMinimum = 4096 // rows below which one goroutine is enough, and codes save nothing
	denseWorkers = 4    // memory feeds no more
	codedShare   = 8    // codes are of use when no more than one row in so many is wanted
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
// the filter, or where there are many, with every code, and then exactly with the
// vectors that the codes can't rule out.
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
	d := &denseSearch{v: v, vectors: vectors, sel: sel, k: k}
	all := d.best(ctx, lo, hi)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(all, scored.compare)
	hits := make([]index.Hit, 0, k)
	for _, x := range all[:min(k, len(all))] {
		hits = append(hits, index.Hit{ID: s.docs.ids.at(int(x.doc)), Score: x.score})
	}
	return hits, nil
}

// denseSearch is one search by vectors.
type denseSearch struct {
	v       []float32
	vectors *vectors
	sel     *selection
	k       int
}

// best returns the k best rows of a range, and perhaps more, in any order. When ctx
// ends it stops.
func (d *denseSearch) best(ctx context.Context, lo, hi int) []scored {
	if fastCodes && d.vectors.header.layout.coded && hi-lo >= denseMinimum && d.k <= (hi-lo)/codedShare {
		if a, ok := ask(d.v); ok {
			return d.bestByCodes(ctx, a, lo, hi)
		}
	}
	return slices.Concat(inParts(lo, hi, func(from, to int) []scored { return d.scan(ctx, from, to) })...)
}

// inParts has a range worked on by as many goroutines as it is worth.
func inParts[T any](lo, hi int, do func(from, to int) T) []T {
	parts := 1
	if hi-lo >= denseMinimum {
		parts = min(denseWorkers, runtime.GOMAXPROCS(0))
	}
	found := make([]T, parts)
	var wait sync.WaitGroup
	for p := range parts {
		from, to := lo+(hi-lo)*p/parts, lo+(hi-lo)*(p+1)/parts
		wait.Go(func() { found[p] = do(from, to) })
	}
	wait.Wait()
	return found
}

// bestByCodes finds the rows that can be among the best by their codes, and scores
// these.
func (d *denseSearch) bestByCodes(ctx context.Context, a *asked, lo, hi int) []scored {
	sieves := inParts(lo, hi, func(from, to int) *sieve { return d.sift(ctx, a, from, to) })
	all := sieves[0]
	for _, s := range sieves[1:] {
		for _, low := range s.lows.items {
			if low > all.lows.floor {
				all.lows.push(low)
			}
		}
		all.kept = append(all.kept, s.kept...)
	}
	all.shake()
	out := make([]scored, len(all.kept))
	for i, x := range all.kept {
		out[i] = scored{inner(d.v, d.vectors.row(int(x.doc))), x.doc}
	}
	return out
}

// sieve keeps the rows whose score may be as high as the k-th best: those whose upper
// bound reaches the k-th largest lower bound.
type sieve struct {
	lows minHeap
	kept []bounded
	full int // of kept at which it is shaken
}

// bounded is a document whose score is not above high.
type bounded struct {
	high float64
	doc  uint32
}

// sift puts the rows of a range through a sieve.
func (d *denseSearch) sift(ctx context.Context, a *asked, from, to int) *sieve {
	s := &sieve{full: 4 * d.k}
	s.lows.reset(d.k, float32(math.Inf(-1)))
	for i := from; i < to; i++ {
		if i%denseStep == 0 && ctx.Err() != nil {
			return s
		}
		if !d.sel.all && !d.sel.pass[i] {
			continue
		}
		low, high := a.bounds(d.vectors.code(i))
		if high < float64(s.lows.floor) {
			continue
		}
		if s.kept = append(s.kept, bounded{high, uint32(i)}); len(s.kept) >= s.full {
			s.shake()
			s.full = max(s.full, 2*len(s.kept))
		}
		if x := float32(low); x > s.lows.floor {
			s.lows.push(x)
		}
	}
	return s
}

// shake drops the rows that more lows have ruled out since.
func (s *sieve) shake() {
	s.kept = slices.DeleteFunc(s.kept, func(x bounded) bool { return x.high < float64(s.lows.floor) })
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

// scan returns the k best rows of a range, and perhaps some more, in any order. When
// ctx ends it stops.
func (d *denseSearch) scan(ctx context.Context, from, to int) []scored {
	k := d.k
	kept := make([]scored, 0, min(2*k, to-from))
	floor, full := 0.0, false
	for i := from; i < to; i++ {
		if i%denseStep == 0 && ctx.Err() != nil {
			return nil
		}
		if !d.sel.all && !d.sel.pass[i] {
			continue
		}
		score := inner(d.v, d.vectors.row(i))
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
