package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"lexagent/book"
)

// Pruned is an input that was taken out of the book, with what only it had brought.
type Pruned struct {
	Path  string `json:"path"`
	Units int    `json:"units"`
	Laws  int    `json:"laws"`
}

// prune takes the inputs out of the book that are to be removed and, where that is
// asked for, those that were read from the folders given and are no longer there. What may be away only for now stays: a path that does not
// exist at all, and whatever lay in a folder that is empty, as where a disk is not
// mounted.
func (e *engine) prune(ctx context.Context, d *discovery) error {
	inputs, err := e.book.Inputs(ctx)
	if err != nil {
		return err
	}
	var gone []book.Input
	unsafe := map[string]int{} // inputs by the place that may be away only for now
	for _, in := range inputs {
		if in.Collection != e.o.Collection {
			continue
		}
		if e.o.Remove != nil && e.o.Remove(in.Path) {
			gone = append(gone, in)
			continue
		}
		if !e.o.Prune {
			continue
		}
		root := within(in.Path, d.folders)
		if root == "" {
			if missing := within(in.Path, d.missing); missing != "" {
				unsafe[missing]++
			}
			continue
		}
		switch empty, err := away(in.Path, root); {
		case err != nil: // it can't be told
		case empty != "":
			unsafe[empty]++
		default:
			gone = append(gone, in)
		}
	}
	e.refuse(unsafe)
	e.stage("prune", len(gone))
	for _, in := range gone {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.remove(ctx, in); err != nil {
			return err
		}
	}
	return e.book.Reload(ctx)
}

// remove takes one input out of the book, in a transaction of its own.
func (e *engine) remove(ctx context.Context, in book.Input) error {
	var d book.Dropped
	err := e.book.Write(ctx, func(w *book.Writer) (err error) {
		d, err = w.Remove(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	e.report.Pruned = append(e.report.Pruned, Pruned{Path: in.Path, Units: d.Units, Laws: d.Laws})
	e.progress.Units++
	e.tell(false)
	return nil
}

// refuse reports what was not pruned.
func (e *engine) refuse(places map[string]int) {
	for _, place := range slices.Sorted(maps.Keys(places)) {
		why := "this folder or file does not exist: what %s brought from it is kept; to remove it, name the folder above"
		if _, err := os.Stat(place); err == nil {
			why = "this folder is empty, as where a disk is not mounted: what %s brought from it is kept; to remove it, delete the folder and name the one above"
		}
		files := "one file"
		if n := places[place]; n > 1 {
			files = fmt.Sprintf("%d files", n)
		}
		e.report.Notes = append(e.report.Notes, Note{Source: place, Text: fmt.Sprintf(why, files)})
	}
}

// within returns the folder of the list that a path lies in or is, "" when it lies in
// none.
func within(path string, folders []string) string {
	for _, f := range folders {
		rel, err := filepath.Rel(f, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return f
		}
	}
	return ""
}

// errThere is returned by away for a path that is there, or may be.
var errThere = errors.New("it is there")

// away reports that nothing is at a path below root. empty is the nearest folder above
// it that is there, if that holds nothing at all.
func away(path, root string) (empty string, err error) {
	if _, err := os.Lstat(path); !notThere(err) {
		return "", errors.Join(errThere, err)
	}
	dir := filepath.Dir(path)
	for ; dir != root; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !notThere(err) {
			break
		}
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read from
	_, err = f.Readdirnames(1)
	switch {
	case errors.Is(err, io.EOF):
		return dir, nil
	case notThere(err): // a file has taken the place of the folder
		return "", nil
	}
	return "", err
}

// notThere tells that there is no such file from other errors.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
