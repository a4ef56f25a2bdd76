package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// readDOCX reads a Word document: one law a file. It reads the XML itself: of the
// Go libraries for DOCX that are kept up, none renders automatic numbers, without
// which a text numbered by Word has no articles at all.
//
// A document's text is what its author means the reader to see: insertions of
// tracked changes are in it, deletions and hidden text are not; a text box stands
// behind its paragraph, a note in brackets at the end of its paragraph, and a row
// of a table is a line with | between the cells. What is left out is listed.
func readDOCX(ctx context.Context, path string, yield func(*Document, error) bool) {
	if err := ctx.Err(); err != nil {
		yield(nil, err)
		return
	}
	src, err := openSource(ctx, path)
	switch {
	case ctx.Err() != nil:
		yield(nil, ctx.Err())
		return
	case err != nil:
		yield(nil, &ReadError{Path: path, Reason: err.Error(), Err: err})
		return
	}
	yield(recognise(src), nil)
}

// openSource makes blocks of the Word document at path. A file named .doc is
// refused by what it holds, not by its name: some are a .docx renamed.
func openSource(ctx context.Context, path string) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the file can't be opened: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("the file can't be opened: %w", err)
	}
	return docxSource(ctx, path, f, info.Size())
}

// docxSource makes blocks of a Word document.
func docxSource(ctx context.Context, path string, r io.ReaderAt, size int64) (*source, error) {
	z, err := openDOCX(ctx, r, size)
	if err != nil {
		return nil, err
	}
	main, err := z.mainPart()
	if err != nil {
		return nil, err
	}
	w := &wordText{zip: z, numbers: &numbering{}, left: map[string]*strings.Builder{}, centred: map[int]bool{}}
	if w.styles, err = readStyles(z); err != nil {
		return nil, err
	}
	if err := w.readNotes(); err != nil {
		return nil, err
	}
	if w.numbers, err = readNumbering(z, w.styles); err != nil { // behind the notes, which would count
		return nil, err
	}
	text, err := w.readPart(main)
	if err != nil {
		return nil, err
	}
	blocks, dated := titleBlocks(text, w.centred, path)
	around, err := w.readAround(main)
	if err != nil {
		return nil, err
	}
	blocks = append(append(blocks, around...), w.leftOut()...)
	if !hasText(blocks) {
		return nil, errors.New("the document has no text; a scan must be put through character recognition first")
	}
	return &source{path: path, header: dated, blocks: blocks, bodyAt: -1}, nil
}

func hasText(blocks []block) bool {
	for _, b := range blocks {
		if b.rest == "" {
			return true
		}
	}
	return false
}

// readPart reads the blocks of one part of the document.
func (w *wordText) readPart(name string) ([]block, error) {
	var out []block
	err := w.zip.read(name, func(r io.Reader) error {
		w.xmlPart = newXMLPart(name, r)
		w.fields, w.line = nil, 0
		return w.whole(func(e xmlStart) error {
			if element(e.Name) == "" {
				return fmt.Errorf("%s is not WordprocessingML", name)
			}
			return w.content(&out)
		})
	})
	return out, err
}

// readNotes reads footnotes and endnotes, to be put where they are referred to.
func (w *wordText) readNotes() error {
	w.notes = map[string]string{}
	for _, kind := range []string{"footnote", "endnote"} {
		name := "word/" + kind + "s.xml"
		err := w.zip.read(name, func(r io.Reader) error {
			w.xmlPart = newXMLPart(name, r)
			return w.whole(func(xmlStart) error {
				return w.each(func(e xmlStart) error {
					if t := attribute(e, "type"); element(e.Name) != kind || t != "" && t != "normal" {
						return w.skip() // the line above the notes
					}
					var lines []block
					if err := w.content(&lines); err != nil {
						return err
					}
					w.notes[kind+attribute(e, "id")] = joinBlocks(lines)
					return nil
				}, nil)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readAround reads headers, footers and comments, which are no part of the text.
func (w *wordText) readAround(main string) ([]block, error) {
	var out []block
	for _, name := range w.zip.names {
		why := ""
		switch base := path.Base(name); {
		case path.Dir(name) != path.Dir(main) || path.Ext(name) != ".xml":
			continue
		case strings.HasPrefix(base, "header"), strings.HasPrefix(base, "footer"):
			why = "page header or footer"
		case base == "comments.xml":
			why = "comment"
		default:
			continue
		}
		blocks, err := w.readPart(name)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			b.line, b.rest = 0, why
			out = append(out, b)
		}
	}
	return out, nil
}

// leftOut lists what the text has and its reader isn't meant to see.
func (w *wordText) leftOut() []block {
	var out []block
	for _, id := range w.noteOrder() {
		out = append(out, block{text: w.notes[id], rest: "note that nothing refers to"})
	}
	for _, why := range reasonsLeft {
		if b := w.left[why]; b != nil && chars(b.String()) > 0 {
			out = append(out, block{text: b.String(), rest: why})
		}
	}
	return out
}

// joinBlocks puts the lines of a note or a cell on one line.
func joinBlocks(blocks []block) string {
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.text)
	}
	return strings.Join(parts, " ")
}
