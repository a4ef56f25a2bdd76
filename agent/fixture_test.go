package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/graph"
	"lexagent/ingest/ingesttest"
	llm "lexagent/model"
	"lexagent/retrieval"
	"lexagent/tools"
	"lexagent/verify"
)

// The ids of articles that the tests cite.
const (
	trial  = "示范用工条例@2022-03-01:3" // 试用期
	notice = "示范用工条例@2022-03-01:5" // 提前通知
)

// newSystem opens a real book and index of the laws of tools/testdata and of further
// files.
func newSystem(t *testing.T, further ...string) *tools.Kit {
	t.Helper()
	b, store := ingesttest.Open(t, ingesttest.Source{Paths: append([]string{"../tools/testdata/public"}, further...)})
	return &tools.Kit{
		Search: &retrieval.Engine{Book: b, Store: store, Now: now}, Book: b, Now: now,
		Check: &verify.Checker{Book: b, Words: verify.Index{Store: store}},
	}
}

func now() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) }

// newLoop is a loop whose language model is behind url; "" = there is none.
func newLoop(t *testing.T, kit *tools.Kit, url string) *Loop {
	t.Helper()
	g, err := graph.New(t.Context(), graph.Options{Search: kit.Search, Check: kit.Check, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	l := &Loop{Tools: kit, Gate: g, Workflow: g, Deadline: 5 * time.Second, Now: now}
	if url != "" {
		if l.LLM, err = llm.OpenLLM(t.Context(), llm.LLMOptions{URL: url, Model: "scripted"}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// reply answers one request of the client.
type reply func(w http.ResponseWriter, r *http.Request)

// endpoint speaks the OpenAI protocol as its script says: a reply a request, the last
// one again and again.
type endpoint struct {
	*httptest.Server
	mu   sync.Mutex
	sent []sentRequest
}

// sentRequest is what the client sent.
type sentRequest struct {
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct{ Name string }
	} `json:"tools"`
	MaxTokens int  `json:"max_tokens"`
	Stream    bool `json:"stream"`
}

func serveReplies(t *testing.T, script ...reply) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var s sentRequest
		if err == nil {
			err = json.Unmarshal(body, &s)
		}
		if err != nil {
			t.Errorf("what was sent: %v", err)
		}
		e.mu.Lock()
		n := len(e.sent)
		e.sent = append(e.sent, s)
		e.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		script[min(n, len(script)-1)](w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// requests returns what was sent so far.
func (e *endpoint) requests() []sentRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]sentRequest(nil), e.sent...)
}

// chunks streams deltas, the last with a finish reason, or answers whole where no
// stream was asked for.
func chunks(finish string, deltas ...string) reply {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, d := range deltas {
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", d)
			w.(http.Flusher).Flush()
		}
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", finish)
		fmt.Fprint(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":10,\"total_tokens\":110}}\n\ndata: [DONE]\n\n")
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// says streams a text in pieces.
func says(text string) reply {
	var deltas []string
	for r := []rune(text); len(r) > 0; {
		n := min(7, len(r))
		deltas = append(deltas, `{"content":`+quoted(string(r[:n]))+`}`)
		r = r[n:]
	}
	return chunks("stop", deltas...)
}

// asks streams native calls, given as name and arguments in turn.
func asks(pairs ...string) reply {
	var calls []string
	for i := 0; i < len(pairs); i += 2 {
		calls = append(calls, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"id%d","type":"function","function":{"name":%q,"arguments":""}}]}`, i/2, i/2, pairs[i]))
		for r := []rune(pairs[i+1]); len(r) > 0; {
			n := min(9, len(r))
			calls = append(calls, fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i/2, quoted(string(r[:n]))))
			r = r[n:]
		}
	}
	return chunks("tool_calls", calls...)
}

// told joins what the model was told in one request after its first messages.
func told(s sentRequest) string {
	var b strings.Builder
	for _, m := range s.Messages {
		if m.Role == "tool" || m.Role == "user" {
			b.WriteString(m.Content + "\n")
		}
	}
	return b.String()
}
