package milvus

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"lexagent/index"
)

const (
	spare   = 16    // rows asked for beyond those wanted, for ties and rounding
	most    = 16384 // rows that Milvus returns at most
	epsilon = 0x1p-23
)

// path is one way to search: a query on a vector field.
type path struct {
	field  string
	filter string
	query  entity.Vector
	params func(limit int) (entity.SearchParam, error)
	exact  func(*row) float64 // the score that counts
	least  float64            // only scores above are hits
	// margin bounds how far the server's score of any row may be from the exact
	// one, when the worst row returned has this score.
	margin func(worst float64) float64
}

// SearchSparse implements index.Store.
func (s *Store) SearchSparse(ctx context.Context, q index.Sparse, f index.Filter, k int) ([]index.Hit, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	if q.Len() == 0 || s.Len() == 0 {
		return nil, nil
	}
	vector, err := entity.NewSliceSparseEmbedding(slices.Clone(q.Terms), slices.Clone(q.Weights))
	if err != nil {
		return nil, err
	}
	relative := epsilon * float64(q.Len()+2)
	return s.search(ctx, k, &path{
		field: fieldSparse, filter: expression(f), query: vector.(entity.Vector),
		params: func(int) (entity.SearchParam, error) { return entity.NewIndexSparseInvertedSearchParam(0) },
		exact:  func(r *row) float64 { return q.Dot(r.sparse) },
		margin: func(worst float64) float64 { return relative * math.Abs(worst) },
	})
}

// SearchDense implements index.Store. It is exact with the Flat index.
func (s *Store) SearchDense(ctx context.Context, v []float32, f index.Filter, k int) ([]index.Hit, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	done := s.vectorsDone(ctx)
	if done == 0 {
		return nil, index.ErrNoVectors
	}
	if len(v) != s.record.Dim {
		return nil, fmt.Errorf("%w: %d instead of %d", index.ErrDimension, len(v), s.record.Dim)
	}
	filter := expression(f)
	if done < s.Len() {
		made := fmt.Sprintf("%s < %d", fieldOrd, done)
		if filter != "" {
			made = filter + " && " + made
		}
		filter = made
	}
	longest := math.Sqrt(float64(inner(v, v)))
	rounding := epsilon * float64(len(v)) * longest
	return s.search(ctx, k, &path{
		field: fieldDense, filter: filter, query: entity.FloatVector(v), params: s.denseParams, least: math.Inf(-1),
		exact:  func(r *row) float64 { return inner(v, r.dense) },
		margin: func(worst float64) float64 { return rounding * max(1, math.Abs(worst)/max(longest, epsilon)) },
	})
}

// denseParams are the search parameters of the dense index.
func (s *Store) denseParams(limit int) (entity.SearchParam, error) {
	if s.record.Dense == HNSW {
		return entity.NewIndexHNSWSearchParam(min(max(128, 2*limit), 32768))
	}
	return entity.NewIndexFlatSearchParam()
}

// search returns the k best rows by their exact scores. The server's order is in
// single precision and leaves ties open: when a row that it didn't return could
// belong to the k, it is asked for twice as many.
func (s *Store) search(ctx context.Context, k int, p *path) ([]index.Hit, error) {
	k = min(k, s.Len(), most)
	if k <= 0 {
		return nil, nil
	}
	for limit := min(k+spare, most); ; limit = min(2*limit, most) {
		rows, err := s.ask(ctx, limit, p)
		if err != nil {
			return nil, err
		}
		scores := make([]float64, len(rows))
		order := make([]int, len(rows))
		worst := math.Inf(1)
		for i := range rows {
			order[i], scores[i] = i, p.exact(&rows[i])
			worst = min(worst, scores[i])
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(rows[a].ord, rows[b].ord))
		})
		whole := len(rows) < limit || limit == most
		if !whole && scores[order[k-1]] <= worst+2*p.margin(worst) {
			continue
		}
		hits := make([]index.Hit, 0, min(k, len(rows)))
		for _, i := range order[:min(k, len(order))] {
			if scores[i] > p.least {
				hits = append(hits, index.Hit{ID: rows[i].id, Score: scores[i]})
			}
		}
		return hits, nil
	}
}

// ask sends one search.
func (s *Store) ask(ctx context.Context, limit int, p *path) (rows []row, err error) {
	params, err := p.params(limit)
	if err != nil {
		return nil, err
	}
	fields := []string{fieldLongID, fieldOrd, p.field}
	err = s.c.readFrom(ctx, s.collection, "search", func(ctx context.Context) error {
		found, err := s.c.sdk.Search(ctx, s.collection, nil, p.filter, fields, []entity.Vector{p.query}, p.field, entity.IP, limit, params, strong)
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return &ownError{fmt.Errorf("Milvus at %s gave no result for collection %s", s.c.o.Address, s.collection)}
		}
		if found[0].Err != nil {
			return found[0].Err
		}
		if found[0].ResultCount == 0 {
			rows = nil
			return nil
		}
		rows, err = readRows(found[0].Fields, found[0].IDs)
		return err
	})
	return rows, err
}
