package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"lexagent/statute"
)

// Document is one version of one law, or a part of it (民法典 is kept in eight
// files), as read from a source.
type Document struct {
	Law      statute.Law    // ID, dates, level and what else the source tells
	Units    []statute.Unit // in text order, ids filled in
	Source   string         // path, with ":line" or " row n" where one file holds many laws
	Coverage Coverage       // where the source's characters went
	Notes    []string       // what a person should know: broken order, missing numbers, colliding ids
}

var (
	// ErrCompanion is returned for a laws.jsonl beside an articles.jsonl: its
	// dates are joined when the articles are read, so it is not read by itself.
	ErrCompanion = errors.New("is read together with the articles beside it")
	// ErrNotCorpus is returned for a readable file that holds no laws, such as
	// an index or a set of questions in JSON lines.
	ErrNotCorpus = errors.New("holds no units of laws")
)

// ReadError says what could not be read, and why.
type ReadError struct {
	Path   string
	Line   int    // line or row, from 1; 0 = the whole file
	Reason string // one sentence without the path
	Chars  int    // of the line, other than white space, where they are known
	Err    error  // the cause, for errors.Is; may be nil
}

// Error returns "path:line: reason".
func (e *ReadError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
	}
	return e.Path + ": " + e.Reason
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// reader reads the file at path and hands documents and errors to yield until
// it returns false.
type reader func(ctx context.Context, path string, yield func(*Document, error) bool)

// readers by the end of the file's name, in lower case.
var readers = map[string]reader{
	".md": textReader(markdownBlocks), ".markdown": textReader(markdownBlocks),
	".txt": textReader(plainBlocks), ".html": readHTML, ".htm": readHTML, ".xhtml": readHTML, ".pdf": readPDF,
	".docx": readDOCX, ".doc": readDOCX, // the latter to say why not
	".jsonl": readJSONL, ".jsonl.gz": readJSONL,
	".db": readSQLite, ".sqlite": readSQLite, ".sqlite3": readSQLite,
}

// Supported reports whether Read knows the format of the file, judging by its name.
func Supported(path string) bool { return readerFor(path) != nil }

func readerFor(path string) reader {
	name := strings.ToLower(filepath.Base(path))
	if strings.HasSuffix(name, ".jsonl.gz") {
		return readers[".jsonl.gz"]
	}
	return readers[filepath.Ext(name)]
}

// Read yields the documents of the file at path. What can't be read comes as a
// *ReadError with a nil document, and reading goes on behind it where that is
// possible. When ctx is done, its error is yielded last.
func Read(ctx context.Context, path string) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		read := readerFor(path)
		if err := check(path, read != nil); err != nil {
			yield(nil, err)
			return
		}
		read(ctx, path, yield)
	}
}

// check refuses what isn't a file with content in a known format.
func check(path string, known bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &ReadError{Path: path, Reason: "there is no such file", Err: err}
	case err != nil:
		return &ReadError{Path: path, Reason: "the file can't be opened: " + err.Error(), Err: err}
	case info.IsDir():
		return &ReadError{Path: path, Reason: "this is a folder; give its files one by one"}
	case !info.Mode().IsRegular():
		return &ReadError{Path: path, Reason: "this is not a regular file"}
	case info.Size() == 0:
		return &ReadError{Path: path, Reason: "the file is empty"}
	case !known:
		return &ReadError{Path: path, Reason: "the format is not known; .md, .txt, .html, .pdf, .docx, .jsonl, .jsonl.gz, .db and .sqlite are"}
	}
	kind, err := misnamed(path)
	switch {
	case err != nil:
		return &ReadError{Path: path, Reason: "the file can't be read: " + err.Error(), Err: err}
	case kind != "":
		return &ReadError{Path: path, Reason: "the name ends in " + filepath.Ext(path) + ", but the content is " + kind}
	}
	return nil
}
