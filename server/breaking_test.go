package server_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// breaking passes connections on to a server, and breaks them when told.
type breaking struct {
	url string

	mu    sync.Mutex
	open  map[net.Conn]bool
	broke int
}

func newBreaking(t *testing.T, to string) *breaking {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &breaking{url: "http://" + ln.Addr().String(), open: map[net.Conn]bool{}}
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			passing.Go(func() { p.pass(c, strings.TrimPrefix(to, "http://")) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		p.drop()
		passing.Wait()
	})
	return p
}

func (p *breaking) pass(c net.Conn, to string) {
	up, err := net.Dial("tcp", to)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.open[c], p.open[up] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{c, up}, {up, c}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // ends when either side breaks
			_, _ = way[0].Close(), way[1].Close()
		})
	}
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
	delete(p.open, up)
}

// drop breaks every connection.
func (p *breaking) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
		p.broke++
	}
}

func (p *breaking) drops() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broke
}
