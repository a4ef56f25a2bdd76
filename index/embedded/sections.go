package embedded

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A section file is a header page and then a fixed number of byte arrays, each
// aligned to 64 bytes. The header tells kind, size and checksum of everything, so
// that a truncated, foreign or altered file is refused.
const (
	headerSize = 4096
	alignment  = 64
	magic      = "LEXIDX01"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// section is one array of the file while it is written.
type section struct {
	offset, size, written int64
	crc                   uint32
	out                   *bufio.Writer
}

// Write appends to the section.
func (s *section) Write(p []byte) (int, error) {
	if s.written+int64(len(p)) > s.size {
		return 0, fmt.Errorf("%d bytes more than the section of %d was planned for", s.written+int64(len(p))-s.size, s.size)
	}
	s.crc = crc32.Update(s.crc, castagnoli, p)
	s.written += int64(len(p))
	return s.out.Write(p)
}

// sectionWriter writes a section file. Sections may be written side by side.
type sectionWriter struct {
	file     *os.File
	kind     string
	sections []*section
}

// createSections starts a file of the given kind (8 bytes) and section sizes.
func createSections(path, kind string, sizes ...int) (*sectionWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	w := &sectionWriter{file: f, kind: kind}
	offset := int64(headerSize)
	for _, size := range sizes {
		s := &section{offset: offset, size: int64(size)}
		s.out = bufio.NewWriterSize(io.NewOffsetWriter(f, offset), 1<<16)
		w.sections = append(w.sections, s)
		offset = align(offset + int64(size))
	}
	return w, nil
}

func align(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

// finish flushes the sections, writes the header and syncs the file.
func (w *sectionWriter) finish() (err error) {
	defer func() { err = errors.Join(err, w.file.Close()) }()
	header := make([]byte, headerSize)
	copy(header, magic)
	copy(header[8:16], w.kind)
	binary.LittleEndian.PutUint32(header[16:], uint32(len(w.sections)))
	size := int64(headerSize)
	for i, s := range w.sections {
		if s.written != s.size {
			return fmt.Errorf("section %d of %s has %d bytes instead of %d", i, w.kind, s.written, s.size)
		}
		if err := s.out.Flush(); err != nil {
			return err
		}
		entry := header[32+24*i:]
		binary.LittleEndian.PutUint64(entry, uint64(s.offset))
		binary.LittleEndian.PutUint64(entry[8:], uint64(s.size))
		binary.LittleEndian.PutUint32(entry[16:], s.crc)
		size = align(s.offset + s.size)
	}
	binary.LittleEndian.PutUint32(header[headerSize-4:], crc32.Checksum(header[:headerSize-4], castagnoli))
	if _, err := w.file.WriteAt(header, 0); err != nil {
		return err
	}
	if err := w.file.Truncate(size); err != nil {
		return err
	}
	return w.file.Sync()
}

// sectionFile is a section file mapped into memory.
type sectionFile struct {
	*mapping
	sections [][]byte
}

// openSections maps a file and checks that it is of the kind, has n sections, and
// holds the bytes that were written.
func openSections(path, kind string, n int) (*sectionFile, error) {
	m, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	sections, err := readSections(m.data, kind, n)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), m.close())
	}
	return &sectionFile{mapping: m, sections: sections}, nil
}

func readSections(data []byte, kind string, n int) ([][]byte, error) {
	if len(data) < headerSize || string(data[:8]) != magic || string(data[8:16]) != kind {
		return nil, fmt.Errorf("%w: it is no %q file of this version", ErrDamaged, kind)
	}
	header := data[:headerSize]
	if crc32.Checksum(header[:headerSize-4], castagnoli) != binary.LittleEndian.Uint32(header[headerSize-4:]) {
		return nil, fmt.Errorf("%w: its header is altered", ErrDamaged)
	}
	if got := binary.LittleEndian.Uint32(header[16:]); got != uint32(n) {
		return nil, fmt.Errorf("%w: it has %d sections instead of %d", ErrDamaged, got, n)
	}
	sections := make([][]byte, n)
	end := uint64(headerSize)
	for i := range sections {
		entry := header[32+24*i:]
		offset, size := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if offset != end || size > uint64(len(data)) || offset+size > uint64(len(data)) {
			return nil, fmt.Errorf("%w: it is cut off", ErrDamaged)
		}
		sections[i] = data[offset : offset+size]
		if crc32.Checksum(sections[i], castagnoli) != binary.LittleEndian.Uint32(entry[16:]) {
			return nil, fmt.Errorf("%w: its content is altered", ErrDamaged)
		}
		end = uint64(align(int64(offset + size)))
	}
	if end != uint64(len(data)) {
		return nil, fmt.Errorf("%w: it has %d bytes instead of %d", ErrDamaged, len(data), end)
	}
	return sections, nil
}

// writeSections creates a section file, has it filled and finishes it.
func writeSections(path, kind string, sizes []int, fill func(to []*section) error) error {
	w, err := createSections(path, kind, sizes...)
	if err != nil {
		return err
	}
	if err := fill(w.sections); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), w.file.Close())
	}
	if err := w.finish(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
