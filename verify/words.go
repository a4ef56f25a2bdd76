package verify

import (
	"context"

	"lexagent/book"
	"lexagent/index"
	"lexagent/statute"
)

// Index finds units by their words in an index, without vectors.
type Index struct {
	Store func() index.Store // the generation to search; asked once a search
}

// Find returns the ids of the k units whose BM25 score for the text is highest.
func (x Index) Find(ctx context.Context, collections []string, text string, k int) ([]string, error) {
	s := x.Store()
	hits, err := s.SearchSparse(ctx, s.Query(text), index.Filter{Collections: collections, Kinds: statute.UnitKinds}, k)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(hits))
	for i, h := range hits {
		_, ids[i] = book.SplitDocID(h.ID)
	}
	return ids, nil
}

var _ Words = Index{}
