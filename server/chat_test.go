package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lexagent/graph"
	"lexagent/retrieval"
	"lexagent/server"
	"lexagent/statute"
)

var update = flag.Bool("update", false, "write the golden files anew")

const question = `{"model":"lexagent","messages":[{"role":"user","content":"登记离婚后反悔了可以撤回吗？"}]%s}`

func ask(more string) string { return strings.Replace(question, "%s", more, 1) }

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

var host = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

func TestStreamTranscript(t *testing.T) {
	s := serve(t)
	for name, more := range map[string]string{
		"stream.sse":       `,"stream":true`,
		"stream_usage.sse": `,"stream":true,"stream_options":{"include_usage":true},"as_of":"2024-05-01","levels":[1,5],"region":"上海","mode":"bm25"`,
	} {
		res, body := s.do("POST", "/v1/chat/completions", ask(more), "X-Request-Id: r-1")
		for h, want := range map[string]string{
			"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache", "X-Accel-Buffering": "no", "X-Request-Id": "r-1",
		} {
			if got := res.Header.Get(h); got != want {
				t.Errorf("%s: header %s is %q, want %q", name, h, got, want)
			}
		}
		golden(t, name, host.ReplaceAllString(body, "http://HOST"))
	}
}

func TestWholeAnswer(t *testing.T) {
	s := serve(t)
	res, body := s.do("POST", "/v1/chat/completions", ask(""), "X-Request-Id: r-1")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("%d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	golden(t, "completion.json", host.ReplaceAllString(body, "http://HOST")+"\n")
	var a struct {
		Choices []struct {
			Message struct {
				Content     string
				Annotations []struct {
					URL struct {
						Start int `json:"start_index"`
						End   int `json:"end_index"`
						Title string
					} `json:"url_citation"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatal(err)
	}
	m := a.Choices[0].Message
	if m.Content != s.script.answer().Full() {
		t.Errorf("content is not the full answer:\n%s", m.Content)
	}
	for _, n := range m.Annotations {
		if got := string([]rune(m.Content)[n.URL.Start:n.URL.End]); got != n.URL.Title {
			t.Errorf("annotation of %q covers %q", n.URL.Title, got)
		}
	}
}

func TestWhatTheGraphIsAsked(t *testing.T) {
	s := serve(t)
	s.script.asked = make(chan graph.Request, 1)
	day := retrieval.AsOf{Day: 20240501}
	public := []string{"public"}
	tests := []struct {
		name, body string
		want       graph.Request
	}{
		{"history and system", `{"model":"lexagent","messages":[
			{"role":"system","content":"简短"},{"role":"user","content":"甲"},{"role":"assistant","content":"乙"},
			{"role":"developer","content":"用表格"},{"role":"user","content":"丙"},{"role":"assistant","content":"开头"}],
			"temperature":0.3,"stop":["x"],"top_p":1,"seed":7,"user":"u","tools":[],"n":1,"whatever":{"a":1},"stream_options":null,"stop":null}`,
			graph.Request{Question: "丙", System: "简短\n\n用表格", Scope: retrieval.Scope{Collections: public},
				History: []graph.Turn{{Role: "user", Text: "甲"}, {Role: "assistant", Text: "乙"}}}},
		{"parts", `{"model":"lexagent-search","messages":[{"role":"assistant","content":null},{"role":"user","content":[{"type":"text","text":"第一段"},{"type":"text","text":"第二段"}]}]}`,
			graph.Request{Question: "第一段\n第二段", Extractive: true, Scope: retrieval.Scope{Collections: public}}},
		{"scope", ask(`,"as_of":"2024-05-01","region":"上海","levels":[1,5,1],"mode":"dense","collections":["public","firm"],"max_tokens":9,"max_completion_tokens":300`),
			graph.Request{Question: "登记离婚后反悔了可以撤回吗？", Mode: retrieval.Dense, MaxTokens: 300,
				Scope: retrieval.Scope{AsOf: day, Region: "上海", Levels: []statute.Level{1, 5}, Collections: []string{"public", "firm"}}}},
		{"any day", ask(`,"as_of":"any","max_tokens":50`),
			graph.Request{Question: "登记离婚后反悔了可以撤回吗？", MaxTokens: 50, Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}, Collections: public}}},
	}
	for _, tt := range tests {
		if res, body := s.do("POST", "/v1/chat/completions", tt.body); res.StatusCode != 200 {
			t.Fatalf("%s: %d %s", tt.name, res.StatusCode, body)
		}
		if diff := cmp.Diff(tt.want, <-s.script.asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestErrorsBeforeAndAfterTheFirstByte(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.AnswerTimeout = 300 * time.Millisecond })
	tests := []struct {
		name   string
		hook   func(context.Context, graph.Request) error
		status int
		code   string
	}{
		{"bad input", func(context.Context, graph.Request) error { return &retrieval.InputError{Param: "k", Problem: "no"} }, 400, "invalid_value"},
		{"down", func(context.Context, graph.Request) error { return errDown }, 503, "unavailable"},
		{"slow", func(ctx context.Context, _ graph.Request) error { <-ctx.Done(); return ctx.Err() }, 504, "timeout"},
		{"unknown", func(context.Context, graph.Request) error { return errors.New("secret at /home/x") }, 500, "internal_error"},
		{"panic", func(context.Context, graph.Request) error { panic("secret") }, 500, "internal_error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.script.hook = tt.hook
			res, body := s.do("POST", "/v1/chat/completions", ask(""))
			if res.StatusCode != tt.status || !strings.Contains(body, `"code":"`+tt.code+`"`) {
				t.Errorf("whole: %d %s", res.StatusCode, body)
			}
			_, stream := s.do("POST", "/v1/chat/completions", ask(`,"stream":true`))
			last := stream[strings.LastIndex(strings.TrimSpace(stream), "\n")+1:]
			if !strings.HasPrefix(last, `data: {"error":{"message":`) || !strings.Contains(last, `"code":"`+tt.code+`"`) || strings.Contains(stream, "[DONE]") {
				t.Errorf("stream ends with %s", last)
			}
			if strings.Contains(body+stream, "secret") || strings.Contains(body+stream, "goroutine") {
				t.Errorf("an inner secret got out: %s %s", body, stream)
			}
		})
	}
	if log := s.log.String(); !strings.Contains(log, "serve_test") && !strings.Contains(log, "chat_test.go") {
		t.Error("the panic's stack is not in the log")
	}
	if strings.Contains(s.log.String(), "反悔") {
		t.Error("the question is in the log")
	}
}

func TestNoRetryOnceAModelWasCalled(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Answerer = failing{} })
	for model, want := range map[string]string{"lexagent": "false", "lexagent-search": ""} {
		res, _ := s.do("POST", "/v1/chat/completions", strings.Replace(ask(""), `"lexagent"`, `"`+model+`"`, 1))
		if got := res.Header.Get("X-Should-Retry"); res.StatusCode != 503 || got != want {
			t.Errorf("%s: %d, x-should-retry %q, want %q", model, res.StatusCode, got, want)
		}
	}
}

// failing calls a model and fails.
type failing struct{}

func (failing) Answer(_ context.Context, _ graph.Request, emit func(graph.Event)) (*graph.Answer, error) {
	emit(graph.StepStarted{Step: graph.Draft})
	return nil, errDown
}

func TestBusy(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.MaxAnswers, o.Queue = 1, -1 })
	entered, leave := make(chan struct{}), make(chan struct{})
	s.script.hook = func(context.Context, graph.Request) error { close(entered); <-leave; return nil }
	done := make(chan int, 1)
	go func() {
		res, _ := s.do("POST", "/v1/chat/completions", ask(""))
		done <- res.StatusCode
	}()
	<-entered
	res, body := s.do("POST", "/v1/chat/completions", ask(""))
	if res.StatusCode != 503 || !strings.Contains(body, `"busy"`) || res.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	close(leave)
	if got := <-done; got != 200 {
		t.Errorf("the first got %d", got)
	}
}

func TestHeartbeatAndLateStart(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Heartbeat = 20 * time.Millisecond; o.Answerer = quiet{} })
	_, body := s.do("POST", "/v1/chat/completions", ask(`,"stream":true`))
	if n := strings.Count(body, ": keep-alive\n"); n < 2 {
		t.Errorf("%d comments in\n%s", n, body)
	}
	if !strings.Contains(body, `"content":"好"`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("stream is\n%s", body)
	}
}

// quiet says nothing for a while, and emits no text.
type quiet struct{}

func (quiet) Answer(context.Context, graph.Request, func(graph.Event)) (*graph.Answer, error) {
	time.Sleep(100 * time.Millisecond)
	return &graph.Answer{Kind: graph.Abstained, Text: "好"}, nil
}

func TestClientLeaves(t *testing.T) {
	s := serve(t)
	s.do("GET", "/healthz", "") // the server runs
	s.client.CloseIdleConnections()
	for _, more := range []string{"", `,"stream":true`} {
		base := settled(t, 0)
		entered, ended := make(chan struct{}), make(chan time.Time, 1)
		s.script.hook = func(ctx context.Context, _ graph.Request) error {
			close(entered)
			<-ctx.Done()
			ended <- time.Now()
			return ctx.Err()
		}
		ctx, cancel := context.WithCancel(context.Background())
		req, err := http.NewRequestWithContext(ctx, "POST", s.url+"/v1/chat/completions", strings.NewReader(ask(more)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		client := &http.Client{Transport: &http.Transport{}}
		failed := make(chan error, 1)
		go func() {
			res, err := client.Do(req)
			if err == nil {
				_, err = bufio.NewReader(res.Body).ReadString(0)
				_ = res.Body.Close()
			}
			failed <- err
		}()
		<-entered
		left := time.Now()
		cancel()
		select {
		case at := <-ended:
			t.Logf("the answer was cancelled %v after the client left", at.Sub(left))
		case <-time.After(2 * time.Second):
			t.Fatal("the answer goes on though nobody waits for it")
		}
		if err := <-failed; err == nil {
			t.Error("the client that left got an answer")
		}
		client.CloseIdleConnections()
		if n := settled(t, base); n > base {
			t.Errorf("%d goroutines before, %d after", base, n)
		}
	}
	if !strings.Contains(s.log.String(), `"status":499`) {
		t.Errorf("the log does not tell that the clients left:\n%s", s.log)
	}
}

// settled waits until at most want goroutines are left, or their number stays.
func settled(t *testing.T, want int) int {
	t.Helper()
	n, same := runtime.NumGoroutine(), 0
	for range 100 {
		time.Sleep(10 * time.Millisecond)
		now := runtime.NumGoroutine()
		if want > 0 && now <= want {
			return now
		}
		if same++; now != n {
			n, same = now, 0
		}
		if want == 0 && same > 10 {
			return now
		}
	}
	return n
}
