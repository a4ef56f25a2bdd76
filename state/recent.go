package state

import (
	"sync"
	"time"
)

// Recent keeps what was used lately within a bound of bytes; what was used longest ago
// goes first. It is safe for concurrent use.
type Recent[V any] struct {
	mu  sync.Mutex
	lru *lru[V]
}

// NewRecent returns an empty one that keeps limit bytes, keys and overhead included.
func NewRecent[V any](limit int) *Recent[V] { return &Recent[V]{lru: newLRU[V](limit)} }

// forever is when nothing that is kept has expired yet.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Get returns what is kept under a key.
func (r *Recent[V]) Get(key string) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.lru.get(key, time.Time{})
	if ok {
		v = e.value
	}
	return v, ok
}

// Put keeps a value of so many bytes.
func (r *Recent[V]) Put(key string, v V, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lru.put(key, v, size, forever)
}
