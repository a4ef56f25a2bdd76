package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lexagent/retrieval"
)

// busy counts the searches that run at the same time.
type busy struct{ now, most atomic.Int32 }

func (b *busy) Search(context.Context, retrieval.Query) (*retrieval.Result, error) {
	n := b.now.Add(1)
	defer b.now.Add(-1)
	for {
		most := b.most.Load()
		if n <= most || b.most.CompareAndSwap(most, n) {
			break
		}
	}
	time.Sleep(20 * time.Millisecond)
	return &retrieval.Result{}, nil
}

func TestSearchesTakeTurns(t *testing.T) {
	for mode, bounded := range map[retrieval.Mode]bool{retrieval.Fast: true, retrieval.LexPath: false} {
		var b busy
		s := newTurns(&b)
		var wait sync.WaitGroup
		for range 4 * cap(s.slots) {
			wait.Go(func() {
				if _, err := s.Search(t.Context(), retrieval.Query{Mode: mode}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if most := int(b.most.Load()); most <= cap(s.slots) != bounded {
			t.Errorf("%s: %d at the same time, with %d turns", mode, most, cap(s.slots))
		}
	}
	s := newTurns(&busy{})
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Search(ctx, retrieval.Query{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits leaves in time: %v", err)
	}
}
