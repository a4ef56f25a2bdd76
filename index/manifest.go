package index

import (
	"context"
	"fmt"
)

// Manifest describes a generation: what it was made of, and the statistics frozen
// when it was built. It holds no times, so that the same documents give the same
// bytes, in whatever store.
type Manifest struct {
	Format     int        `json:"format"`
	Digest     string     `json:"digest"`   // SHA-256 of all that went in; the generation's name begins it
	Identity   string     `json:"identity"` // what the caller's side depends on: parser, encoder
	Analyzer   string     `json:"analyzer"`
	BM25       BM25       `json:"bm25"`
	Statistics Statistics `json:"statistics"`
	Documents  int        `json:"documents"`
	Terms      int        `json:"terms"`
	Postings   int        `json:"postings"`
	Probe      Probe      `json:"probe"`
}

// Name is the generation's name, by which stores call its folder or collection.
func (m *Manifest) Name() string { return m.Digest[:16] }

// Probe is a piece of the text of a document, by which a start proves that the
// index finds what it holds. It is empty when no document has Chinese text.
type Probe struct {
	Text string `json:"text"`
	ID   string `json:"id"`
}

// probeDepth is how far down the probe's document may be: others may share its text.
const probeDepth = 50

// Check searches a store for the probe's text, which must bring its document
// back; the error is ErrProbe when it doesn't.
func (p Probe) Check(ctx context.Context, s Store) error {
	if p.ID == "" {
		return nil
	}
	q := s.Query(p.Text)
	hits, err := s.SearchSparse(ctx, q, Filter{}, probeDepth)
	if err != nil {
		return err
	}
	if len(hits) == 0 {
		return fmt.Errorf("%w: %q found nothing", ErrProbe, p.Text)
	}
	for _, h := range hits {
		if h.ID == p.ID {
			return nil
		}
	}
	sparse, _, err := s.Scores(ctx, []string{p.ID}, q, nil)
	if err != nil {
		return err
	}
	if sparse[0] < hits[len(hits)-1].Score {
		return fmt.Errorf("%w: %q doesn't find %s", ErrProbe, p.Text, p.ID)
	}
	return nil
}
