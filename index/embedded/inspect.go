package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"lexagent/index"
)

// Info tells of a generation what can be read without opening it.
type Info struct {
	Manifest *index.Manifest
	Encoder  string // that makes the vectors, "" = nobody began
	Dim      int    // length of a vector, 0 = nobody began
	Vectors  int    // documents that have their vector
}

// Complete reports whether every document has its vector.
func (i *Info) Complete() bool { return i.Encoder != "" && i.Vectors == i.Manifest.Documents }

// Inspect reads the manifest of a generation and how far its vectors are. The other
// files are not looked at.
func Inspect(root, generation string) (*Info, error) {
	folder := filepath.Join(root, generation)
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	info := &Info{Manifest: m}
	f, err := os.Open(filepath.Join(folder, vectorsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return info, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read from
	stat, err := f.Stat()
	if err != nil || stat.Size() <= headerSize {
		return info, err
	}
	header := make([]byte, headerSize)
	if _, err := f.ReadAt(header, 0); err != nil {
		return nil, err
	}
	h, err := readVectorsHeader(header, m, stat.Size())
	if err != nil {
		return nil, err
	}
	info.Encoder, info.Dim, info.Vectors = h.encoder, h.dim, h.rows
	return info, nil
}
