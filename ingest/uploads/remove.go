package uploads

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"lexagent/book"
	"lexagent/ingest"
)

// ErrNoDocument is returned when a collection has no such document.
var ErrNoDocument = errors.New("there is no such document in this collection")

// Document is a file that was brought and is kept.
type Document struct {
	Name  string    `json:"name"`
	Bytes int64     `json:"bytes"`
	At    time.Time `json:"at"` // when it was brought last
}

// List returns the documents of a collection in the data folder dir, by name.
func List(dir, collection string) ([]Document, error) {
	if err := ingest.CheckCollection(collection); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder(dir, collection))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the documents of a collection: %w", err)
	}
	documents := []Document{}
	for _, f := range files {
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() || strings.HasPrefix(f.Name(), ".") {
			continue // removed meanwhile, or none of ours
		}
		if err != nil {
			return nil, fmt.Errorf("list the documents of a collection: %w", err)
		}
		documents = append(documents, Document{f.Name(), info.Size(), info.ModTime().UTC()})
	}
	return documents, nil
}

// Brought tells the inputs that are these documents of a collection, wherever the data
// folder lay when they were read.
func Brought(collection string, names []string) func(path string) bool {
	within := string(filepath.Separator) + filepath.Join(uploadsFolder, collection)
	return func(path string) bool {
		return strings.HasSuffix(filepath.Dir(path), within) && slices.Contains(names, filepath.Base(path))
	}
}

// Remove takes documents out of a collection in the data folder dir, with an ingest
// that is told which, and deletes their files.
func Remove(dir, collection string, names []string, in func(ingest.Options) (*ingest.Report, error)) (*ingest.Report, error) {
	kept, err := List(dir, collection)
	if err != nil {
		return nil, err
	}
	names = slices.Clone(names)
	for i, name := range names {
		names[i] = norm.NFC.String(name) // as it is kept
		if !has(kept, names[i]) {
			return nil, fmt.Errorf("%w: %s", ErrNoDocument, name)
		}
	}
	report, err := in(ingest.Options{Collection: collection, Remove: brought(collection, names)})
	if err != nil {
		return report, err
	}
	for _, name := range names {
		if err := remove(dir, collection, name); err != nil {
			return report, err
		}
	}
	return report, nil
}

func has(documents []Document, name string) bool {
	return slices.ContainsFunc(documents, func(d Document) bool { return d.Name == name })
}

// brought tells the inputs that are these documents of a collection, wherever the data
// folder lay when they were read.
func brought(collection string, names []string) func(path string) bool {
	within := string(filepath.Separator) + filepath.Join(uploadsFolder, collection)
	return func(path string) bool {
		return strings.HasSuffix(filepath.Dir(path), within) && slices.Contains(names, filepath.Base(path))
	}
}

// remove deletes a file, which may be gone.
func remove(dir, collection, name string) error {
	if err := os.Remove(filepath.Join(folder(dir, collection), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete a document: %w", err)
	}
	return nil
}

// Documents returns the documents of a collection, by name.
func (d *Desk) Documents(collection string) ([]Document, error) { return List(d.o.Dir, collection) }

// Remove queues the removal of a document. It is found, and its file kept, until the
// job is done.
func (d *Desk) Remove(collection, name string) (Job, error) {
	if collection == book.DefaultCollection {
		return Job{}, ErrPublic
	}
	name = norm.NFC.String(name) // as it is kept
	d.mu.Lock()
	defer d.mu.Unlock()
	kept, err := d.Documents(collection)
	if err != nil {
		return Job{}, err
	}
	if !has(kept, name) {
		return Job{}, fmt.Errorf("%w: %s", ErrNoDocument, name)
	}
	return d.enqueue(&Job{Collection: collection, Files: []string{name}, Removes: true})
}

// delete deletes the files of a removal, but for those that were brought again since.
func (d *Desk) delete(j *Job) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	later := d.order[slices.Index(d.order, j)+1:]
	for _, name := range j.Files {
		again := func(o *Job) bool {
			return !o.Removes && o.Collection == j.Collection && slices.Contains(o.Files, name)
		}
		if slices.ContainsFunc(later, again) {
			continue
		}
		if err := remove(d.o.Dir, j.Collection, name); err != nil {
			return err
		}
	}
	return nil
}
