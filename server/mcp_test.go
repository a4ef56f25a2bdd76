package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lexagent/book"
	"lexagent/ingest/ingesttest"
	"lexagent/retrieval"
	"lexagent/server"
	"lexagent/server/access"
	"lexagent/tools"
	"lexagent/verify"
)

// withTools serves MCP over a real book and index of the laws of tools/testdata.
func withTools(t testing.TB, change ...func(*tools.Kit)) func(*server.Options) {
	t.Helper()
	b, store := ingesttest.Open(t, ingesttest.Source{Collection: "public", Paths: []string{"../tools/testdata/public"}}, ingesttest.Source{Collection: "firm", Paths: []string{"../tools/testdata/firm"}})
	kit := &tools.Kit{Search: &retrieval.Engine{Book: b, Store: store}, Book: b, Check: &verify.Checker{Book: b}}
	for _, fn := range change {
		fn(kit)
	}
	return func(o *server.Options) { o.Tools, o.Statutes, o.NotFound = kit, b, book.ErrNotFound }
}

// connect opens a session of the SDK's client.
func connect(t *testing.T, url string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// say is what a tool says.
func say(t *testing.T, s *mcp.ClientSession, name string, arguments any) (string, bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

func TestMCP(t *testing.T) {
	s := serve(t, withTools(t))
	session := connect(t, s.url+"/mcp")
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 8 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s may write", tool.Name)
		}
	}
	for _, c := range []struct {
		tool, arguments, want string
		wrong                 bool
	}{
		{"get_article", `{"article":"示范用工条例第三条"}`, "示范用工条例@2022-03-01:3", false},
		{"get_article", `{"article":"示范用工条例第九条"}`, "最后一条是第八条", true},
		{"get_article", `{"name":"示范用工条例第九条"}`, "article（必填）", true},
		{"search_documents", `{"query":"迟到"}`, "search_statutes", true},
	} {
		if got, wrong := say(t, session, c.tool, json.RawMessage(c.arguments)); wrong != c.wrong || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %v %s", c.tool, c.arguments, wrong, got)
		}
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete_law"}); err == nil {
		t.Error("an unknown tool was called")
	}
	for uri, want := range map[string]string{
		"article://%E7%A4%BA%E8%8C%83%E7%94%A8%E5%B7%A5%E6%9D%A1%E4%BE%8B%3A3": `"id":"示范用工条例@2022-03-01:3"`,
		"law://%E7%A4%BA%E8%8C%83%E7%94%A8%E5%B7%A5%E6%9D%A1%E4%BE%8B":         `"label":"第八条"`,
	} {
		res, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(res.Contents[0].Text, want) {
			t.Errorf("%s: %+v %v", uri, res, err)
		}
	}
	for _, uri := range []string{"article://%E6%B0%91", "law://%zz", "file:///etc/passwd", "article://%E6%9F%90%E5%85%AC%E5%8F%B8%E8%80%83%E5%8B%A4%E5%8A%9E%E6%B3%95%3A1"} {
		if res, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %+v", uri, res)
		}
	}
}

// The URL of a client says which collections it sees, and of which day.
func TestMCPSeesItsCollections(t *testing.T) {
	s := serve(t, withTools(t))
	session := connect(t, s.url+"/mcp?collections=public,firm&as_of=2020-01-01")
	if got, wrong := say(t, session, "search_documents", map[string]any{"query": "迟到", "as_of": "2026-01-01"}); wrong || !strings.Contains(got, "考勤办法") {
		t.Errorf("%s", got)
	}
	if got, wrong := say(t, session, "get_article", map[string]any{"article": "示范用工条例:3"}); wrong || !strings.Contains(got, "2018-05-02:3") {
		t.Errorf("%s", got)
	}
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

func TestMCPRefuses(t *testing.T) {
	s := serve(t, withTools(t), func(o *server.Options) { o.MaxBody = 4096 })
	both := "Accept: application/json, text/event-stream"
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		want                     int
	}{
		{"a list", "POST", "/mcp", listTools, []string{both}, 200},
		{"from its own page", "POST", "/mcp", listTools, []string{both, "Origin: " + s.url}, 200},
		{"another page", "POST", "/mcp", listTools, []string{both, "Origin: http://evil.example"}, 403},
		{"another page's sandbox", "POST", "/mcp", listTools, []string{both, "Origin: null"}, 403},
		{"another name for here", "POST", "/mcp", listTools, []string{both, "Host: evil.example"}, 403},
		{"a form", "POST", "/mcp", listTools, []string{both, "Content-Type: text/plain"}, 415},
		{"a stream without sessions", "GET", "/mcp", "", []string{"Accept: text/event-stream"}, 405},
		{"the end of no session", "DELETE", "/mcp", "", nil, 405},
		{"too much", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_citations","arguments":{"text":"` + strings.Repeat("法", 4096) + `"}}}`, []string{both}, 413},
		{"no JSON", "POST", "/mcp", `{"jsonrpc"`, []string{both}, 400},
		{"no day", "POST", "/mcp?as_of=soon", listTools, []string{both}, 400},
		{"no collection", "POST", "/mcp?collections=,", listTools, []string{both}, 400},
	} {
		if res, body := s.do(c.method, c.path, c.body, c.header...); res.StatusCode != c.want {
			t.Errorf("%s: %d %s", c.name, res.StatusCode, body)
		}
	}
	bare := serve(t)
	if res, _ := bare.do("POST", "/mcp", listTools, both); res.StatusCode != 404 {
		t.Errorf("a server without tools: %d", res.StatusCode)
	}
}

// stuck is a search that ends only with its context, and tells when it begins and ends.
type stuck struct{ began, ended chan struct{} }

func (s stuck) Search(ctx context.Context, _ retrieval.Query) (*retrieval.Result, error) {
	s.began <- struct{}{}
	<-ctx.Done()
	s.ended <- struct{}{}
	return nil, ctx.Err()
}

const callSearch = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_statutes","arguments":{"query":"试用期"}}}`

func TestMCPCallsEnd(t *testing.T) {
	search := stuck{make(chan struct{}, 1), make(chan struct{}, 1)}
	wait := func(c chan struct{}, what string) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(5 * time.Second):
			t.Fatal(what)
		}
	}
	s := serve(t, withTools(t, func(k *tools.Kit) { k.Search = search }), func(o *server.Options) { o.ReadTimeout = 400 * time.Millisecond })
	t.Run("with their time", func(t *testing.T) {
		res, body := s.do("POST", "/mcp", callSearch, "Accept: application/json, text/event-stream")
		wait(search.began, "no search")
		wait(search.ended, "the search goes on")
		if res.StatusCode != 200 || !strings.Contains(body, "没有在时限内完成") || !strings.Contains(body, `"isError":true`) {
			t.Errorf("%d %s", res.StatusCode, body)
		}
	})
	s = serve(t, withTools(t, func(k *tools.Kit) { k.Search = search }), func(o *server.Options) { o.ShutdownGrace = 100 * time.Millisecond })
	t.Run("with their client", func(t *testing.T) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		req := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"a\r\n" + callSearch[:10] + "\r\n"
		if _, err := io.WriteString(conn, req); err != nil {
			t.Fatal(err)
		}
		rest := callSearch[10:]
		if _, err := io.WriteString(conn, hex(len(rest))+"\r\n"+rest+"\r\n0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		wait(search.began, "no search")
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		wait(search.ended, "the search goes on though its client left")
	})
	t.Run("with the server", func(t *testing.T) {
		go func() { // its fate is the server's to tell, and the test looks at the search
			req, _ := http.NewRequest("POST", s.url+"/mcp", strings.NewReader(callSearch))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			if res, err := s.client.Do(req); err == nil {
				_ = res.Body.Close()
			}
		}()
		wait(search.began, "no search")
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		wait(search.ended, "the search goes on though the server stopped")
	})
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	if n < 16 {
		return digits[n : n+1]
	}
	return hex(n/16) + hex(n%16)
}

// The official Python client, over HTTP. Without it the test is skipped, unless
// LEXAGENT_TEST_REAL=1 wants it.
func TestOfficialMCPClient(t *testing.T) {
	s := serve(t, withTools(t))
	program := python(t)
	if program == "" || exec.Command(program, "-c", "import mcp").Run() != nil {
		missing(t, "the official mcp client for Python")
	}
	out, err := exec.Command(program, filepath.Join("testdata", "clients", "mcp_check.py"), s.url+"/mcp").CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Errorf("%v\n%s", err, out)
	}
}

// taken takes in documents.
type taken struct{}

func (taken) Index(context.Context, string, string, string) (int, error) { return 1, nil }

// A key says what a client sees, and whether it may store documents.
func TestMCPKeys(t *testing.T) {
	s := lock(t, withTools(t, func(k *tools.Kit) { k.Indexer = taken{} }))
	var headers []string
	for _, k := range []access.Key{
		{Name: "reader", Scopes: []access.Scope{access.Search}, Collections: []string{"public"}},
		{Name: "firm", Scopes: []access.Scope{access.Search, access.Ingest}, Collections: []string{"public", "firm"}},
		{Name: "asker", Scopes: []access.Scope{access.Ask}, Collections: []string{"public"}},
	} {
		headers = append(headers, s.key(t, k))
	}
	both := "Accept: application/json, text/event-stream"
	article := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_article","arguments":{"article":"某公司考勤办法:1"}}}`
	for _, c := range []struct {
		name, path, key, body, want, not string
		status                           int
	}{
		{"no key", "/mcp", "X-Nothing: 1", listTools, "invalid_api_key", "", 401},
		{"a key for answers", "/mcp", headers[2], listTools, "insufficient_scope", "", 403},
		{"a reader", "/mcp", headers[0], listTools, "search_statutes", "index_document", 200},
		{"a reader of public law", "/mcp", headers[0], article, `"isError":true`, "扣发", 200},
		{"a reader who asks for more", "/mcp?collections=firm", headers[0], article, "collection_not_allowed", "", 403},
		{"the firm", "/mcp", headers[1], listTools, "index_document", "", 200},
		{"the firm's document", "/mcp", headers[1], article, "扣发当月奖金", "", 200},
	} {
		res, body := s.do("POST", c.path, c.body, both, c.key)
		if res.StatusCode != c.status || !strings.Contains(body, c.want) || c.not != "" && strings.Contains(body, c.not) {
			t.Errorf("%s: %d %s", c.name, res.StatusCode, body)
		}
	}
}
