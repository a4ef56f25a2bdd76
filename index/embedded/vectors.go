package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"lexagent/index"
)

// The vectors' file is a header page and then three arrays with a row a document, in
// the order of the documents, each aligned: the vectors in float32, what belongs to
// their codes, and the codes (codes.go). It has its full length from the start (the
// rest is a hole), so that one mapping shows what comes later. Only the rows counted
// in the header are there: the count is raised after their bytes are on the disk.
const (
	vectorsMagic = "LEXVEC02"
	plainMagic   = "LEXVEC01" // of before: vectors only
	atDim        = 8
	atTotal      = 16
	atRows       = 24 // rows that are there; written as one aligned word
	atDigest     = 32 // first 16 bytes of the generation's digest, in hex
	atEncoder    = 64 // length, then the encoder's name
	maxEncoder   = 1024
	maxDim       = 1 << 16
)

// Errors of OpenVectors.
var (
	// ErrBusy is returned while another writer has the file.
	ErrBusy = errors.New("the vectors are being written by another process")
	// ErrEncoder is returned when the generation has vectors of another encoder.
	ErrEncoder = errors.New("the vectors of this generation were made by another encoder")
)

// layout is where the arrays of a vectors' file begin, and where it ends.
type layout struct {
	coded                      bool // there are codes
	vectors, metas, codes, end int64
}

func layOut(total, dim int, coded bool) layout {
	l := layout{coded: coded, vectors: headerSize}
	l.end = l.vectors + int64(total)*int64(dim)*4
	l.metas, l.codes = l.end, l.end
	if coded {
		l.metas = align(l.end)
		l.codes = align(l.metas + int64(total)*metaSize)
		l.end = l.codes + int64(total)*int64(codeWidth(dim))
	}
	return l
}

// VectorWriter appends the vectors of a generation's documents, in their order. It
// goes on where the last checkpoint of an earlier writer was, also after a kill.
// Readers, of this and other processes, see rows from the checkpoint on that
// follows them. It is used by one goroutine.
type VectorWriter struct {
	file       *os.File
	layout     layout
	dim        int
	total      int
	rows       int // written
	checkpoint int // rows that readers see
}

// OpenVectors opens or creates the vectors' file of a generation. encoder names
// the model with its version or hash, dim is the length of a vector. A file that
// another encoder made is an error: give the encoder to Options.Identity, so that
// another encoder has a generation of its own.
func OpenVectors(root, generation, encoder string, dim int) (*VectorWriter, error) {
	folder := filepath.Join(root, generation)
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	if dim < 1 || dim > maxDim || encoder == "" || len(encoder) > maxEncoder {
		return nil, fmt.Errorf("vectors need an encoder's name and 1 to %d dimensions, not %q and %d", maxDim, encoder, dim)
	}
	f, err := os.OpenFile(filepath.Join(folder, vectorsFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	w := &VectorWriter{file: f, layout: layOut(m.Documents, dim, true), dim: dim, total: m.Documents}
	if err := w.start(m, encoder); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// start locks the file and reads its header, or writes one into a new file.
func (w *VectorWriter) start(m *index.Manifest, encoder string) error {
	err := syscall.Flock(int(w.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	if err != nil {
		return fmt.Errorf("lock the vectors: %w", err)
	}
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() <= headerSize {
		return w.create(m, encoder)
	}
	header := make([]byte, headerSize)
	if _, err := w.file.ReadAt(header, 0); err != nil {
		return err
	}
	h, err := readVectorsHeader(header, m, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", w.file.Name(), err)
	}
	if h.encoder != encoder || h.dim != w.dim {
		return fmt.Errorf("%w: by %s with %d dimensions, not by %s with %d",
			ErrEncoder, h.encoder, h.dim, encoder, w.dim)
	}
	w.rows, w.checkpoint, w.layout = h.rows, h.rows, h.layout
	return nil
}

// create begins the file anew. Up to the last step it has no more than its header,
// by which a creation that was killed is known.
func (w *VectorWriter) create(m *index.Manifest, encoder string) error {
	header := make([]byte, headerSize)
	copy(header, vectorsMagic)
	binary.LittleEndian.PutUint64(header[atDim:], uint64(w.dim))
	binary.LittleEndian.PutUint64(header[atTotal:], uint64(w.total))
	copy(header[atDigest:], m.Digest[:32])
	binary.LittleEndian.PutUint32(header[atEncoder:], uint32(len(encoder)))
	copy(header[atEncoder+4:], encoder)
	if err := w.file.Truncate(0); err != nil {
		return err
	}
	if _, err := w.file.WriteAt(header, 0); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	return w.file.Truncate(w.layout.end)
}

// Rows is how many documents have their vector; the next one appended belongs to
// the document of this number (Store.ID).
func (w *VectorWriter) Rows() int { return w.rows }

// Append writes vectors of the next documents. Nobody sees them before Checkpoint.
func (w *VectorWriter) Append(vectors ...[]float32) error {
	if w.rows+len(vectors) > w.total {
		return fmt.Errorf("the generation has %d documents and can't take %d vectors", w.total, w.rows+len(vectors))
	}
	width := codeWidth(w.dim)
	block := make([]float32, 0, len(vectors)*w.dim)
	metas := make([]codeMeta, len(vectors))
	codes := make([]int8, len(vectors)*width)
	for i, v := range vectors {
		if len(v) != w.dim {
			return fmt.Errorf("a vector has %d dimensions instead of %d", len(v), w.dim)
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("the vector of document %d is not finite", w.rows+i)
			}
		}
		block = append(block, v...)
		metas[i] = encodeRow(v, codes[i*width:(i+1)*width])
	}
	row := int64(w.rows)
	_, err := w.file.WriteAt(raw(block), w.layout.vectors+row*int64(w.dim)*4)
	if w.layout.coded {
		_, err1 := w.file.WriteAt(raw(metas), w.layout.metas+row*metaSize)
		_, err2 := w.file.WriteAt(raw(codes), w.layout.codes+row*int64(width))
		err = errors.Join(err, err1, err2)
	}
	if err != nil {
		return fmt.Errorf("write vectors: %w", err)
	}
	w.rows += len(vectors)
	return nil
}

// Checkpoint makes what was appended durable and then visible.
func (w *VectorWriter) Checkpoint() error {
	if w.rows == w.checkpoint {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync vectors: %w", err)
	}
	var count [8]byte
	binary.LittleEndian.PutUint64(count[:], uint64(w.rows))
	if _, err := w.file.WriteAt(count[:], atRows); err != nil {
		return fmt.Errorf("count vectors: %w", err)
	}
	w.checkpoint = w.rows
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync vectors: %w", err)
	}
	return nil
}

// Close makes a checkpoint and closes the file.
func (w *VectorWriter) Close() error { return errors.Join(w.Checkpoint(), w.file.Close()) }

type vectorsHeader struct {
	layout    layout
	dim, rows int
	encoder   string
}

// readVectorsHeader checks that a header belongs to a generation and to a file of
// the given size.
func readVectorsHeader(b []byte, m *index.Manifest, size int64) (*vectorsHeader, error) {
	coded := string(b[:8]) == vectorsMagic
	if !coded && string(b[:8]) != plainMagic {
		return nil, fmt.Errorf("%w: it holds no vectors", ErrDamaged)
	}
	dim, total := binary.LittleEndian.Uint64(b[atDim:]), binary.LittleEndian.Uint64(b[atTotal:])
	rows, name := binary.LittleEndian.Uint64(b[atRows:]), binary.LittleEndian.Uint32(b[atEncoder:])
	if string(b[atDigest:atDigest+32]) != m.Digest[:32] || total != uint64(m.Documents) {
		return nil, fmt.Errorf("%w: its vectors belong to another generation", ErrDamaged)
	}
	if dim < 1 || dim > maxDim || rows > total || name > maxEncoder {
		return nil, fmt.Errorf("%w: its header is altered", ErrDamaged)
	}
	l := layOut(int(total), int(dim), coded)
	if size != l.end {
		return nil, fmt.Errorf("%w: it has %d bytes instead of %d", ErrDamaged, size, l.end)
	}
	return &vectorsHeader{layout: l, dim: int(dim), rows: int(rows), encoder: string(b[atEncoder+4:][:name])}, nil
}

// vectors is the vectors' file mapped into memory.
type vectors struct {
	*mapping
	header *vectorsHeader
	floats []float32 // all rows, also those still to come, as in the two that follow
	metas  []codeMeta
	codes  []int8
}

// openVectors maps the vectors of a generation; nil when nobody began to make any.
func openVectors(folder string, m *index.Manifest) (*vectors, error) {
	path := filepath.Join(folder, vectorsFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= headerSize {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	mapped, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	h, err := readVectorsHeader(mapped.data, m, int64(len(mapped.data)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), mapped.close())
	}
	l := h.layout
	return &vectors{mapping: mapped, header: h, floats: view[float32](mapped.data[l.vectors:l.metas]),
		metas: view[codeMeta](mapped.data[l.metas:l.codes]), codes: view[int8](mapped.data[l.codes:l.end])}, nil
}

// rows is how many rows are there now.
func (v *vectors) rows() int {
	if v == nil {
		return 0
	}
	n := atomic.LoadUint64(&view[uint64](v.data[atRows : atRows+8])[0])
	return int(min(n, binary.LittleEndian.Uint64(v.data[atTotal:])))
}

// row is one vector where it lies.
func (v *vectors) row(i int) []float32 {
	return v.floats[i*v.header.dim : (i+1)*v.header.dim : (i+1)*v.header.dim]
}

// code is a row's code where it lies.
func (v *vectors) code(i int) ([]int8, codeMeta) {
	width := codeWidth(v.header.dim)
	return v.codes[i*width : (i+1)*width : (i+1)*width], v.metas[i]
}
