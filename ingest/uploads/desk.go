package uploads

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"lexagent/book"
	"lexagent/ingest"
)

const (
	uploadsFolder = "uploads" // in the data folder; a folder for each collection in it

	maxQueue    = 16   // jobs that wait
	maxRecords  = 1000 // jobs that are remembered
	maxAttempts = 3    // of a job whose process ends before it is over
	lockedPause = 2 * time.Second
)

var (
	// ErrFull is returned when so many jobs wait that another would wait too long.
	ErrFull = errors.New("too many uploads wait to be read")

	// ErrNotFound is returned when there is no such job.
	ErrNotFound = errors.New("there is no such job")

	// ErrPublic is returned for uploads to the default collection.
	ErrPublic = errors.New("the collection " + book.DefaultCollection + " holds the law and takes no uploads")
)

// Ingest reads files into a collection, or takes out what o says, and returns when
// that shows in searches.
type Ingest func(ctx context.Context, paths []string, o ingest.Options) (*ingest.Report, error)

// Options configure a Desk. All but Logger are required.
type Options struct {
	Dir    string // the data folder
	Ingest Ingest
	Logger *slog.Logger // default slog.Default()
}

// Desk takes documents in. It is safe for concurrent use.
type Desk struct {
	o     Options
	queue chan *Job

	mu    sync.Mutex
	jobs  map[string]*Job
	order []*Job // oldest first
}

// Open returns a desk with the jobs of earlier processes; those that were not over
// are queued again.
func Open(o Options) (*Desk, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	d := &Desk{o: o, jobs: map[string]*Job{}}
	if left, err := filepath.Glob(filepath.Join(d.root(), ".new-*")); err == nil {
		for _, p := range left { // of processes that were killed
			if err := os.RemoveAll(p); err != nil {
				return nil, fmt.Errorf("remove what is left of an upload: %w", err)
			}
		}
	}
	jobs, err := d.load()
	if err != nil {
		return nil, err
	}
	d.order = jobs
	var waiting []*Job
	for _, j := range jobs {
		d.jobs[j.ID] = j
		if !j.over() {
			waiting = append(waiting, j)
		}
	}
	d.queue = make(chan *Job, max(maxQueue, len(waiting)))
	for _, j := range waiting {
		j.State, j.Progress = Queued, nil
		d.queue <- j
	}
	return d, nil
}

func (d *Desk) root() string                    { return filepath.Join(d.o.Dir, uploadsFolder) }
func (d *Desk) records() string                 { return filepath.Join(d.root(), ".jobs") }
func (d *Desk) folder(collection string) string { return folder(d.o.Dir, collection) }

func folder(dir, collection string) string { return filepath.Join(dir, uploadsFolder, collection) }

// Add stores the files and queues their ingest. A file that can't be taken refuses
// all of them with a *FileError.
func (d *Desk) Add(ctx context.Context, collection string, files []File) (_ Job, err error) {
	if collection == book.DefaultCollection {
		return Job{}, ErrPublic
	}
	if err := ingest.CheckCollection(collection); err != nil {
		return Job{}, err
	}
	if len(d.queue) == cap(d.queue) {
		return Job{}, ErrFull
	}
	if err := os.MkdirAll(d.root(), 0o750); err != nil {
		return Job{}, fmt.Errorf("store an upload: %w", err)
	}
	hold, err := os.MkdirTemp(d.root(), ".new-*")
	if err != nil {
		return Job{}, fmt.Errorf("store an upload: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(hold)) }()
	names, err := receive(ctx, hold, files)
	if err != nil {
		return Job{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.place(hold, collection, names); err != nil {
		return Job{}, err
	}
	return d.enqueue(&Job{Collection: collection, Files: names})
}

// enqueue queues a job and remembers it. d.mu is held.
func (d *Desk) enqueue(j *Job) (Job, error) {
	j.ID, j.State, j.Created = "job-"+strings.ToLower(rand.Text()), Queued, time.Now().UTC()
	if err := d.keep(j); err != nil {
		return Job{}, err
	}
	select {
	case d.queue <- j:
	default:
		return Job{}, errors.Join(ErrFull, os.Remove(filepath.Join(d.records(), j.ID+recordEnd)))
	}
	d.jobs[j.ID] = j
	d.order = append(d.order, j)
	d.forget()
	return *j, nil
}

// Job returns a job as it stands now.
func (d *Desk) Job(id string) (Job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	j, ok := d.jobs[id]
	if !ok {
		return Job{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return *j, nil
}

// Run works until ctx ends. A job under way then is done again by the next process.
func (d *Desk) Run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case j := <-d.queue:
			d.work(ctx, j)
		}
	}
}

// work does one job.
func (d *Desk) work(ctx context.Context, j *Job) {
	if ctx.Err() != nil {
		return // it stays queued
	}
	begun := time.Now().UTC()
	d.change(j, func() { j.State, j.Started, j.Attempts = Running, &begun, j.Attempts+1 })
	if j.Attempts > maxAttempts {
		d.end(j, nil, errors.New("the server ended each time it worked on these files"))
		return
	}
	report, err := d.ingest(ctx, j)
	if err == nil && j.Removes {
		err = d.delete(j)
	}
	if ctx.Err() != nil {
		d.change(j, func() { j.Attempts-- }) // the end was asked for, and is not the files' fault
		return
	}
	d.end(j, report, err)
}

// ingest waits for its turn where another process writes to the data folder.
func (d *Desk) ingest(ctx context.Context, j *Job) (*ingest.Report, error) {
	o := ingest.Options{Collection: j.Collection, Progress: func(p ingest.Progress) { d.tell(j, p) }}
	var paths []string
	if j.Removes {
		o.Remove = brought(j.Collection, j.Files)
	} else {
		for _, name := range j.Files {
			paths = append(paths, filepath.Join(d.folder(j.Collection), name))
		}
	}
	for {
		report, err := d.o.Ingest(ctx, paths, o)
		if !errors.Is(err, book.ErrLocked) {
			return report, err
		}
		select {
		case <-ctx.Done():
			return report, ctx.Err()
		case <-time.After(lockedPause):
		}
	}
}

func (d *Desk) tell(j *Job, p ingest.Progress) {
	now := Progress{p.Stage, p.Units, p.Total}
	if p.Stage == "read" {
		now.Done, now.Total = p.Files, p.All
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	j.Progress = &now
}

// end notes how a job ended.
func (d *Desk) end(j *Job, r *ingest.Report, err error) {
	over := time.Now().UTC()
	d.change(j, func() {
		j.State, j.Finished, j.Progress, j.Report = Done, &over, nil, named(r)
		switch {
		case err == nil && (j.Removes || stored(r)):
		case err == nil:
			j.State, j.Error = Failed, "nothing could be read; the report says why"
		case ingest.DiskFull(err):
			j.State, j.Error = Failed, "the server's disk is full"
		case j.Removes:
			j.State, j.Error = Failed, "the document could not be removed; the server's log says why"
		default:
			j.State, j.Error = Failed, "the files could not be stored; the server's log says why"
		}
	})
	d.o.Logger.Info("upload", "job", j.ID, "collection", j.Collection, "files", len(j.Files), "removes", j.Removes, "state", j.State, "error", err)
}

// change changes a job and its record.
func (d *Desk) change(j *Job, fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn()
	if err := d.keep(j); err != nil {
		d.o.Logger.Error("the record of an upload can't be written", "job", j.ID, "error", err)
	}
}

// stored reports whether anything of the files is in the book.
func stored(r *ingest.Report) bool { return r.Units+r.Unchanged > 0 }

// named returns the report with names of files where it has paths of this machine.
func named(r *ingest.Report) *ingest.Report {
	if r == nil {
		return nil
	}
	n := *r
	n.Sources, n.Skipped, n.Notes = make([]ingest.File, len(r.Sources)), make([]ingest.Skip, len(r.Skipped)), make([]ingest.Note, len(r.Notes))
	n.Pruned = make([]ingest.Pruned, len(r.Pruned))
	for i, p := range r.Pruned {
		p.Path = filepath.Base(p.Path)
		n.Pruned[i] = p
	}
	for i, f := range r.Sources {
		f.Path = filepath.Base(f.Path)
		n.Sources[i] = f
	}
	for i, s := range r.Skipped {
		s.Reason = strings.ReplaceAll(s.Reason, s.Path, filepath.Base(s.Path))
		s.Path = filepath.Base(s.Path)
		n.Skipped[i] = s
	}
	for i, t := range r.Notes {
		n.Notes[i] = ingest.Note{Source: filepath.Base(t.Source), Text: t.Text}
	}
	return &n
}
