package server_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"lexagent/server"
	"lexagent/server/journal"
	"lexagent/verify"
)

// endpoint is a path with a request that is right; %s in the body is where a text stands.
type endpoint struct{ method, path, body string }

var endpoints = []endpoint{
	{"POST", chatPath, `{"model":"lexagent","messages":[{"role":"user","content":"%s"}]}`},
	{"POST", "/v1/search", `{"question":"%s"}`},
	{"POST", "/v1/check", `{"text":"%s"}`},
	{"POST", "/v1/feedback", `{"answer_id":"chatcmpl-1","rating":"up","reason":"%s"}`},
	{"POST", "/v1/judge", `{"items":[{"question":"%s","answer":"三十日","reference":"三十日。"}]}`},
	{"POST", "/v1/eval/retrieval", `{"run":[{"id":"1","hits":[{"id":"a:1","score":1}]}],"gold":[{"id":"1","question":"%s","gold":[{"article_id":"a:1"}]}]}`},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_statutes","arguments":{"query":"%s"}}}`},
	{"GET", "/v1/models", ""},
	{"GET", "/v1/models/lexagent", ""},
	{"GET", "/v1/laws", ""},
	{"GET", "/v1/laws/%E5%A9%9A%E5%A7%BB%E6%B3%95", ""},
	{"GET", article, ""},
	{"GET", article + "/versions", ""},
	{"GET", article + "/citations", ""},
	{"GET", "/v1/documents", ""},
	{"GET", "/v1/conversations/c-1", ""},
	{"GET", "/reports/", ""},
	{"GET", "/openapi.json", ""},
	{"GET", "/healthz", ""},
	{"GET", "/readyz", ""},
	{"GET", "/metrics", ""},
	{"GET", "/", ""},
	{"GET", "/assets/app.js", ""},
}

// badSite is a site with everything on, and a conversation c-1.
func badSite(t *testing.T) *site {
	t.Helper()
	withKit := withTools(t)
	s := serve(t, judging, takesDocuments(t), func(o *server.Options) {
		statutes, none := o.Statutes, o.NotFound
		withKit(o)
		o.Statutes, o.NotFound = statutes, none // those that the endpoints name
		o.Reports = fstest.MapFS{}
		o.Checker, o.Feedback = lenient{}, journal.Open(filepath.Join(t.TempDir(), "f"), 0)
		o.ReadTimeout, o.IdleTimeout = 2*time.Second, 2*time.Second
	})
	s.say(t, "甲", "c-1")
	for _, e := range endpoints {
		if res, body := s.do(e.method, e.path, strings.ReplaceAll(e.body, "%s", "离婚")); res.StatusCode != 200 {
			t.Fatalf("%s %s: %d %s", e.method, e.path, res.StatusCode, body)
		}
	}
	return s
}

// refused checks that a request was refused in one sentence, in OpenAI's shape, and
// that the server goes on.
func (s *site) refused(what string, res *http.Response, body string, statuses ...int) {
	s.t.Helper()
	var e struct {
		Error struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Code    *string `json:"code"`
		} `json:"error"`
	}
	m := &e.Error.Message
	if err := json.Unmarshal([]byte(body), &e); err != nil || *m == "" || len(*m) > 300 || strings.ContainsAny(*m, "\n\r\x00") ||
		strings.Contains(*m, ".go:") || e.Error.Type == "" || e.Error.Code == nil || !slices.Contains(statuses, res.StatusCode) {
		s.t.Errorf("%s: %d (want %v) %.300s", what, res.StatusCode, statuses, body)
	}
	if res, _ := s.do("GET", "/healthz", ""); res.StatusCode != 200 {
		s.t.Fatalf("after %s the server does not answer", what)
	}
}

func TestBadMethods(t *testing.T) {
	s := badSite(t)
	for _, e := range endpoints {
		for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if m == e.method || m == "DELETE" && strings.HasPrefix(e.path, "/v1/conversations/") || m == "POST" && e.path == "/v1/documents" {
				continue
			}
			res, body := s.do(m, e.path, "")
			s.refused(m+" "+e.path, res, body, 405)
			if !strings.Contains(res.Header.Get("Allow"), e.method) {
				t.Errorf("%s %s: Allow is %q", m, e.path, res.Header.Get("Allow"))
			}
		}
		for _, m := range []string{"BREW", "TRACE", "CONNECT", "get"} {
			req, err := http.NewRequest(m, s.url+e.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.client.Do(req)
			if err != nil {
				t.Fatalf("%s: %v", m, err)
			}
			_ = res.Body.Close()
			if res.StatusCode < 400 || res.StatusCode >= 500 {
				t.Errorf("%s %s: %d", m, e.path, res.StatusCode)
			}
		}
	}
}

func TestBadBodies(t *testing.T) {
	s := badSite(t)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(z, zeros{}, 64<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	for _, e := range endpoints {
		if e.method != "POST" {
			continue
		}
		text := func(s string) string { return strings.ReplaceAll(e.body, "%s", s) }
		for _, test := range []struct {
			name, body string
			header     []string
			statuses   []int
		}{
			{"no type", text("离婚"), []string{"Content-Type: "}, []int{415}},
			{"a form", text("离婚"), []string{"Content-Type: application/x-www-form-urlencoded"}, []int{415}},
			{"a type that is none", text("离婚"), []string{"Content-Type: a/b/c; x"}, []int{415}},
			{"a charset", text("a"), []string{"Content-Type: application/json; charset=gbk"}, []int{415}},
			{"a gzip bomb", bomb.String(), []string{"Content-Encoding: gzip"}, []int{415}},
			{"zeros", strings.Repeat("\x00", 1000), nil, []int{400}},
			{"nothing", " ", nil, []int{400}},
			{"null", "null", nil, []int{400}},
			{"a list", "[" + text("离婚") + "]", nil, []int{400}},
			{"two objects", text("离婚") + text("离婚"), nil, []int{400}},
			{"half an object", text("离婚")[:len(text("离婚"))-1], nil, []int{400}},
			{"deep JSON", deep, nil, []int{400}},
			{"invalid UTF-8", text("\xff\xfe离婚"), nil, []int{400}},
			{"half a surrogate and a NUL", text(`\ud800` + "\x00"), nil, []int{400}},
			{"a comment", "/* */" + text("离婚"), nil, []int{400}},
			{"too long", text(strings.Repeat("长", 1<<20)), nil, []int{413}},
			{"a wrong type", `{"question":{},"text":[],"model":1,"answer_id":2,"messages":"x"}`, nil, []int{400}},
		} {
			res, body := s.do(e.method, e.path, test.body, test.header...)
			s.refused(test.name+" to "+e.path, res, body, test.statuses...)
		}
	}
}

// lenient finds nothing wrong.
type lenient struct{}

func (lenient) Check(context.Context, verify.Draft) (*verify.Report, error) {
	return &verify.Report{}, nil
}

// zeros are bytes without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestBadValues(t *testing.T) {
	s := badSite(t)
	search := func(more string) endpoint {
		return endpoint{"POST", "/v1/search", `{"question":"离婚",` + more + `}`}
	}
	for _, e := range []endpoint{
		search(`"k":1000000000`), search(`"k":1e400`), search(`"k":1.5`), search(`"k":"5"`),
		search(`"as_of":"-2021-01-01"`), search(`"as_of":"0000-00-00"`), search(`"as_of":"2021-02-30"`), search(`"as_of":"99999-01-01"`), search(`"as_of":"今天"`),
		search(`"levels":[-1]`), search(`"levels":[99999999999999999999]`), search(`"mode":"../../etc"`), search(`"granularity":"x"`),
		search(`"collections":["` + strings.Repeat("长", 300) + `"]`), search(`"collections":[""]`), search(`"fields":1`),
		{"GET", "/v1/laws?limit=-1", ""}, {"GET", "/v1/laws?limit=99999999999999999999", ""}, {"GET", "/v1/laws?offset=x", ""}, {"GET", "/v1/laws?level=7000", ""},
		{"GET", "/v1/laws?as_of=-1", ""}, {"GET", "/v1/laws?q=%ff%fe", ""}, {"GET", "/v1/laws?collections=a,,b", ""},
		{"GET", article + "?as_of=2021-13-01", ""}, {"GET", "/v1/articles/%ff", ""},
		{"POST", chatPath, `{"model":"lexagent","messages":[{"role":"root","content":"x"}]}`}, {"POST", chatPath, `{"model":"lexagent","messages":[]}`},
		{"POST", chatPath, ask(`,"max_tokens":-1`)}, {"POST", chatPath, ask(`,"n":2`)}, {"POST", chatPath, ask(`,"as_of":"-1"`)},
		{"POST", "/v1/check", `{"text":"x","as_of":"-1"}`}, {"POST", "/v1/check", `{"text":"x","evidence":[""]}`},
		{"GET", article + "/versions?as_of=-1", ""}, {"GET", article + "/citations?collections=,", ""},
		{"POST", "/v1/judge", `{"items":[{"question":"q","answer":"a","reference":"r"}],"weights":{"relevance":-1,"accuracy":2,"completeness":0,"fluency":0}}`},
		{"POST", "/v1/eval/retrieval", `{"run":[{"id":"1","hits":[]}],"gold":[{"id":"1","question":"x","gold":[{"article_id":"a:1"}]}],"k":[1000000000]}`},
		{"POST", "/v1/eval/retrieval", `{"run":[{"id":"1","hits":[]}],"gold":[{"id":"1","question":"x","gold":[{"article_id":"a:1"}]}],"bootstrap":-1}`},
		{"POST", "/v1/feedback", `{"answer_id":"../x","rating":"up"}`}, {"POST", "/v1/feedback", `{"answer_id":"c","rating":"up","scores":{"relevance":1e9}}`},
		{"GET", "/v1/documents?collection=..%2Fx", ""}, {"DELETE", "/v1/documents/a.md?collection=A%00", ""}, {"POST", "/mcp?as_of=-1", `{}`},
	} {
		res, body := s.do(e.method, e.path, e.body)
		s.refused(e.path+" "+e.body, res, body, 400)
	}
	for _, path := range []string{
		"/v1/laws/..%2f..%2fetc%2fpasswd", "/v1/articles/%00", "/v1/laws/%00%00", "/assets/..%2f..%2fgo.mod", "/assets/../../go.mod", "/reports/..%2f..%2fetc", "/v1/jobs/..%2f..%2fx", "/v1/chat/streams/%00", article + "%00/versions",
		"/v1/models/..", "/v1/conversations/..%2fx", "/v1/conversations/%00", "/v1/nothing", "//v1//laws//x", "/v1/articles/" + strings.Repeat("x", 5000),
	} {
		res, body := s.do("GET", path, "")
		s.refused(path, res, body, 404)
	}
}

// raw sends bytes over one connection and returns what comes back.
func (s *site) raw(t *testing.T, send string) string {
	t.Helper()
	nc, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Error(err)
		return ""
	}
	defer nc.Close()
	if err := nc.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Error(err)
	}
	go func() { _, _ = io.WriteString(nc, send) }() // the server may not read all of it
	b, _ := io.ReadAll(bufio.NewReader(nc))         // a reset ends it too
	return string(b)
}

func TestBadHTTP(t *testing.T) {
	s := badSite(t)
	var wait sync.WaitGroup
	const get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for name, test := range map[string]struct{ send, want string }{
		"garbage":                     {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", " 400 "},
		"a request and garbage":       {get + "\x00\x01garbage\r\n\r\n", " 200 "},
		"a header of 10 MB":           {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 10<<20) + "\r\n\r\n", " 431 "},
		"300,000 headers":             {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X: y\r\n", 300_000) + "\r\n", " 431 "},
		"a path of 10 MB":             {"GET /" + strings.Repeat("x", 10<<20) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", " 431 "},
		"a length that is none":       {"POST " + chatPath + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", " 400 "},
		"two lengths":                 {"POST " + chatPath + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nhello", " 4"},
		"chunks that are none":        {"POST " + chatPath + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n", " 400 "},
		"a body that stops":           {"POST " + chatPath + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"mod", " 408 "},
		"no host":                     {"GET /healthz HTTP/1.1\r\n\r\n", " 40"},
		"HTTP/0.9":                    {"GET /healthz\r\n\r\n", ""},
		"a newline in a header's end": {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", " "},
	} {
		wait.Go(func() {
			first, _, _ := strings.Cut(s.raw(t, test.send), "\r\n")
			if !strings.Contains(first, test.want) {
				t.Errorf("%s: %.200q", name, first)
			}
		})
	}
	wait.Wait()
	if res, _ := s.do("GET", "/healthz", ""); res.StatusCode != 200 {
		t.Errorf("after all this the server does not answer: %d", res.StatusCode)
	}
	if strings.Contains(s.log.String(), `"level":"ERROR"`) {
		t.Errorf("the log has errors:\n%s", s.log)
	}
}
