package milvus_test

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
	installs = "../../var/milvus/bin/milvus-lite"
)

// server is a milvus-lite of its own.
type server struct {
	program, data, address string
	log                    *os.File
	cmd                    *exec.Cmd
}

// program finds milvus-lite, or skips the test; in CI it must be there.
func program(t testing.TB) string {
	t.Helper()
	p := os.Getenv(envLite)
	if p == "" {
		p = installs
	}
	p, err := filepath.Abs(p)
	if err == nil {
		_, err = os.Stat(p)
	}
	if err != nil {
		if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
			t.Fatalf("milvus-lite must be there: %v", err)
		}
		t.Skipf("milvus-lite is not installed (pip install milvus-lite==3.2.2 pymilvus into var/milvus, or set %s): %v", envLite, err)
	}
	return p
}

// newServer starts a milvus-lite on a free port.
func newServer(program, data string) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	s := &server{program: program, data: data, address: address}
	if s.log, err = os.Create(filepath.Join(filepath.Dir(data), filepath.Base(data)+".log")); err != nil {
		return nil, err
	}
	return s, s.start()
}

// start starts the server, also again after kill, and waits until it answers.
func (s *server) start() error {
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return err
	}
	s.cmd = exec.Command(s.program, "server", "--data-dir", s.data, "--host", "127.0.0.1", "--port", port)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	c, err := milvus.Dial(context.Background(), milvus.Options{Address: s.address, Patience: time.Minute})
	if err != nil {
		return errors.Join(err, s.kill())
	}
	return c.Close()
}

// kill ends the server as a power cut does.
func (s *server) kill() error {
	if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		return err
	}
	_ = s.cmd.Wait() // says that it was killed
	return nil
}

// memory is the server's resident memory in MB.
func (s *server) memory(t testing.TB) int {
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
	server *server
	folder string
	err    error
	number atomic.Int64 // of prefixes handed out
}

func TestMain(m *testing.M) {
	code := m.Run()
	if s := shared.server; s != nil && s.cmd != nil {
		if err := s.kill(); err != nil {
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

// dial connects to the server that tests share, under a prefix of the test's own.
func dial(t testing.TB) *milvus.Client {
	t.Helper()
	p := program(t)
	shared.Do(func() {
		if shared.folder, shared.err = os.MkdirTemp("", "milvus"); shared.err == nil {
			shared.server, shared.err = newServer(p, filepath.Join(shared.folder, "data"))
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return connect(t, shared.server, milvus.Options{})
}

func connect(t testing.TB, s *server, o milvus.Options) *milvus.Client {
	t.Helper()
	o.Address = s.address
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
