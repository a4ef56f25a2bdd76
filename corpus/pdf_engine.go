package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	handles "github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// PDF files are read by PDFium, the engine of Chromium, compiled to WebAssembly. It
// knows the fonts and encodings of Chinese PDF files and mends broken ones, and a
// hostile file can do nothing but fail: the sandbox has no files, no network, and
// bounded memory. To compile it takes some seconds on first use; the result is kept
// in the user's cache folder.
const (
	pdfMemoryPages = 16384 // of 64 KB: 1 GB for one document
	pdfReaders     = 2     // documents at a time
)

// pdfPool is made when the first PDF file is read.
var pdfPool = sync.OnceValues(func() (pdfium.Pool, error) {
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithCloseOnContextDone(true).
		WithMemoryLimitPages(pdfMemoryPages)
	if dir, err := os.UserCacheDir(); err == nil {
		// Without a cache it works too, and compiles at each start.
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "lexagent", "pdfium")); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	return webassembly.Init(webassembly.Config{
		Context:       experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0)),
		MaxTotal:      pdfReaders,
		RuntimeConfig: config,
		FSConfig:      wazero.NewFSConfig(),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
})

// Reasons why a PDF file can't be read.
var (
	errPDFLocked = errors.New("the PDF file is encrypted and asks for a password")
	errPDFBroken = errors.New("the PDF file is broken or is none")
	errPDFPages  = fmt.Errorf("the PDF file has more than %d pages", maxPDFPages)
	errPDFEmpty  = errors.New("the PDF file has no pages")
)

// glyph is a character at its place on a page, in points from the lower left.
type glyph struct {
	r                        rune
	left, right, bottom, top float64
}

// pdfPage is what one page shows.
type pdfPage struct {
	glyphs   []glyph
	turned   []rune // characters that don't stand upright: watermarks, stamps
	unmapped int    // glyphs of which the font doesn't tell the character
	images   bool
}

// pdfPages takes the characters from the pages of a PDF file. When ctx is done, the
// engine is stopped within a page.
func pdfPages(ctx context.Context, content []byte) (pages []pdfPage, err error) {
	pool, err := pdfPool()
	if err != nil {
		return nil, fmt.Errorf("PDFium can't be started: %w", err)
	}
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("PDFium can't be started: %w", err)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPDFBroken, r)
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	stop := context.AfterFunc(ctx, func() { _ = instance.Kill() }) // the read fails then
	defer func() {
		if stop() {
			_ = instance.Close() // nothing is lost: the document was only read
		}
	}()
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &content})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return nil, errPDFLocked
	case err != nil:
		return nil, errPDFBroken
	}
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	switch {
	case err != nil:
		return nil, errPDFBroken
	case count.PageCount > maxPDFPages:
		return nil, errPDFPages
	case count.PageCount == 0:
		return nil, errPDFEmpty
	}
	total := 0
	for i := range count.PageCount {
		p, err := readPage(instance, opened.Document, i)
		if err != nil {
			return nil, fmt.Errorf("page %d of the PDF file can't be read: %w", i+1, err)
		}
		if total += len(p.glyphs); total > maxPDFChars {
			return nil, fmt.Errorf("the PDF file has more than %d characters", maxPDFChars)
		}
		pages = append(pages, p)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

func readPage(engine pdfium.Pdfium, doc handles.FPDF_DOCUMENT, index int) (pdfPage, error) {
	loaded, err := engine.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index})
	if err != nil {
		return pdfPage{}, err
	}
	defer engine.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) //nolint:errcheck // only read from
	page := requests.Page{ByReference: &loaded.Page}
	text, err := engine.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return pdfPage{}, err
	}
	defer engine.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}) //nolint:errcheck // only read from
	count, err := engine.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil {
		return pdfPage{}, err
	}
	p := pdfPage{}
	for i := range count.Count {
		if err := p.read(engine, text.TextPage, i); err != nil {
			return pdfPage{}, err
		}
	}
	p.joinSurrogates()
	const few = 10 // characters
	if len(p.glyphs) < few {
		p.images, err = hasImages(engine, page)
	}
	return p, err
}

// read takes the i-th character. Those that PDFium adds to part words and lines are
// left out: the lines are made from the places.
func (p *pdfPage) read(engine pdfium.Pdfium, text handles.FPDF_TEXTPAGE, i int) error {
	made, err := engine.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: text, Index: i})
	if err != nil || made.IsGenerated {
		return err
	}
	char, err := engine.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: text, Index: i})
	if err != nil {
		return err
	}
	box, err := engine.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: i})
	if err != nil {
		return nil //nolint:nilerr // a character without a place isn't on the page
	}
	unmapped, err := engine.FPDFText_HasUnicodeMapError(&requests.FPDFText_HasUnicodeMapError{TextPage: text, Index: i})
	if err != nil {
		return err
	}
	r := rune(char.Unicode)
	if unmapped.HasUnicodeMapError || r == 0 || r == '\ufffd' {
		p.unmapped++
		return nil
	}
	if r < ' ' || r == 0x7f || r == 0xfffe {
		return nil
	}
	if angle, err := engine.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: text, Index: i}); err == nil && tilted(float64(angle.CharAngle)) {
		p.turned = append(p.turned, r)
		return nil
	}
	p.glyphs = append(p.glyphs, glyph{r, float64(box.Rect.Left), float64(box.Rect.Right), float64(box.Rect.Bottom), float64(box.Rect.Top)})
	return nil
}

// tilted reports an angle in radians that isn't upright.
func tilted(angle float64) bool {
	const little, full = .1, 6.2832
	return angle > little && angle < full-little
}

func hasImages(engine pdfium.Pdfium, page requests.Page) (bool, error) {
	count, err := engine.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return false, err
	}
	const most = 1000 // objects of an empty page that are looked at
	for i := range min(count.Count, most) {
		object, err := engine.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return false, err
		}
		kind, err := engine.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil {
			return false, err
		}
		if kind.Type == enums.FPDF_PAGEOBJ_IMAGE {
			return true, nil
		}
	}
	return false, nil
}
