// Package milvustest runs milvus-lite, a Milvus server in one process, for tests.
package milvustest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"lexagent/index/milvus"
)

// envLite names the program of milvus-lite, which by default is looked for where CI
// installs it.
const (
	envLite  = "LEXAGENT_MILVUS_LITE"
	installs = "var/milvus/bin/milvus-lite" // in the repository
)

// Server is a milvus-lite of its own.
type Server struct {
	Address string // host:port

	program, data string
	log           *os.File
	cmd           *exec.Cmd
}

// Program finds milvus-lite, or skips the test; in CI it must be there.
func Program(t testing.TB) string {
	t.Helper()
	p := os.Getenv(envLite)
	if p == "" {
		p = filepath.Join(repository(), installs)
	}
	if _, err := os.Stat(p); err != nil {
		if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
			t.Fatalf("milvus-lite must be there: %v", err)
		}
		t.Skipf("milvus-lite is not installed (into var/milvus, as .ci/run does, or set %s): %v", envLite, err)
	}
	return p
}

// repository is the folder of go.mod, above the package that is tested.
func repository() string {
	dir := "."
	for range 8 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Join(dir, "..")
	}
	return dir
}

// start starts a milvus-lite on a free port.
func start(program, data string) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	s := &Server{program: program, data: data, Address: address}
	return s, s.Start()
}

// Start starts the server again after Kill and waits until it answers.
func (s *Server) Start() error {
	_, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		return err
	}
	if s.log, err = os.OpenFile(s.data+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	//nolint:gosec // the program is the developer's choice
	s.cmd = exec.CommandContext(context.Background(), s.program, "server", "--data-dir", s.data, "--host", "127.0.0.1", "--port", port)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return errors.Join(err, s.log.Close())
	}
	c, err := milvus.Dial(context.Background(), milvus.Options{Address: s.Address, Patience: time.Minute})
	if err != nil {
		return errors.Join(err, s.Kill())
	}
	return c.Close()
}

// Kill ends the server as a power cut does. Killing it again does nothing.
func (s *Server) Kill() error {
	if s.cmd == nil {
		return nil
	}
	if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		return err
	}
	_ = s.cmd.Wait() // says that it was killed
	s.cmd = nil
	return s.log.Close()
}

// Memory is the server's resident memory in MB.
func (s *Server) Memory(t testing.TB) int {
	t.Helper()
	var pages, resident int
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "statm"))
	if err == nil {
		_, err = fmt.Sscan(string(b), &pages, &resident)
	}
	if err != nil {
		t.Logf("the server's memory can't be read: %v", err)
	}
	return resident * os.Getpagesize() >> 20
}

var shared struct {
	sync.Once
	server *Server
	folder string
	err    error
	number atomic.Int64 // of prefixes handed out
}

// Main runs a package's tests and then stops the server that they shared. TestMain
// calls it.
func Main(m *testing.M) {
	code := m.Run()
	if s := shared.server; s != nil {
		if err := s.Kill(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if shared.folder != "" {
		if err := os.RemoveAll(shared.folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// Shared returns the server that all tests of a package use.
func Shared(t testing.TB) *Server {
	t.Helper()
	p := Program(t)
	shared.Do(func() {
		if shared.folder, shared.err = os.MkdirTemp("", "milvus"); shared.err == nil {
			shared.server, shared.err = start(p, filepath.Join(shared.folder, "data"))
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// New starts a server of the test's own, which the test's end stops.
func New(t testing.TB) *Server {
	t.Helper()
	s, err := start(Program(t), filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Kill(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Dial connects to the server, until the test's end, under a prefix that no other
// test has unless the options name one.
func (s *Server) Dial(t testing.TB, o milvus.Options) *milvus.Client {
	t.Helper()
	o.Address = s.Address
	if o.Prefix == "" {
		o.Prefix = fmt.Sprintf("test%d", shared.number.Add(1))
	}
	c, err := milvus.Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}
