package ingest

import (
	"context"
	"errors"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
)

// Update makes what the index in use lacks for an encoder, as a server does in the
// background: the vectors of the generation in use, or, where that is of another
// encoder or analyzer, a generation beside it that is put in use when it is complete
// and finds its own texts. Content that the index doesn't have yet is left to the
// ingest that brings it. It goes on where an earlier call stopped, returns
// embedded.ErrBusy or ErrBuilding while another process is at it, and keeps what is
// done when ctx ends. told may be nil.
func Update(ctx context.Context, dir string, b *book.Book, enc Encoder, told func(done, total int)) error {
	if told == nil {
		told = func(int, int) {}
	}
	id, err := identify(ctx, enc)
	if err != nil {
		return err
	}
	w, err := newWanted(ctx, dir, b, id, "")
	if err != nil {
		return err
	}
	name, err := w.beside(ctx, b)
	if err != nil || name == "" {
		return err
	}
	m := &maker{wanted: w, book: b, encoder: enc, told: told}
	return m.complete(ctx, name)
}

// beside returns the generation to complete, made beside the one in use where that
// doesn't suit; "" when there is nothing to do before an ingest.
func (w *wanted) beside(ctx context.Context, b *book.Book) (name string, err error) {
	lock, err := embedded.Lock(ctx, w.root, false)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	inUse, err := w.look()
	if err != nil {
		return "", err
	}
	w.origin.Without = inUse.origin.Without // as the ingest was told
	if w.made(&inUse) {
		return inUse.name, nil
	}
	if !w.answersFor(&inUse) {
		return "", nil
	}
	if name = w.find(inUse); name != "" {
		return name, nil
	}
	return w.build(ctx, b, 1, func() {}) // one goroutine: searches go on beside it
}

// Suits reports whether the generation in use was made as this program makes them,
// and for this encoder or none.
func Suits(dir string, enc Encoder) (bool, error) {
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return false, err
	}
	w := &wanted{root: IndexRoot(dir), analyzer: analyzer, origin: origin{Passages: passagesVersion}, encoder: encoderID{enc.Digest(), enc.Dim()}}
	g, err := w.look()
	w.origin.Without = g.origin.Without
	return w.made(&g), err
}

// Building returns how far the vectors of a generation are that is being made for an
// encoder beside the one in use; total is 0 when there is none.
func Building(dir string, enc Encoder) (done, total int) {
	root, id := IndexRoot(dir), encoderID{enc.Digest(), enc.Dim()}
	current, err := embedded.Current(root)
	if err != nil || id.digest == "" {
		return 0, 0
	}
	names, err := embedded.Generations(root)
	if err != nil {
		return 0, 0
	}
	of := readOrigin(root, current)
	for _, name := range names {
		info, err := embedded.Inspect(root, name)
		if err != nil || name == current || info.Manifest.Identity != id.identity() {
			continue
		}
		if s := readOrigin(root, name); s.Book == of.Book && s.Revision == of.Revision {
			return info.Vectors, info.Manifest.Documents
		}
	}
	return 0, 0
}
