package uploads

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lexagent/ingest"
)

// State is where a job stands.
type State string

// The states of a job, in their order.
const (
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"   // what could be read is searchable, the report tells what could not; what was to be removed is gone
	Failed  State = "failed" // nothing was stored or removed; Error says why
)

// Job is the ingest of the files of one upload, or the removal of a document.
type Job struct {
	ID         string         `json:"id"`
	Collection string         `json:"collection"`
	Files      []string       `json:"files"`   // names
	Removes    bool           `json:"removes"` // what the files brought is taken out, and they are deleted
	State      State          `json:"state"`
	Created    time.Time      `json:"created"`
	Started    *time.Time     `json:"started"` // null before
	Finished   *time.Time     `json:"finished"`
	Attempts   int            `json:"attempts"` // more than one where the process ended meanwhile
	Progress   *Progress      `json:"progress,omitempty"`
	Report     *ingest.Report `json:"report,omitempty"` // paths are names of files
	Error      string         `json:"error,omitempty"`
}

// Progress tells how far a running job is.
type Progress struct {
	Stage string `json:"stage"` // read, prune, chunk, cite, index, vectors or publish
	Done  int    `json:"done"`  // files read, else what the stage counts
	Total int    `json:"total"` // 0 = not known
}

func (j *Job) over() bool { return j.State == Done || j.State == Failed }

const recordEnd = ".json"

// keep writes the record of a job, whole or not at all.
func (d *Desk) keep(j *Job) error {
	b, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("write the record of a job: %w", err)
	}
	return writeFile(filepath.Join(d.records(), j.ID+recordEnd), b)
}

// load reads the records of earlier processes, oldest first. One that is damaged is
// passed over: its files are there, and bringing them again does no harm.
func (d *Desk) load() ([]*Job, error) {
	files, err := os.ReadDir(d.records())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the records of uploads: %w", err)
	}
	var jobs []*Job
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), recordEnd)
		if !ok {
			continue
		}
		b, err := os.ReadFile(filepath.Join(d.records(), f.Name()))
		var j Job
		if err == nil {
			err = json.Unmarshal(b, &j)
		}
		if err != nil || j.ID != id {
			d.o.Logger.Warn("the record of an upload is damaged", "job", id, "error", err)
			continue
		}
		jobs = append(jobs, &j)
	}
	slices.SortFunc(jobs, func(a, b *Job) int { return a.Created.Compare(b.Created) })
	return jobs, nil
}

// forget removes the records of jobs that are over, beyond the newest maxRecords.
// d.mu is held.
func (d *Desk) forget() {
	for len(d.order) > maxRecords {
		i := slices.IndexFunc(d.order, func(j *Job) bool { return j.over() })
		if i < 0 {
			return
		}
		j := d.order[i]
		if err := os.Remove(filepath.Join(d.records(), j.ID+recordEnd)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.o.Logger.Warn("the record of an upload can't be removed", "job", j.ID, "error", err)
		}
		delete(d.jobs, j.ID)
		d.order = slices.Delete(d.order, i, i+1)
	}
}

// writeFile writes a file beside its place and moves it there when it is on disk.
func writeFile(path string, b []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("store an upload: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("store an upload: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("store an upload: %w", errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
