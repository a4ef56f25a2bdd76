package agent

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"lexagent/graph"
	llm "lexagent/model"
	"lexagent/tools"
	"lexagent/verify"
)

// flood streams a number of different tokens, until the client has had enough.
func flood(w http.ResponseWriter, r *http.Request, tokens int) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range tokens {
		_, err := fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"第%d句。\"}}]}\n\n", i)
		if err != nil || r.Context().Err() != nil {
			return
		}
	}
}

func status(code int, header, body string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// broken are the ways in which an endpoint fails.
var broken = []struct {
	name string
	bad  reply
	note string // that a reader is told, one of these parted by |
}{
	{"slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "超时"},
	{"slow between tokens", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"试用期\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, "超时"},
	{"too many requests, for long", status(429, "Retry-After: 3600", `{"error":{"message":"slow down"}}`), "请求过多"},
	{"too many requests, again and again", status(429, "Retry-After: 0", `{"error":{"message":"slow down"}}`), "请求过多"},
	{"too many requests, until some day", status(429, "Retry-After: Wed, 21 Oct 2099 07:28:00 GMT", `{"error":{"message":"slow down"}}`), "请求过多"},
	{"a key that is wrong", status(401, "", `{"error":{"message":"bad key sk-secret"}}`), "密钥无效"},
	{"an error of its own", status(500, "", `oops at /srv/app.py`), "返回错误 500|无法读取"},
	{"a gateway's page", status(502, "Content-Type: text/html", `<html>Bad Gateway</html>`), "返回错误 502|无法读取"},
	{"an error body with 200", status(200, "Content-Type: application/json", `{"error":{"message":"model is loading","type":"server_error"}}`), "无法读取|没有写出内容"},
	{"an error in the stream", status(200, "Content-Type: text/event-stream", "data: {\"error\":{\"message\":\"out of memory\",\"type\":\"server_error\"}}\n\n"), "无法读取|返回错误|没有写出内容"},
	{"a page instead of a stream", status(200, "Content-Type: text/html", "<html><body>Sign in</body></html>"), "无法读取|没有写出内容"},
	{"bytes", status(200, "Content-Type: application/octet-stream", "\x00\x01\xff\xfe"), "无法读取|没有写出内容"},
	{"no byte", status(200, "Content-Type: text/event-stream", ""), "没有写出内容|无法读取"},
	{"the end at once", status(200, "Content-Type: text/event-stream", "data: [DONE]\n\n"), "没有写出内容"},
	{"no choice", status(200, "Content-Type: text/event-stream", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"), "没有写出内容"},
	{"logprobs that are no number", status(200, "Content-Type: text/event-stream", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"六个月\"},\"logprobs\":{\"content\":[{\"token\":\"六\",\"logprob\":NaN}]}}]}\n\ndata: [DONE]\n\n"), "无法读取|没有写出内容"},
	{"the stream cut off", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"试用期不得\"}}]}\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, "中途断开"},
	{"the stream cut off within a call", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"get_article\",\"arguments\":\"{\\\"arti\"}}]}}]}\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, "中途断开"},
	{"an end without its mark", status(200, "Content-Type: text/event-stream", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"试用期不得\"}}]}\n\n"), "中途断开"},
	{"100,000 tokens", func(w http.ResponseWriter, r *http.Request) { flood(w, r, 100_000) }, "过长|超时"},
	{"a refusal", says("抱歉，我不能提供法律意见。"), ""},
	{"only reasoning", chunks("stop", `{"reasoning_content":"先想一想"}`), "没有写出内容"},
}

// However an endpoint fails, there is a degraded answer in time which says so, without
// a word of the endpoint's, and no goroutine is left.
func TestABrokenModel(t *testing.T) {
	kit := newSystem(t)
	for _, c := range broken {
		for _, when := range []string{"at once", "after a tool"} {
			t.Run(c.name+" "+when, func(t *testing.T) {
				script := []reply{c.bad}
				if when == "after a tool" {
					script = []reply{asks("get_article", getTrial), c.bad}
				}
				e := serveReplies(t, script...)
				l := newLoop(t, kit, e.URL)
				l.Deadline = 1500 * time.Millisecond
				before := settled(runtime.NumGoroutine())
				start := time.Now()
				a, err := l.Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took > l.Deadline+time.Second {
					t.Errorf("took %s", took)
				}
				if a.Kind != graph.Extractive || len(a.Citations) == 0 || a.Citations[0].ID != trial {
					t.Errorf("%+v", a)
				}
				if when == "at once" && !oneOf(strings.Join(a.Notes, " "), c.note) {
					t.Errorf("notes %q, want %s", a.Notes, c.note)
				}
				for _, secret := range []string{"sk-secret", "app.py", "slow down", "127.0.0.1", "Sign in", "loading", "抱歉"} {
					if strings.Contains(a.Full(), secret) {
						t.Errorf("the reader is shown %q", secret)
					}
				}
				e.CloseClientConnections()
				http.DefaultTransport.(*http.Transport).CloseIdleConnections()
				if after := settled(before); after > before {
					buf := make([]byte, 1<<16)
					t.Errorf("%d goroutines before, %d after\n%s", before, after, buf[:runtime.Stack(buf, true)])
				}
			})
		}
	}
	t.Run("dead", func(t *testing.T) {
		a, err := newLoop(t, kit, "http://127.0.0.1:9/v1").Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
		if err != nil || a.Kind != graph.Extractive || !strings.Contains(a.Notes[0], "无法连接") {
			t.Errorf("%+v %v", a, err)
		}
	})
}

// settled waits until there are no more goroutines than want, or a second is over.
func settled(want int) int {
	for range 50 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

func oneOf(text, wants string) bool {
	for w := range strings.SplitSeq(wants, "|") {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// A model that is busy for a moment is asked again when it said.
func TestRetryAfter(t *testing.T) {
	kit := newSystem(t)
	e := serveReplies(t, status(429, "Retry-After: 1", `{"error":{"message":"busy"}}`), asks("get_article", getTrial), answered)
	start := time.Now()
	a, err := newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
	if err != nil || a.Kind != graph.Generated || time.Since(start) < time.Second || len(e.requests()) != 3 {
		t.Errorf("%+v %v after %s, %d requests", a, err, time.Since(start), len(e.requests()))
	}
}

// The same failures where the workflow asks the model: at once, sentence by sentence, and in
// a conversation that the model is to make a question of first.
func TestABrokenModelOfTheWorkflow(t *testing.T) {
	kit := newSystem(t)
	for _, way := range []struct {
		name    string
		request graph.Request
	}{
		{"", graph.Request{Question: trialQuestion}},
		{", inline", graph.Request{Question: trialQuestion, Inline: true}},
		{", a follow-up", graph.Request{Question: "那如果合同是三年呢？", History: []graph.Turn{{Role: "user", Text: "试用期最长多久？"}, {Role: "assistant", Text: "看合同期限。"}}}},
	} {
		brokenWorkflow(t, kit, way.name, way.request)
	}
}

func brokenWorkflow(t *testing.T, kit *tools.Kit, way string, r graph.Request) {
	for _, c := range broken {
		t.Run(c.name+way, func(t *testing.T) {
			e := serveReplies(t, c.bad)
			model, err := llm.OpenLLM(t.Context(), llm.LLMOptions{URL: e.URL, Model: "scripted", Timeout: 400 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			asker := &llm.Asker{Chat: model, Name: "scripted"}
			g, err := graph.New(t.Context(), graph.Options{
				Search: kit.Search, Check: kit.Check, LLM: model, Now: now,
				Review: verify.Reviewer{LLM: asker}, Conversation: graph.Conversation{LLM: asker},
			})
			if err != nil {
				t.Fatal(err)
			}
			before := settled(runtime.NumGoroutine())
			a, err := (&Agent{Graph: g, Deadline: 3 * time.Second}).Answer(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if a.Kind != graph.Extractive || len(a.Citations) == 0 || len(a.Notes) == 0 || !strings.Contains(strings.Join(a.Notes, " "), "语言模型") {
				t.Errorf("%+v", a)
			}
			e.CloseClientConnections()
			http.DefaultTransport.(*http.Transport).CloseIdleConnections()
			if after := settled(before); after > before {
				t.Errorf("%d goroutines before, %d after", before, after)
			}
		})
	}
}
