package server_test

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lexagent/server"
	"lexagent/server/journal"
)

// contract is the OpenAPI document as the server serves it.
type contract struct {
	t        *testing.T
	doc      map[string]any
	compiler *jsonschema.Compiler
	seen     map[string]bool // responses that were held against it
}

func newContract(t *testing.T, s *site) *contract {
	t.Helper()
	c := &contract{t: t, compiler: jsonschema.NewCompiler(), seen: map[string]bool{}}
	s.get("GET", "/openapi.json", "", &c.doc)
	if c.doc["openapi"] != "3.1.0" {
		t.Errorf("openapi is %v", c.doc["openapi"])
	}
	closed(c.doc["components"])
	closed(c.doc["paths"])
	if err := c.compiler.AddResource("openapi.json", any(c.doc)); err != nil {
		t.Fatal(err)
	}
	return c
}

// closed forbids, in every schema of an object, the properties that it does not tell of:
// what the server sends and the document lacks is a fault here, though clients must
// expect more.
func closed(node any) {
	switch n := node.(type) {
	case map[string]any:
		if _, told := n["additionalProperties"]; n["properties"] != nil && !told {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			closed(child)
		}
	case []any:
		for _, child := range n {
			closed(child)
		}
	}
}

// holds holds one response against the document. path is as the document writes it.
func (c *contract) holds(method, path string, status int, kind, body string) {
	c.t.Helper()
	op := "#/paths/" + escape(path) + "/" + strings.ToLower(method) + "/responses/"
	where := op + strconv.Itoa(status)
	if c.lookup(path, method, strconv.Itoa(status)) == nil {
		if status < 400 {
			c.t.Errorf("%s %s: the document does not tell of %d", method, path, status)
			return
		}
		where = "#/components/responses/Error"
	}
	schema, err := c.compiler.Compile("openapi.json" + where + "/content/" + escape(kind) + "/schema")
	if err != nil {
		c.t.Errorf("%s %s %d: %v", method, path, status, err)
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		c.t.Errorf("%s %s %d: %v\n%.600s", method, path, status, err, body)
	}
	c.seen[method+" "+path] = c.seen[method+" "+path] || status < 400
}

func (c *contract) lookup(path, method, status string) any {
	node := any(c.doc)
	for _, key := range []string{"paths", path, strings.ToLower(method), "responses", status} {
		m, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = m[key]
	}
	return node
}

// escape makes a step of a JSON pointer in a URL.
func escape(s string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(s))
}

// What the server answers is what its OpenAPI document says.
func TestOpenAPI(t *testing.T) {
	s := serve(t, takesDocuments(t), withChecker(t), judging, func(o *server.Options) { o.Feedback = journal.Open(filepath.Join(t.TempDir(), "feedback.jsonl"), 0) })
	c := newContract(t, s)
	const id = "%E6%B0%91%E6%B3%95%E5%85%B8:1077"
	for _, tt := range []struct{ method, path, target, body string }{
		{"POST", "/v1/chat/completions", "", ask(`,"as_of":"2024-05-01","levels":[1],"region":"上海","mode":"bm25"`)},
		{"POST", "/v1/chat/completions", "", `{"model":"lexagent","messages":[]}`},
		{"POST", "/v1/chat/completions", "", strings.Replace(ask(""), `"lexagent"`, `"gpt-4o"`, 1)},
		{"GET", "/v1/models", "", ""},
		{"GET", "/v1/models/{model}", "/v1/models/lexagent", ""},
		{"GET", "/v1/models/{model}", "/v1/models/none", ""},
		{"POST", "/v1/search", "", `{"question":"离婚","explain":true}`},
		{"POST", "/v1/search", "", `{"question":"民法典1077"}`},
		{"POST", "/v1/search", "", `{"question":"down"}`},
		{"POST", "/v1/search", "", `{}`},
		{"POST", "/v1/check", "", `{"text":"《示范条例》第一条规定：“甲乙。”另见《示范条例》第九十九条、三十日。"}`},
		{"POST", "/v1/check", "", `{"text":""}`},
		{"POST", "/v1/feedback", "", `{"answer_id":"chatcmpl-1","rating":"down","reason":"条号不对"}`},
		{"POST", "/v1/feedback", "", `{"answer_id":"chatcmpl-1","rating":"maybe"}`},
		{"POST", "/v1/judge", "", `{"items":[{"id":"a","question":"期限？","answer":"三十日","reference":"三十日。"},{"id":"b","question":"期限？","answer":"谜","reference":"三十日。"}]}`},
		{"POST", "/v1/judge", "", `{"items":[]}`},
		{"POST", "/v1/eval/retrieval", "", `{"run":[{"id":"1","hits":[{"id":"a:1","score":1}]}],"gold":[{"id":"1","question":"x","gold":[{"article_id":"a:1"}]}]}`},
		{"POST", "/v1/eval/retrieval", "", `{"run":[],"gold":[]}`},
		{"GET", "/v1/laws", "/v1/laws?q=民法", ""},
		{"GET", "/v1/laws", "/v1/laws?limit=0", ""},
		{"GET", "/v1/laws/{law}", "/v1/laws/%E6%B0%91%E6%B3%95%E5%85%B8", ""},
		{"GET", "/v1/laws/{law}", "/v1/laws/none", ""},
		{"GET", "/v1/articles/{id}", "/v1/articles/" + id, ""},
		{"GET", "/v1/articles/{id}", "/v1/articles/" + id + "?as_of=x", ""},
		{"GET", "/v1/articles/{id}/versions", "/v1/articles/" + id + "/versions", ""},
		{"GET", "/v1/articles/{id}/citations", "/v1/articles/" + id + "/citations", ""},
		{"GET", "/v1/jobs/{id}", "/v1/jobs/none", ""},
		{"GET", "/healthz", "", ""},
		{"GET", "/readyz", "", ""},
		{"GET", "/openapi.json", "", ""},
		{"GET", "/v1/chat/streams/{id}", "/v1/chat/streams/none", ""},
		{"DELETE", "/v1/chat/streams/{id}", "/v1/chat/streams/none", ""},
		{"GET", "/v1/conversations/{id}", "/v1/conversations/none", ""},
	} {
		if tt.target == "" {
			tt.target = tt.path
		}
		res, body := s.do(tt.method, tt.target, tt.body)
		c.holds(tt.method, tt.path, res.StatusCode, "application/json", body)
	}

	// A conversation, an upload, a stream.
	s.do("POST", chatPath, ask(""), "X-Conversation-Id: c-1")
	for _, method := range []string{"GET", "DELETE"} {
		res, body := s.do(method, "/v1/conversations/c-1", "")
		c.holds(method, "/v1/conversations/{id}", res.StatusCode, "application/json", body)
	}
	res, body := s.do("POST", "/v1/documents?filename=a.md", rules, "Content-Type: text/markdown")
	c.holds("POST", "/v1/documents", res.StatusCode, "application/json", body)
	location := res.Header.Get("Location")
	s.taken(location)
	res, body = s.do("GET", "/v1/documents", "")
	c.holds("GET", "/v1/documents", res.StatusCode, "application/json", body)
	for range 2 { // it is there, and then it is not
		res, body = s.do("DELETE", "/v1/documents/a.md", "")
		c.holds("DELETE", "/v1/documents/{name}", res.StatusCode, "application/json", body)
		if res.StatusCode == 202 {
			s.taken(res.Header.Get("Location"))
		}
	}
	res, body = s.do("GET", location, "")
	c.holds("GET", "/v1/jobs/{id}", res.StatusCode, "application/json", body)
	res, body = s.do("POST", "/v1/documents?filename=a.exe", rules, "Content-Type: text/markdown")
	c.holds("POST", "/v1/documents", res.StatusCode, "application/json", body)

	r := s.read("POST", chatPath, ask(`,"stream":true,"resumable":true,"stream_options":{"include_usage":true}`))
	for _, event := range r.rest() {
		if event != "[DONE]" {
			c.holds("POST", "/v1/chat/completions", 200, "text/event-stream", event)
		}
	}
	stream, _, _ := strings.Cut(r.last, ".")
	for _, event := range s.read("GET", "/v1/chat/streams/"+stream, "").rest() {
		if event != "[DONE]" {
			c.holds("GET", "/v1/chat/streams/{id}", 200, "text/event-stream", event)
		}
	}

	notReady := serve(t)
	notReady.health.r = server.Readiness{}
	res, body = notReady.do("GET", "/readyz", "")
	c.holds("GET", "/readyz", res.StatusCode, "application/json", body)

	// Every path was held against its document but those that answer in other ways.
	for path, methods := range c.doc["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			name := strings.ToUpper(method) + " " + path
			switch {
			case method == "parameters", c.seen[name], path == "/mcp", path == "/metrics", name == "DELETE /v1/chat/streams/{id}":
			default:
				t.Errorf("no response of %s was held against the document", name)
			}
		}
	}
}

// The examples of requests that this package is tested with are requests of the document.
func TestOpenAPIRequests(t *testing.T) {
	s := serve(t)
	c := newContract(t, s)
	for name, bodies := range map[string][]string{
		"FeedbackRequest": {`{"answer_id":"chatcmpl-1","rating":"up","scores":{"relevance":5,"accuracy":4.5,"completeness":1,"fluency":3}}`},
		"SearchRequest":   {`{"question":"离婚","mode":"fast","levels":[1],"granularity":"dual","collections":["public"]}`},
		"CheckRequest":    {`{"text":"《民法典》第一条","evidence":["民法典@2020-05-28:1"],"as_of":"any"}`},
	} {
		schema, err := c.compiler.Compile("openapi.json#/components/schemas/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range bodies {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if schema.Validate(map[string]any{"topk": 3.0}) == nil {
			t.Errorf("%s: a mistyped field is no fault", name)
		}
	}
}
