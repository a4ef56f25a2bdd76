package embedded_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/index/storetest"
)

// open builds the documents into a fresh folder and opens them.
func open(t testing.TB, docs []index.Doc) (*embedded.Store, string) {
	t.Helper()
	root := t.TempDir()
	if _, err := build(root, slices.Values(docs)); err != nil {
		t.Fatal(err)
	}
	s, err := embedded.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, root
}

// suite runs the contract of stores on this one.
var suite = storetest.Suite{
	Seeds: 6, Size: 300,
	Build: func(t testing.TB, docs []index.Doc) storetest.Index {
		root := t.TempDir()
		if _, err := build(root, slices.Values(docs)); err != nil {
			t.Fatal(err)
		}
		return folder(root)
	},
}

// folder is a root of generations, as the suite wants it.
type folder string

func (f folder) Open(t testing.TB) storetest.Store {
	s, err := embedded.Open(string(f))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (f folder) Append(t testing.TB, vectors [][]float32) { writeVectors(t, string(f), vectors) }

func TestStore(t *testing.T) { suite.Run(t) }

// TestManyVectors is the contract of dense searches with enough of them for
// several goroutines.
func TestManyVectors(t *testing.T) {
	large := suite
	large.Size = 9000
	large.RunDense(t)
}

func writeVectors(t testing.TB, root string, vectors [][]float32) {
	t.Helper()
	name, err := embedded.Current(root)
	if err != nil {
		t.Fatal(err)
	}
	w, err := embedded.OpenVectors(root, name, "test", len(vectors[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(vectors...), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestConcurrentUse searches, writes vectors and closes at the same time.
func TestConcurrentUse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	docs := storetest.Docs(r, 6000)
	s, root := open(t, docs)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wait sync.WaitGroup
	for n := range 6 {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 9))
			for range 60 {
				f := storetest.Filter(r)
				hits, err := s.SearchSparse(ctx, s.Query(docs[r.IntN(len(docs))].Text), f, 10)
				if err == nil && len(hits) > 0 {
					_, _, err = s.Scores(ctx, []string{hits[0].ID}, s.Query("合同"), make([]float32, 8))
				}
				if err == nil {
					_, err = s.SearchDense(ctx, make([]float32, 8), f, 10)
				}
				if err != nil && !errors.Is(err, index.ErrNoVectors) && !errors.Is(err, index.ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
	writeVectors(t, root, storetest.Vectors(r, len(docs), 8))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait()
	if _, err := s.SearchSparse(ctx, s.Query("合同"), index.Filter{}, 10); !errors.Is(err, index.ErrClosed) {
		t.Errorf("after Close a search gave %v", err)
	}
}

// TestDamagedFiles holds that a file cut off, altered or foreign is refused with
// one sentence, whatever byte is hit.
func TestDamagedFiles(t *testing.T) {
	s, root := open(t, storetest.Docs(rand.New(rand.NewPCG(5, 5)), 200))
	writeVectors(t, root, storetest.Vectors(rand.New(rand.NewPCG(5, 6)), 200, 8))
	folder := filepath.Join(root, s.Manifest().Name())
	for _, name := range []string{"manifest.json", "terms.bin", "postings.bin", "docs.bin", "vectors.bin"} {
		path := filepath.Join(folder, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damage := map[string][]byte{"cut off": good[:len(good)*2/3], "foreign": []byte(strings.Repeat("SQLite format 3\x00", 400)), "empty": nil}
		if name != "manifest.json" && name != "vectors.bin" {
			altered := slices.Clone(good)
			altered[len(altered)*3/4] ^= 0x40
			damage["altered"] = altered
		}
		if name == "vectors.bin" {
			delete(damage, "empty") // as if nobody had begun
		}
		for what, bad := range damage {
			// A new file, since the store has the old one mapped.
			if err := errors.Join(os.Remove(path), os.WriteFile(path, bad, 0o644)); err != nil {
				t.Fatal(err)
			}
			_, err := embedded.Open(root)
			if !errors.Is(err, embedded.ErrDamaged) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		if err := errors.Join(os.Remove(path), os.WriteFile(path, good, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}
