// Package journal keeps records as JSON lines in files of bounded size: what was
// answered, and what readers said of it.
package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
)

// Bounds of a journal.
const (
	DefaultSize = 64 << 20 // bytes of one file
	kept        = 4        // older files beside it, .1 the youngest
	maxLine     = 1 << 20
)

// File is a journal. When it is full it becomes path.1, what was path.1 becomes
// path.2, and the oldest goes. It is safe for concurrent use; processes that share
// a folder need a path each, or lose lines where both turn the files over.
type File struct {
	path string
	size int64

	mu sync.Mutex
	f  *os.File // nil before the first record
	n  int64    // its length
}

// Open returns the journal at a path, which the first record makes; size 0 is
// DefaultSize.
func Open(path string, size int64) *File {
	if size == 0 {
		size = DefaultSize
	}
	return &File{path: path, size: size}
}

// Append adds one record.
func (j *File) Append(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if len(line) > maxLine {
		return fmt.Errorf("a record of %d bytes is too large for a journal", len(line))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ready(int64(len(line))); err != nil {
		return fmt.Errorf("write %s: %w", j.path, err)
	}
	n, err := j.f.Write(line)
	j.n += int64(n)
	if err != nil {
		return fmt.Errorf("write %s: %w", j.path, err)
	}
	return nil
}

// ready opens the file, and turns it over where it has no room. j.mu is held.
func (j *File) ready(room int64) error {
	if j.f != nil && j.n+room > j.size {
		if err := j.turn(); err != nil {
			return err
		}
	}
	if j.f != nil {
		return nil
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	j.f, j.n = f, info.Size()
	if j.n > 0 && j.n+room > j.size {
		return j.ready(room) // it was full when this process opened it
	}
	return nil
}

// turn closes the full file and moves the files on.
func (j *File) turn() error {
	err := j.f.Close()
	j.f, j.n = nil, 0
	for i := kept; i > 0 && err == nil; i-- {
		if err = os.Rename(older(j.path, i-1), older(j.path, i)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

func older(path string, i int) string {
	if i == 0 {
		return path
	}
	return path + "." + strconv.Itoa(i)
}

// Close closes the file.
func (j *File) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.f == nil {
		return nil
	}
	err := j.f.Close()
	j.f = nil
	return err
}

// Read calls each with every record of a journal, oldest first, decoded into a T. A
// line that a killed process left unfinished is passed over. A journal that does not
// exist is empty.
func Read[T any](path string, each func(T) error) error {
	for i := kept; i >= 0; i-- {
		if err := readOne(older(path, i), each); err != nil {
			return err
		}
	}
	return nil
}

func readOne[T any](path string, each func(T) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read from
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		var record T
		if json.Unmarshal(s.Bytes(), &record) != nil {
			continue
		}
		if err := each(record); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
