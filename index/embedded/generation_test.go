package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/index/storetest"
	"lexagent/statute"
)

// TestSameDocumentsSameBytes holds that a build depends on nothing but what it is given.
func TestSameDocumentsSameBytes(t *testing.T) {
	docs := storetest.Docs(rand.New(rand.NewPCG(11, 1)), 700)
	one, rootOne := open(t, docs)
	two, rootTwo := open(t, docs)
	if one.Manifest().Name() != two.Manifest().Name() {
		t.Fatalf("the generations are named %s and %s", one.Manifest().Name(), two.Manifest().Name())
	}
	for _, name := range []string{"manifest.json", "terms.bin", "postings.bin", "docs.bin"} {
		a, errA := os.ReadFile(filepath.Join(rootOne, one.Manifest().Name(), name))
		b, errB := os.ReadFile(filepath.Join(rootTwo, two.Manifest().Name(), name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs (%v, %v)", name, errA, errB)
		}
	}
	docs[3].Until = 20240101
	three, _ := open(t, docs)
	if three.Manifest().Name() == one.Manifest().Name() {
		t.Error("other documents gave a generation of the same name")
	}
}

func TestBuilderRefuses(t *testing.T) {
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.NewBuilder(t.TempDir(), a, embedded.Options{BM25: index.BM25{K1: -1}}); err == nil {
		t.Error("k1 below 0 was taken")
	}
	root := t.TempDir()
	b, err := embedded.NewBuilder(root, a, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := b.Add(ctx, index.Doc{ID: "a", Kind: statute.Article, Text: "合同"}); err != nil {
		t.Fatal(err)
	}
	for _, d := range []index.Doc{{ID: ""}, {ID: "a"}, {ID: "b", Level: 9}} {
		if err := b.Add(ctx, d); err == nil {
			t.Errorf("%+v was taken", d)
		}
	}
	if err := b.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("Abort left %v, %v", left, err)
	}
}

// TestEmptyIndex holds that an index without documents opens and finds nothing.
func TestEmptyIndex(t *testing.T) {
	s, _ := open(t, nil)
	hits, err := s.SearchSparse(context.Background(), s.Query("合同"), index.Filter{}, 5)
	if err != nil || len(hits) > 0 {
		t.Errorf("got %v, %v", hits, err)
	}
	if err := s.Probe(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestNoIndex(t *testing.T) {
	if _, err := embedded.Open(t.TempDir()); !errors.Is(err, embedded.ErrNoIndex) {
		t.Errorf("got %v", err)
	}
}

// TestKilledBuild holds that what a killed build leaves is never opened, that the
// generation in use stays, and that Prune tidies up.
func TestKilledBuild(t *testing.T) {
	docs := storetest.Docs(rand.New(rand.NewPCG(12, 1)), 300)
	s, root := open(t, docs)
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	killed, err := embedded.NewBuilder(root, a, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs[:200] {
		if err := killed.Add(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	list, err := embedded.Generations(root)
	if err != nil || !slices.Equal(list, []string{s.Manifest().Name()}) {
		t.Errorf("generations: %v, %v", list, err)
	}
	removed, err := embedded.Prune(root)
	if err != nil || len(removed) != 1 {
		t.Errorf("Prune removed %v, %v", removed, err)
	}
	if again, err := embedded.Open(root); err != nil {
		t.Error(err)
	} else if err := again.Close(); err != nil {
		t.Error(err)
	}
	if err := killed.Abort(); err != nil {
		t.Error(err)
	}
}

// TestRebuildRepairs holds that building the same documents keeps a whole
// generation with its vectors, and replaces a damaged one.
func TestRebuildRepairs(t *testing.T) {
	docs := storetest.Docs(rand.New(rand.NewPCG(13, 1)), 100)
	s, root := open(t, docs)
	writeVectors(t, root, storetest.Vectors(rand.New(rand.NewPCG(1, 1)), 100, 8))
	vectors := filepath.Join(root, s.Manifest().Name(), "vectors.bin")
	if _, err := build(root, slices.Values(docs)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(vectors); err != nil {
		t.Errorf("the vectors are gone: %v", err)
	}
	terms := filepath.Join(root, s.Manifest().Name(), "terms.bin")
	if err := errors.Join(os.Remove(terms), os.WriteFile(terms, []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := build(root, slices.Values(docs)); err != nil {
		t.Errorf("building again gave %v", err)
	}
}

// TestVectorsResume holds that a killed writer loses what came after its last
// checkpoint and nothing else, and that readers see checkpoints only.
func TestVectorsResume(t *testing.T) {
	docs := storetest.Docs(rand.New(rand.NewPCG(14, 1)), 60)
	s, root := open(t, docs)
	name, want := s.Manifest().Name(), storetest.Vectors(rand.New(rand.NewPCG(2, 2)), 60, 8)
	ready := func(n int) {
		t.Helper()
		if got, total := s.Vectors(); got != n || total != 60 {
			t.Fatalf("readers see %d rows of %d, and %d are there", got, total, n)
		}
	}
	ready(0)
	w, err := embedded.OpenVectors(root, name, "bge", 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(want[:10]...), w.Checkpoint(), w.Append(want[10:20]...)); err != nil {
		t.Fatal(err)
	}
	ready(10)
	if _, err := embedded.OpenVectors(root, name, "bge", 8); !errors.Is(err, embedded.ErrBusy) {
		t.Errorf("a second writer got %v", err)
	}
	if err := w.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.OpenVectors(root, name, "other", 8); !errors.Is(err, embedded.ErrEncoder) || strings.Contains(err.Error(), "\n") {
		t.Errorf("another encoder got %v", err)
	}
	if w, err = embedded.OpenVectors(root, name, "bge", 8); err != nil || w.Rows() != 10 {
		t.Fatalf("the writer goes on at %d (%v)", w.Rows(), err)
	}
	if err := w.Append(make([]float32, 7)); err == nil {
		t.Error("a vector of another length was taken")
	}
	if err := w.Append([]float32{0, 0, 0, 0, 0, 0, 0, float32(math.NaN())}); err == nil {
		t.Error("a vector that isn't finite was taken")
	}
	if err := errors.Join(w.Append(want[10:]...), w.Close()); err != nil {
		t.Fatal(err)
	}
	ready(60)
	for i := range docs {
		if got := s.Vector(i); !slices.Equal(got, want[i]) {
			t.Fatalf("vector %d is %v", i, got)
		}
	}
}

// TestInterruptedVectors holds that a file whose creation was killed counts as none.
func TestInterruptedVectors(t *testing.T) {
	s, root := open(t, storetest.Docs(rand.New(rand.NewPCG(15, 1)), 30))
	name := s.Manifest().Name()
	for _, size := range []int{0, 100, 4096} {
		path := filepath.Join(root, name, "vectors.bin")
		if err := os.WriteFile(path, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := embedded.Open(root)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		w, err := embedded.OpenVectors(root, name, "bge", 4)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if err := errors.Join(w.Append(make([]float32, 4)), w.Close(), os.Remove(path)); err != nil {
			t.Error(err)
		}
	}
}

// TestPruneSparesWriters holds that a generation whose vectors are being written, and
// those to keep, stay, and that Inspect tells how far they are.
func TestPruneSparesWriters(t *testing.T) {
	docs := storetest.Docs(rand.New(rand.NewPCG(16, 1)), 40)
	s, root := open(t, docs[:10])
	var names []string
	for n := 20; n <= 40; n += 10 {
		name, err := build(root, slices.Values(docs[:n]))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := embedded.Activate(root, s.Manifest().Name()); err != nil {
		t.Fatal(err)
	}
	w, err := embedded.OpenVectors(root, names[0], "bge", 4)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := embedded.Prune(root, names[1])
	if err != nil || !slices.Equal(removed, names[2:]) {
		t.Errorf("removed %v, %v", removed, err)
	}
	if err := errors.Join(w.Append(make([]float32, 4)), w.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := embedded.Inspect(root, names[0])
	if err != nil || info.Encoder != "bge" || info.Dim != 4 || info.Vectors != 1 || info.Manifest.Documents != 20 || info.Complete() {
		t.Errorf("%+v, %v", info, err)
	}
	if info, err = embedded.Inspect(root, names[1]); err != nil || info.Encoder != "" || info.Complete() {
		t.Errorf("%+v, %v", info, err)
	}
	if removed, err = embedded.Prune(root); err != nil || len(removed) != 2 {
		t.Errorf("removed %v, %v", removed, err)
	}
	if _, err := embedded.Inspect(root, names[0]); !errors.Is(err, embedded.ErrNoIndex) {
		t.Errorf("a generation that is gone: %v", err)
	}
}

// TestLock holds that one has the right to change generations at a time.
func TestLock(t *testing.T) {
	root := filepath.Join(t.TempDir(), "index")
	first, err := embedded.Lock(t.Context(), root, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.Lock(t.Context(), root, false); !errors.Is(err, embedded.ErrBuilding) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedded.Lock(ctx, root, true); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = first.Close() })
	second, err := embedded.Lock(t.Context(), root, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
