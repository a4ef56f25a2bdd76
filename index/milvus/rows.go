package milvus

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"lexagent/index"
	"lexagent/index/embedded"
)

// strong makes a read see every write before it.
var strong = client.WithSearchQueryConsistencyLevel(entity.ClStrong)

// unusedTerm gives a document without terms a vector that isn't empty, which
// older servers refuse. No query has it: term ids stay below.
const unusedTerm = 1<<32 - 2

// batch collects rows as columns.
type batch struct {
	dim                                            int // 0 = without vectors
	ids, longIDs, laws, collections, regions, kind []string
	ords, levels, from, until                      []int64
	sparse                                         []entity.SparseEmbedding
	dense                                          [][]float32
}

// add appends a row. ready says whether its vector counts; else it holds zeros.
func (b *batch) add(ord int, r *embedded.Row, ready bool) error {
	d := &r.Doc
	if len(d.ID) > maxText {
		return fmt.Errorf("the id of document %d has %d bytes, and Milvus takes %d", ord, len(d.ID), maxText)
	}
	long := ""
	if len(d.ID) > keyBytes {
		long = d.ID
	}
	if r.Sparse.Len() == 0 {
		r.Sparse = index.Sparse{Terms: []uint32{unusedTerm}, Weights: []float32{1}}
	}
	s, err := entity.NewSliceSparseEmbedding(r.Sparse.Terms, r.Sparse.Weights)
	if err != nil {
		return err
	}
	b.ids, b.longIDs, b.ords = append(b.ids, key(d.ID)), append(b.longIDs, long), append(b.ords, int64(ord))
	b.laws, b.collections = append(b.laws, key(d.Law)), append(b.collections, key(d.Collection))
	b.regions, b.kind = append(b.regions, key(d.Region)), append(b.kind, key(string(d.Kind)))
	b.levels = append(b.levels, int64(d.Level))
	b.from, b.until = append(b.from, int64(d.From)), append(b.until, int64(d.Until))
	b.sparse = append(b.sparse, s)
	if b.dim == 0 {
		return nil
	}
	v := r.Vector
	if !ready {
		v = make([]float32, b.dim)
	}
	b.dense = append(b.dense, v)
	return nil
}

func (b *batch) len() int { return len(b.ids) }

func (b *batch) columns() []entity.Column {
	columns := []entity.Column{
		entity.NewColumnVarChar(fieldID, b.ids), entity.NewColumnVarChar(fieldLongID, b.longIDs), entity.NewColumnInt64(fieldOrd, b.ords),
		entity.NewColumnVarChar(fieldLaw, b.laws), entity.NewColumnVarChar(fieldCollection, b.collections),
		entity.NewColumnVarChar(fieldRegion, b.regions), entity.NewColumnVarChar(fieldKind, b.kind),
		entity.NewColumnInt64(fieldLevel, b.levels), entity.NewColumnInt64(fieldFrom, b.from), entity.NewColumnInt64(fieldUntil, b.until),
		entity.NewColumnSparseVectors(fieldSparse, b.sparse),
	}
	if b.dim > 0 {
		columns = append(columns, entity.NewColumnFloatVector(fieldDense, b.dim, b.dense))
	}
	return columns
}

// row is what comes back of a document.
type row struct {
	id     string
	ord    int64
	sparse index.Sparse // where it was asked for
	dense  []float32    // where it was asked for
}

// identity are the fields that a row is known by.
var identity = []string{fieldID, fieldLongID, fieldOrd}

// readRows reads the columns of an answer that has the identity and one or both
// vectors.
func readRows(rs client.ResultSet, ids entity.Column) ([]row, error) {
	if ids == nil {
		ids = rs.GetColumn(fieldID)
	}
	keys, ok := ids.(*entity.ColumnVarChar)
	longs, ok2 := rs.GetColumn(fieldLongID).(*entity.ColumnVarChar)
	ords, ok3 := rs.GetColumn(fieldOrd).(*entity.ColumnInt64)
	if !ok || !ok2 || !ok3 || longs.Len() != keys.Len() || ords.Len() != keys.Len() {
		return nil, &ownError{fmt.Errorf("the answer lacks fields; publish the generation again")}
	}
	rows := make([]row, keys.Len())
	for i := range rows {
		rows[i].id, rows[i].ord = keys.Data()[i], ords.Data()[i]
		if long := longs.Data()[i]; long != "" {
			rows[i].id = long
		}
	}
	if sparse, ok := rs.GetColumn(fieldSparse).(*entity.ColumnSparseFloatVector); ok {
		for i := range min(len(rows), sparse.Len()) {
			rows[i].sparse = toSparse(sparse.Data()[i])
		}
	}
	if dense, ok := rs.GetColumn(fieldDense).(*entity.ColumnFloatVector); ok {
		for i := range min(len(rows), dense.Len()) {
			rows[i].dense = dense.Data()[i]
		}
	}
	return rows, nil
}

// toSparse copies a vector, with its terms ascending whatever the server did.
func toSparse(e entity.SparseEmbedding) index.Sparse {
	s := index.Sparse{Terms: make([]uint32, e.Len()), Weights: make([]float32, e.Len())}
	order := make([]int, e.Len())
	for i := range order {
		order[i] = i
	}
	term := func(i int) uint32 { t, _, _ := e.Get(i); return t }
	if !slices.IsSortedFunc(order, func(a, b int) int { return cmp.Compare(term(a), term(b)) }) {
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(term(a), term(b)) })
	}
	for to, at := range order {
		s.Terms[to], s.Weights[to], _ = e.Get(at)
	}
	return s
}
