// Package redistest runs a real Redis server for tests.
package redistest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Server is a Redis of its own, on a port of this machine, that keeps nothing on disk.
type Server struct {
	Address string // host:port

	t       testing.TB
	program string
	dir     string // where what it was told is kept; "" = nowhere
	cmd     *exec.Cmd
}

// StartDurable is Start for a server that knows after Kill what it was told.
func StartDurable(t testing.TB) *Server {
	t.Helper()
	return begin(t, t.TempDir())
}

// Start starts a server that ends with the test, or skips the test where Redis is
// not installed; in CI it must be.
func Start(t testing.TB) *Server {
	t.Helper()
	return begin(t, "")
}

func begin(t testing.TB, dir string) *Server {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
			t.Fatal("redis-server must be installed")
		}
		t.Skip("redis-server is not installed")
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: l.Addr().String(), t: t, program: program, dir: dir}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	s.Start()
	return s
}

// URL is the server's address as it is configured.
func (s *Server) URL() string { return "redis://" + s.Address + "/0" }

// Start starts the server again after Kill, empty unless it is durable, and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	_, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		s.t.Fatal(err)
	}
	keep, dir := "yes", s.dir
	if dir == "" {
		keep, dir = "no", s.t.TempDir()
	}
	//nolint:gosec // the program that the PATH names
	s.cmd = exec.CommandContext(context.Background(), s.program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", keep, "--dir", dir)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
		c, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.Address)
		if err == nil {
			_ = c.Close() // only whether it listens was wanted
			return
		}
	}
	s.t.Fatal("redis-server does not listen after 10 s")
}

// Kill ends the server as a power cut does. Killing it again does nothing.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // says that it was killed
	s.cmd = nil
}
