package ingest

import (
	"context"
	"errors"
	"fmt"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/statute"
)

// index makes a generation of the book's present content, unless there is one. It
// is put in use at once when the one in use is of other content or no vectors are
// to be made; else vectors puts it in use when it has them.
func (e *engine) index(ctx context.Context) (err error) {
	lock, err := embedded.Lock(ctx, IndexRoot(e.dir), true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if e.wanted, err = e.want(ctx); err != nil {
		return err
	}
	w := e.wanted
	inUse, err := w.look()
	if err != nil {
		return err
	}
	if e.generation = w.find(inUse); e.generation == "" {
		e.stage("index", e.report.Book.Units+e.report.Book.Chunks)
		if e.generation, err = w.build(ctx, e.book, 0, func() { e.progress.Units++; e.tell(false) }); err != nil {
			return err
		}
		e.tell(true)
	}
	if e.generation == inUse.name || e.o.Encoder != nil && w.answersFor(&inUse) {
		return nil
	}
	return w.use(e.generation, inUse)
}

// want is what the generation is to be made of and for.
func (e *engine) want(ctx context.Context) (*wanted, error) {
	if e.o.Encoder == nil {
		return newWanted(ctx, e.dir, e.book, encoderID{}, e.o.Without)
	}
	id, err := identify(ctx, e.o.Encoder)
	if err != nil {
		return nil, err
	}
	return newWanted(ctx, e.dir, e.book, id, e.o.Without)
}

// vectors makes the vectors that the generation still lacks, and puts it in use.
func (e *engine) vectors(ctx context.Context) error {
	if e.o.Encoder == nil {
		done, total, err := vectorsDone(e.dir)
		e.report.Vectors = Vectors{Done: done, Total: total}
		return err
	}
	e.stage("vectors", e.report.Book.Units+e.report.Book.Chunks)
	m := &maker{wanted: e.wanted, book: e.book, encoder: e.o.Encoder, wait: true, told: func(done, total int) {
		e.report.Vectors = Vectors{Done: done, Total: total}
		e.progress.Units, e.progress.Total = done, total
		e.tell(done == total)
	}}
	if err := m.complete(ctx, e.generation); err != nil {
		return fmt.Errorf("make vectors: %w", err)
	}
	return nil
}

func vectorsDone(dir string) (done, total int, err error) {
	root := IndexRoot(dir)
	name, err := embedded.Current(root)
	if err != nil {
		return 0, 0, err
	}
	info, err := embedded.Inspect(root, name)
	if err != nil {
		return 0, 0, err
	}
	return info.Vectors, info.Manifest.Documents, nil
}

// build makes the generation and notes what it was made of. workers is how many
// goroutines analyse texts, 0 = one a core; each is called for each document.
func (w *wanted) build(ctx context.Context, from *book.Book, workers int, each func()) (_ string, err error) {
	b, err := embedded.NewBuilder(w.root, w.analyzer, embedded.Options{Identity: w.encoder.identity(), Workers: workers})
	if err != nil {
		return "", err
	}
	err = from.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		each()
		return b.Add(ctx, doc(u, l, w.origin.Without))
	})
	if err == nil {
		err = from.EachChunk(ctx, func(p *statute.Passage, l *statute.Law) error {
			each()
			return b.Add(ctx, chunkDoc(p, l, w.origin.Without))
		})
	}
	if err != nil {
		return "", errors.Join(err, b.Abort())
	}
	name, err := b.Finish(ctx)
	if err != nil {
		return "", err
	}
	revision, err := from.Revision(ctx)
	if err != nil {
		return "", err
	}
	if revision != w.origin.Revision {
		return "", errChanged
	}
	return name, writeOrigin(w.root, name, w.origin)
}

// endedLongAgo is the last day of a law that has ended on a day nobody recorded.
const endedLongAgo statute.Date = 1

// doc is what is searchable of a unit.
func doc(u *statute.Unit, l *statute.Law, without Without) index.Doc {
	d := lawDoc(l)
	d.ID, d.Kind = book.DocID(l.Collection, u.ID), u.Kind
	d.Hash, d.Text = index.TextHash(Passage(u, l)), Searchable(u, l, without)
	return d
}

// chunkDoc is what is searchable of a chunk.
func chunkDoc(p *statute.Passage, l *statute.Law, without Without) index.Doc {
	d := lawDoc(l)
	d.ID, d.Kind = book.DocID(l.Collection, p.ID), statute.Chunk
	d.Hash, d.Text = index.TextHash(ChunkPassage(p, l)), SearchableChunk(p, l, without)
	return d
}

// lawDoc is what units and chunks have from their law.
func lawDoc(l *statute.Law) index.Doc {
	until := l.Ended
	if until.IsZero() && (l.Declared == statute.Repealed || l.Declared == statute.Superseded) {
		until = endedLongAgo
	}
	return index.Doc{Law: l.ID, Collection: l.Collection, Region: l.Region, Level: l.Level, From: l.Effective, Until: until}
}
