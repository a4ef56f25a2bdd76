package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"lexagent/graph"
	"lexagent/retrieval"
	"lexagent/server"
)

const (
	chatPath = "/v1/chat/completions"
	article  = "/v1/articles/%E6%B0%91%E6%B3%95%E5%85%B8:1077"
)

func TestBadRequests(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.MaxBody = 1 << 20 })
	user := func(text string) string {
		return `{"model":"lexagent","messages":[{"role":"user","content":` + text + `}]}`
	}
	tests := []struct {
		name, method, path, body string
		header                   string
		status                   int
		code, param              string
	}{
		{"malformed", "POST", chatPath, `{"model":`, "", 400, "invalid_json", ""},
		{"trailing", "POST", chatPath, ask("") + "x", "", 400, "invalid_json", ""},
		{"no object", "POST", chatPath, `[1]`, "", 400, "invalid_json", ""},
		{"null", "POST", chatPath, `null`, "", 400, "invalid_json", ""},
		{"no body", "POST", chatPath, "", "Content-Type: application/json", 400, "invalid_json", ""},
		{"not utf-8", "POST", chatPath, user("\"\xff\xfe\""), "", 400, "invalid_json", ""},
		{"no messages", "POST", chatPath, `{"model":"lexagent"}`, "", 400, "invalid_value", "messages"},
		{"empty messages", "POST", chatPath, `{"model":"lexagent","messages":[]}`, "", 400, "invalid_value", "messages"},
		{"empty question", "POST", chatPath, user(`"  "`), "", 400, "invalid_value", "messages"},
		{"no user", "POST", chatPath, `{"model":"lexagent","messages":[{"role":"system","content":"x"}]}`, "", 400, "invalid_value", "messages"},
		{"odd role", "POST", chatPath, `{"model":"lexagent","messages":[{"role":"tool","content":"x"}]}`, "", 400, "invalid_value", "messages"},
		{"an image", "POST", chatPath, user(`[{"type":"image_url","image_url":{"url":"x"}}]`), "", 400, "invalid_value", "messages"},
		{"number as content", "POST", chatPath, user(`7`), "", 400, "invalid_value", "messages"},
		{"long question", "POST", chatPath, user(`"` + strings.Repeat("长", retrieval.MaxQuestion+1) + `"`), "", 400, "invalid_value", "messages"},
		{"too large", "POST", chatPath, user(`"` + strings.Repeat("x", 1<<20) + `"`), "", 413, "request_too_large", ""},
		{"no model", "POST", chatPath, `{"messages":[{"role":"user","content":"x"}]}`, "", 400, "invalid_value", "model"},
		{"other model", "POST", chatPath, strings.Replace(ask(""), `"lexagent"`, `"gpt-4o"`, 1), "", 404, "model_not_found", "model"},
		{"wrong type", "POST", chatPath, ask(`,"stream":"yes"`), "", 400, "invalid_value", "stream"},
		{"two answers", "POST", chatPath, ask(`,"n":2`), "", 400, "invalid_value", "n"},
		{"no tokens", "POST", chatPath, ask(`,"max_tokens":0`), "", 400, "invalid_value", "max_tokens"},
		{"as_of", "POST", chatPath, ask(`,"as_of":"2021-02-30"`), "", 400, "invalid_value", "as_of"},
		{"levels", "POST", chatPath, ask(`,"levels":[9]`), "", 400, "invalid_value", "levels"},
		{"mode", "POST", chatPath, ask(`,"mode":"magic"`), "", 400, "invalid_value", "mode"},
		{"collections", "POST", chatPath, ask(`,"collections":[""]`), "", 400, "invalid_value", "collections"},
		{"form", "POST", chatPath, ask(""), "Content-Type: application/x-www-form-urlencoded", 415, "unsupported_media_type", ""},
		{"accept", "POST", chatPath, ask(""), "Accept: image/png", 406, "not_acceptable", ""},
		{"method", "GET", chatPath, "", "", 405, "method_not_allowed", ""},
		{"method of get", "DELETE", "/v1/models", "", "", 405, "method_not_allowed", ""},
		{"path", "GET", "/v1/nothing", "", "", 404, "not_found", ""},
		{"model card", "GET", "/v1/models/gpt-4o", "", "", 404, "model_not_found", "model"},
		{"no question", "POST", "/v1/search", `{}`, "", 400, "invalid_value", "question"},
		{"typing error", "POST", "/v1/search", `{"question":"x","topk":3}`, "", 400, "unknown_field", "topk"},
		{"k", "POST", "/v1/search", `{"question":"x","k":100000}`, "", 400, "invalid_value", "k"},
		{"search level", "POST", "/v1/search", `{"question":"x","levels":[-1]}`, "", 400, "invalid_value", "levels"},
		{"search is down", "POST", "/v1/search", `{"question":"down"}`, "", 503, "unavailable", ""},
		{"article", "GET", "/v1/articles/%E6%B0%91%E6%B3%95%E5%85%B8:9999", "", "", 404, "not_found", ""},
		{"article in no utf-8", "GET", "/v1/articles/%ff%fe", "", "", 400, "invalid_value", "id"},
		{"article as_of", "GET", article + "?as_of=yesterday", "", "", 400, "invalid_value", "as_of"},
		{"article elsewhere", "GET", article + "?collections=firm", "", "", 404, "not_found", ""},
		{"law", "GET", "/v1/laws/x", "", "", 404, "not_found", ""},
		{"limit", "GET", "/v1/laws?limit=0", "", "", 400, "invalid_value", "limit"},
		{"offset", "GET", "/v1/laws?offset=-1", "", "", 400, "invalid_value", "offset"},
		{"level", "GET", "/v1/laws?level=7", "", "", 400, "invalid_value", "level"},
		{"asset", "GET", "/assets/..%2f..%2fserver.go", "", "", 404, "not_found", ""},
		{"foreign name", "GET", "/v1/models", "", "Host: evil.example:80", 403, "host_not_allowed", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := []string{"X-Request-Id: r-2"}
			if tt.header != "" {
				header = append(header, tt.header)
			}
			res, body := s.do(tt.method, tt.path, tt.body, header...)
			var got struct {
				Error struct {
					Message, Type string
					Code, Param   *string
				}
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatalf("%d %s: %v", res.StatusCode, body, err)
			}
			e := got.Error
			if res.StatusCode != tt.status || e.Message == "" || e.Type == "" || value(e.Code) != tt.code || value(e.Param) != tt.param {
				t.Errorf("%d %s", res.StatusCode, body)
			}
			if res.StatusCode == 405 && !strings.Contains(res.Header.Get("Allow"), "OPTIONS") {
				t.Errorf("Allow: %q", res.Header.Get("Allow"))
			}
			if res.Header.Get("X-Request-Id") != "r-2" {
				t.Errorf("request id %q", res.Header.Get("X-Request-Id"))
			}
		})
	}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// A stream that fails before its first byte is an ordinary error.
func TestStreamRefused(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Answerer = refusing{} })
	res, body := s.do("POST", chatPath, ask(`,"stream":true`))
	if res.StatusCode != 400 || !strings.Contains(body, `"param":"question"`) || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

type refusing struct{}

func (refusing) Answer(context.Context, graph.Request, func(graph.Event)) (*graph.Answer, error) {
	return nil, fmt.Errorf("understand: %w", &retrieval.InputError{Param: "question", Problem: "no"})
}

func TestOptionsAndHead(t *testing.T) {
	s := serve(t)
	for path, allow := range map[string]string{chatPath: "POST, OPTIONS", "/": "GET, HEAD, OPTIONS"} {
		if res, _ := s.do("OPTIONS", path, ""); res.StatusCode != 204 || res.Header.Get("Allow") != allow {
			t.Errorf("OPTIONS %s: %d, Allow %q", path, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	for _, path := range []string{"/", "/healthz", "/v1/models", article} {
		if res, body := s.do("HEAD", path, ""); res.StatusCode != 200 || body != "" || res.ContentLength <= 0 {
			t.Errorf("HEAD %s: %d, %d bytes announced, %q", path, res.StatusCode, res.ContentLength, body)
		}
	}
}

// Bodies of unknown length, many requests on one connection, and what comes
// after a body must not be mixed up, whoever reads the body.
func TestOneConnection(t *testing.T) {
	s := serve(t)
	nc, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nc.Close() }()
	if err := nc.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	body := ask("")
	plain := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", chatPath, len(body), body)
	chunked := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n",
		chatPath, body[:5], len(body)-5, body[5:])
	streamed := strings.Replace(plain, fmt.Sprintf("Length: %d", len(body)), fmt.Sprintf("Length: %d", len(body)+len(`,"stream":true`)), 1)
	streamed = strings.TrimSuffix(streamed, "}") + `,"stream":true}`
	get := "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	r := bufio.NewReader(nc)
	for i, send := range []string{plain, chunked, get, streamed, plain, chunked + get, plain + plain + get} {
		if _, err := io.WriteString(nc, send); err != nil {
			t.Fatal(err)
		}
		for range strings.Count(send, "HTTP/1.1\r\n") {
			res, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatalf("round %d: %v", i, err)
			}
			text, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != 200 {
				t.Fatalf("round %d: %d %s %v", i, res.StatusCode, text, err)
			}
		}
	}
}

// A client that is still sending a body that is too large gets to read why.
func TestTooLargeWhileSending(t *testing.T) {
	s := serve(t)
	for _, chunked := range []bool{false, true} {
		var body io.Reader = strings.NewReader(strings.Repeat("x", 40<<20))
		if chunked {
			body = io.MultiReader(body)
		}
		req, err := http.NewRequest("POST", s.url+chatPath, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 413 {
			t.Errorf("chunked %v: %d", chunked, res.StatusCode)
		}
		_ = res.Body.Close()
	}
}

func TestSlowRequestsAreDropped(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.ReadTimeout = 100 * time.Millisecond })
	for name, start := range map[string]string{
		"header": "GET / HT",
		"body":   "POST " + chatPath + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
		"silent": "",
	} {
		nc, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if err := nc.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(nc, start); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(nc)
		if err != nil {
			t.Errorf("%s: the connection stays open: %v", name, err)
		}
		if name == "body" && !strings.Contains(string(got), " 408 ") {
			t.Errorf("body: %s", got)
		}
		_ = nc.Close()
	}
}

func TestShutdown(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.ShutdownGrace = 5 * time.Second })
	s.do("GET", "/healthz", "") // leaves an idle connection
	entered := make(chan struct{})
	s.script.hook = func(context.Context, graph.Request) error {
		close(entered)
		time.Sleep(200 * time.Millisecond)
		return nil
	}
	got := make(chan string, 1)
	go func() {
		_, body := s.do("POST", chatPath, ask(`,"stream":true`))
		got <- body
	}()
	<-entered
	start := time.Now()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if body := <-got; !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("the answer in flight ends with %q", body[max(0, len(body)-200):])
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("stopping took %v with one answer of 200 ms in flight", took)
	}
	if _, err := http.Get(s.url + "/healthz"); err == nil {
		t.Error("the stopped server still answers")
	}
}

func TestShutdownEndsWhatDoesNotFinish(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.ShutdownGrace = 50 * time.Millisecond })
	entered := make(chan struct{})
	s.script.hook = func(ctx context.Context, _ graph.Request) error { close(entered); <-ctx.Done(); return ctx.Err() }
	got := make(chan string, 1)
	go func() {
		_, body := s.do("POST", chatPath, ask(`,"stream":true`))
		got <- body
	}()
	<-entered
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if body := <-got; !strings.Contains(body, `"code":"stopping"`) || strings.Contains(body, "[DONE]") {
		t.Errorf("the answer ends with %q", body[max(0, len(body)-300):])
	}
}

func TestHealth(t *testing.T) {
	s := serve(t)
	if res, body := s.do("GET", "/readyz", ""); res.StatusCode != 200 || !strings.Contains(body, `"dense":"building 41 %"`) || !strings.Contains(body, `"llm":"qwen3"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	s.health.r = server.Readiness{Dense: 1, DenseReady: true}
	if res, body := s.do("GET", "/readyz", ""); res.StatusCode != 503 || !strings.Contains(body, `"ready":false,"bm25":"starting","dense":"ready"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	s.health.r = server.Readiness{BM25: true, Dense: -1}
	if res, body := s.do("GET", "/readyz", ""); res.StatusCode != 200 || !strings.Contains(body, `"dense":"none","dense_share":0,"llm":"none"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, body := s.do("GET", "/healthz", ""); res.StatusCode != 200 || body != `{"status":"ok","version":"test"}` {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestStatuteBook(t *testing.T) {
	s := serve(t)
	var a struct {
		ID, Law, Label, Status, Version, Text string
		Path                                  []string
		Prev, Next                            *struct{ ID, Label string }
	}
	s.get("GET", article, "", &a)
	if a.ID != "民法典@2020-05-28:1077" || a.Law != "中华人民共和国民法典" || a.Status != "in_force" || len(a.Path) != 2 ||
		a.Prev == nil || a.Prev.ID != "民法典@2020-05-28:1076" || a.Next == nil || a.Next.Label != "第一千零七十八条" {
		t.Errorf("%+v", a)
	}
	s.get("GET", article+"?as_of=2020-12-31", "", &a)
	if a.Status != "not_yet" {
		t.Errorf("on 2020-12-31 民法典 is %s", a.Status)
	}
	s.get("GET", "/v1/articles/%E6%B0%91%E6%B3%95%E5%85%B8@2020-05-28%3A1079", "", &a)
	if a.Next != nil {
		t.Errorf("the last article is followed by %+v", a.Next)
	}
	var l struct {
		ID, Law, Status string
		Units           []struct{ ID, Text string }
	}
	s.get("GET", "/v1/laws/%E5%A9%9A%E5%A7%BB%E6%B3%95", "", &l)
	if l.ID != "婚姻法@2001-04-28" || l.Status != "repealed" || len(l.Units) != 1 || l.Units[0].Text == "" {
		t.Errorf("%+v", l)
	}
	var laws struct {
		Data  []struct{ ID, Status string }
		Total int
	}
	s.get("GET", "/v1/laws?q=%E5%90%88%E5%90%8C", "", &laws)
	if laws.Total != 1 || laws.Data[0].ID != "劳动合同法@2012-12-28" {
		t.Errorf("%+v", laws)
	}
	s.get("GET", "/v1/laws?limit=2&offset=2", "", &laws)
	if laws.Total != 3 || len(laws.Data) != 1 {
		t.Errorf("%+v", laws)
	}
}

func TestSearch(t *testing.T) {
	s := serve(t)
	var r struct {
		Hits     []retrieval.Hit
		Direct   bool
		Lexagent struct {
			AsOf string `json:"as_of"`
			Mode string
		}
	}
	s.get("POST", "/v1/search", `{"question":"民法典1077","mode":"bm25","k":3}`, &r)
	if !r.Direct || len(r.Hits) != 1 || r.Lexagent.AsOf != "2026-01-02" || r.Lexagent.Mode != "bm25" {
		t.Errorf("%+v", r)
	}
}

func TestPageHeaders(t *testing.T) {
	s := serve(t)
	res, body := s.do("GET", "/", "")
	if res.StatusCode != 200 || !strings.Contains(body, "<title>") || !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if again, _ := s.do("GET", "/", "", "If-None-Match: "+res.Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("a page that did not change is sent again: %d", again.StatusCode)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := server.New(server.Options{}); err == nil {
		t.Error("a server without ports was made")
	}
	shelf := newShelf()
	o := server.Options{Answerer: &script{shelf: shelf}, Searcher: shelf, Statutes: shelf, Health: &health{}, Addr: "nowhere"}
	if _, err := server.New(o); err == nil {
		t.Error("a server without a port number was made")
	}
	first := serve(t)
	o.Addr = strings.TrimPrefix(first.url, "http://")
	second, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "can't listen") {
		t.Errorf("a second server on the same port: %v", err)
	}
}

// The model that calls tools is there where something answers for it, and answers
// what is asked of it and nothing else.
func TestTheAgentIsAModel(t *testing.T) {
	bare := serve(t)
	ask := `{"model":"lexagent-agent","messages":[{"role":"user","content":"登记离婚后反悔了可以撤回吗？"}]}`
	if res, body := bare.do("POST", "/v1/chat/completions", ask); res.StatusCode != 404 || strings.Contains(body, "lexagent-agent, ") {
		t.Errorf("without an agent: %d %s", res.StatusCode, body)
	}
	agent := &script{shelf: newShelf(), asked: make(chan graph.Request, 1)}
	s := serve(t, func(o *server.Options) { o.Agent = agent })
	if _, body := s.do("GET", "/v1/models", ""); !strings.Contains(body, `"lexagent-agent"`) {
		t.Error(body)
	}
	if res, body := s.do("POST", "/v1/chat/completions", ask); res.StatusCode != 200 || !strings.Contains(body, `"model":"lexagent-agent"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	select {
	case r := <-agent.asked:
		if r.Extractive || r.Question == "" {
			t.Errorf("%+v", r)
		}
	default:
		t.Error("the agent was not asked")
	}
}
