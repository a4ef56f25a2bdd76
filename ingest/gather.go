package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"lexagent/book"
	"lexagent/corpus"
	"lexagent/index/embedded"
	"lexagent/statute"
)

// dataFolder is one that another ingest filled, such as a worker's of --shard.
type dataFolder struct {
	dir  string
	book *book.Book
}

// data takes a folder as a data folder, and reports whether it is one.
func (d *discovery) data(ctx context.Context, dir string) (bool, error) {
	b, err := book.Open(ctx, dir)
	switch {
	case errors.Is(err, book.ErrEmpty), errors.Is(err, book.ErrForeign):
		return false, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		d.skip(dir, true, err)
		return true, nil
	}
	d.books = append(d.books, &dataFolder{dir, b})
	inputs, err := b.Inputs(ctx)
	if err != nil {
		return true, err
	}
	for _, in := range inputs {
		d.add(source{path: in.Path, named: true, key: in.Path, from: b, entry: in})
	}
	return true, nil
}

// clash is told of an input that comes from two places.
func (d *discovery) clash(a, b *source) {
	if a.entry.Digest == b.entry.Digest && a.from != nil && b.from != nil {
		return // the same twice
	}
	d.skip(b.path, true, errors.New("two of the paths given bring this file, with different contents: the first is taken"))
}

// readEntry reads what the book of another ingest has of an input.
func readEntry(ctx context.Context, src source, known map[inputKey]book.Input, out chan<- item) {
	in := &src.entry
	if have := known[inputKey{in.Collection, in.Path}]; in.Digest != "" && have.Digest == in.Digest {
		send(ctx, out, item{source: src, end: &ending{unchanged: &have}})
		return
	}
	err := src.from.EachBrought(ctx, *in, func(l *statute.Law, units []statute.Unit, kept bool) error {
		if !send(ctx, out, item{source: src, doc: &corpus.Document{Law: *l, Units: units, Source: in.Path}, kept: kept}) {
			return ctx.Err()
		}
		return nil
	})
	if err == nil && in.Digest == "" {
		err = errors.New("the ingest that read it did not come to its end, or could not read all of it")
	}
	if err != nil {
		send(ctx, out, item{source: src, err: err})
	}
	file := storedFile(in)
	send(ctx, out, item{source: src, end: &ending{whole: err == nil, digests: digests{in.Content, in.Digest}, file: &file}})
}

// lent is how the folders of lent generations begin.
const lent = "lent-"

// lend puts the generations of the data folders given beside those of this one, from
// which vectors are taken over. The files are linked, or copied where they lie on
// another disk.
func lend(root string, parts []*dataFolder) error {
	for i, p := range parts {
		from := IndexRoot(p.dir)
		name, err := embedded.Current(from)
		if errors.Is(err, embedded.ErrNoIndex) {
			continue
		}
		if err == nil {
			err = linkFolder(filepath.Join(from, name), filepath.Join(root, fmt.Sprintf("%s%d-%s", lent, i, name)))
		}
		if err != nil {
			return fmt.Errorf("take over the vectors of %s: %w", p.dir, err)
		}
	}
	return nil
}

// giveBack removes what was lent, now or by an ingest that was killed.
func giveBack(root string) error {
	names, err := embedded.Generations(root)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if strings.HasPrefix(name, lent) {
			errs = append(errs, os.RemoveAll(filepath.Join(root, name)))
		}
	}
	return errors.Join(errs...)
}

// linkFolder makes a folder with the files of another one.
func linkFolder(from, to string) error {
	if err := os.RemoveAll(to); err != nil { // of an ingest that was killed
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, f := range entries {
		if !f.Type().IsRegular() {
			continue
		}
		a, b := filepath.Join(from, f.Name()), filepath.Join(to, f.Name())
		if os.Link(a, b) == nil {
			continue
		}
		if err := copyFile(a, b); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // only read from
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}
