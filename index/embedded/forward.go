package embedded

import (
	"context"

	"lexagent/index"
	"lexagent/statute"
)

// Row is all that a copy of a generation needs of one document.
type Row struct {
	Doc    index.Doc    // without its text
	Sparse index.Sparse // the document's side of BM25
	Vector []float32    // nil = none yet
}

// window is how many documents' postings are turned around at a time.
const window = 4096

// Rows visits the documents from number from on, in their order, until visit
// returns an error, which it returns. Close waits until it is done.
func (s *Store) Rows(ctx context.Context, from int, visit func(i int, r *Row) error) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	vectors, err := s.openVectors()
	if err != nil {
		return err
	}
	cursors := make([]uint64, s.postings.terms()) // by term: its first posting that was not visited
	for t := range cursors {
		docs, _ := s.postings.list(uint32(t))
		cursors[t] = s.postings.starts[t] + uint64(search(docs, uint32(from)))
	}
	for lo := from; lo < s.docs.len(); lo += window {
		sparse := s.forward(cursors, lo, min(lo+window, s.docs.len()))
		for i := range sparse {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := &Row{Doc: s.docs.doc(lo + i), Sparse: sparse[i]}
			if lo+i < vectors.rows() {
				r.Vector = append([]float32(nil), vectors.row(lo+i)...)
			}
			if err := visit(lo+i, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// forward turns the postings of the documents lo to hi into a vector a document,
// and moves the cursors past them.
func (s *Store) forward(cursors []uint64, lo, hi int) []index.Sparse {
	rows := make([]index.Sparse, hi-lo)
	for t := range cursors {
		end := s.postings.starts[t+1]
		for cursors[t] < end && s.postings.docs[cursors[t]] < uint32(hi) {
			row := &rows[int(s.postings.docs[cursors[t]])-lo]
			row.Terms = append(row.Terms, uint32(t))
			row.Weights = append(row.Weights, s.postings.weights[cursors[t]])
			cursors[t]++
		}
	}
	return rows
}

// doc is document i without its text.
func (d *documents) doc(i int) index.Doc {
	return index.Doc{
		ID: d.ids.at(i), Law: d.names[lawTable].at(int(d.laws[i])), Collection: d.names[collectionTab].at(int(d.collections[i])),
		Region: d.names[regionTable].at(int(d.regions[i])), Kind: statute.Kind(d.names[kindTable].at(int(d.kinds[i]))),
		Level: statute.Level(d.levels[i]), From: statute.Date(d.from[i]), Until: statute.Date(d.until[i]), Hash: d.hashes[i],
	}
}

// Terms visits the terms by ascending id, each with how many units hold it.
func (s *Store) Terms(visit func(term string, df uint32) error) error {
	if err := s.acquire(context.Background()); err != nil {
		return err
	}
	defer s.release()
	v := s.vocabulary
	for i := range v.terms.len() {
		if err := visit(v.terms.at(i), v.frequencies[i]); err != nil {
			return err
		}
	}
	return nil
}

// NewVocabulary makes a vocabulary of what Terms visited, by ascending id.
func NewVocabulary(terms []string, frequencies []uint32) (index.Vocabulary, error) {
	t, err := newTable(terms)
	if err != nil {
		return nil, err
	}
	if len(terms) != len(frequencies) {
		return nil, ErrDamaged
	}
	return &vocabulary{terms: t, frequencies: frequencies}, nil
}
