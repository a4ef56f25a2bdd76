package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lexagent/book"
	"lexagent/corpus"
)

// source is an input to read: a file, or what another book has of one.
type source struct {
	path  string
	named bool   // asked for by itself, not found in a folder
	key   string // by which it falls to a worker: its path below the folder given

	from  *book.Book // the book to read it from; nil = the file
	entry book.Input // what that book says of it
}

// Why what lies behind a link was not read.
var (
	errLinkedFolder = errors.New("links to folders are not followed; give the folder itself")
	errDeadLink     = errors.New("the link leads to no file")
)

// discovery is what the paths given lead to.
type discovery struct {
	collection string // of the files
	own        string // the data folder that is written to, which holds nothing to read
	skip       func(path string, named bool, err error)

	files   []source
	folders []string      // given, and there
	missing []string      // given, and not there
	books   []*dataFolder // data folders given
	seen    map[inputKey]*source
}

// discover lists what is to be read: each path that is a file, below each folder the
// files in a known format, and of each data folder the inputs that its book holds, in
// the order of their names. Links to files are followed, links to folders are not, so
// that no loop can be walked; hidden files and folders and the data folder dir are
// passed over. What can't be listed is reported to skip. The books are open until close.
func discover(ctx context.Context, paths []string, dir, collection string, skip func(path string, named bool, err error)) (*discovery, error) {
	own, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the data folder can't be found: %w", err)
	}
	d := &discovery{collection: collection, own: own, skip: skip, seen: map[inputKey]*source{}}
	for _, p := range paths {
		if err := d.path(ctx, p); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	slices.SortStableFunc(d.files, func(a, b source) int { return cmp.Compare(a.path, b.path) })
	return d, nil
}

// close closes the books.
func (d *discovery) close() error {
	var errs []error
	for _, b := range d.books {
		errs = append(errs, b.book.Close())
	}
	return errors.Join(errs...)
}

// path takes one of the paths given.
func (d *discovery) path(ctx context.Context, p string) error {
	abs, err := filepath.Abs(p)
	if err != nil {
		d.skip(p, true, fmt.Errorf("the path can't be resolved: %w", err))
		return nil
	}
	info, err := os.Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		d.missing = append(d.missing, abs)
	}
	if folder := err == nil && info.IsDir(); !folder {
		d.add(source{path: abs, named: true, key: filepath.Base(abs)}) // reading it tells what is wrong with it
		return nil
	}
	if whole, err := d.data(ctx, abs); whole || err != nil {
		return err
	}
	d.folders = append(d.folders, abs)
	return d.walk(ctx, abs)
}

// add takes an input, unless it was taken before.
func (d *discovery) add(s source) {
	k := inputKey{d.collection, s.path}
	if s.from != nil {
		k.collection = s.entry.Collection
	}
	if have := d.seen[k]; have == nil {
		d.seen[k] = &s
		d.files = append(d.files, s)
	} else if have.from != nil || s.from != nil {
		d.clash(have, &s)
	}
}

// walk lists the files below a folder.
func (d *discovery) walk(ctx context.Context, root string) error {
	// The separator makes a root that is a link its folder.
	return filepath.WalkDir(root+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, path)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			d.skip(path, true, fmt.Errorf("the folder can't be listed: %w", err))
		case relErr != nil:
			d.skip(path, true, fmt.Errorf("the path can't be resolved: %w", relErr))
		case rel != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case path == d.own:
			return fs.SkipDir
		case entry.Type()&fs.ModeSymlink != 0:
			d.link(path, filepath.ToSlash(rel))
		case entry.Type().IsRegular() && corpus.Supported(path):
			d.add(source{path: path, key: filepath.ToSlash(rel)})
		}
		return nil
	})
}

// link takes a link below a folder, if a file lies behind it.
func (d *discovery) link(path, key string) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		d.skip(path, false, errLinkedFolder)
	case !corpus.Supported(path):
	case err != nil:
		d.skip(path, false, errDeadLink)
	case info.Mode().IsRegular():
		d.add(source{path: path, key: key})
	}
}
