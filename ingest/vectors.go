package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lexagent/book"
	"lexagent/index/embedded"
	"lexagent/model"
	"lexagent/statute"
)

// Encoder makes the vectors of passages.
type Encoder interface {
	Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error)
	Dim() int
	Digest() string
}

const (
	// window is how many passages are encoded at a time: enough that sorting
	// them by length saves padding, few enough that a kill loses seconds.
	window          = 1024
	checkpointEvery = 5 * time.Second
)

// vectors makes the vectors that the index in use still lacks.
func (e *engine) vectors(ctx context.Context) error {
	if e.o.Encoder == nil {
		done, total, err := vectorsDone(e.dir)
		e.report.Vectors = Vectors{Done: done, Total: total}
		return err
	}
	e.stage("vectors", e.report.Book.Units+e.report.Book.Chunks)
	err := MakeVectors(ctx, e.dir, e.book, e.o.Encoder, func(done, total int) {
		e.report.Vectors = Vectors{Done: done, Total: total}
		e.progress.Units, e.progress.Total = done, total
		e.tell(done == total)
	})
	if err != nil {
		return fmt.Errorf("make vectors: %w", err)
	}
	return nil
}

func vectorsDone(dir string) (done, total int, err error) {
	s, err := embedded.Open(IndexRoot(dir))
	if err != nil {
		return 0, 0, err
	}
	done, total = s.Vectors()
	return done, total, s.Close()
}

// MakeVectors makes the vectors of the generation in use, from where an earlier
// call stopped. Vectors of texts that did not change are taken over from the
// generation before. It stops when ctx ends and keeps what is done. progress may
// be nil.
func MakeVectors(ctx context.Context, dir string, b *book.Book, enc Encoder, progress func(done, total int)) (err error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	root := IndexRoot(dir)
	s, err := embedded.Open(root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w, err := embedded.OpenVectors(root, s.Manifest().Name(), enc.Digest(), enc.Dim())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	progress(w.Rows(), s.Len())
	if w.Rows() == s.Len() {
		return nil
	}
	old, err := oldVectors(root, s.Manifest().Name(), enc.Digest())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.close()) }()
	checked := time.Now()
	for w.Rows() < s.Len() {
		vs, err := encodeWindow(ctx, s, b, enc, old, w.Rows())
		if err != nil {
			return err
		}
		if err := w.Append(vs...); err != nil {
			return err
		}
		if time.Since(checked) > checkpointEvery || w.Rows() == s.Len() {
			if err := w.Checkpoint(); err != nil {
				return err
			}
			checked = time.Now()
		}
		progress(w.Rows(), s.Len())
	}
	return nil
}

// encodeWindow returns the vectors of the documents from row on, in order.
func encodeWindow(ctx context.Context, s *embedded.Store, b *book.Book, enc Encoder, old *older, row int) ([][]float32, error) {
	n := min(window, s.Len()-row)
	vs := make([][]float32, n)
	var texts []string
	var places []int
	for i := range n {
		id, hash, err := s.Document(row + i)
		if err != nil {
			return nil, err
		}
		if vs[i] = old.vector(hash); vs[i] != nil {
			continue
		}
		text, err := passageOf(ctx, b, id)
		if err != nil {
			return nil, fmt.Errorf("the index and the book do not belong together; ingest again: %w", err)
		}
		texts = append(texts, text)
		places = append(places, i)
	}
	made, err := enc.Encode(ctx, texts, model.Passage)
	if err != nil {
		return nil, err
	}
	for i, p := range places {
		vs[p] = made[i]
	}
	return vs, nil
}

// passageOf reads the text that is encoded for a document of the index.
func passageOf(ctx context.Context, b *book.Book, doc string) (string, error) {
	collection, id := book.SplitDocID(doc)
	if book.IsChunk(id) {
		p, l, err := b.Chunk(ctx, collection, id)
		if err != nil {
			return "", err
		}
		return ChunkPassage(p, l), nil
	}
	u, l, err := b.Unit(ctx, []string{collection}, id, statute.Date(0))
	if err != nil {
		return "", err
	}
	return Passage(u, l), nil
}

// older are the vectors of earlier generations by the hash of their text.
type older struct {
	stores []*embedded.Store
	rows   map[uint64]place
}

type place struct {
	store *embedded.Store
	row   int
}

// oldVectors opens the other generations that the same encoder made vectors for.
func oldVectors(root, current, encoder string) (*older, error) {
	o := &older{rows: map[uint64]place{}}
	names, err := embedded.Generations(root)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == current {
			continue
		}
		s, err := embedded.OpenGeneration(root, name)
		if err != nil {
			continue // of another analyzer, or damaged: its vectors are made again
		}
		if s.VectorEncoder() != encoder {
			if err := s.Close(); err != nil {
				return nil, errors.Join(err, o.close())
			}
			continue
		}
		o.stores = append(o.stores, s)
		done, _ := s.Vectors()
		for i := range done {
			if _, hash, err := s.Document(i); err == nil {
				o.rows[hash] = place{s, i}
			}
		}
	}
	return o, nil
}

func (o *older) vector(hash uint64) []float32 {
	p, ok := o.rows[hash]
	if !ok {
		return nil
	}
	return p.store.Vector(p.row)
}

func (o *older) close() error {
	var errs []error
	for _, s := range o.stores {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
