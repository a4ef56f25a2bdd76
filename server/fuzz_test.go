package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"lexagent/ingest"
	"lexagent/ingest/uploads"
	"lexagent/server"
	"lexagent/server/journal"
)

// alarm notes what is logged as an error: a panic that was recovered among them.
type alarm struct{ text atomic.Pointer[string] }

func (a *alarm) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }
func (a *alarm) WithAttrs([]slog.Attr) slog.Handler           { return a }
func (a *alarm) WithGroup(string) slog.Handler                { return a }
func (a *alarm) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(at slog.Attr) bool { text += " " + at.String(); return true })
	a.text.Store(&text)
	return nil
}

// fuzzed are paths with a request that is right, and which type its body has.
var fuzzed = []endpoint{
	{"POST", chatPath, `{"model":"lexagent","messages":[{"role":"user","content":"问"}]}`},
	{"POST", chatPath, `{"model":"lexagent","stream":true,"resumable":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"简"},{"role":"user","content":[{"type":"text","text":"问"}]}]}`},
	{"POST", "/v1/search", `{"question":"离婚","k":3,"fusion":"rrf","alpha":0.5,"laws":["民法典"],"levels":[1],"as_of":"2024-05-01","mode":"bm25","granularity":"dual","explain":true}`},
	{"POST", "/v1/check", `{"text":"《民法典》第1077条规定：“自收到离婚登记申请之日起三十日内。”","question":"多久","evidence":["民法典:1077"],"as_of":"any"}`},
	{"POST", "/v1/judge", `{"items":[{"id":"a","question":"期限？","answer":"三十日","reference":"三十日。","articles":[{"law":"某法","article_label":"第一条","text":"三十日"}]}],"weights":{"relevance":0,"accuracy":1,"completeness":0,"fluency":0}}`},
	{"POST", "/v1/eval/retrieval", `{"run":[{"id":"1","hits":[{"id":"a:1","score":1}]}],"gold":[{"id":"1","question":"x","gold":[{"article_id":"a:1"}]}],"k":[1,5],"by":"article","bootstrap":10,"seed":1}`},
	{"POST", "/v1/feedback", `{"answer_id":"chatcmpl-1","rating":"down","reason":"条号不对","scores":{"relevance":5,"accuracy":4.5,"completeness":1,"fluency":3}}`},
	{"POST", "/v1/documents?collection=firm&filename=a.md", rules},
	{"POST", "/v1/documents?filename=a.jsonl", `{"id":"a:1","law":"某法","label":"第一条","text":"三十日"}`},
	{"POST", "/v1/documents", "--x\r\nContent-Disposition: form-data; name=\"collection\"\r\n\r\nfirm\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\n" + rules + "\r\n--x--\r\n"},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_article","arguments":{"id":"民法典:1077"}}}`},
	{"POST", "/mcp", `[{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"article://民法典:1077"}}]`},
	{"GET", "/v1/laws?q=民&limit=2&offset=1&level=1&as_of=2024-05-01", ""},
	{"GET", "/v1/laws/民法典?text=false", ""},
	{"GET", "/v1/articles/民法典:1077?as_of=any", ""},
	{"GET", "/v1/articles/民法典:1077/citations?collections=public,firm", ""},
	{"DELETE", "/v1/documents/a.md?collection=firm", ""},
	{"GET", "/v1/conversations/c-1", ""},
	{"DELETE", "/v1/chat/streams/x", ""},
	{"GET", "/v1/jobs/job-x", ""},
	{"GET", "/assets/app.js", ""},
}

var (
	fuzzTypes   = []string{"application/json", "application/json; charset=utf-8", "multipart/form-data; boundary=x", "text/markdown", "application/octet-stream", ""}
	fuzzMethods = []string{"POST", "GET", "DELETE", "PUT", "HEAD", "OPTIONS"}
)

// Whatever is sent to whichever path, by whichever method and as whichever type, nothing
// panics, nothing is the server's fault, and each refusal has the shape of an error.
func FuzzRequests(f *testing.F) {
	for i, e := range fuzzed {
		for method, name := range fuzzMethods {
			if name == e.method {
				kind := 0
				if strings.HasPrefix(e.body, "--x") {
					kind = 2
				}
				f.Add(byte(method), byte(kind), e.path, []byte(e.body))
			}
		}
		f.Add(byte(i), byte(i), e.path, []byte{0xff, 0, '{', byte(i)})
	}
	dir, log := f.TempDir(), &alarm{}
	desk, err := uploads.Open(uploads.Options{Dir: dir, Logger: slog.New(log), Ingest: func(context.Context, []string, ingest.Options) (*ingest.Report, error) {
		return &ingest.Report{}, nil
	}})
	if err != nil {
		f.Fatal(err)
	}
	working, stop := context.WithCancel(context.Background())
	f.Cleanup(stop)
	go desk.Run(working)
	s := serve(f, withTools(f), withChecker(f), judging, func(o *server.Options) {
		o.Documents, o.Logger, o.Feedback = desk, slog.New(log), journal.Open(filepath.Join(dir, "feedback.jsonl"), 1<<20)
	})
	f.Fuzz(func(t *testing.T, method, kind byte, path string, body []byte) {
		req, err := http.NewRequest(fuzzMethods[int(method)%len(fuzzMethods)], s.url, strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		path, query, _ := strings.Cut(path, "?")
		req.URL.Path, req.URL.RawQuery = "/"+strings.TrimPrefix(path, "/"), escaped(query)
		req.Header.Set("Content-Type", fuzzTypes[int(kind)%len(fuzzTypes)])
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := s.client.Do(req)
		if err != nil {
			t.Fatalf("%s %q: %v", req.Method, path, err)
		}
		defer res.Body.Close()
		var answer struct {
			RPC   string `json:"jsonrpc"`
			Error struct{ Message, Type string }
		}
		err = json.NewDecoder(res.Body).Decode(&answer)
		shaped := err == nil && (answer.Error.Message != "" && answer.Error.Type != "" || answer.RPC != "") || req.Method == "HEAD"
		switch {
		case log.text.Load() != nil:
			t.Errorf("%s %q: %s", req.Method, path, *log.text.Swap(nil))
		case res.StatusCode >= 500 && res.StatusCode != http.StatusServiceUnavailable: // which a full queue is, and what the fakes say is down
			t.Errorf("%s %q: %d", req.Method, path, res.StatusCode)
		case res.StatusCode >= 400 && !shaped:
			t.Errorf("%s %q: %d is no error in JSON: %v", req.Method, path, res.StatusCode, err)
		}
	})
}

// escaped keeps what separates in a query, and encodes what a request line can't hold.
func escaped(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c <= ' ' || c >= 0x7f || c == '#' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
