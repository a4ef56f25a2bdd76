package embedded_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/index/storetest"
)

// near makes n unit vectors as encoders do: around few centres in a narrow cone, with
// copies and with some that are all but copies.
func near(r *rand.Rand, n, dim int) [][]float32 {
	noisy := func(v []float32, noise float64) []float32 {
		w, sum := make([]float32, dim), 0.0
		for i := range w {
			w[i] = v[i] + float32(noise*r.NormFloat64()/math.Sqrt(float64(dim)))
			sum += float64(w[i]) * float64(w[i])
		}
		for i := range w {
			w[i] /= float32(math.Sqrt(sum))
		}
		return w
	}
	cone := noisy(make([]float32, dim), 1)
	centres := make([][]float32, 20)
	for i := range centres {
		centres[i] = noisy(cone, 0.8)
	}
	list := make([][]float32, n)
	for i := range list {
		switch r.IntN(4) {
		case 0:
			list[i] = list[r.IntN(max(i, 1))]
		case 1:
			list[i] = list[r.IntN(max(i, 1))]
			if list[i] != nil {
				list[i] = noisy(list[i], 1e-3)
			}
		}
		if list[i] == nil {
			list[i] = noisy(centres[r.IntN(len(centres))], 0.5)
		}
	}
	return list
}

// TestCodesLoseNothing holds that searches through the codes return what comparing
// every vector returns, score by score and tie by tie.
func TestCodesLoseNothing(t *testing.T) {
	const n, dim = 12_000, 100
	r := rand.New(rand.NewPCG(31, 1))
	docs := storetest.Docs(r, n)
	s, root := open(t, docs)
	vectors := near(r, n, dim)
	writeVectors(t, root, vectors)
	for range 30 {
		v, f, k := vectors[r.IntN(n)], storetest.Filter(r), 1+r.IntN(300)
		if r.IntN(3) == 0 {
			f = index.Filter{}
		}
		hits, err := s.SearchDense(t.Context(), v, f, k)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(bruteForce(t, s, docs, v, f, k), hits); diff != "" {
			t.Fatalf("filter %+v, k %d (-want +got):\n%s", f, k, diff)
		}
	}
}

// bruteForce ranks the documents that pass by the store's exact scores.
func bruteForce(t *testing.T, s *embedded.Store, docs []index.Doc, v []float32, f index.Filter, k int) []index.Hit {
	t.Helper()
	var ids []string
	for i := range docs {
		if storetest.Passes(&docs[i], f) {
			ids = append(ids, docs[i].ID)
		}
	}
	_, scores, err := s.Scores(t.Context(), ids, index.Sparse{}, v)
	if err != nil {
		t.Fatal(err)
	}
	hits := make([]index.Hit, len(ids))
	for i, id := range ids {
		hits[i] = index.Hit{ID: id, Score: scores[i]}
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return hits[:min(k, len(hits))]
}

// TestVectorsWithoutCodes holds that a file of before codes is searched, and goes on.
func TestVectorsWithoutCodes(t *testing.T) {
	const n, dim = 6000, 32
	r := rand.New(rand.NewPCG(32, 1))
	docs := storetest.Docs(r, n)
	s, root := open(t, docs)
	vectors := near(r, n, dim)
	header := make([]byte, 4096, 4096+n*dim*4)
	copy(header, "LEXVEC01")
	binary.LittleEndian.PutUint64(header[8:], dim)
	binary.LittleEndian.PutUint64(header[16:], n)
	copy(header[32:], s.Manifest().Digest[:32])
	binary.LittleEndian.PutUint32(header[64:], 4)
	copy(header[68:], "test")
	if err := os.WriteFile(filepath.Join(root, s.Manifest().Name(), "vectors.bin"), append(header, make([]byte, n*dim*4)...), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := embedded.OpenVectors(root, s.Manifest().Name(), "test", dim)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(vectors...), w.Close()); err != nil {
		t.Fatal(err)
	}
	hits, err := s.SearchDense(t.Context(), vectors[7], index.Filter{}, 50)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bruteForce(t, s, docs, vectors[7], index.Filter{}, 50), hits); diff != "" {
		t.Error(diff)
	}
}
