package ingest

import (
	"context"
	"errors"
	"fmt"
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
	doc  *corpus.Document
	kept bool // doc is an earlier version, which the input no longer holds
	err  error
	end  *ending
}

// ending is the end of an input.
type ending struct {
	unchanged *book.Input // it was not read, since this is stored
	whole     bool        // all of it could be read
	digests   digests
	file      *File // what another ingest counted in it; nil = what this one did
}

// inputKey is by what the book knows an input.
type inputKey struct{ collection, path string }

// ahead is how many items of an input are read before the writer takes them.
const ahead = 16

// readAll reads the inputs that are not stored yet, several at a time, and hands
// them over in the order of files, whatever the order in which they are ready:
// what is stored must not depend on timing. It closes out when it is done.
func readAll(ctx context.Context, files []source, known map[inputKey]book.Input, o *Options, out chan<- item) {
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
func readOne(ctx context.Context, src source, known map[inputKey]book.Input, o *Options, out chan<- item) {
	if src.from != nil {
		readEntry(ctx, src, known, out)
		return
	}
	sums, err := digest(src.path, o)
	if have := known[inputKey{o.Collection, src.path}]; err == nil && have.Digest == sums.whole {
		send(ctx, out, item{source: src, end: &ending{unchanged: &have}})
		return
	}
	whole := err == nil
	for doc, err := range corpus.Read(ctx, src.path) {
		whole = whole && (err == nil || errors.Is(err, corpus.ErrCompanion) || !src.named && errors.Is(err, corpus.ErrNotCorpus))
		if doc != nil {
			doc.Law.Collection = o.Collection
		}
		if !send(ctx, out, item{source: src, doc: doc, err: err}) {
			return
		}
	}
	send(ctx, out, item{source: src, end: &ending{whole: whole, digests: sums}})
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
				units, err := e.put(ctx, w, it)
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

// input is an input on its way into the book.
type input struct {
	intake *book.Intake
	file   File
	broken bool // a law of it was refused
}

// put stores one item and counts it in the report. It returns the number of
// units written.
func (e *engine) put(ctx context.Context, w *book.Writer, it item) (int, error) {
	if e.input == nil {
		e.input = &input{intake: book.NewIntake(e.collection(&it.source), it.path), file: File{Path: it.path}}
	}
	switch {
	case it.end != nil:
		in := e.input
		e.input = nil
		e.progress.Files++
		return 0, e.end(ctx, w, in, it.end)
	case errors.Is(it.err, corpus.ErrCompanion):
	case it.err != nil:
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		e.input.file.lose(it.err)
		e.report.skip(it.path, it.named, it.err)
	default:
		return e.putLaw(ctx, w, it.doc, it.kept)
	}
	return 0, nil
}

// collection is the one that the units of an input belong to.
func (e *engine) collection(s *source) string {
	if s.from != nil {
		return s.entry.Collection
	}
	return e.o.Collection
}

// putLaw stores one law of the input.
func (e *engine) putLaw(ctx context.Context, w *book.Writer, d *corpus.Document, kept bool) (int, error) {
	r := e.report
	units := e.o.OnlyIDs.filter(d.Units)
	r.LeftOut += len(d.Units) - len(units)
	e.input.file.Coverage.add(&d.Coverage)
	if len(units) == 0 && len(d.Units) > 0 {
		return 0, nil
	}
	for _, n := range d.Notes {
		r.Notes = append(r.Notes, Note{Source: d.Source, Text: n})
	}
	if len(units) == 0 {
		return 0, nil
	}
	if err := w.From(ctx, e.input.intake); err != nil {
		return 0, err
	}
	s, err := w.Put(ctx, &d.Law, units)
	if err != nil {
		return 0, err
	}
	if kept {
		w.Keep(d.Law.ID)
	}
	r.count(&s, units)
	e.input.file.Laws++
	e.input.file.Units += len(units)
	for _, id := range s.Crowded {
		e.input.broken = true
		r.skip(e.input.file.Path, true, fmt.Errorf("%s was not stored: too many different texts have this id", id))
	}
	e.progress.Units = r.Units
	e.tell(false)
	return len(units), nil
}

// count adds what was stored of a law.
func (r *Report) count(s *book.Stored, units []statute.Unit) {
	r.Laws++
	r.Units += len(units)
	for i := range units {
		if units[i].Kind == statute.Article {
			r.Articles++
		}
	}
	r.New += s.New
	r.Same += s.Same
	r.Replaced += s.Replaced
	r.Variants = append(r.Variants, s.Variants...)
}

// end ends an input: what it no longer has is removed, unless a part of it could
// not be read, which may be what is missing. Such an input is read again next time.
func (e *engine) end(ctx context.Context, w *book.Writer, in *input, end *ending) error {
	if end.unchanged != nil {
		e.report.Unchanged++
		f := storedFile(end.unchanged)
		f.Unchanged = true
		e.report.addFile(f)
		return nil
	}
	if end.file != nil {
		in.file = *end.file
	}
	e.report.addFile(in.file)
	if !end.whole || in.broken {
		return nil
	}
	record, err := in.file.record()
	if err != nil {
		return err
	}
	if err := w.From(ctx, in.intake); err != nil {
		return err
	}
	d, err := w.Finish(ctx, end.digests.whole, end.digests.content, record)
	e.report.Removed.Units += d.Units
	e.report.Removed.Laws += d.Laws
	return err
}
