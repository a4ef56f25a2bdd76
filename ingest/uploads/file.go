package uploads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"lexagent/corpus"
)

// File is a document as it was brought.
type File struct {
	Name string // with its ending, which tells the format; not a path
	Body []byte
}

// FileError is returned for a file that is not taken.
type FileError struct {
	Name   string
	Kind   FileProblem
	Reason string // one sentence
}

func (e *FileError) Error() string { return e.Name + ": " + e.Reason }

// FileProblem says what is wrong with a file.
type FileProblem int

// The problems of files.
const (
	BadName    FileProblem = iota // not the name of a file
	BadType                       // of a format that is not taken
	Unreadable                    // nothing could be read of it
)

// Types are the endings of names that are taken. Databases and compressed files are
// not: what they hold is not bounded by their size.
var Types = []string{".docx", ".pdf", ".md", ".markdown", ".txt", ".html", ".htm", ".xhtml", ".jsonl"}

const maxName = 200 // bytes; file systems allow 255

// checkName returns the name under which a file is kept.
func checkName(name string) (string, error) {
	bad := func(reason string) (string, error) { return "", &FileError{"file", BadName, reason} }
	if !utf8.ValidString(name) {
		return bad("its name is not valid UTF-8")
	}
	name = norm.NFC.String(name)
	switch {
	case strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, unicode.IsControl):
		return bad("its name holds a path or control characters")
	case name == "" || strings.HasPrefix(name, "."):
		return bad("its name is empty or begins with a dot")
	case len(name) > maxName:
		return bad(fmt.Sprintf("its name is longer than %d bytes", maxName))
	case !slices.Contains(Types, strings.ToLower(filepath.Ext(name))):
		return "", &FileError{name, BadType, "files of this type are not taken; " + strings.Join(Types, " ") + " are"}
	}
	return name, nil
}

// try reads a file that lies at path, and says why nothing comes out of it.
func try(ctx context.Context, name, path string) error {
	var first error
	for doc, err := range corpus.Read(ctx, path) {
		if doc != nil && len(doc.Units) > 0 || errors.Is(err, corpus.ErrCompanion) {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	reason := "it holds no text that could be read"
	var re *corpus.ReadError
	if errors.As(first, &re) {
		reason = strings.ReplaceAll(re.Reason, path, name)
	}
	return &FileError{name, Unreadable, reason}
}

// receive writes the files into the folder hold, and tries them.
func receive(ctx context.Context, hold string, files []File) (names []string, err error) {
	for _, f := range files {
		name, err := checkName(f.Name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names, name) {
			return nil, &FileError{name, BadName, "two files have this name"}
		}
		names = append(names, name)
		if err := writeFile(filepath.Join(hold, name), f.Body); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if err := try(ctx, name, filepath.Join(hold, name)); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// place moves the files that were received to where they are kept. d.mu is held.
func (d *Desk) place(hold, collection string, names []string) error {
	if err := os.MkdirAll(d.folder(collection), 0o750); err != nil {
		return fmt.Errorf("store an upload: %w", err)
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(hold, name), filepath.Join(d.folder(collection), name)); err != nil {
			return fmt.Errorf("store an upload: %w", err)
		}
	}
	return nil
}
