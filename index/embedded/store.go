package embedded

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"lexagent/index"
)

// Store is one generation, opened for search. It is safe for concurrent use.
type Store struct {
	folder     string
	manifest   *index.Manifest
	encoder    *index.Encoder
	vocabulary *vocabulary
	files      []*sectionFile
	docs       *documents
	postings   *postings
	filters    selections
	scratch    sync.Pool // of *accumulator

	mu        sync.RWMutex // held for reading while a search uses the mappings
	closed    bool
	vectorsMu sync.Mutex // guards vectors
	vectors   *vectors
}

// Open opens the generation in use under root.
func Open(root string) (*Store, error) {
	name, err := Current(root)
	if err != nil {
		return nil, err
	}
	return OpenGeneration(root, name)
}

// OpenGeneration opens a generation by its name, which checks every file but for
// the numbers in the vectors. One that another analyzer made opens too, and answers
// until there is one by this program's: queries are cut by this program's, so that
// words that both cut alike count, and bigrams do, which are most of a score.
func OpenGeneration(root, generation string) (*Store, error) {
	if !littleEndian {
		return nil, errors.New("the embedded index needs a little-endian processor")
	}
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(root, generation)
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	s := &Store{folder: folder, manifest: m}
	if err := s.load(analyzer); err != nil {
		return nil, errors.Join(err, s.unmap())
	}
	return s, nil
}

// load maps the files and checks them against the manifest.
func (s *Store) load(analyzer *index.Analyzer) error {
	for _, f := range []struct {
		name, kind string
		sections   int
	}{{docsFile, docsKind, docsSections}, {termsFile, termsKind, termsSections}, {postingsFile, postingsKind, postingsSections}} {
		mapped, err := openSections(filepath.Join(s.folder, f.name), f.kind, f.sections)
		if err != nil {
			return err
		}
		s.files = append(s.files, mapped)
	}
	var err error
	if s.docs, err = readDocuments(s.files[0].sections); err != nil {
		return fmt.Errorf("%s: %w", docsFile, err)
	}
	v, err := readVocabulary(s.files[1].sections)
	if err != nil {
		return fmt.Errorf("%s: %w", termsFile, err)
	}
	if s.postings, err = readPostings(s.files[2].sections, s.docs.len()); err != nil {
		return fmt.Errorf("%s: %w", postingsFile, err)
	}
	m := s.manifest
	if s.docs.len() != m.Documents || v.terms.len() != m.Terms || s.postings.terms() != m.Terms || len(s.postings.docs) != m.Postings {
		return fmt.Errorf("%s: %w: its files don't belong together", s.folder, ErrDamaged)
	}
	s.vocabulary = v
	s.encoder = &index.Encoder{Analyzer: analyzer, Vocabulary: v, BM25: m.BM25, Statistics: m.Statistics}
	_, err = s.openVectors()
	return err
}

// openVectors maps the vectors once they exist.
func (s *Store) openVectors() (*vectors, error) {
	s.vectorsMu.Lock()
	defer s.vectorsMu.Unlock()
	if s.vectors != nil {
		return s.vectors, nil
	}
	v, err := openVectors(s.folder, s.manifest)
	s.vectors = v
	return v, err
}

// acquire keeps the mappings in place until release; an error means there is
// nothing to release.
func (s *Store) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return index.ErrClosed
	}
	return nil
}

func (s *Store) release() { s.mu.RUnlock() }

// Close waits for searches under way and unmaps the files. Closing again does
// nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.unmap()
}

func (s *Store) unmap() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.close())
	}
	if s.vectors != nil {
		errs = append(errs, s.vectors.close())
	}
	return errors.Join(errs...)
}

// Manifest describes the generation. It must not be changed.
func (s *Store) Manifest() *index.Manifest { return s.manifest }

// Len is how many documents there are.
func (s *Store) Len() int { return s.manifest.Documents }

// Document returns the id and the text hash of document i, 0 ≤ i < Len, in the
// order in which they were added, which is the order of the vectors.
func (s *Store) Document(i int) (id string, hash uint64, err error) {
	if err := s.acquire(context.Background()); err != nil {
		return "", 0, err
	}
	defer s.release()
	if i < 0 || i >= s.docs.len() {
		return "", 0, fmt.Errorf("there is no document %d among %d", i, s.docs.len())
	}
	return s.docs.ids.at(i), s.docs.hashes[i], nil
}

// Query implements index.Store. It is empty after Close.
func (s *Store) Query(text string) index.Sparse {
	if s.acquire(context.Background()) != nil {
		return index.Sparse{}
	}
	defer s.release()
	return s.encoder.Query(text)
}

// Term returns a term's id in queries and its IDF; false = no document has it, or
// the store is closed.
func (s *Store) Term(term string) (id uint32, idf float64, ok bool) {
	if s.acquire(context.Background()) != nil {
		return 0, 0, false
	}
	defer s.release()
	return s.encoder.Term(term)
}

// Scores implements index.Store.
func (s *Store) Scores(ctx context.Context, ids []string, q index.Sparse, v []float32) (sparse, dense []float64, err error) {
	if err := s.acquire(ctx); err != nil {
		return nil, nil, err
	}
	defer s.release()
	docs := make([]uint32, len(ids))
	for i, id := range ids {
		n, ok := s.docs.ids.find(id)
		if !ok {
			return nil, nil, fmt.Errorf("%w: %s", index.ErrUnknownID, id)
		}
		docs[i] = uint32(n)
	}
	sparse = s.sparseScores(docs, q)
	dense = slices.Repeat([]float64{math.NaN()}, len(ids))
	if v == nil {
		return sparse, dense, nil
	}
	vectors, err := s.readyVectors(v)
	if errors.Is(err, index.ErrNoVectors) {
		return sparse, dense, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for i, d := range docs {
		if int(d) < vectors.rows() {
			dense[i] = inner(v, vectors.row(int(d)))
		}
	}
	return sparse, dense, nil
}

// Probe proves that the index finds its own text; the error is index.ErrProbe when
// it doesn't.
func (s *Store) Probe(ctx context.Context) error { return s.manifest.Probe.Check(ctx, s) }

var _ index.Store = (*Store)(nil)
