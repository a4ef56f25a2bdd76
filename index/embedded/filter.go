package embedded

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"lexagent/index"
	"lexagent/statute"
)

// maxSelections bounds how many compiled filters a store keeps. One costs 4 bytes
// a document.
const maxSelections = 16

// selection is a filter compiled for one generation: which documents pass.
type selection struct {
	all    bool
	pass   []bool    // by document; nil when all pass
	start  []float32 // where a document's sum starts: 0, or so low that it never hits
	lo, hi int       // the documents that pass lie in [lo, hi)
	count  int
}

// barred is the start of a document that doesn't pass. It is finite, so that no
// weight makes it NaN.
const barred = -1e30

// selections compiles filters and keeps the last ones used.
type selections struct {
	mu    sync.Mutex
	kept  map[string]*selection
	order []string // least recently used first
}

func (s *selections) get(d *documents, f index.Filter) *selection {
	key := filterKey(f)
	s.mu.Lock()
	sel, ok := s.kept[key]
	if ok {
		s.touch(key)
	}
	s.mu.Unlock()
	if ok {
		return sel
	}
	sel = compile(d, f)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]*selection{}
	}
	if _, ok := s.kept[key]; !ok && len(s.kept) >= maxSelections {
		delete(s.kept, s.order[0])
		s.order = s.order[1:]
	}
	s.kept[key] = sel
	s.touch(key)
	return sel
}

// touch makes key the most recently used.
func (s *selections) touch(key string) {
	if i := slices.Index(s.order, key); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
	s.order = append(s.order, key)
}

// filterKey is the same for filters that pass the same documents, but for order
// and repeats.
func filterKey(f index.Filter) string {
	var b strings.Builder
	for _, list := range [][]string{f.Collections, f.Laws, f.Regions, kindNames(f.Kinds)} {
		list = slices.Compact(slices.Sorted(slices.Values(list)))
		fmt.Fprintf(&b, "%d", len(list))
		for _, s := range list {
			fmt.Fprintf(&b, "%q", s)
		}
	}
	levels := slices.Compact(slices.Sorted(slices.Values(f.Levels)))
	fmt.Fprintf(&b, "%v%d", levels, f.AsOf)
	return b.String()
}

func compile(d *documents, f index.Filter) *selection {
	n := d.len()
	collections, laws := d.numbers(collectionTab, f.Collections), d.numbers(lawTable, f.Laws)
	regions, kinds := d.numbers(regionTable, f.Regions), d.numbers(kindTable, kindNames(f.Kinds))
	s := &selection{pass: make([]bool, n), lo: n}
	for i := range n {
		if collections != nil && !collections[d.collections[i]] || laws != nil && !laws[d.laws[i]] ||
			regions != nil && !regions[d.regions[i]] || kinds != nil && !kinds[d.kinds[i]] ||
			len(f.Levels) > 0 && !slices.Contains(f.Levels, statute.Level(d.levels[i])) ||
			!index.InForce(statute.Date(d.from[i]), statute.Date(d.until[i]), f.AsOf) {
			continue
		}
		s.pass[i] = true
		s.count++
		s.lo, s.hi = min(s.lo, i), i+1
	}
	if s.count == n {
		return &selection{all: true, hi: n, count: n}
	}
	if s.count == 0 {
		return &selection{}
	}
	s.start = make([]float32, n)
	for i, pass := range s.pass {
		if !pass {
			s.start[i] = barred
		}
	}
	return s
}
