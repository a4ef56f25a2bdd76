package storetest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lexagent/index"
	"lexagent/statute"
)

// Store is what every store has beside searching.
type Store interface {
	index.Store
	Vectors() (done, total int)
	Probe(ctx context.Context) error
	Close() error
}

// Index is a generation under test.
type Index interface {
	// Open opens the generation with what it holds now; the test's end closes it.
	Open(t testing.TB) Store
	// Append adds the vectors of the documents that come next.
	Append(t testing.TB, vectors [][]float32)
}

// Suite tests one kind of store.
type Suite struct {
	Build func(t testing.TB, docs []index.Doc) Index
	Seeds int // random corpora that are tried
	Size  int // documents in each, about
}

// Run runs the suite.
func (s *Suite) Run(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"sparse equals brute force", s.sparse},
		{"dense equals brute force", s.dense},
		{"half-made vectors", s.halfMade},
		{"ties", s.ties},
		{"special characters", s.special},
		{"empty", s.empty},
		{"odd questions", s.odd},
		{"context and close", s.ends},
		{"concurrent", s.concurrent},
	} {
		t.Run(test.name, test.run)
	}
}

// RunDense runs the comparison of dense searches only.
func (s *Suite) RunDense(t *testing.T) { s.dense(t) }

//nolint:gosec // tests want the same numbers each time
func random(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 1)) }

// sparse holds that searches, filtered or not, return exactly what scoring every
// document returns, and that the scores follow the formula.
func (s *Suite) sparse(t *testing.T) {
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range s.Seeds {
		r := random(seed)
		docs := Docs(r, s.Size/2+r.IntN(s.Size))
		store := s.Build(t, docs).Open(t)
		if err := store.Probe(t.Context()); err != nil {
			t.Error(err)
		}
		o := newOracle(t, docs)
		for range 40 {
			text, f, k := docs[r.IntN(len(docs))].Text+docs[r.IntN(len(docs))].Text, Filter(r), 1+r.IntN(50)
			q := store.Query(text)
			all, dense, err := store.Scores(t.Context(), ids(docs), q, nil)
			if err != nil || !math.IsNaN(dense[0]) {
				t.Fatalf("Scores without a vector gave %v, %v", dense[0], err)
			}
			terms := a.Terms(text)
			for i, score := range all {
				if want := o.score(i, terms); math.Abs(want-score) > 1e-5 {
					t.Fatalf("score of %s is %g and should be %g", docs[i].ID, score, want)
				}
			}
			hits, err := store.SearchSparse(t.Context(), q, f, k)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(ranked(docs, all, f, k, 0), hits, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d, filter %+v, k %d (-want +got):\n%s", seed, f, k, diff)
			}
		}
	}
}

func inner(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// dense holds the same of vectors.
func (s *Suite) dense(t *testing.T) {
	const dim = 24
	r := random(7)
	docs := Docs(r, s.Size)
	ix := s.Build(t, docs)
	if _, err := ix.Open(t).SearchDense(t.Context(), make([]float32, dim), index.Filter{}, 5); !errors.Is(err, index.ErrNoVectors) {
		t.Fatalf("a dense search without vectors gave %v", err)
	}
	vectors := Vectors(r, len(docs), dim)
	ix.Append(t, vectors)
	store := ix.Open(t)
	if err := store.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	for range 40 {
		v, f, k := Vectors(r, 1, dim)[0], Filter(r), 1+r.IntN(60)
		checkDense(t, store, docs, vectors, v, f, k)
	}
	if _, err := store.SearchDense(t.Context(), make([]float32, dim+1), index.Filter{}, 5); !errors.Is(err, index.ErrDimension) {
		t.Errorf("a vector of another length gave %v", err)
	}
	if _, _, err := store.Scores(t.Context(), ids(docs[:1]), index.Sparse{}, make([]float32, dim+1)); !errors.Is(err, index.ErrDimension) {
		t.Errorf("Scores of a vector of another length gave %v", err)
	}
}

// checkDense compares a dense search with scoring the documents that have vectors.
func checkDense(t *testing.T, store Store, docs []index.Doc, vectors [][]float32, v []float32, f index.Filter, k int) {
	t.Helper()
	scores := make([]float64, len(vectors))
	for i := range vectors {
		scores[i] = inner(v, vectors[i])
	}
	hits, err := store.SearchDense(t.Context(), v, f, k)
	if err != nil {
		t.Fatal(err)
	}
	want := ranked(docs[:len(vectors)], scores, f, k, math.Inf(-1))
	if diff := cmp.Diff(want, hits, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("filter %+v, k %d (-want +got):\n%s", f, k, diff)
	}
	_, dense, err := store.Scores(t.Context(), ids(docs), store.Query(docs[0].Text), v)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range dense {
		if i < len(vectors) && got != scores[i] || i >= len(vectors) && !math.IsNaN(got) {
			t.Fatalf("the dense score of document %d is %v; %d have vectors", i, got, len(vectors))
		}
	}
}

// halfMade holds that while vectors are being made those that are there count.
func (s *Suite) halfMade(t *testing.T) {
	const dim = 16
	r := random(8)
	docs := Docs(r, 90)
	vectors := Vectors(r, len(docs), dim)
	ix := s.Build(t, docs)
	for _, step := range [][2]int{{0, 37}, {37, 38}, {38, 90}} {
		ix.Append(t, vectors[step[0]:step[1]])
		store := ix.Open(t)
		if done, total := store.Vectors(); done != step[1] || total != len(docs) {
			t.Fatalf("%d of %d vectors are said to be there, and it is %d", done, total, step[1])
		}
		for range 8 {
			checkDense(t, store, docs, vectors[:step[1]], Vectors(r, 1, dim)[0], Filter(r), 1+r.IntN(100))
		}
	}
}

// ties holds that equal scores come in the order of the documents, however many.
func (s *Suite) ties(t *testing.T) {
	docs := Docs(random(9), 300)
	vectors := make([][]float32, len(docs))
	for i := range docs {
		docs[i].Text, docs[i].Kind = "用人单位应当支付经济补偿", statute.Article
		vectors[i] = []float32{0.5, 0.25, -0.5, 1}
	}
	ix := s.Build(t, docs)
	ix.Append(t, vectors)
	store := ix.Open(t)
	for _, k := range []int{1, 10, 200} {
		sparse, err := store.SearchSparse(t.Context(), store.Query("经济补偿"), index.Filter{}, k)
		if err != nil {
			t.Fatal(err)
		}
		dense, err := store.SearchDense(t.Context(), vectors[0], index.Filter{}, k)
		if err != nil {
			t.Fatal(err)
		}
		for name, hits := range map[string][]index.Hit{"sparse": sparse, "dense": dense} {
			got := make([]string, len(hits))
			for i, h := range hits {
				got[i] = h.ID
			}
			if !slices.Equal(got, ids(docs[:k])) {
				t.Errorf("%s, k %d: ties are not in the order of the documents: %v", name, k, got)
			}
		}
	}
}
