package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"lexagent/book"
	"lexagent/index/embedded"
	"lexagent/model"
	"lexagent/statute"
)

// Encoder makes the vectors of passages.
type Encoder interface {
	Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error)
	Dim() int       // 0 while an encoder behind an endpoint was not called yet
	Digest() string // "" as long
}

// Passages are encoded a window at a time, and two windows are under way: as many as
// the encoder takes about windowTime for, which is what a kill loses. Large windows
// are faster here, since more passages of equal length meet.
const (
	firstWindow     = 256
	mostWindow      = 4096
	windowTime      = 20 * time.Second
	checkpointEvery = 5 * time.Second
	busyLook        = time.Second
)

// maker makes the vectors of a generation.
type maker struct {
	wanted  *wanted
	book    *book.Book
	encoder Encoder
	wait    bool                  // for another process that makes them, instead of ErrBusy
	told    func(done, total int) // how many are there
}

// complete makes the vectors that a generation lacks, from where an earlier call
// stopped, checks it, and puts it in use if it isn't. Vectors of texts that did not
// change are taken over from other generations of the encoder. It stops when ctx
// ends and keeps what is done.
func (m *maker) complete(ctx context.Context, name string) (err error) {
	current, err := embedded.Current(m.wanted.root)
	if err != nil && !errors.Is(err, embedded.ErrNoIndex) && !errors.Is(err, embedded.ErrDamaged) {
		return err
	}
	if info, err := embedded.Inspect(m.wanted.root, name); err == nil && current == name && info.Complete() && info.Encoder == m.encoder.Digest() {
		m.told(info.Vectors, info.Vectors)
		return nil
	}
	s, err := embedded.OpenGeneration(m.wanted.root, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w, err := m.writer(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }() // after the switch: gc spares what is being written
	m.told(w.Rows(), s.Len())
	if err := m.fill(ctx, s, w); err != nil {
		return err
	}
	if err := m.check(ctx, s); err != nil || current == name {
		return err
	}
	return m.switchTo(ctx, name)
}

// writer opens the vectors' file.
func (m *maker) writer(ctx context.Context, name string) (*embedded.VectorWriter, error) {
	for {
		w, err := embedded.OpenVectors(m.wanted.root, name, m.encoder.Digest(), m.encoder.Dim())
		if !errors.Is(err, embedded.ErrBusy) || !m.wait {
			return w, err
		}
		if info, err := embedded.Inspect(m.wanted.root, name); err == nil {
			m.told(info.Vectors, info.Manifest.Documents)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(busyLook):
		}
	}
}

// switchTo puts a generation in use.
func (m *maker) switchTo(ctx context.Context, name string) (err error) {
	lock, err := embedded.Lock(ctx, m.wanted.root, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	before, err := m.wanted.look()
	if err != nil || before.name == name {
		return err
	}
	return m.wanted.use(name, before)
}

// fill makes the vectors that are missing. While one window is encoded the next is
// read and cut into tokens, and its first texts are encoded when the last of the one
// before leave a core idle.
func (m *maker) fill(ctx context.Context, s *embedded.Store, w *embedded.VectorWriter) (err error) {
	old, err := oldVectors(m.wanted.root, s.Manifest().Name(), m.encoder.Digest())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.close()) }()
	var under sync.WaitGroup
	defer under.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	windows := make(chan chan made, 1)
	var size atomic.Int64 // of the next window
	size.Store(firstWindow)
	row := w.Rows()
	under.Go(func() {
		defer close(windows)
		for row < s.Len() {
			p, err := m.read(ctx, s, old, row, min(int(size.Load()), s.Len()-row))
			row += len(p.vectors)
			done := make(chan made, 1)
			select {
			case windows <- done:
			case <-ctx.Done():
				return
			}
			if err != nil {
				done <- made{err: err}
				return
			}
			under.Go(func() { done <- m.encode(ctx, p, &size) })
		}
	})
	checked := time.Now()
	for done := range windows {
		made := <-done
		if err := errors.Join(made.err, w.Append(made.vectors...)); err != nil {
			return err
		}
		if time.Since(checked) > checkpointEvery || w.Rows() == s.Len() {
			if err := w.Checkpoint(); err != nil {
				return err
			}
			checked = time.Now()
		}
		m.told(w.Rows(), s.Len())
	}
	return ctx.Err()
}

// made are the vectors of a window, in order.
type made struct {
	vectors [][]float32
	err     error
}

// part is a window of documents: the vectors that are taken over, and the passages of
// the others with their places.
type part struct {
	vectors  [][]float32
	passages []string
	places   []int
}

// read reads the window of n documents from row on.
func (m *maker) read(ctx context.Context, s *embedded.Store, old *older, row, n int) (*part, error) {
	p := &part{vectors: make([][]float32, n)}
	for i := range p.vectors {
		id, hash, err := s.Document(row + i)
		if err != nil {
			return p, err
		}
		if p.vectors[i] = old.vector(hash); p.vectors[i] != nil {
			continue
		}
		t, err := textsOf(ctx, m.book, id, m.wanted.origin.Without)
		if err != nil {
			return p, fmt.Errorf("the index and the book do not belong together; ingest again: %w", err)
		}
		p.passages, p.places = append(p.passages, t.passage), append(p.places, i)
	}
	return p, nil
}

// encode makes the vectors that a window lacks, and says how large the next one is
// to be.
func (m *maker) encode(ctx context.Context, p *part, next *atomic.Int64) made {
	start := time.Now()
	vectors, err := m.encoder.Encode(ctx, p.passages, model.Passage)
	if err != nil {
		return made{err: err}
	}
	if n := len(p.passages); n >= firstWindow {
		size := float64(n) * windowTime.Seconds() / max(time.Since(start).Seconds(), 1e-3)
		next.Store(int64(min(max(size, firstWindow), mostWindow)))
	}
	for i, at := range p.places {
		p.vectors[at] = vectors[i]
	}
	return made{vectors: p.vectors}
}

// texts are what a document of the index is found by.
type texts struct{ searchable, passage string }

// textsOf reads them from the book.
func textsOf(ctx context.Context, b *book.Book, doc string, without Without) (texts, error) {
	collection, id := book.SplitDocID(doc)
	if book.IsChunk(id) {
		p, l, err := b.Chunk(ctx, collection, id)
		if err != nil {
			return texts{}, err
		}
		return texts{SearchableChunk(p, l, without), ChunkPassage(p, l)}, nil
	}
	u, l, err := b.Unit(ctx, []string{collection}, id, statute.Date(0))
	if err != nil {
		return texts{}, err
	}
	return texts{Searchable(u, l, without), Passage(u, l)}, nil
}

// older are the vectors of other generations by the hash of their text.
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
		info, err := embedded.Inspect(root, name)
		if name == current || err != nil || info.Encoder != encoder {
			continue
		}
		s, err := embedded.OpenGeneration(root, name)
		if err != nil {
			continue // damaged: its vectors are made again
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
