package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lexagent/corpus"
)

// source is a file to read.
type source struct {
	path  string
	named bool // asked for by itself, not found in a folder
}

// discover lists the files to read: each path that is a file, and below each
// folder the files in a known format, in the order of their names. Links to
// folders are not followed, so that no loop can be walked; hidden files and
// folders are passed over. A path that can't be listed is reported to skip.
func discover(ctx context.Context, paths []string, skip func(path string, err error)) ([]source, error) {
	var files []source
	seen := map[string]bool{}
	add := func(p string, named bool) {
		if abs, err := filepath.Abs(p); err != nil {
			skip(p, fmt.Errorf("the path can't be resolved: %w", err))
		} else if !seen[abs] {
			seen[abs] = true
			files = append(files, source{abs, named})
		}
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || !info.IsDir() {
			add(p, true) // reading it tells what is wrong with it
			continue
		}
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				skip(path, fmt.Errorf("the folder can't be listed: %w", err))
			case path != p && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.Type().IsRegular() && corpus.Supported(path):
				add(path, false)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(files, func(a, b source) int { return cmp.Compare(a.path, b.path) })
	return files, nil
}

// digest returns the digest of all that the units of an input depend on: the
// file, the companion that its reader joins, the selection of ids, and the
// version of the readers.
func digest(path string, o *Options) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "readers %d\ncollection %s\nids %s\n", corpus.Version, o.Collection, o.OnlyIDs.digest())
	for _, p := range corpus.Inputs(path) {
		f, err := os.Open(p)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("read %s: %w", p, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
