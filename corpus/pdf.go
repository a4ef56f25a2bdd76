package corpus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Limits of a PDF file. The longest law in print has some 300 pages.
const (
	maxPDFBytes = 256 << 20
	maxPDFPages = 20_000
	maxPDFChars = 20_000_000
	maxPDFTime  = 10 * time.Minute
)

// readPDF reads a PDF file with a text layer: one law a file.
func readPDF(ctx context.Context, path string, yield func(*Document, error) bool) {
	if err := ctx.Err(); err != nil {
		yield(nil, err)
		return
	}
	b, err := readBytes(path, maxPDFBytes)
	if err != nil {
		yield(nil, err)
		return
	}
	limited, cancel := context.WithTimeout(ctx, maxPDFTime)
	defer cancel()
	pages, err := pdfPages(limited, b)
	switch {
	case ctx.Err() != nil:
		yield(nil, ctx.Err())
		return
	case errors.Is(err, context.DeadlineExceeded):
		yield(nil, &ReadError{Path: path, Reason: fmt.Sprintf("reading the PDF file takes longer than %v", maxPDFTime), Err: err})
		return
	case err != nil:
		yield(nil, &ReadError{Path: path, Reason: err.Error(), Err: err})
		return
	}
	src, reason := pdfBlocks(path, pages)
	if reason != "" {
		yield(nil, &ReadError{Path: path, Reason: reason})
		return
	}
	yield(recognise(src), nil)
}

// pdfBlocks makes blocks of the pages, or tells why their text can't be trusted.
func pdfBlocks(path string, pages []pdfPage) (src *source, reason string) {
	seen, unmapped := 0, 0
	var scanned []string
	for i, p := range pages {
		seen += len(p.glyphs)
		unmapped += p.unmapped
		if p.images {
			scanned = append(scanned, strconv.Itoa(i+1))
		}
	}
	switch {
	case unmapped*20 > seen+unmapped:
		return nil, "the fonts of the PDF file don't tell which characters they show; its text can't be read without OCR"
	case len(scanned)*2 > len(pages):
		return nil, fmt.Sprintf("%d of %d pages of the PDF file are images without text; it needs OCR first", len(scanned), len(pages))
	case seen == 0:
		return nil, "the PDF file has no text"
	}
	src = &source{path: path, bodyAt: -1, blocks: pageBlocks(pages)}
	if len(scanned) > 0 {
		src.notes = append(src.notes, "pages that are images without text and were not read: "+strings.Join(scanned[:min(len(scanned), 20)], ", "))
	}
	if unmapped > 0 {
		src.notes = append(src.notes, fmt.Sprintf("%d characters are not known, as their font doesn't tell them", unmapped))
	}
	return src, ""
}

// joinSurrogates makes one glyph of the two halves of a character beyond U+FFFF.
func (p *pdfPage) joinSurrogates() {
	out := p.glyphs[:0]
	for _, g := range p.glyphs {
		n := len(out) - 1
		if n >= 0 && utf16.IsSurrogate(out[n].r) && utf16.IsSurrogate(g.r) {
			if r := utf16.DecodeRune(out[n].r, g.r); r != '\ufffd' {
				out[n].r, out[n].right = r, max(out[n].right, g.right)
				continue
			}
		}
		out = append(out, g)
	}
	p.glyphs = out
}
