package server_test

import (
	"bufio"
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"lexagent/graph"
	"lexagent/server"
)

// reader reads a stream event by event.
type reader struct {
	res   *http.Response
	lines *bufio.Scanner
	last  string // id of the last event
	leave context.CancelFunc
}

func (s *site) read(method, path, body string, header ...string) *reader {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != 200 {
		s.t.Fatalf("%s %s: %d", method, path, res.StatusCode)
	}
	s.t.Cleanup(func() { cancel(); _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return &reader{res, lines, "", cancel}
}

// next returns the next event's data, "" at the end.
func (r *reader) next() string {
	for r.lines.Scan() {
		if id, ok := strings.CutPrefix(r.lines.Text(), "id: "); ok {
			r.last = id
		} else if id, ok := strings.CutPrefix(r.lines.Text(), "id:"); ok {
			r.last = id
		}
		if data, ok := strings.CutPrefix(r.lines.Text(), "data:"); ok {
			return strings.TrimSpace(data)
		}
	}
	return ""
}

func (r *reader) rest() (events []string) {
	for e := r.next(); e != ""; e = r.next() {
		events = append(events, e)
	}
	return events
}

// Who loses the connection and comes back gets the rest, and nothing twice.
func TestStreamIsResumed(t *testing.T) {
	s := serve(t)
	s.script.pause = 30 * time.Millisecond
	first := s.read("POST", chatPath, ask(`,"stream":true,"resumable":true`))
	var got []string
	for range 4 {
		got = append(got, first.next())
	}
	id, _, _ := strings.Cut(first.last, ".")
	first.leave()
	time.Sleep(100 * time.Millisecond) // the answer goes on meanwhile
	second := s.read("GET", "/v1/chat/streams/"+id, "", "Last-Event-ID: "+first.last)
	got = append(got, second.rest()...)

	plain := serve(t)
	want := plain.read("POST", chatPath, ask(`,"stream":true`)).rest()
	if len(got) != len(want) || got[len(got)-1] != "[DONE]" {
		t.Errorf("%d events in two parts, %d in one", len(got), len(want))
	}
	if second.res.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Errorf("type %s", second.res.Header.Get("Content-Type"))
	}
	// What is over can be read again for a while, from any event on.
	if again := s.read("GET", "/v1/chat/streams/"+id, "").rest(); len(again) != len(want) {
		t.Errorf("read again: %d events", len(again))
	}
	for path, last := range map[string]string{"/v1/chat/streams/" + id: "other.3", "/v1/chat/streams/" + id + "?": id + ".x"} {
		if res, body := s.do("GET", path, "", "Last-Event-ID: "+last); res.StatusCode != 400 {
			t.Errorf("%s: %d %s", last, res.StatusCode, body)
		}
	}
	if res, body := s.do("GET", "/v1/chat/streams/none", ""); res.StatusCode != 404 || !strings.Contains(body, "stream_gone") {
		t.Errorf("a stream that never was: %d %s", res.StatusCode, body)
	}
}

// An answer may fail at the moment when its first event, or a heartbeat, begins the
// response: the client reads the same problem either way.
func TestFailureAtTheFirstByte(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Heartbeat = 2 * time.Millisecond })
	var wait time.Duration
	s.script.hook = func(context.Context, graph.Request) error { time.Sleep(wait); return errDown }
	for i := range 40 {
		wait = time.Duration(i%8) * 500 * time.Microsecond
		for _, more := range []string{`,"stream":true`, `,"stream":true,"resumable":true`} {
			if _, body := s.do("POST", chatPath, ask(more)); !strings.Contains(body, `"code":"unavailable"`) {
				t.Fatalf("%s after %s: %s", more, wait, body)
			}
		}
	}
}

// The answer ends when its reader does not come back in time, or says so; a plain
// stream's, at once. Nothing is left running.
func TestWhoLeavesEndsTheAnswer(t *testing.T) {
	ended := make(chan time.Time, 1)
	s := serve(t, func(o *server.Options) { o.ResumeWithin = 200 * time.Millisecond })
	s.script.hook = func(ctx context.Context, _ graph.Request) error {
		<-ctx.Done()
		ended <- time.Now()
		return ctx.Err()
	}
	s.do("GET", "/healthz", "")
	base := runtime.NumGoroutine()
	for _, tt := range []struct {
		name, more string
		low, high  time.Duration
		end        bool
	}{
		{"plain", `,"stream":true`, 0, 150 * time.Millisecond, false},
		{"resumable", `,"stream":true,"resumable":true`, 180 * time.Millisecond, time.Second, false},
		{"ended", `,"stream":true,"resumable":true`, 0, 150 * time.Millisecond, true},
	} {
		r := s.read("POST", chatPath, ask(tt.more))
		r.next()
		left := time.Now()
		if id, _, _ := strings.Cut(r.last, "."); tt.end {
			if res, body := s.do("DELETE", "/v1/chat/streams/"+id, ""); res.StatusCode != 204 {
				t.Errorf("%s: %d %s", tt.name, res.StatusCode, body)
			}
		}
		r.leave()
		select {
		case at := <-ended:
			if took := at.Sub(left); took < tt.low || took > tt.high {
				t.Errorf("%s: it ends after %v", tt.name, took)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: it does not end", tt.name)
		}
	}
	s.client.CloseIdleConnections()
	for range 300 {
		if runtime.NumGoroutine() <= base {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), base)
}

// An error before the first event is a plain response also where a stream could be resumed.
func TestResumableFails(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Answerer = downAtOnce{} })
	if res, body := s.do("POST", chatPath, ask(`,"stream":true,"resumable":true`)); res.StatusCode != 503 || !strings.Contains(body, "unavailable") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

type downAtOnce struct{}

func (downAtOnce) Answer(context.Context, graph.Request, func(graph.Event)) (*graph.Answer, error) {
	return nil, errDown
}
