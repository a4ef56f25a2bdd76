package embedded

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// closeDelay is how long a replaced generation stays open: searches that began
// with it may still use it.
const closeDelay = time.Minute

// Live holds the generation in use, also when another one is put in use while
// the process runs. It is safe for concurrent use.
type Live struct {
	root    string
	current atomic.Pointer[Store]

	mu      sync.Mutex // guards what follows
	retired []*Store
}

// OpenLive opens the generation in use under root.
func OpenLive(root string) (*Live, error) {
	s, err := Open(root)
	if err != nil {
		return nil, err
	}
	l := &Live{root: root}
	l.current.Store(s)
	return l, nil
}

// Current returns the generation in use. A search takes it once and keeps to it:
// the terms of two generations have different ids.
func (l *Live) Current() *Store { return l.current.Load() }

// Refresh changes over to the generation that is in use now, and reports whether
// it did.
func (l *Live) Refresh() (bool, error) {
	name, err := Current(l.root)
	if err != nil || name == l.Current().Manifest().Name() {
		return false, err
	}
	s, err := OpenGeneration(l.root, name)
	if err != nil {
		return false, err
	}
	old := l.current.Swap(s)
	l.mu.Lock()
	l.retired = append(l.retired, old)
	l.mu.Unlock()
	time.AfterFunc(closeDelay, func() { _ = old.Close() }) // closing only unmaps files that were read
	return true, nil
}

// Close closes the generation in use and those before it.
func (l *Live) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	errs := []error{l.Current().Close()}
	for _, s := range l.retired {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
