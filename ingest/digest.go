package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"lexagent/corpus"
)

// digests tell whether an input has to be read again.
type digests struct {
	content string // of the bytes: the file's, and those of the companion that its reader joins
	whole   string // of all that its units depend on: these, the selection of ids, and the version of the readers
}

func digest(path string, o *Options) (digests, error) {
	h := sha256.New()
	for _, p := range corpus.Inputs(path) {
		if err := hashFile(h, p); err != nil {
			return digests{}, fmt.Errorf("read %s: %w", p, err)
		}
	}
	content := hex.EncodeToString(h.Sum(nil))
	all := sha256.Sum256(fmt.Appendf(nil, "readers %d\ncollection %s\nids %s\ncontent %s\n", corpus.Version, o.Collection, o.OnlyIDs.digest(), content))
	return digests{content, hex.EncodeToString(all[:])}, nil
}

// hashFile hashes a file. A pipe or a device might never end.
func hashFile(h io.Writer, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(h, f)
	return errors.Join(err, f.Close())
}
