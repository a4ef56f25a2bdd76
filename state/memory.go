package state

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Bytes that a Memory holds at most; beyond them the oldest goes.
const (
	conversationBytes = 64 << 20
	cacheBytes        = 64 << 20
	counterBytes      = 16 << 20
)

// Memory is a Store in this process. Make one with NewMemory.
type Memory struct {
	now func() time.Time

	mu       sync.Mutex
	talks    *lru[[][]byte] // turns as JSON
	values   *lru[[]byte]
	counters *lru[int]
	locks    map[string]*held
}

// held is a lock that is taken.
type held struct{ until time.Time }

// NewMemory returns an empty store; now nil is the clock.
func NewMemory(now func() time.Time) *Memory {
	if now == nil {
		now = time.Now
	}
	return &Memory{
		now: now, talks: newLRU[[][]byte](conversationBytes), values: newLRU[[]byte](cacheBytes),
		counters: newLRU[int](counterBytes), locks: map[string]*held{},
	}
}

// ownersKey keeps owner and id apart whatever is in them.
func ownersKey(owner, id string) string { return owner + "\x00" + id }

// Turns implements Conversations.
func (m *Memory) Turns(_ context.Context, owner, id string) ([]Turn, error) {
	m.mu.Lock()
	e, ok := m.talks.get(ownersKey(owner, id), m.now())
	var lines [][]byte
	if ok {
		lines = e.value
	}
	m.mu.Unlock()
	if !ok {
		return nil, ErrNone
	}
	return decodeTurns(lines)
}

// Append implements Conversations.
func (m *Memory) Append(_ context.Context, owner, id string, keep time.Duration, turns ...Turn) error {
	lines, err := encodeTurns(turns)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now, key := m.now(), ownersKey(owner, id)
	var all [][]byte
	if e, ok := m.talks.get(key, now); ok {
		all = e.value
	}
	all = slices.Concat(all, lines)
	all = all[max(0, len(all)-MaxTurns):]
	size := 0
	for _, l := range all {
		size += len(l)
	}
	m.talks.put(key, all, size, now.Add(keep))
	return nil
}

// Forget implements Conversations.
func (m *Memory) Forget(_ context.Context, owner, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := ownersKey(owner, id)
	if _, ok := m.talks.get(key, m.now()); !ok {
		return ErrNone
	}
	m.talks.remove(key)
	return nil
}

// Get implements Cache.
func (m *Memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.values.get(key, m.now())
	if !ok {
		return nil, ErrNone
	}
	return e.value, nil
}

// Put implements Cache.
func (m *Memory) Put(_ context.Context, key string, value []byte, keep time.Duration) error {
	if len(value) > MaxValue {
		return ErrTooLarge
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values.put(key, slices.Clone(value), len(value), m.now().Add(keep))
	return nil
}

// Lock implements Cache.
func (m *Memory) Lock(_ context.Context, key string, hold time.Duration) (unlock func(), got bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if h := m.locks[key]; h != nil && now.Before(h.until) {
		return nil, false, nil
	}
	mine := &held{now.Add(hold)}
	m.locks[key] = mine
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.locks[key] == mine { // else it ended, and another has it
			delete(m.locks, key)
		}
	}, true, nil
}

// Use implements Limits.
func (m *Memory) Use(_ context.Context, key string, n, limit int, window time.Duration) (Allowance, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	a := Allowance{Reset: window}
	expires := now.Add(window)
	if e, ok := m.counters.get(key, now); ok {
		a.Used, expires = e.value, e.expires
		a.Reset = expires.Sub(now)
	}
	a.OK = allowed(a.Used, n, limit)
	if a.OK && n > 0 {
		a.Used += n
		m.counters.put(key, a.Used, 0, expires)
	}
	return a, nil
}

func allowed(used, n, limit int) bool { return limit == 0 || used+max(n, 1) <= limit }

// Check implements Store.
func (m *Memory) Check(context.Context) error { return nil }

func encodeTurns(turns []Turn) ([][]byte, error) {
	lines := make([][]byte, len(turns))
	for i := range turns {
		var err error
		if lines[i], err = json.Marshal(turns[i]); err != nil {
			return nil, err
		}
	}
	return lines, turnsFit(lines)
}

func decodeTurns(lines [][]byte) ([]Turn, error) {
	turns := make([]Turn, len(lines))
	for i, l := range lines {
		if err := json.Unmarshal(l, &turns[i]); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

// Interface guard.
var _ Store = (*Memory)(nil)
