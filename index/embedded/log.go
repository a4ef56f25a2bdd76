package embedded

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"lexagent/index"
)

const (
	termsKind        = "TERMS\x00\x00\x00"
	termsSections    = tableSections + 1
	postingsKind     = "POSTINGS"
	postingsSections = 3

	// While postings are turned from the order of documents to the order of terms,
	// 32 MB of them are in memory, or an eighth: each pass reads all of the log.
	passPostings = 4 << 20
	mostPasses   = 8
)

// postingLog numbers terms as they come and keeps the postings, document by
// document, in a file, because a document's weights can't be known before the
// average length is.
type postingLog struct {
	file     *os.File
	out      *bufio.Writer
	numbers  map[string]uint32
	names    []string
	inAll    []uint32 // by term: documents that hold it
	inUnits  []uint32 // by term: units that hold it
	lengths  []uint32 // by document, in terms
	chunks   []bool   // by document
	postings int
	buffer   []byte
}

func newPostingLog(path string) (*postingLog, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	return &postingLog{file: f, out: bufio.NewWriterSize(f, 1<<18), numbers: map[string]uint32{}}, nil
}

// add appends a document.
func (l *postingLog) add(j *job) error {
	l.lengths = append(l.lengths, uint32(j.length))
	l.chunks = append(l.chunks, j.chunk)
	l.postings += len(j.terms)
	b := binary.LittleEndian.AppendUint32(l.buffer[:0], uint32(len(j.terms)))
	for i, t := range j.terms {
		n, ok := l.numbers[t]
		if !ok {
			n = uint32(len(l.names))
			t = strings.Clone(t) // t is a piece of a text that shouldn't stay in memory
			l.numbers[t] = n
			l.names = append(l.names, t)
			l.inAll, l.inUnits = append(l.inAll, 0), append(l.inUnits, 0)
		}
		l.inAll[n]++
		if !j.chunk {
			l.inUnits[n]++
		}
		b = binary.LittleEndian.AppendUint32(b, n)
		b = binary.LittleEndian.AppendUint32(b, j.counts[i])
	}
	l.buffer = b
	_, err := l.out.Write(b)
	return err
}

// statistics are final once every document is in.
func (l *postingLog) statistics() index.Statistics {
	var s index.Statistics
	var units, chunks float64
	for i, n := range l.lengths {
		if l.chunks[i] {
			s.Chunks++
			chunks += float64(n)
		} else {
			s.Units++
			units += float64(n)
		}
	}
	s.UnitAverage, s.ChunkAverage = units/float64(max(s.Units, 1)), chunks/float64(max(s.Chunks, 1))
	return s
}

// write writes the terms' and the postings' files.
func (l *postingLog) write(ctx context.Context, folder string, m *index.Manifest) error {
	if err := l.out.Flush(); err != nil {
		return err
	}
	t, err := newTable(l.names)
	if err != nil {
		return err
	}
	frequencies := l.inUnits
	if m.Statistics.Units == 0 {
		frequencies = l.inAll
	}
	err = writeSections(filepath.Join(folder, termsFile), termsKind, append(t.sizes(), 4*len(frequencies)), func(to []*section) error {
		return errors.Join(t.write(to), writeAll(to[tableSections:], raw(frequencies)))
	})
	if err != nil {
		return err
	}
	starts := make([]uint64, 1, len(l.inAll)+1)
	for _, n := range l.inAll {
		starts = append(starts, starts[len(starts)-1]+uint64(n))
	}
	sizes := []int{8 * len(starts), 4 * l.postings, 4 * l.postings}
	return writeSections(filepath.Join(folder, postingsFile), postingsKind, sizes, func(to []*section) error {
		return (&inversion{log: l, manifest: m, starts: starts}).write(ctx, to)
	})
}

// close closes the file; remove removes it before the generation gets its name.
func (l *postingLog) close() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

func (l *postingLog) remove() error {
	name := l.file.Name()
	return errors.Join(l.close(), os.Remove(name))
}
