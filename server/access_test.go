package server_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lexagent/graph"
	"lexagent/retrieval"
	"lexagent/server"
	"lexagent/server/access"
	"lexagent/state/redistest"
)

// locked is a site that asks for keys.
type locked struct {
	*site
	path string
}

func lock(t *testing.T, change ...func(*server.Options)) *locked {
	t.Helper()
	l := &locked{path: filepath.Join(t.TempDir(), access.FileName)}
	l.key(t, access.Key{Name: "admin", Scopes: []access.Scope{access.Admin}, Collections: []string{access.AllCollections}})
	l.site = serve(t, append(change, func(o *server.Options) {
		keys, err := access.Open(l.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = keys
	})...)
	return l
}

// key makes a key and returns it as a header.
func (l *locked) key(t *testing.T, k access.Key) string {
	t.Helper()
	k, secret, err := access.New(k, time.Now())
	if err == nil {
		err = access.Add(l.path, k)
	}
	if err != nil {
		t.Fatal(err)
	}
	if l.site != nil {
		time.Sleep(1100 * time.Millisecond) // the server looks once a second
	}
	return "Authorization: Bearer " + secret
}

const searchBody = `{"question":"离婚"}`

// Without keys everybody on this machine is let in, whatever they send.
func TestWithoutKeys(t *testing.T) {
	s := serve(t)
	for _, header := range []string{"X-Nothing: 1", "Authorization: Bearer sk-anything", "Authorization: Basic eDp5", "Authorization: "} {
		if res, body := s.do("POST", "/v1/search", searchBody, header); res.StatusCode != 200 {
			t.Errorf("%s: %d %s", header, res.StatusCode, body)
		}
	}
}

func TestKeysAndScopes(t *testing.T) {
	l := lock(t)
	of := func(scopes ...access.Scope) string {
		return l.key(t, access.Key{Name: "x", Scopes: scopes, Collections: []string{"public"}})
	}
	asker, searcher := of(access.Ask), of(access.Search)
	for _, test := range []struct {
		name, method, path, body, header string
		status                           int
		code                             string
	}{
		{"no key", "POST", "/v1/search", searchBody, "X-Nothing: 1", 401, "invalid_api_key"},
		{"a wrong key", "POST", "/v1/search", searchBody, "Authorization: Bearer lexagent-AAAA", 401, "invalid_api_key"},
		{"a scheme that is not Bearer", "POST", "/v1/search", searchBody, "Authorization: Basic eDp5", 401, "invalid_api_key"},
		{"a key that may not ask", "POST", chatPath, ask(""), searcher, 403, "insufficient_scope"},
		{"a key that may not search", "POST", "/v1/search", searchBody, asker, 403, "insufficient_scope"},
		{"a key that may not look up", "GET", article, "", asker, 403, "insufficient_scope"},
		{"a key that may not upload", "POST", "/v1/documents", "x", searcher, 403, "insufficient_scope"},
		{"a path that is not there", "GET", "/v1/secrets", "", asker, 403, "insufficient_scope"},
		{"the scheme in small letters", "POST", "/v1/search", searchBody, strings.Replace(searcher, "Bearer", "bearer", 1), 200, ""},
		{"asking", "POST", chatPath, ask(""), asker, 200, ""},
		{"models, with any key", "GET", "/v1/models", "", searcher, 200, ""},
		{"models, without one", "GET", "/v1/models", "", "X-Nothing: 1", 401, "invalid_api_key"},
		{"the page", "GET", "/", "", "X-Nothing: 1", 200, ""},
		{"health", "GET", "/healthz", "", "X-Nothing: 1", 200, ""},
	} {
		res, body := l.do(test.method, test.path, test.body, test.header)
		if res.StatusCode != test.status || test.code != "" && !strings.Contains(body, `"code":"`+test.code+`"`) {
			t.Errorf("%s: %d %s", test.name, res.StatusCode, body)
		}
		if test.status == 401 && res.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", test.name)
		}
	}
	if log := l.log.String(); strings.Contains(log, "lexagent-") {
		t.Errorf("the log holds a key:\n%s", log)
	}
}

// A body that nobody with a key sent is not read.
func TestRefusedBodiesAreNotRead(t *testing.T) {
	l := lock(t)
	req, err := http.NewRequest("POST", l.url+chatPath, strings.NewReader(strings.Repeat("x", 40<<20)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := l.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != 401 || !res.Close {
		t.Errorf("%d, close %v", res.StatusCode, res.Close)
	}
}

// seen records the collections that the ports are asked for.
type seen struct {
	*shelf
	searched [][]string
}

func (s *seen) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	s.searched = append(s.searched, q.Scope.Collections)
	return s.shelf.Search(ctx, q)
}

// Requests that name no collection work on those of their key; others than the key's
// are refused, whether they exist or not.
func TestCollectionsOfAKey(t *testing.T) {
	spy := &seen{shelf: newShelf()}
	l := lock(t, func(o *server.Options) { o.Searcher = spy })
	l.script.asked = make(chan graph.Request, 1)
	key := l.key(t, access.Key{Name: "firm", Scopes: []access.Scope{access.Ask, access.Search}, Collections: []string{"public", "firm"}})
	for _, test := range []struct{ named, want string }{
		{"", "public firm"}, {`,"collections":["firm"]`, "firm"}, {`,"collections":["public","firm"]`, "public firm"},
	} {
		if res, body := l.do("POST", "/v1/search", `{"question":"离婚"`+test.named+`}`, key); res.StatusCode != 200 {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
		if got := strings.Join(spy.searched[len(spy.searched)-1], " "); got != test.want {
			t.Errorf("%s: searched in %s", test.named, got)
		}
		if res, body := l.do("POST", chatPath, ask(test.named), key); res.StatusCode != 200 {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
		if got := strings.Join((<-l.script.asked).Scope.Collections, " "); got != test.want {
			t.Errorf("%s: asked in %s", test.named, got)
		}
	}
	for path, body := range map[string]string{
		"/v1/search": `{"question":"离婚","collections":["public","other"]}`, chatPath: ask(`,"collections":["other"]`),
		article + "?collections=other": "", "/v1/laws?collections=firm,other": "", "/v1/laws/x?collections=other": "",
	} {
		method := "POST"
		if body == "" {
			method = "GET"
		}
		if res, text := l.do(method, path, body, key); res.StatusCode != 403 || !strings.Contains(text, "collection_not_allowed") {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
}

// A key sees its own conversations only, also where another's has the same id.
func TestConversationsOfAKey(t *testing.T) {
	l := lock(t)
	of := func(name string) string {
		return l.key(t, access.Key{Name: name, Scopes: []access.Scope{access.Ask}, Collections: []string{"public"}})
	}
	one, two := of("one"), of("two")
	l.say(t, "甲的秘密", "c-1", one)
	for _, method := range []string{"GET", "DELETE"} {
		if res, body := l.do(method, "/v1/conversations/c-1", "", two); res.StatusCode != 404 || strings.Contains(body, "秘密") {
			t.Errorf("%s: %d %s", method, res.StatusCode, body)
		}
	}
	if a := l.say(t, "乙", "c-1", two); a.Lexagent.Conversation.Recalled != 0 {
		t.Errorf("%+v", a.Lexagent.Conversation)
	}
	if _, body := l.do("GET", "/v1/conversations/c-1", "", one); !strings.Contains(body, "甲的秘密") || strings.Contains(body, "乙") {
		t.Error(body)
	}
}

func TestRates(t *testing.T) {
	l := lock(t, func(o *server.Options) { o.RequestsPerMinute = 2 })
	key := access.Key{Name: "slow", Scopes: []access.Scope{access.Ask, access.Search}, Collections: []string{"public"}}
	one := l.key(t, key)
	key.PerMinute = 3
	two := l.key(t, key)
	for name, test := range map[string]struct {
		header string
		limit  int
	}{"the server's limit": {one, 2}, "its own limit": {two, 3}} {
		for i := range test.limit {
			res, _ := l.do("POST", "/v1/search", searchBody, test.header)
			if h := res.Header; res.StatusCode != 200 || h.Get("X-Ratelimit-Limit-Requests") != string(rune('0'+test.limit)) ||
				h.Get("X-Ratelimit-Remaining-Requests") != string(rune('0'+test.limit-i-1)) || h.Get("X-Ratelimit-Reset-Requests") == "" {
				t.Errorf("%s: %d %v", name, res.StatusCode, h)
			}
		}
		res, body := l.do("POST", "/v1/search", searchBody, test.header)
		if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" || !strings.Contains(body, `"code":"rate_limit_exceeded"`) {
			t.Errorf("%s: %d %v %s", name, res.StatusCode, res.Header, body)
		}
	}
	if res, _ := l.do("GET", "/healthz", ""); res.StatusCode != 200 {
		t.Errorf("health is limited: %d", res.StatusCode)
	}
}

// The tokens of an answer count when it is made; the next one is refused.
func TestTokens(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.TokensPerDay = 900 })
	if res, body := s.do("POST", chatPath, ask("")); res.StatusCode != 200 || res.Header.Get("X-Ratelimit-Remaining-Tokens") != "900" {
		t.Fatalf("%d %v %s", res.StatusCode, res.Header, body)
	}
	res, body := s.do("POST", chatPath, ask(`,"stream":true`)) // 955 tokens were used
	if res.StatusCode != 429 || res.Header.Get("X-Ratelimit-Remaining-Tokens") != "0" || !strings.Contains(body, "too many tokens: 900 in a day") {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
}

// Limits are kept over all replicas; without Redis everybody passes.
func TestRatesOverReplicas(t *testing.T) {
	r := redistest.Start(t)
	limit := func(o *server.Options) { o.RequestsPerMinute = 3 }
	one, two := serve(t, redisOf(t, r), limit), serve(t, redisOf(t, r), limit)
	var last *http.Response
	for i := range 4 {
		last, _ = []*site{one, two}[i%2].do("POST", "/v1/search", searchBody)
	}
	if last.StatusCode != 429 {
		t.Errorf("the fourth request of three: %d", last.StatusCode)
	}
	r.Kill()
	if res, body := one.do("POST", "/v1/search", searchBody); res.StatusCode != 200 {
		t.Errorf("without Redis: %d %s", res.StatusCode, body)
	}
}

func TestOtherMachinesNeedKeys(t *testing.T) {
	shelf := newShelf()
	o := server.Options{Answerer: &script{shelf: shelf}, Searcher: shelf, Statutes: shelf, Health: &health{}, Addr: "0.0.0.0:0"}
	listen := func() error {
		s, err := server.New(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return s.Run(ctx)
	}
	if err := listen(); !errors.Is(err, server.ErrOpen) {
		t.Errorf("without keys: %v", err)
	}
	o.Open = true
	if err := listen(); err != nil {
		t.Errorf("where it is meant: %v", err)
	}
	o.Open = false
	l := lock(t)
	keys, err := access.Open(l.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Keys = keys
	if err := listen(); err != nil {
		t.Errorf("with keys: %v", err)
	}
}

func TestOriginsAndHosts(t *testing.T) {
	const desk = "https://desk.example"
	s := serve(t, func(o *server.Options) {
		o.Origins, o.Hosts, o.PublicURL = []string{desk}, []string{"law.example"}, "https://public.example"
	})
	for _, test := range []struct {
		name, method string
		header       []string
		status       int
		allowed      string
	}{
		{"no page", "POST", nil, 200, ""},
		{"our page", "POST", []string{"Origin: " + s.url}, 200, ""},
		{"our page behind a proxy", "POST", []string{"Origin: https://public.example"}, 200, ""},
		{"a listed page", "POST", []string{"Origin: " + desk}, 200, desk},
		{"a foreign page", "POST", []string{"Origin: https://evil.example"}, 403, ""},
		{"a page without a name", "POST", []string{"Origin: null"}, 403, ""},
		{"another port is another origin", "POST", []string{"Origin: http://127.0.0.1:1"}, 403, ""},
		{"a listed page asks first", "OPTIONS", []string{"Origin: " + desk, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type"}, 204, desk},
		{"a foreign page asks first", "OPTIONS", []string{"Origin: https://evil.example", "Access-Control-Request-Method: POST"}, 204, ""},
		{"a proxy by a listed name", "POST", []string{"Host: law.example"}, 200, ""},
		{"a proxy by a listed name and port", "POST", []string{"Host: LAW.example:8443"}, 200, ""},
		{"a name that points here", "POST", []string{"Host: evil.example"}, 403, ""},
	} {
		body := searchBody
		if test.method == "OPTIONS" {
			body = ""
		}
		res, text := s.do(test.method, "/v1/search", body, test.header...)
		if res.StatusCode != test.status || res.Header.Get("Access-Control-Allow-Origin") != test.allowed {
			t.Errorf("%s: %d %v %s", test.name, res.StatusCode, res.Header, text)
		}
		if test.method == "OPTIONS" && test.allowed != "" && (res.Header.Get("Access-Control-Allow-Headers") != "authorization,content-type" || res.Header.Get("Access-Control-Allow-Methods") != "POST") {
			t.Errorf("%s: %v", test.name, res.Header)
		}
	}
}
