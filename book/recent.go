package book

import "sync"

// recentMost is how many texts a turn of recent holds: two turns of units take about
// six megabytes, of chunks twice that.
const recentMost = 4096

// recent keeps the texts that were read last: SQLite takes twenty times as long for one,
// and a ranked search reads a hundred. It belongs to one revision of the laws, so what
// writers have changed is read anew after the next Reload. The zero value is empty, and
// safe for concurrent use.
//
// It has two turns: what is found in the earlier one moves into the one that is filling,
// and when that is full, what is left in the earlier one is forgotten.
type recent[T any] struct {
	mu           sync.Mutex
	now, earlier map[lawKey]*T
}

// get returns a copy of what is kept by the key, or reads it with load. Lists within a
// copy are shared: nobody writes to them.
func (r *recent[T]) get(key lawKey, load func() (*T, error)) (*T, error) {
	if kept := r.find(key); kept != nil {
		copied := *kept
		return &copied, nil
	}
	v, err := load()
	if err != nil {
		return nil, err
	}
	kept := *v
	r.keep(key, &kept)
	return v, nil
}

func (r *recent[T]) find(key lawKey) *T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v := r.now[key]; v != nil {
		return v
	}
	v := r.earlier[key]
	if v != nil {
		r.put(key, v)
	}
	return v
}

func (r *recent[T]) keep(key lawKey, v *T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(key, v)
}

func (r *recent[T]) put(key lawKey, v *T) {
	if r.now == nil || len(r.now) >= recentMost {
		r.now, r.earlier = make(map[lawKey]*T), r.now
	}
	r.now[key] = v
}
