package corpus

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits on a Word document. The largest of 539 real ones has 1.7 MB of XML in its
// main part, packed 29 to 1; a zip bomb reaches 1,000 to 1.
const (
	maxEntries   = 10_000
	maxUnzipped  = 64 << 20 // bytes of all parts that are read
	maxRatio     = 200      // unpacked to packed, for parts that matter
	ratioApplies = 1 << 20  // unpacked bytes from which the ratio counts
	maxOLE       = 64 << 20 // bytes that are searched for what an OLE file is
)

var (
	errNotZip = errors.New("the content is not a Word document: it isn't a zip archive")
	errTooBig = fmt.Errorf("the document unpacks to more than %d MB, the limit", maxUnzipped>>20)
)

// docxZip is the archive that a .docx file is. Only the parts asked for by name
// are read, so names such as ../../x in the archive have no effect.
type docxZip struct {
	parts  map[string]*zip.File
	names  []string     // in archive order
	budget int64        // bytes that may still be unpacked
	alive  func() error // says when to stop reading
}

// openDOCX opens the archive, or says what the file is instead.
func openDOCX(ctx context.Context, r io.ReaderAt, size int64) (*docxZip, error) {
	magic := make([]byte, 8)
	n, err := r.ReadAt(magic, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the file can't be read: %w", err)
	}
	switch magic = magic[:n]; {
	case bytes.Equal(magic, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return nil, refuseOLE(r, size)
	case bytes.HasPrefix(magic, []byte(`{\rtf`)):
		return nil, errors.New("this is a rich text (RTF) file; save it as .docx")
	case !bytes.HasPrefix(magic, []byte("PK")):
		return nil, errNotZip
	}
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("the zip archive is damaged: %w", err)
	}
	if len(archive.File) > maxEntries {
		return nil, fmt.Errorf("the archive has %d entries; a Word document has fewer than %d", len(archive.File), maxEntries)
	}
	z := &docxZip{parts: map[string]*zip.File{}, budget: maxUnzipped, alive: ctx.Err}
	for _, f := range archive.File {
		if _, twice := z.parts[f.Name]; !twice { // the first of two entries counts
			z.parts[f.Name] = f
			z.names = append(z.names, f.Name)
		}
	}
	return z, nil
}

// refuseOLE says what a file in Microsoft's older container format is.
func refuseOLE(r io.ReaderAt, size int64) error {
	b, err := io.ReadAll(io.NewSectionReader(r, 0, min(size, maxOLE)))
	if err != nil {
		return fmt.Errorf("the file can't be read: %w", err)
	}
	named := func(stream string) bool { // names are in UTF-16
		return bytes.Contains(b, []byte(strings.Join(strings.Split(stream, ""), "\x00")))
	}
	switch {
	case named("EncryptedPackage"):
		return errors.New("the document is encrypted; save it without a password")
	case named("WordDocument"):
		return errors.New("this is a Word 97–2003 document (.doc); save it as .docx")
	}
	return errors.New("this is an older Office file, not a .docx document; save it as .docx")
}

// has reports whether the archive has the part.
func (z *docxZip) has(name string) bool { return z.parts[name] != nil }

// read hands the unpacked part to use. A part that isn't there is no error.
func (z *docxZip) read(name string, use func(io.Reader) error) error {
	f := z.parts[name]
	if f == nil {
		return nil
	}
	if f.Flags&1 != 0 {
		return errors.New("the archive is encrypted; save it without a password")
	}
	if f.UncompressedSize64 > ratioApplies && f.UncompressedSize64/maxRatio > f.CompressedSize64 {
		return fmt.Errorf("%s unpacks to more than %d times its size, as zip bombs do", name, maxRatio)
	}
	if f.UncompressedSize64 > uint64(z.budget) {
		return errTooBig
	}
	part, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s can't be unpacked: %w", name, err)
	}
	defer part.Close() //nolint:errcheck // only read from
	return use(&budgetReader{part, &z.budget, z.alive})
}

// budgetReader counts what is unpacked, whatever size the archive tells, and stops
// when it isn't alive any more.
type budgetReader struct {
	r      io.Reader
	budget *int64
	alive  func() error
}

func (b *budgetReader) Read(p []byte) (int, error) {
	if err := b.alive(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if *b.budget -= int64(n); *b.budget < 0 {
		return 0, errTooBig
	}
	return n, err
}

// mainPart returns the name of the part that holds the text: word/document.xml,
// or what the package's relations name. An error says what else the archive is.
func (z *docxZip) mainPart() (string, error) {
	const usual = "word/document.xml"
	if z.has(usual) {
		return usual, nil
	}
	var rels struct {
		Relationship []struct {
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
		}
	}
	if err := z.decode("_rels/.rels", &rels); err != nil {
		return "", err
	}
	for _, r := range rels.Relationship {
		target := strings.TrimPrefix(r.Target, "/")
		if strings.HasSuffix(r.Type, "/officeDocument") && strings.HasPrefix(target, "word/") && z.has(target) {
			return target, nil
		}
	}
	return "", z.refuse()
}

// refuse says what an archive without a Word text is.
func (z *docxZip) refuse() error {
	var mime string
	err := z.read("mimetype", func(r io.Reader) error {
		b, err := io.ReadAll(io.LimitReader(r, 100))
		mime = string(b)
		return err
	})
	switch {
	case err != nil:
		return err
	case z.has("xl/workbook.xml"):
		return errors.New("this is an Excel workbook, not a Word document")
	case z.has("ppt/presentation.xml"):
		return errors.New("this is a PowerPoint presentation, not a Word document")
	case strings.Contains(mime, "opendocument.text"):
		return errors.New("this is an OpenDocument text (.odt); save it as .docx")
	case strings.Contains(mime, "epub"):
		return errors.New("this is an EPUB book, not a Word document")
	case z.has("OFD.xml"):
		return errors.New("this is an OFD document; save it as .docx")
	}
	return errors.New("this is a zip archive without word/document.xml, not a Word document")
}
