package embedded

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"lexagent/index"
)

// roundoff bounds the relative error of one single-precision product and sum.
const roundoff = 0x1p-23

// accumulator is the scratch memory of one search.
type accumulator struct {
	sums  []float32 // by document
	best  minHeap
	docs  []uint32
	lists []list
}

// list is the postings of one query term within the range searched.
type list struct {
	docs    []uint32
	weights []float32
	weight  float32 // the query's
}

// SearchSparse implements index.Store. Scores are summed term by term in single
// precision, which leaves a few candidates that can be among the best; these are
// scored exactly, in double precision.
func (s *Store) SearchSparse(ctx context.Context, q index.Sparse, f index.Filter, k int) ([]index.Hit, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	sel := s.filters.get(s.docs, f)
	k = min(k, sel.count)
	if k <= 0 || q.Len() == 0 {
		return nil, nil
	}
	a, ok := s.scratch.Get().(*accumulator)
	if !ok {
		a = &accumulator{sums: make([]float32, s.docs.len())}
	}
	defer s.scratch.Put(a)
	a.begin(sel)
	a.lists = s.lists(a.lists[:0], q, sel)
	for _, l := range a.lists {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.add(l)
	}
	return s.best(a, q, sel, k), nil
}

// lists returns the postings of the query's terms.
func (s *Store) lists(lists []list, q index.Sparse, sel *selection) []list {
	for i, t := range q.Terms {
		if int(t) >= s.postings.terms() || q.Weights[i] == 0 {
			continue
		}
		docs, weights := s.postings.list(t)
		if sel.lo > 0 || sel.hi < s.docs.len() {
			lo := search(docs, uint32(sel.lo))
			hi := lo + search(docs[lo:], uint32(sel.hi))
			docs, weights = docs[lo:hi], weights[lo:hi]
		}
		if len(docs) > 0 {
			lists = append(lists, list{docs, weights, q.Weights[i]})
		}
	}
	return lists
}

// search returns the first place whose document isn't before doc.
func search(docs []uint32, doc uint32) int {
	return sort.Search(len(docs), func(i int) bool { return docs[i] >= doc })
}

// begin sets the sums of the range to their start.
func (a *accumulator) begin(sel *selection) {
	if sel.all {
		clear(a.sums)
		return
	}
	copy(a.sums[sel.lo:sel.hi], sel.start[sel.lo:sel.hi])
}

// add adds one term to the sums.
func (a *accumulator) add(l list) {
	sums, weights, w := a.sums, l.weights[:len(l.docs)], l.weight
	for i, d := range l.docs {
		sums[d] += w * weights[i]
	}
}

// best picks the k best by their exact scores.
func (s *Store) best(a *accumulator, q index.Sparse, sel *selection, k int) []index.Hit {
	sums := a.sums[sel.lo:sel.hi]
	a.best.reset(k, 0)
	for _, x := range sums {
		if x > a.best.floor {
			a.best.push(x)
		}
	}
	// Each sum may be off by a share of itself, the floor's as well as a rival's.
	floor := a.best.floor * (1 - 2*roundoff*float32(len(a.lists)+2))
	a.docs = a.docs[:0]
	for i, x := range sums {
		if x > 0 && x >= floor {
			a.docs = append(a.docs, uint32(sel.lo+i))
		}
	}
	return s.rank(a.docs, q, k)
}

// rank scores documents exactly and returns the k best as hits.
func (s *Store) rank(docs []uint32, q index.Sparse, k int) []index.Hit {
	scores := s.sparseScores(docs, q)
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(docs[a], docs[b]))
	})
	hits := make([]index.Hit, 0, min(k, len(order)))
	for _, i := range order[:min(k, len(order))] {
		if scores[i] > 0 {
			hits = append(hits, index.Hit{ID: s.docs.ids.at(int(docs[i])), Score: scores[i]})
		}
	}
	return hits
}

// sparseScores are the exact scores of documents, in any order: the inner product
// in double precision, summed in the order of term ids (as Sparse.Dot does).
func (s *Store) sparseScores(docs []uint32, q index.Sparse) []float64 {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(docs[a], docs[b]) })
	scores := make([]float64, len(docs))
	for i, t := range q.Terms {
		if int(t) >= s.postings.terms() {
			continue
		}
		held, weights := s.postings.list(t)
		at := 0
		for _, n := range order {
			at = gallop(held, at, docs[n])
			if at == len(held) {
				break
			}
			if held[at] == docs[n] {
				scores[n] += float64(q.Weights[i]) * float64(weights[at])
			}
		}
	}
	return scores
}

// gallop returns the first place from at on whose document isn't before doc, by
// steps that double and then by halving.
func gallop(docs []uint32, at int, doc uint32) int {
	if at >= len(docs) || docs[at] >= doc {
		return at
	}
	step := 1
	for at+step < len(docs) && docs[at+step] < doc {
		at += step
		step *= 2
	}
	return at + 1 + search(docs[at+1:min(at+step, len(docs))], doc)
}

// minHeap keeps the k largest numbers above a floor.
type minHeap struct {
	items []float32
	floor float32 // what a number must exceed to be kept
	k     int
}

func (h *minHeap) reset(k int, floor float32) { h.items, h.floor, h.k = h.items[:0], floor, k }

// push takes a number above the floor.
func (h *minHeap) push(x float32) {
	if len(h.items) < h.k {
		h.items = append(h.items, x)
		if len(h.items) == h.k {
			slices.Sort(h.items) // a sorted list is a heap
			h.floor = h.items[0]
		}
		return
	}
	items, i := h.items, 0
	for {
		c := 2*i + 1
		if c >= len(items) {
			break
		}
		if c+1 < len(items) && items[c+1] < items[c] {
			c++
		}
		if items[c] >= x {
			break
		}
		items[i] = items[c]
		i = c
	}
	items[i] = x
	h.floor = items[0]
}
