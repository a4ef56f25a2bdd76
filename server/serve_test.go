package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/server"
)

// The statute book is served as it is.
var (
	_ server.Statutes  = (*book.Book)(nil)
	_ server.Relations = (*book.Book)(nil)
)

// site is a running server with a client and its log.
type site struct {
	t      testing.TB
	url    string
	client *http.Client
	script *script
	health *health
	log    *lockedBuffer
	stop   func() error // ends Run's context and waits for Run
}

// serve starts a server on a free port with the fakes; change edits its options.
// It stops with the test.
func serve(t testing.TB, change ...func(*server.Options)) *site {
	t.Helper()
	shelf := newShelf()
	s := &site{t: t, script: &script{shelf: shelf}, log: &lockedBuffer{},
		health: &health{server.Readiness{BM25: true, Dense: .419, LLM: "qwen3", Articles: 6, Laws: 3}}}
	o := server.Options{
		Answerer: s.script, Searcher: shelf, Statutes: shelf, Relations: shelf, Health: s.health,
		NotFound: errNotFound, Unavailable: []error{errDown},
		Addr: "127.0.0.1:0", Version: "test", Logger: slog.New(slog.NewJSONHandler(s.log, nil)),
		Now: func() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) },
	}
	for _, fn := range change {
		fn(&o)
	}
	srv, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Listen(); err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + srv.Addr()
	s.client = &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Run(ctx) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		s.client.CloseIdleConnections()
		return <-done
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return s
}

// do sends a request; header is "Name: value" lines.
func (s *site) do(method, path, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if strings.HasPrefix(path, "/mcp") {
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	res, err := s.client.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s %s: read: %v", method, path, err)
	}
	return res, string(b)
}

// get decodes a successful answer into v.
func (s *site) get(method, path, body string, v any) {
	s.t.Helper()
	res, text := s.do(method, path, body)
	if res.StatusCode != 200 {
		s.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		s.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
}

// lockedBuffer collects a log written by many goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
