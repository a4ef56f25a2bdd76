package corpus

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sniffBytes is how much of a file is looked at to tell what it is.
const sniffBytes = 1024

// signature tells a kind of file by its first bytes.
type signature struct {
	magic string
	kind  string   // as a message names it
	exts  []string // the ends of names that such a file may have
	text  bool     // compared in lower case, behind a byte order mark and white space
}

var signatures = []signature{
	{"%pdf-", "a PDF document", []string{".pdf"}, true},
	{"PK\x03\x04", "a ZIP archive or an Office document", []string{".docx", ".doc"}, false},
	{"PK\x05\x06", "an empty ZIP archive", []string{".docx", ".doc"}, false},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Office document", []string{".docx", ".doc"}, false}, // its reader tells which
	{"SQLite format 3\x00", "a SQLite database", []string{".db", ".sqlite", ".sqlite3"}, false},
	{"\x1f\x8b", "a gzip archive", []string{".gz"}, false},
	{"Rar!\x1a\x07", "a RAR archive", nil, false},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", nil, false},
	{"{\\rtf", "an RTF document", nil, false},
	{"\x89PNG\r\n\x1a\n", "a PNG image", nil, false},
	{"\xff\xd8\xff", "a JPEG image", nil, false},
	{"GIF8", "a GIF image", nil, false},
	{"II*\x00", "a TIFF image", nil, false},
	{"MM\x00*", "a TIFF image", nil, false},
	{"\x7fELF", "a program", nil, false},
	{"mime-version:", "a web archive (MHTML)", nil, true},
	{"<!doctype html", "an HTML page", []string{".html", ".htm", ".xhtml"}, true},
	{"<html", "an HTML page", []string{".html", ".htm", ".xhtml"}, true},
}

// misnamed returns what the file is when its first bytes show that it isn't what
// its name says; "" otherwise.
func misnamed(path string) (kind string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read from
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	return mismatch(strings.ToLower(filepath.Ext(path)), head[:n]), nil
}

// mismatch is misnamed on the end of a name and the first bytes.
func mismatch(ext string, head []byte) string {
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n"))
	for _, s := range signatures {
		at := head
		if s.text {
			at = text
		}
		if !bytes.HasPrefix(at, []byte(s.magic)) {
			continue
		}
		if slices.Contains(s.exts, ext) {
			return ""
		}
		return s.kind
	}
	return ""
}
