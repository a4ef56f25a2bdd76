package state

import (
	"fmt"
	"sync"
	"testing"
)

func TestRecentKeepsWhatIsUsed(t *testing.T) {
	r := NewRecent[int](10 * (entryOverhead + 100))
	for i := range 50 {
		r.Put(fmt.Sprint(i), i, 90)
		if v, ok := r.Get("0"); !ok || v != 0 { // used each time
			t.Fatalf("what is used was dropped after %d", i)
		}
	}
	if _, ok := r.Get("1"); ok {
		t.Error("what was not used is still there")
	}
	if v, ok := r.Get("49"); !ok || v != 49 {
		t.Error("the latest is gone")
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				r.Put(fmt.Sprint(i, j), j, 10)
				r.Get(fmt.Sprint(i, j-1))
			}
		})
	}
	all.Wait()
}
