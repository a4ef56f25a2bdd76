package corpus

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
	unicode16 "golang.org/x/text/encoding/unicode"
)

// maxTextBytes bounds a text file. The longest law has some 300 KB.
const maxTextBytes = 64 << 20

// readBytes returns the whole of a file of at most limit bytes.
func readBytes(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &ReadError{Path: path, Reason: "the file can't be opened: " + err.Error(), Err: err}
	}
	defer f.Close() //nolint:errcheck // only read from
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, &ReadError{Path: path, Reason: "the file can't be read: " + err.Error(), Err: err}
	}
	if int64(len(b)) > limit {
		return nil, &ReadError{Path: path, Reason: fmt.Sprintf("the file is larger than %d MB, the limit for one file", limit>>20)}
	}
	return b, nil
}

// textReader reads text that holds one law a file, cut into blocks.
func textReader(blocks func(path, text string) *source) reader {
	return func(ctx context.Context, path string, yield func(*Document, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		text, err := readText(path)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(recognise(blocks(path, text)), nil)
	}
}

// readText returns a text file as UTF-8. UTF-16 is accepted with its mark, GB18030
// when it decodes to Chinese without a fault; anything else is refused.
func readText(path string) (string, error) {
	b, err := readBytes(path, maxTextBytes)
	if err != nil {
		return "", err
	}
	s, reason := decode(b)
	if reason != "" {
		return "", &ReadError{Path: path, Reason: reason}
	}
	return s, nil
}

// decode returns b as UTF-8 without byte order mark, or the reason why it isn't text.
func decode(b []byte) (text, reason string) {
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return "", "the file is empty"
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return decodeUTF16(b)
	case hasControls(b):
		return "", "the content is binary, not text"
	case utf8.Valid(b):
		return string(bytes.TrimPrefix(b, []byte("\ufeff"))), ""
	}
	out, err := simplifiedchinese.GB18030.NewDecoder().Bytes(b)
	if err != nil || !chinese(out) {
		return "", "the text is neither UTF-8 nor GB18030"
	}
	return string(out), ""
}

// decodeUTF16 returns text in UTF-16 with its byte order mark as UTF-8.
func decodeUTF16(b []byte) (text, reason string) {
	out, err := unicode16.UTF16(unicode16.LittleEndian, unicode16.ExpectBOM).NewDecoder().Bytes(b)
	switch {
	case err != nil || bytes.ContainsRune(out, utf8.RuneError):
		return "", "the text is marked as UTF-16 and is none"
	case hasControls(out):
		return "", "the content is binary, not text"
	case len(bytes.TrimSpace(out)) == 0:
		return "", "the file is empty"
	}
	return string(out), ""
}

// hasControls reports bytes that no text has in UTF-8 or GB18030.
func hasControls(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' || c == 0x7f {
			return true
		}
	}
	return false
}

// chinese reports whether the characters beyond ASCII are what a Chinese text
// has: nine of ten, and not one replacement character.
func chinese(b []byte) bool {
	all, good := 0, 0
	for _, r := range string(b) {
		switch {
		case r == utf8.RuneError:
			return false
		case r < utf8.RuneSelf:
			continue
		case unicode.Is(unicode.Han, r) || unicode.IsPunct(r) || unicode.IsSpace(r) || r >= 0xff00 && r < 0xfff0:
			good++
		}
		all++
	}
	return all > 0 && good*10 >= all*9
}
