package server

import (
	"io"
	"net"
	"sync"
	"time"
)

// conns is a listener that knows its open connections. It gives each a deadline
// for its first request and for every write, which Hertz does not, and can end
// those that wait for a request that will not come.
type conns struct {
	net.Listener
	first, write time.Duration

	mu     sync.Mutex
	open   map[*conn]struct{}
	ending bool
	empty  chan struct{} // closed when ending and none is open
}

func newConns(ln net.Listener, timeout time.Duration) *conns {
	return &conns{Listener: ln, first: timeout, write: timeout, open: map[*conn]struct{}{}, empty: make(chan struct{})}
}

// Accept returns the next connection, counted until it is closed.
func (l *conns) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: nc, from: l}
	l.mu.Lock()
	l.open[c] = struct{}{}
	l.mu.Unlock()
	_ = c.SetReadDeadline(time.Now().Add(l.first)) // fails when the peer is gone; the first read will tell
	return c, nil
}

// end makes every read fail, so that idle connections close while responses
// still being written get out. It waits for that until patience is over, then
// closes what is left.
func (l *conns) end(patience time.Duration) {
	l.mu.Lock()
	l.ending = true
	for c := range l.open {
		_ = c.Conn.SetReadDeadline(past) // fails only on a closed connection
	}
	if len(l.open) == 0 {
		close(l.empty)
	}
	l.mu.Unlock()

	select {
	case <-l.empty:
		return
	case <-time.After(patience):
	}
	l.mu.Lock()
	left := make([]*conn, 0, len(l.open))
	for c := range l.open {
		left = append(left, c)
	}
	l.mu.Unlock()
	for _, c := range left {
		_ = c.Close() // nothing can be done about a close that fails
	}
}

// forget stops counting c and reports whether connections are being ended.
func (l *conns) forget(c *conn) (ending bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.open[c]; known {
		delete(l.open, c)
		if l.ending && len(l.open) == 0 {
			close(l.empty)
		}
	}
	return l.ending
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// conn is one connection of conns.
type conn struct {
	net.Conn
	from *conns
}

// Write bounds each write, so that a client that stops reading is dropped.
func (c *conn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.from.write)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// SetReadDeadline sets the deadline, except when connections are being ended.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	if c.from.ending {
		t = past
	}
	return c.Conn.SetReadDeadline(t)
}

// A closed connection is read on for so long and so much: a client that still
// writes when we close would lose our last answer to a reset.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 64 << 20
)

// Close forgets the connection and closes it, our side first.
func (c *conn) Close() error {
	ending := c.from.forget(c)
	if tcp, ok := c.Conn.(*net.TCPConn); ok && !ending && tcp.CloseWrite() == nil {
		_ = tcp.SetReadDeadline(time.Now().Add(lingerTime)) // fails when the peer is gone; so does the read
		_, _ = io.CopyN(io.Discard, tcp, lingerBytes)       // ends in an error, or it was too much
	}
	return c.Conn.Close()
}
