package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLineBytes bounds a line of JSON. The longest unit of a real corpus has some
// 100 KB.
const maxLineBytes = 16 << 20

var errLongLine = errors.New("the line is longer than 16 MB")

// lineReader reads a file line by line with bounded memory.
type lineReader struct {
	r    *bufio.Reader
	line int // number of the line that next returned last, from 1
	buf  []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 256<<10)}
}

// next returns the next line, trimmed; it is valid until the next call. After
// errLongLine reading can go on; io.EOF ends it; other errors are the file's.
func (l *lineReader) next() ([]byte, error) {
	l.line++
	l.buf = l.buf[:0]
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case err == nil && len(l.buf) == 0 && !long:
			return bytes.TrimSpace(part), nil
		case long || len(l.buf)+len(part) > maxLineBytes:
			long, l.buf = true, l.buf[:0]
		default:
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(l.buf) == 0 && !long):
			return nil, err
		case long:
			return nil, errLongLine
		}
		return bytes.TrimSpace(l.buf), nil
	}
}
