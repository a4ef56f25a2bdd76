package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/statute"
)

// randomDocs makes n documents out of few characters, so that terms and scores
// repeat; the last quarter are chunks.
func randomDocs(r *rand.Rand, n int) []index.Doc {
	chars := []rune("用人单位与劳动者订立合同支付工资经济补偿的")
	docs := make([]index.Doc, n)
	for i := range docs {
		var text strings.Builder
		for range 1 + r.IntN(30) {
			text.WriteRune(chars[r.IntN(len(chars))])
			if r.IntN(9) == 0 {
				text.WriteString("，")
			}
		}
		d := index.Doc{ID: fmt.Sprintf("法%d@2020-01-01:%d", i%7, i), Law: fmt.Sprintf("法%d@2020-01-01", i%7),
			Collection: []string{"public", "firm"}[r.IntN(2)], Region: []string{"", "上海", "青岛"}[r.IntN(3)],
			Kind: statute.Article, Level: statute.Level(r.IntN(7)), Text: text.String(), Hash: index.TextHash(text.String())}
		if i >= n*3/4 {
			d.Kind = statute.Chunk
		}
		if r.IntN(2) == 0 {
			d.From = statute.Date(20100101 + 10000*r.IntN(10))
		}
		if r.IntN(3) == 0 {
			d.Until = statute.Date(20200101)
		}
		docs[i] = d
	}
	return docs
}

func randomFilter(r *rand.Rand) index.Filter {
	var f index.Filter
	if r.IntN(2) == 0 {
		f.Collections = []string{"public"}
	}
	if r.IntN(3) == 0 {
		f.Levels = []statute.Level{1, 2, 5}
	}
	if r.IntN(3) == 0 {
		f.Laws = []string{"法3@2020-01-01", "法5@2020-01-01", "没有的法@2020-01-01"}
	}
	if r.IntN(3) == 0 {
		f.Regions = []string{"", "上海"}
	}
	if r.IntN(2) == 0 {
		f.Kinds = []statute.Kind{[]statute.Kind{statute.Article, statute.Chunk}[r.IntN(2)]}
	}
	if r.IntN(2) == 0 {
		f.AsOf = statute.Date(20150601)
	}
	return f
}

func passes(d *index.Doc, f index.Filter) bool {
	in := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return in(f.Collections, d.Collection) && in(f.Laws, d.Law) && in(f.Regions, d.Region) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, d.Kind)) &&
		(len(f.Levels) == 0 || slices.Contains(f.Levels, d.Level)) &&
		(f.AsOf == 0 || (d.From == 0 || d.From <= f.AsOf) && (d.Until == 0 || f.AsOf < d.Until))
}

// oracle scores documents by the formula, without any index.
type oracle struct {
	docs  []index.Doc
	terms []map[string]int
	sizes []int
	df    map[string]int // among units
	units int
	avg   map[bool]float64
}

func newOracle(t *testing.T, docs []index.Doc) *oracle {
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{docs: docs, df: map[string]int{}, avg: map[bool]float64{}}
	number := map[bool]int{}
	for _, d := range docs {
		counts := map[string]int{}
		terms := a.Terms(d.Text)
		for _, term := range terms {
			counts[term]++
		}
		chunk := d.Kind == statute.Chunk
		if !chunk {
			for term := range counts {
				o.df[term]++
			}
			o.units++
		}
		number[chunk]++
		o.avg[chunk] += float64(len(terms))
		o.terms, o.sizes = append(o.terms, counts), append(o.sizes, len(terms))
	}
	for chunk, n := range number {
		o.avg[chunk] /= float64(n)
	}
	return o
}

func (o *oracle) score(i int, query []string) float64 {
	sum, p := 0.0, index.DefaultBM25
	for _, q := range query {
		tf := float64(o.terms[i][q])
		if tf == 0 {
			continue
		}
		df := float64(o.df[q])
		idf := math.Log(1 + (float64(o.units)-df+0.5)/(df+0.5))
		sum += idf * tf / (tf + p.K1*(1-p.B+p.B*float64(o.sizes[i])/o.avg[o.docs[i].Kind == statute.Chunk]))
	}
	return sum
}

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

// TestSparseEqualsBruteForce holds that searches, filtered or not, return exactly
// what scoring every document returns, and that the scores follow the formula.
func TestSparseEqualsBruteForce(t *testing.T) {
	ctx := context.Background()
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		docs := randomDocs(r, 40+r.IntN(400))
		s, _ := open(t, docs)
		o := newOracle(t, docs)
		for range 60 {
			text, f, k := docs[r.IntN(len(docs))].Text+docs[r.IntN(len(docs))].Text, randomFilter(r), 1+r.IntN(50)
			q := s.Query(text)
			hits, err := s.SearchSparse(ctx, q, f, k)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(bruteSparse(t, s, docs, q, f, k), hits); diff != "" {
				t.Fatalf("seed %d, filter %+v, k %d (-want +got):\n%s", seed, f, k, diff)
			}
			terms := a.Terms(text)
			for _, h := range hits {
				i := slices.IndexFunc(docs, func(d index.Doc) bool { return d.ID == h.ID })
				if want := o.score(i, terms); math.Abs(want-h.Score) > 1e-5 {
					t.Fatalf("score of %s is %g and should be %g", h.ID, h.Score, want)
				}
			}
		}
	}
}

// bruteSparse scores every document and sorts.
func bruteSparse(t *testing.T, s *embedded.Store, docs []index.Doc, q index.Sparse, f index.Filter, k int) []index.Hit {
	t.Helper()
	var hits []index.Hit
	for i := range docs {
		if !passes(&docs[i], f) {
			continue
		}
		sparse, _, err := s.Scores(context.Background(), []string{docs[i].ID}, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sparse[0] > 0 {
			hits = append(hits, index.Hit{ID: docs[i].ID, Score: sparse[0]})
		}
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int { return -cmpFloat(a.Score, b.Score) })
	return hits[:min(k, len(hits))]
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// randomVectors makes vectors on a coarse grid, so that scores tie.
func randomVectors(r *rand.Rand, n, dim int) [][]float32 {
	list := make([][]float32, n)
	for i := range list {
		list[i] = make([]float32, dim)
		for j := range list[i] {
			list[i][j] = float32(r.IntN(5)-2) / 4
		}
	}
	return list
}

func TestDenseEqualsBruteForce(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, 7))
	const dim = 24
	docs := randomDocs(r, 9000) // enough for several goroutines
	s, root := open(t, docs)
	if _, err := s.SearchDense(ctx, make([]float32, dim), index.Filter{}, 5); !errors.Is(err, index.ErrNoVectors) {
		t.Fatalf("a dense search without vectors gave %v", err)
	}
	vectors := randomVectors(r, len(docs), dim)
	writeVectors(t, root, vectors)
	for range 40 {
		v, f, k := randomVectors(r, 1, dim)[0], randomFilter(r), 1+r.IntN(60)
		hits, err := s.SearchDense(ctx, v, f, k)
		if err != nil {
			t.Fatal(err)
		}
		var want []index.Hit
		for i := range docs {
			if passes(&docs[i], f) {
				sum := 0.0
				for j, x := range v {
					sum += float64(x) * float64(vectors[i][j])
				}
				want = append(want, index.Hit{ID: docs[i].ID, Score: sum})
			}
		}
		slices.SortStableFunc(want, func(a, b index.Hit) int { return -cmpFloat(a.Score, b.Score) })
		if diff := cmp.Diff(want[:min(k, len(want))], hits); diff != "" {
			t.Fatalf("filter %+v, k %d (-want +got):\n%s", f, k, diff)
		}
		_, dense, err := s.Scores(ctx, []string{hits[0].ID, docs[0].ID}, index.Sparse{}, v)
		if err != nil || dense[0] != hits[0].Score {
			t.Fatalf("Scores gave %v, %v for %v", dense, err, hits[0])
		}
	}
	if _, err := s.SearchDense(ctx, make([]float32, dim+1), index.Filter{}, 5); !errors.Is(err, index.ErrDimension) {
		t.Errorf("a vector of another length gave %v", err)
	}
}

func writeVectors(t *testing.T, root string, vectors [][]float32) {
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

func TestScoresOfUnknownID(t *testing.T) {
	s, _ := open(t, randomDocs(rand.New(rand.NewPCG(1, 1)), 10))
	if _, _, err := s.Scores(context.Background(), []string{"没有"}, s.Query("合同"), nil); !errors.Is(err, index.ErrUnknownID) {
		t.Errorf("got %v", err)
	}
}

// TestConcurrentUse searches, writes vectors and closes at the same time.
func TestConcurrentUse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	docs := randomDocs(r, 6000)
	s, root := open(t, docs)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wait sync.WaitGroup
	for n := range 6 {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 9))
			for range 60 {
				f := randomFilter(r)
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
	writeVectors(t, root, randomVectors(r, len(docs), 8))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait()
	if _, err := s.SearchSparse(ctx, s.Query("合同"), index.Filter{}, 10); !errors.Is(err, index.ErrClosed) {
		t.Errorf("after Close a search gave %v", err)
	}
}

func TestContextEnds(t *testing.T) {
	s, _ := open(t, randomDocs(rand.New(rand.NewPCG(1, 1)), 10))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.SearchSparse(ctx, s.Query("合同"), index.Filter{}, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestDamagedFiles holds that a file cut off, altered or foreign is refused with
// one sentence, whatever byte is hit.
func TestDamagedFiles(t *testing.T) {
	s, root := open(t, randomDocs(rand.New(rand.NewPCG(5, 5)), 200))
	writeVectors(t, root, randomVectors(rand.New(rand.NewPCG(5, 6)), 200, 8))
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
