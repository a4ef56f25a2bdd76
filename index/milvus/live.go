package milvus

import (
	"context"
	"sync/atomic"
)

// Live holds the generation in use, also when another one is put in use while the
// process runs. It is safe for concurrent use.
type Live struct {
	c       *Client
	current atomic.Pointer[Store]
}

// OpenLive opens the generation in use.
func (c *Client) OpenLive(ctx context.Context) (*Live, error) {
	s, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	l := &Live{c: c}
	l.current.Store(s)
	return l, nil
}

// Current returns the generation in use. A search takes it once and keeps to it:
// the terms of two generations have different ids.
func (l *Live) Current() *Store { return l.current.Load() }

// Refresh changes over to the generation that is in use now, and reports whether
// it did. Searches under way end with the one they began with.
func (l *Live) Refresh(ctx context.Context) (bool, error) {
	name, err := l.c.Current(ctx)
	if err != nil || name == l.Current().Name() {
		return false, err
	}
	s, err := l.c.OpenGeneration(ctx, name)
	if err != nil {
		return false, err
	}
	l.current.Store(s)
	return true, nil
}

// Close closes the generation in use and the connection.
func (l *Live) Close() error {
	if err := l.Current().Close(); err != nil {
		return err
	}
	return l.c.Close()
}
