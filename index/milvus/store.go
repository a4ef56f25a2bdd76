package milvus

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/viterin/vek/vek32"

	"lexagent/index"
)

// Store is one generation on Milvus, opened for search. It is safe for concurrent
// use.
type Store struct {
	c          *Client
	name       string
	collection string
	record     *record
	encoder    *index.Encoder
	vectors    atomic.Int64 // documents that have their vector
	asked      atomic.Int64 // when that was read last, in Unix milliseconds
	closed     atomic.Bool
}

// Close ends the store's use. The connection is its client's and stays.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return index.ErrClosed
	}
	return ctx.Err()
}

// Name is the generation's name on the server.
func (s *Store) Name() string { return s.name }

// Manifest describes the generation. It must not be changed.
func (s *Store) Manifest() *index.Manifest { return s.record.Manifest }

// Len is how many documents there are.
func (s *Store) Len() int { return s.record.Manifest.Documents }

// Units is how many documents are no chunks. They come first.
func (s *Store) Units() int { return s.record.Manifest.Statistics.Units }

// VectorEncoder names the encoder that made the vectors, "" when there are none.
func (s *Store) VectorEncoder() string { return s.record.Encoder }

// lookAgain is how often an open store looks for more vectors.
const lookAgain = 2 * time.Second

// Vectors returns how many documents have a vector yet, of how many. While some
// lack theirs it asks the server now and then.
func (s *Store) Vectors() (done, total int) {
	return s.vectorsDone(context.Background()), s.Len()
}

func (s *Store) vectorsDone(ctx context.Context) int {
	done := int(s.vectors.Load())
	now := time.Now().UnixMilli()
	last := s.asked.Load()
	if s.record.Dim == 0 || done == s.Len() || s.closed.Load() || now-last < lookAgain.Milliseconds() || !s.asked.CompareAndSwap(last, now) {
		return done
	}
	if _, at, err := s.c.readRecord(ctx, s.name); err == nil { // else what was known stays true
		s.vectors.Store(int64(at.Vectors))
	}
	return int(s.vectors.Load())
}

// Query implements index.Store. It is empty after Close.
func (s *Store) Query(text string) index.Sparse {
	if s.closed.Load() {
		return index.Sparse{}
	}
	return s.encoder.Query(text)
}

// Term returns a term's id in queries and its IDF; false = no document has it.
func (s *Store) Term(term string) (id uint32, idf float64, ok bool) {
	if s.closed.Load() {
		return 0, 0, false
	}
	return s.encoder.Term(term)
}

// scoresAtOnce bounds the ids of one call of Scores.
const scoresAtOnce = 500

// Scores implements index.Store.
func (s *Store) Scores(ctx context.Context, ids []string, q index.Sparse, v []float32) (sparse, dense []float64, err error) {
	if err := s.usable(ctx); err != nil {
		return nil, nil, err
	}
	done := s.vectorsDone(ctx)
	withDense := v != nil && done > 0
	if withDense && len(v) != s.record.Dim {
		return nil, nil, fmt.Errorf("%w: %d instead of %d", index.ErrDimension, len(v), s.record.Dim)
	}
	rows, err := s.rows(ctx, ids, withDense)
	if err != nil {
		return nil, nil, err
	}
	sparse, dense = make([]float64, len(ids)), slices.Repeat([]float64{math.NaN()}, len(ids))
	for i, id := range ids {
		r, ok := rows[id]
		if !ok {
			return nil, nil, fmt.Errorf("%w: %s", index.ErrUnknownID, id)
		}
		sparse[i] = q.Dot(r.sparse)
		if withDense && int(r.ord) < done {
			dense[i] = inner(v, r.dense)
		}
	}
	return sparse, dense, nil
}

// rows fetches documents by id.
func (s *Store) rows(ctx context.Context, ids []string, withDense bool) (map[string]row, error) {
	fields := append(slices.Clone(identity), fieldSparse)
	if withDense {
		fields = append(fields, fieldDense)
	}
	found := make(map[string]row, len(ids))
	for some := range slices.Chunk(ids, scoresAtOnce) {
		err := s.c.readFrom(ctx, s.collection, "read documents", func(ctx context.Context) error {
			rs, err := s.c.sdk.Query(ctx, s.collection, nil, inList(fieldID, some), fields)
			if err != nil || rs.Len() == 0 {
				return err
			}
			rows, err := readRows(rs, nil)
			for _, r := range rows {
				found[r.id] = r
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// inner is the inner product as index/embedded computes it, to the last bit.
func inner(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	return float64(vek32.Dot(a, b))
}

// Probe proves that the generation finds its own text and, where there are
// vectors, its own vector; the error is index.ErrProbe when it doesn't.
func (s *Store) Probe(ctx context.Context) error {
	p := s.record.Manifest.Probe
	if err := p.Check(ctx, s); err != nil || p.ID == "" || s.vectorsDone(ctx) == 0 {
		return err
	}
	rows, err := s.rows(ctx, []string{p.ID}, true)
	if err != nil {
		return err
	}
	r := rows[p.ID]
	if int(r.ord) >= s.vectorsDone(ctx) {
		return nil
	}
	const depth = 50 // others may have the same vector
	hits, err := s.SearchDense(ctx, r.dense, index.Filter{}, depth)
	if err != nil {
		return err
	}
	for _, h := range hits {
		if h.ID == p.ID || h.Score >= inner(r.dense, r.dense) && len(hits) == depth {
			return nil
		}
	}
	return fmt.Errorf("%w: the vector of %s doesn't find it", index.ErrProbe, p.ID)
}

var _ index.Store = (*Store)(nil)
