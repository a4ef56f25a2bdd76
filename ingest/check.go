package ingest

import (
	"context"
	"fmt"
	"path/filepath"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/model"
	"lexagent/statute"
)

const (
	probes      = 32   // documents that a check looks for, evenly over the generation
	probeDepth  = 50   // how far down they may be: copies and formulas are nearly as near
	probeMisses = 3    // that may be missing all the same
	probeRunes  = 2000 // of a text that is searched for by words
	roundoff    = 1e-4 // by which an equal text may be nearer
	likeness    = 0.98 // of a vector to the one that is made anew of the same text
)

// check proves that a generation finds what it holds: a sample of its documents is
// looked for by their own texts, by words and by vectors made anew. The error is
// index.ErrProbe when too many are not found.
func (m *maker) check(ctx context.Context, s *embedded.Store) error {
	if err := s.Probe(ctx); err != nil {
		return err
	}
	n := min(probes, s.Len())
	ids := make([]string, n)
	sample := make([]texts, n)
	passages := make([]string, n)
	for i := range n {
		id, _, err := s.Document(i * s.Len() / n)
		if err != nil {
			return err
		}
		if sample[i], err = textsOf(ctx, m.book, id, m.wanted.origin.Without); err != nil {
			return fmt.Errorf("the index and the book do not belong together; ingest again: %w", err)
		}
		ids[i], passages[i] = id, sample[i].passage
	}
	vectors, err := m.encoder.Encode(ctx, passages, model.Passage)
	if err != nil {
		return err
	}
	var words, dense int
	for i, id := range ids {
		byWords, byVector, err := findsItself(ctx, s, id, sample[i].searchable, vectors[i])
		if err != nil {
			return err
		}
		if !byWords {
			words++
		}
		if !byVector {
			dense++
		}
	}
	if words > probeMisses || dense > probeMisses {
		return fmt.Errorf("%w: of %d documents, %d are not found by their words and %d not by their vectors; remove %s and run `lexagent ingest` again",
			index.ErrProbe, n, words, dense, filepath.Join(m.wanted.root, s.Manifest().Name()))
	}
	return nil
}

// findsItself reports whether a document is among the best for its own text, and for
// the vector v of it, or as good as the last of them, and whether its vector is v.
func findsItself(ctx context.Context, s *embedded.Store, id, text string, v []float32) (byWords, byVector bool, err error) {
	f := index.Filter{Kinds: statute.UnitKinds}
	if _, own := book.SplitDocID(id); book.IsChunk(own) {
		f.Kinds = []statute.Kind{statute.Chunk}
	}
	if runes := []rune(text); len(runes) > probeRunes {
		text = string(runes[:probeRunes])
	}
	q := s.Query(text)
	sparse, err := s.SearchSparse(ctx, q, f, probeDepth)
	if err != nil {
		return false, false, err
	}
	dense, err := s.SearchDense(ctx, v, f, probeDepth)
	if err != nil {
		return false, false, err
	}
	words, vectors, err := s.Scores(ctx, []string{id}, q, v)
	if err != nil {
		return false, false, err
	}
	among := func(hits []index.Hit, score float64) bool {
		return len(hits) > 0 && score >= hits[len(hits)-1].Score-roundoff
	}
	return q.Len() == 0 || among(sparse, words[0]), vectors[0] >= likeness && among(dense, vectors[0]), nil
}
