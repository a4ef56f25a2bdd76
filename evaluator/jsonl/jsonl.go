package jsonl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/bytedance/sonic"
)

// MaxLine bounds a line in bytes. A run line of a hundred whole attachments
// stays well below it.
const MaxLine = 256 << 20

// ErrFormat is returned, wrapped with the line, when a line isn't what its
// format asks for.
var ErrFormat = errors.New("bad line")

// Open opens a file for reading and unpacks it when it's gzipped, whatever its
// name. The caller closes it.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(f, 1<<20)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return &file{Reader: b, f: f}, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &file{Reader: z, f: f}, nil
}

type file struct {
	io.Reader
	f *os.File
}

func (f *file) Close() error { return f.f.Close() }

// IsJSON tells by the first character, without consuming it, whether r holds
// JSON lines: TREC files never begin with a brace.
func IsJSON(r *bufio.Reader) (bool, error) {
	b, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
	return len(b) > 0 && b[0] == '{', nil
}

// Lines calls do for each line that isn't blank, without the line end and the
// file's byte order mark. Lines count from 1. The bytes are only valid during
// the call. It stops at the first error, which names the line.
func Lines(r io.Reader, do func(line int, text []byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<20), MaxLine)
	n := 0
	for s.Scan() {
		n++
		text := s.Bytes()
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if !utf8.Valid(text) {
			return fmt.Errorf("line %d: %w: not UTF-8", n, ErrFormat)
		}
		if err := do(n, text); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// Each decodes every line into a fresh T and hands it to do. Fields that T
// lacks are ignored.
func Each[T any](r io.Reader, do func(v *T) error) error {
	return Lines(r, func(_ int, text []byte) error {
		v := new(T)
		if err := decode(text, v); err != nil {
			return err
		}
		return do(v)
	})
}

// decode tries the fast decoder first: a run file is tens of megabytes, and
// encoding/json takes six times as long. What it refuses, encoding/json judges,
// so that the messages, and the last word, are the standard library's. The
// fast one doesn't look at backslash escapes within values that it passes over,
// so a wrong one there goes unnoticed; nothing that's used is read differently.
func decode[T any](text []byte, v *T) error {
	if text[0] != '{' {
		return fmt.Errorf("%w: a JSON object is expected", ErrFormat)
	}
	if sonic.ConfigStd.Unmarshal(text, v) == nil {
		return nil
	}
	*v = *new(T)
	err := json.Unmarshal(text, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%w: %q can't be a %s", ErrFormat, wrong.Field, wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}
