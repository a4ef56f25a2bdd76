package ingest

import (
	"context"
	"errors"
	"runtime"

	"lexagent/book"
	"lexagent/corpus"
	"lexagent/statute"
)

// batchUnits is how many units a transaction holds at least, unless its input
// ends before. Transactions of thousands are as fast as one, and a kill loses
// little.
const batchUnits = 4000

// item is what the reader hands to the writer: a document, an error, or the end
// of an input.
type item struct {
	source
	doc *corpus.Document
	err error
	end *book.Input // set at the end of an input, when all of it could be read
}

// ahead is how many items of an input are read before the writer takes them.
const ahead = 16

// readAll reads the inputs that are not stored yet, several at a time, and hands
// them over in the order of files, whatever the order in which they are ready:
// what is stored must not depend on timing. It closes out when it is done.
func readAll(ctx context.Context, files []source, known map[string]book.Input, o *Options, out chan<- item) {
	defer close(out)
	inputs := make(chan chan item, max(1, runtime.GOMAXPROCS(0)-1)) // bounds how many are read at a time
	go func() {
		defer close(inputs)
		for _, src := range files {
			in := make(chan item, ahead)
			select {
			case inputs <- in:
			case <-ctx.Done():
				return
			}
			go func() {
				defer close(in)
				readOne(ctx, src, known, o, in)
			}()
		}
	}()
	for in := range inputs {
		for it := range in {
			if !send(ctx, out, it) {
				return
			}
		}
	}
}

func send(ctx context.Context, out chan<- item, it item) bool {
	select {
	case out <- it:
		return true
	case <-ctx.Done():
		return false
	}
}

// readOne reads one input.
func readOne(ctx context.Context, src source, known map[string]book.Input, o *Options, out chan<- item) {
	sum, err := digest(src.path, o)
	if err == nil && known[src.path].Digest == sum {
		send(ctx, out, item{source: src}) // unchanged
		return
	}
	clean := err == nil
	for doc, err := range corpus.Read(ctx, src.path) {
		clean = clean && (err == nil || errors.Is(err, corpus.ErrCompanion) || !src.named && errors.Is(err, corpus.ErrNotCorpus))
		if !send(ctx, out, item{source: src, doc: doc, err: err}) {
			return
		}
	}
	it := item{source: src, end: &book.Input{Path: src.path}}
	if clean {
		it.end.Digest = sum
	}
	send(ctx, out, it)
}

// store writes what the reader hands over, in transactions of whole documents.
func (e *engine) store(ctx context.Context, in <-chan item) error {
	for open := true; open; {
		err := e.book.Write(ctx, func(w *book.Writer) error {
			for n := 0; n < batchUnits; {
				var it item
				select {
				case <-ctx.Done():
					return nil // what came before is whole laws: keep it
				case it, open = <-in:
				}
				if !open {
					return nil
				}
				units, err := e.take(ctx, w, it)
				if err != nil {
					return err
				}
				n += units
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// take stores one item and counts it in the report. It returns the number of
// units written.
func (e *engine) take(ctx context.Context, w *book.Writer, it item) (int, error) {
	r := e.report
	switch {
	case it.end != nil:
		e.progress.Files++
		if it.end.Digest == "" {
			return 0, nil // read again next time
		}
		return 0, w.Finish(ctx, *it.end)
	case errors.Is(it.err, corpus.ErrCompanion):
		return 0, nil
	case it.err != nil:
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		r.skip(it.path, it.named, it.err)
		return 0, nil
	case it.doc == nil:
		r.Unchanged++
		e.progress.Files++
		return 0, nil
	}
	d := it.doc
	d.Law.Collection = e.o.Collection
	units := e.o.OnlyIDs.filter(d.Units)
	r.LeftOut += len(d.Units) - len(units)
	r.Coverage.add(d.Coverage)
	if len(units) == 0 && len(d.Units) > 0 {
		return 0, nil
	}
	for _, n := range d.Notes {
		r.Notes = append(r.Notes, Note{Source: d.Source, Text: n})
	}
	if len(units) == 0 {
		return 0, nil
	}
	s, err := w.Put(ctx, &d.Law, units)
	if err != nil {
		return 0, err
	}
	r.Laws++
	r.Units += len(units)
	for i := range units {
		if units[i].Kind == statute.Article {
			r.Articles++
		}
	}
	r.New += s.New
	r.Same += s.Same
	r.Variants = append(r.Variants, s.Variants...)
	e.progress.Units = r.Units
	e.tell(false)
	return len(units), nil
}
