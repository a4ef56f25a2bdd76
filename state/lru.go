package state

import (
	"container/list"
	"time"
)

// lru is a map of bounded size whose entries expire; where it is full, the entry
// that was used longest ago goes first. Its user locks.
type lru[V any] struct {
	limit int // of the sum of the entries' sizes
	size  int
	byKey map[string]*list.Element
	order list.List // of *entry[V], latest used first
}

type entry[V any] struct {
	key     string
	value   V
	size    int
	expires time.Time
}

func newLRU[V any](limit int) *lru[V] {
	return &lru[V]{limit: limit, byKey: map[string]*list.Element{}}
}

// get returns an entry that has not expired.
func (l *lru[V]) get(key string, now time.Time) (*entry[V], bool) {
	at, ok := l.byKey[key]
	if !ok {
		return nil, false
	}
	e := at.Value.(*entry[V])
	if !now.Before(e.expires) {
		l.remove(key)
		return nil, false
	}
	l.order.MoveToFront(at)
	return e, true
}

// entryOverhead is about what an entry costs beyond its key and value, in bytes.
const entryOverhead = 200

// put sets an entry; size is its value's, in bytes.
func (l *lru[V]) put(key string, v V, size int, expires time.Time) {
	l.remove(key)
	e := &entry[V]{key, v, size + len(key) + entryOverhead, expires}
	l.byKey[key] = l.order.PushFront(e)
	for l.size += e.size; l.size > l.limit && l.order.Len() > 1; {
		l.remove(l.order.Back().Value.(*entry[V]).key)
	}
}

func (l *lru[V]) remove(key string) (was bool) {
	at, ok := l.byKey[key]
	if ok {
		l.size -= at.Value.(*entry[V]).size
		l.order.Remove(at)
		delete(l.byKey, key)
	}
	return ok
}
