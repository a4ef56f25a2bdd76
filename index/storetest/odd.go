package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/index"
	"lexagent/statute"
)

// strange are strings that end or bend a literal somewhere, or are too long for a
// field.
var strange = []string{
	`"`, `\`, `\"`, `" || ord >= 0 || id == "`, `'`, "《民法典》~2", "a\nb", "a\tb", "100%", "{x}", "$meta", "第一条　之一", "é", "e\u0301", "😀", " ", "null",
	strings.Repeat("很长的名字", 60), strings.Repeat("很长的名字", 60) + "2",
}

// special holds that ids and what filters name may have any characters.
func (s *Suite) special(t *testing.T) {
	docs := make([]index.Doc, len(strange))
	vectors := make([][]float32, len(strange))
	for i, x := range strange {
		docs[i] = index.Doc{ID: x, Law: x, Collection: x, Region: x, Kind: statute.Kind(x), Level: 1, Text: "劳动合同"}
		vectors[i] = []float32{1, float32(i)}
	}
	ix := s.Build(t, docs)
	ix.Append(t, vectors)
	store := ix.Open(t)
	q := store.Query("劳动合同")
	for i, x := range strange {
		for name, f := range map[string]index.Filter{
			"law": {Laws: []string{x}}, "collection": {Collections: []string{x}}, "region": {Regions: []string{x}}, "kind": {Kinds: []statute.Kind{statute.Kind(x)}},
		} {
			hits, err := store.SearchSparse(t.Context(), q, f, 50)
			if err != nil || len(hits) != 1 || hits[0].ID != x {
				t.Errorf("%s %q: %v, %v", name, x, hits, err)
			}
		}
		hits, err := store.SearchDense(t.Context(), []float32{1, 1}, index.Filter{Laws: []string{x}, AsOf: 20240101}, 50)
		if err != nil || len(hits) != 1 || hits[0].ID != x || hits[0].Score != 1+float64(i) {
			t.Errorf("dense %q: %v, %v", x, hits, err)
		}
	}
	sparse, dense, err := store.Scores(t.Context(), strange, q, []float32{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range strange {
		if sparse[i] <= 0 || dense[i] != 1+float64(i) {
			t.Errorf("scores of %q: %g and %g", strange[i], sparse[i], dense[i])
		}
	}
}

// empty holds that an index without documents, and documents without terms, find
// nothing and break nothing.
func (s *Suite) empty(t *testing.T) {
	store := s.Build(t, nil).Open(t)
	if hits, err := store.SearchSparse(t.Context(), store.Query("合同"), index.Filter{}, 5); err != nil || len(hits) > 0 {
		t.Errorf("no documents: %v, %v", hits, err)
	}
	if err := store.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	docs := []index.Doc{{ID: "a", Kind: statute.Article, Text: ""}, {ID: "b", Kind: statute.Article, Text: "劳动合同"}, {ID: "c", Kind: statute.Article, Text: "，。"}}
	ix := s.Build(t, docs)
	ix.Append(t, [][]float32{{1, 0}, {0, 1}, {0, 0}})
	store = ix.Open(t)
	hits, err := store.SearchSparse(t.Context(), store.Query("劳动合同"), index.Filter{}, 5)
	if err != nil || len(hits) != 1 || hits[0].ID != "b" {
		t.Errorf("got %v, %v", hits, err)
	}
	dense, err := store.SearchDense(t.Context(), []float32{0.5, -0.5}, index.Filter{}, 5)
	want := []index.Hit{{ID: "a", Score: 0.5}, {ID: "c", Score: 0}, {ID: "b", Score: -0.5}}
	if diff := cmp.Diff(want, dense); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	sparse, _, err := store.Scores(t.Context(), []string{"a", "b", "c"}, store.Query("劳动合同"), nil)
	if err != nil || sparse[0] != 0 || sparse[1] <= 0 || sparse[2] != 0 {
		t.Errorf("scores %v, %v", sparse, err)
	}
}

// odd holds what queries get that ask for nothing, too much or what isn't there.
func (s *Suite) odd(t *testing.T) {
	docs := Docs(random(10), 40)
	ix := s.Build(t, docs)
	ix.Append(t, Vectors(random(10), len(docs), 8))
	store := ix.Open(t)
	q, v := store.Query(docs[0].Text), make([]float32, 8)
	for _, test := range []struct {
		name string
		q    index.Sparse
		f    index.Filter
		k    int
		most int // hits of a dense search
	}{
		{"k above the number of documents", q, index.Filter{}, 100_000, len(docs)},
		{"k 0", q, index.Filter{}, 0, 0},
		{"k below 0", q, index.Filter{}, -3, 0},
		{"no terms", store.Query(""), index.Filter{}, 5, 5},
		{"unknown terms", store.Query("ζζζ quark"), index.Filter{}, 5, 5},
		{"a term that is too large", index.Sparse{Terms: []uint32{1 << 31}, Weights: []float32{1}}, index.Filter{}, 5, 5},
		{"nothing passes", q, index.Filter{Laws: []string{"没有"}}, 5, 0},
	} {
		sparse, err := store.SearchSparse(t.Context(), test.q, test.f, test.k)
		if err != nil || len(sparse) > max(test.most, 0) {
			t.Errorf("%s: %v, %v", test.name, sparse, err)
		}
		dense, err := store.SearchDense(t.Context(), v, test.f, test.k)
		if err != nil || len(dense) != test.most {
			t.Errorf("%s: %d dense hits instead of %d, %v", test.name, len(dense), test.most, err)
		}
	}
	if _, _, err := store.Scores(t.Context(), []string{docs[0].ID, "没有"}, q, nil); !errors.Is(err, index.ErrUnknownID) {
		t.Errorf("an unknown id gave %v", err)
	}
	if sparse, dense, err := store.Scores(t.Context(), nil, q, v); err != nil || len(sparse)+len(dense) > 0 {
		t.Errorf("no ids gave %v, %v, %v", sparse, dense, err)
	}
	same := []string{docs[1].ID, docs[0].ID, docs[1].ID}
	if sparse, _, err := store.Scores(t.Context(), same, q, v); err != nil || sparse[0] != sparse[2] {
		t.Errorf("an id asked for twice gave %v, %v", sparse, err)
	}
}

// ends holds that a context that has ended ends the call, and that a closed store
// says so.
func (s *Suite) ends(t *testing.T) {
	docs := Docs(random(11), 20)
	ix := s.Build(t, docs)
	ix.Append(t, Vectors(random(11), len(docs), 8))
	store := ix.Open(t)
	q, v := store.Query("合同"), make([]float32, 8)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	call := func(ctx context.Context, want error) {
		t.Helper()
		_, sparse := store.SearchSparse(ctx, q, index.Filter{}, 5)
		_, dense := store.SearchDense(ctx, v, index.Filter{}, 5)
		_, _, scores := store.Scores(ctx, ids(docs[:1]), q, v)
		for name, err := range map[string]error{"SearchSparse": sparse, "SearchDense": dense, "Scores": scores} {
			if !errors.Is(err, want) {
				t.Errorf("%s gave %v instead of %v", name, err, want)
			}
		}
	}
	call(ended, context.Canceled)
	call(t.Context(), nil)
	if err := errors.Join(store.Close(), store.Close()); err != nil {
		t.Error(err)
	}
	call(t.Context(), index.ErrClosed)
	if q := store.Query("合同"); q.Len() > 0 {
		t.Errorf("Query after Close gave %v", q)
	}
}

// concurrent holds that searches from many goroutines give what one gives.
func (s *Suite) concurrent(t *testing.T) {
	r := random(12)
	docs := Docs(r, s.Size)
	ix := s.Build(t, docs)
	vectors := Vectors(r, len(docs), 8)
	ix.Append(t, vectors)
	store := ix.Open(t)
	type asked struct {
		f      index.Filter
		sparse []index.Hit
		dense  []index.Hit
	}
	ask := func(i int, f index.Filter) (a asked, err error) {
		a.f = f
		if a.sparse, err = store.SearchSparse(t.Context(), store.Query(docs[i].Text), f, 10); err != nil {
			return a, err
		}
		a.dense, err = store.SearchDense(t.Context(), vectors[i], f, 10)
		return a, err
	}
	var want [12]asked
	for i := range want {
		var err error
		if want[i], err = ask(i, Filter(r)); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			for i := range want {
				got, err := ask(i, want[i].f)
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(want[i].sparse, got.sparse) + cmp.Diff(want[i].dense, got.dense); diff != "" {
					t.Errorf("another goroutine got other hits:\n%s", diff)
				}
			}
		})
	}
	wait.Wait()
}
