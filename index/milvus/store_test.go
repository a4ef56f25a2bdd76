package milvus_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/index/milvus"
	"lexagent/index/milvus/milvustest"
	"lexagent/index/storetest"
)

func TestMain(m *testing.M) { milvustest.Main(m) }

// built is a generation that was built here and is copied to the server.
type built struct {
	c    *milvus.Client
	root string
	name string // of the local generation
}

// build builds documents into a generation of their own.
func build(t testing.TB, c *milvus.Client, docs []index.Doc) *built {
	t.Helper()
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	x := &built{c: c, root: t.TempDir()}
	b, err := embedded.NewBuilder(x.root, a, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := b.Add(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	if x.name, err = b.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
	x.publish(t)
	return x
}

func (x *built) local(t testing.TB) *embedded.Store {
	t.Helper()
	s, err := embedded.OpenGeneration(x.root, x.name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (x *built) publish(t testing.TB) string {
	t.Helper()
	s := x.local(t)
	name, err := x.c.Publish(context.Background(), s, nil)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// Append implements storetest.Index.
func (x *built) Append(t testing.TB, vectors [][]float32) {
	x.write(t, vectors)
	x.publish(t)
}

// write adds vectors to the local generation.
func (x *built) write(t testing.TB, vectors [][]float32) {
	t.Helper()
	w, err := embedded.OpenVectors(x.root, x.name, "test", len(vectors[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(vectors...), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// Open implements storetest.Index.
func (x *built) Open(t testing.TB) storetest.Store {
	s, err := x.c.Open(context.Background())
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

// TestStore runs the contract of stores on Milvus.
func TestStore(t *testing.T) {
	server := milvustest.Shared(t)
	suite := storetest.Suite{
		Seeds: 3, Size: 300,
		Build: func(t testing.TB, docs []index.Doc) storetest.Index {
			return build(t, server.Dial(t, milvus.Options{}), docs)
		},
	}
	suite.Run(t)
}

// TestHNSW holds that the approximate index finds nearly all, with exact scores.
func TestHNSW(t *testing.T) {
	c := milvustest.Shared(t).Dial(t, milvus.Options{Dense: milvus.HNSW})
	r := rand.New(rand.NewPCG(51, 1))
	docs := storetest.Docs(r, 2000)
	vectors := make([][]float32, len(docs))
	for i := range vectors {
		vectors[i] = make([]float32, 32)
		for j := range vectors[i] {
			vectors[i][j] = float32(r.NormFloat64())
		}
	}
	x := build(t, c, docs)
	x.Append(t, vectors)
	here, there := x.local(t), x.Open(t)
	found, wanted := 0, 0
	for i := range 50 {
		f := storetest.Filter(r)
		want, err := here.SearchDense(t.Context(), vectors[i], f, 10)
		if err != nil {
			t.Fatal(err)
		}
		got, err := there.SearchDense(t.Context(), vectors[i], f, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range want {
			wanted++
			if slices.Contains(got, h) {
				found++
			}
		}
	}
	t.Logf("%d of %d hits found", found, wanted)
	if 100*found < 98*wanted {
		t.Errorf("only %d of %d hits were found", found, wanted)
	}
	if err := here.Close(); err != nil {
		t.Error(err)
	}
}
