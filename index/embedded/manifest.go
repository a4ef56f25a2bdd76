package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lexagent/index"
)

// Errors of generations and their files.
var (
	// ErrDamaged is returned for a file that is truncated, altered or foreign.
	ErrDamaged = errors.New("the index file is damaged; build the index again")
	// ErrNoIndex is returned by Open and Current when nothing was built yet.
	ErrNoIndex = errors.New("there is no index yet")
)

const (
	format       = 1
	manifestFile = "manifest.json"
	termsFile    = "terms.bin"
	postingsFile = "postings.bin"
	docsFile     = "docs.bin"
	vectorsFile  = "vectors.bin"
	currentFile  = "CURRENT"
	building     = "building-" // prefix of folders that hold unfinished generations
)

func readManifest(folder string) (*index.Manifest, error) {
	path := filepath.Join(folder, manifestFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, ErrNoIndex)
	}
	if err != nil {
		return nil, err
	}
	var m index.Manifest
	if err := json.Unmarshal(b, &m); err != nil || m.Format == 0 || len(m.Digest) != 64 {
		return nil, fmt.Errorf("%s: %w", path, ErrDamaged)
	}
	if m.Format != format {
		return nil, fmt.Errorf("%s: the index has format %d and this program reads %d; build the index again", path, m.Format, format)
	}
	return &m, nil
}

func writeManifest(folder string, m *index.Manifest) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	return writeSynced(filepath.Join(folder, manifestFile), append(b, '\n'))
}

// Current returns the name of the generation in use, or ErrNoIndex.
func Current(root string) (string, error) {
	path := filepath.Join(root, currentFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", root, ErrNoIndex)
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(b))
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%s: %w", path, ErrDamaged)
	}
	return name, nil
}

// Activate makes a generation the one in use, atomically, after it was opened to
// see that it is whole. Stores already open stay with theirs.
func Activate(root, generation string) error {
	s, err := OpenGeneration(root, generation)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	temporary := filepath.Join(root, currentFile+".new")
	if err := writeSynced(temporary, []byte(generation+"\n")); err != nil {
		return err
	}
	if err := os.Rename(temporary, filepath.Join(root, currentFile)); err != nil {
		return err
	}
	return syncFolder(root)
}

// Generations lists the finished generations under root, by name.
func Generations(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), building) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Prune removes what is no longer needed: every generation but the current one,
// those to keep and those whose vectors are being written, and what builds that were
// killed left behind. The caller holds the Lock. It returns the names it removed.
// Open stores keep what they have mapped.
func Prune(root string, keep ...string) ([]string, error) {
	current, err := Current(root)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, e := range entries {
		folder := filepath.Join(root, e.Name())
		if !e.IsDir() || e.Name() == current || slices.Contains(keep, e.Name()) || written(folder) {
			continue
		}
		// Without its manifest a generation is none, whenever the rest goes.
		if err := os.Remove(filepath.Join(folder, manifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
		if err := os.RemoveAll(folder); err != nil {
			return removed, err
		}
		removed = append(removed, e.Name())
	}
	return removed, nil
}

func writeSynced(path string, content []byte) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

// syncFolder makes renames in a folder survive a power cut.
func syncFolder(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}
