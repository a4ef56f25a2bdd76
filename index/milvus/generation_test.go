package milvus_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/index"
	"lexagent/index/milvus"
	"lexagent/index/milvus/milvustest"
	"lexagent/index/storetest"
	"lexagent/statute"
)

// TestGenerations holds that generations stand beside each other, one in use, and
// that only the others can be dropped.
func TestGenerations(t *testing.T) {
	c := milvustest.Shared(t).Dial(t, milvus.Options{})
	if _, err := c.Open(t.Context()); !errors.Is(err, milvus.ErrNoGeneration) {
		t.Errorf("nothing there gave %v", err)
	}
	docs := storetest.Docs(rand.New(rand.NewPCG(31, 1)), 60)
	x := build(t, c, docs)
	words := x.name
	x.Append(t, storetest.Vectors(rand.New(rand.NewPCG(31, 2)), 60, 4))
	list, err := c.Generations(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("got %+v, %v", list, err)
	}
	want := []milvus.Generation{
		{Name: words, Documents: 60, Rows: 60},
		{Name: list[1].Name, Documents: 60, Rows: 60, Vectors: 60, Encoder: "test", Current: true},
	}
	if diff := cmp.Diff(want, list); diff != "" || !strings.HasPrefix(list[1].Name, words+"_") {
		t.Fatalf("-want +got:\n%s", diff)
	}
	if name := x.publish(t); name != list[1].Name {
		t.Errorf("publishing again made %s", name)
	}
	old, err := c.OpenGeneration(t.Context(), words)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Activate(t.Context(), words); err != nil {
		t.Errorf("going back gave %v", err)
	}
	if err := c.Activate(t.Context(), list[1].Name); err != nil {
		t.Error(err)
	}
	for name, ok := range map[string]bool{list[1].Name: false, "nothing": false, words: true} {
		if err := c.Drop(t.Context(), name); (err == nil) != ok {
			t.Errorf("dropping %s gave %v", name, err)
		}
	}
	if _, err := old.SearchSparse(t.Context(), old.Query("合同"), index.Filter{}, 3); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("searching what was dropped gave %v", err)
	}
	if list, err = c.Generations(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("after the drop: %+v, %v", list, err)
	}
}

// TestSwitchUnderLoad holds that searches go on without an error, each on one
// generation, while another one is put in use.
func TestSwitchUnderLoad(t *testing.T) {
	c := milvustest.Shared(t).Dial(t, milvus.Options{})
	docs := func(id string) []index.Doc {
		list := make([]index.Doc, 40)
		for i := range list {
			list[i] = index.Doc{ID: id + string(rune('一'+i)), Kind: statute.Article, Text: "劳动合同" + id}
		}
		return list
	}
	build(t, c, docs("甲"))
	live, err := c.OpenLive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var searches, switched atomic.Int64
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := live.Current()
				hits, err := s.SearchSparse(t.Context(), s.Query("劳动合同"), index.Filter{}, 40)
				if err != nil || len(hits) != 40 {
					t.Errorf("%d hits, %v", len(hits), err)
					return
				}
				first := []rune(hits[0].ID)[0]
				for _, h := range hits {
					if []rune(h.ID)[0] != first {
						t.Errorf("hits of two generations: %v", hits)
						return
					}
				}
				searches.Add(1)
				if first == '乙' {
					switched.Add(1)
				}
			}
		})
	}
	build(t, c, docs("乙"))
	if changed, err := live.Refresh(t.Context()); err != nil || !changed {
		t.Errorf("Refresh gave %v, %v", changed, err)
	}
	if changed, err := live.Refresh(t.Context()); err != nil || changed {
		t.Errorf("a second Refresh gave %v, %v", changed, err)
	}
	for before := switched.Load(); switched.Load() < before+8 && !t.Failed(); {
		_ = live.Current()
	}
	close(stop)
	wait.Wait()
	t.Logf("%d searches, %d of them on the new generation", searches.Load(), switched.Load())
}
