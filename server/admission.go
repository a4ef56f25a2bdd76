package server

import (
	"context"
	"errors"
	"sync"
	"time"
)

// lane admits the requests of one class of cost: so many at the same time, so many
// that wait, and nobody who would wait longer than is left of patience. Who is not
// admitted hears so at once.
type lane struct {
	name     string
	slots    chan struct{}
	queue    int           // that may wait
	patience time.Duration // the longest wait

	mu      sync.Mutex
	waiting int
	takes   time.Duration // of one request, a moving average
}

func newLane(name string, slots, queue int, patience time.Duration) *lane {
	return &lane{name: name, slots: make(chan struct{}, slots), queue: queue, patience: patience}
}

// enter waits for a slot. leave must be called when the request is over.
func (l *lane) enter(c context.Context) (leave func(), err error) {
	select {
	case l.slots <- struct{}{}:
		return l.begin(), nil
	default:
	}
	patience := l.patience
	if end, ok := c.Deadline(); ok {
		patience = min(patience, time.Until(end))
	}
	l.mu.Lock()
	wait := l.expected()
	if l.waiting >= l.queue || wait > patience {
		l.mu.Unlock()
		return nil, l.busy(wait)
	}
	l.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.waiting--
		l.mu.Unlock()
	}()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case l.slots <- struct{}{}:
		return l.begin(), nil
	case <-c.Done():
		return nil, c.Err()
	case <-t.C:
		return nil, l.busy(patience)
	}
}

// expected is how long one who comes now would wait. l.mu is held.
func (l *lane) expected() time.Duration {
	return l.takes * time.Duration(l.waiting+1) / time.Duration(cap(l.slots))
}

func (l *lane) busy(wait time.Duration) error {
	seconds := min(max(int((wait+time.Second-1)/time.Second), 1), 60)
	return &problem{Status: 503, Code: "busy", Retry: seconds, Message: "too many requests of this kind are being answered; try again in a moment"}
}

// averaged is the share of the latest request in the moving average: one in so many.
const averaged = 8

func (l *lane) begin() (leave func()) {
	start := time.Now()
	return func() {
		took := time.Since(start)
		l.mu.Lock()
		if l.takes == 0 {
			l.takes = took
		}
		l.takes += (took - l.takes) / averaged
		l.mu.Unlock()
		<-l.slots
	}
}

// load is how many requests run and wait.
func (l *lane) load() (running, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.slots), l.waiting
}

// take gives a request its time and, when it comes to it, its place in a lane. done must
// be called when the request is over.
func (s *Server) take(c context.Context, l *lane, most time.Duration) (_ context.Context, done func(), err error) {
	c, cancel := context.WithTimeout(c, most)
	leave, err := s.enter(c, l)
	if err != nil {
		cancel()
		return c, nil, err
	}
	return c, func() { leave(); cancel() }, nil
}

// enter admits a request to a lane.
func (s *Server) enter(c context.Context, l *lane) (leave func(), err error) {
	leave, err = l.enter(c)
	if p, ok := errors.AsType[*problem](err); ok && p.Code == "busy" {
		s.metrics.refused.WithLabelValues(l.name).Inc()
	}
	return leave, err
}
