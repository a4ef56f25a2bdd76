package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"lexagent/book"
	"lexagent/index/embedded"
)

var collectionName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// CheckCollection refuses what is no name for a collection.
func CheckCollection(name string) error {
	if !collectionName.MatchString(name) {
		return fmt.Errorf("%q is not a name for a collection: use up to 64 of a–z, 0–9, - and _", name)
	}
	return nil
}

// Options say what to do with the inputs.
type Options struct {
	Collection string                 // "" = book.DefaultCollection
	OnlyIDs    IDSet                  // units to store of the inputs given; nil = all
	Prune      bool                   // take out what came from files below the paths given that are no longer there
	Remove     func(path string) bool // inputs of the collection to take out, whether their files are there or not; nil = none
	Shard      Shard                  // this worker's share of the inputs; zero = all
	Without    Without                // what searched texts are composed without; "" = nothing
	Encoder    Encoder                // makes the vectors; nil = none are made
	Labeler    Labeler                // tells what units are for; nil = nobody does
	Publisher  Publisher              // copies the index to where it is searched; nil = it is searched here
	Progress   func(Progress)         // told now and then; nil = nobody
}

// Progress tells how far an ingest is.
type Progress struct {
	Stage   string // what is being done: read, prune, chunk, cite, index, vectors, publish, intents
	Files   int    // inputs done, of All
	All     int
	Units   int           // units read, laws chunked, labelled or searched for citations, documents indexed or published, or vectors made
	Total   int           // laws to work on, documents to index or to embed; 0 while reading
	Elapsed time.Duration // of this stage
}

// Left estimates the time the stage still takes, 0 when it can't tell.
func (p Progress) Left() time.Duration {
	if p.Total == 0 || p.Units == 0 {
		return 0
	}
	return time.Duration(float64(p.Elapsed) * float64(p.Total-p.Units) / float64(p.Units))
}

// engine is one ingest under way.
type engine struct {
	dir        string
	o          *Options
	book       *book.Book
	report     *Report
	input      *input  // being stored
	wanted     *wanted // what index looked for or built
	generation string  // its name
	progress   Progress
	started    time.Time // of the stage
	told       time.Time
}

// Run reads the inputs into the book under dir and brings the index up to date
// with it. It returns when everything stored is searchable, with vectors when an
// encoder was given. The report is valid also when an error is returned: what it
// counts is stored.
func Run(ctx context.Context, dir string, paths []string, o Options) (_ *Report, err error) {
	if o.Collection == "" {
		o.Collection = book.DefaultCollection
	}
	if err := CheckCollection(o.Collection); err != nil {
		return nil, err
	}
	if o.Without != "" && o.Without != Entities {
		return nil, fmt.Errorf("there is no %q to leave out of searched texts: use %s", o.Without, Entities)
	}
	start := time.Now()
	report := &Report{Shard: o.Shard.String(), Pruned: []Pruned{}, Variants: []string{}, Sources: []File{}, Skipped: []Skip{}, Ignored: []Skip{}, Notes: []Note{}}
	b, err := book.Create(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	e := &engine{dir: dir, o: &o, book: b, report: report}
	err = e.run(ctx, paths)
	report.Seconds = time.Since(start).Seconds()
	return report, err
}

func (e *engine) run(ctx context.Context, paths []string) (err error) {
	e.stage("read", 0)
	d, err := discover(ctx, paths, e.dir, e.o.Collection, e.report.skip)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := e.take(ctx, d); err != nil {
		return err
	}
	if err := e.chunk(ctx); err != nil {
		return err
	}
	if err := e.relate(ctx); err != nil {
		return err
	}
	size, err := e.book.Size(ctx)
	if err != nil {
		return err
	}
	e.report.Book = Totals(size)
	if size.Units == 0 && !indexed(e.dir) {
		return nil
	}
	if err := e.index(ctx); err != nil {
		return fmt.Errorf("build the index: %w", err)
	}
	if err := e.makeVectors(ctx, d.books); err != nil {
		return err
	}
	if err := e.publish(ctx); err != nil {
		return err
	}
	return e.label(ctx)
}

// take brings the book up to date with the inputs.
func (e *engine) take(ctx context.Context, d *discovery) error {
	if len(d.books) > 0 && e.o.OnlyIDs != nil {
		return fmt.Errorf("a list of ids selects from files, and %s is a data folder: give the list to the ingest that reads the files", d.books[0].dir)
	}
	files, others := e.o.Shard.share(d.files)
	e.report.Files, e.report.Others, e.progress.All = len(files), others, len(files)
	if err := e.read(ctx, files); err != nil || !e.o.Prune && e.o.Remove == nil {
		return err
	}
	return e.prune(ctx, d)
}

// indexed reports whether there is an index, which a book that has become empty must
// not leave as it is.
func indexed(dir string) bool {
	_, err := embedded.Current(IndexRoot(dir))
	return err == nil
}

// makeVectors makes the vectors, taking over those of the data folders given.
func (e *engine) makeVectors(ctx context.Context, parts []*dataFolder) (err error) {
	if e.o.Encoder == nil {
		return e.vectors(ctx)
	}
	root := IndexRoot(e.dir)
	defer func() { err = errors.Join(err, giveBack(root)) }()
	if err := lend(root, parts); err != nil {
		return err
	}
	return e.vectors(ctx)
}

// read runs the reader one step ahead of the writer.
func (e *engine) read(ctx context.Context, files []source) error {
	inputs, err := e.book.Inputs(ctx)
	if err != nil {
		return err
	}
	known := map[inputKey]book.Input{}
	for _, in := range inputs {
		known[inputKey{in.Collection, in.Path}] = in
	}
	reading, stop := context.WithCancel(ctx)
	items := make(chan item, 64)
	go readAll(reading, files, known, e.o, items)
	err = e.store(ctx, items)
	stop()
	for range items { // let the reader see that it is to stop
	}
	if err != nil {
		return err
	}
	e.tell(true)
	return e.book.Reload(ctx)
}

// IndexRoot is where the index's generations lie in a data folder.
func IndexRoot(dir string) string { return filepath.Join(dir, "index") }

func (e *engine) stage(name string, total int) {
	e.progress.Stage, e.progress.Units, e.progress.Total = name, 0, total
	e.started = time.Now()
	e.tell(true)
}

// tellEvery is how often progress is told at most.
const tellEvery = 200 * time.Millisecond

func (e *engine) tell(now bool) {
	if e.o.Progress == nil || !now && time.Since(e.told) < tellEvery {
		return
	}
	e.told = time.Now()
	e.progress.Elapsed = time.Since(e.started)
	e.o.Progress(e.progress)
}

// DiskFull reports whether an error comes from a disk without space.
func DiskFull(err error) bool {
	var sqlErr *sqlite.Error
	return errors.Is(err, syscall.ENOSPC) || errors.As(err, &sqlErr) && sqlErr.Code()&0xff == sqlite3.SQLITE_FULL
}
