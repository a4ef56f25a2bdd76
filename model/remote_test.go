package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// endpoint is a server of embeddings that counts characters into 8 dimensions, and
// does what limited servers do.
type endpoint struct {
	mu       sync.Mutex
	calls    int                           // all
	sizes    []int                         // texts of each call that was answered
	mostText int                           // texts a call; 0 = any number
	longest  int                           // runes a text; 0 = any
	before   []func(w http.ResponseWriter) // instead of an answer, for the first calls
	answer   func(inputs []string) string  // nil = vectors
	key      string
	pause    time.Duration // between two calls at least, else 429
	last     time.Time
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	if r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	if e.key != "" && r.Header.Get("Authorization") != "Bearer "+e.key {
		http.Error(w, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
		return
	}
	if len(e.before) > 0 {
		do := e.before[0]
		e.before = e.before[1:]
		do(w)
		return
	}
	if wait := e.pause - time.Since(e.last); wait > 0 {
		w.Header().Set("Retry-After", fmt.Sprintf("%.2f", wait.Seconds()))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	var body struct {
		Model      string
		Input      []string
		Dimensions int
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Model != "counter" {
		http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
		return
	}
	for _, t := range body.Input {
		if e.mostText > 0 && len(body.Input) > e.mostText || e.longest > 0 && utf8.RuneCountInString(t) > e.longest {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
	}
	e.last = time.Now()
	e.sizes = append(e.sizes, len(body.Input))
	if e.answer != nil {
		fmt.Fprint(w, e.answer(body.Input))
		return
	}
	fmt.Fprint(w, embeddings(body.Input, max(body.Dimensions, 8)))
}

// embeddings is an answer with the vectors in the opposite order.
func embeddings(inputs []string, dim int) string {
	var list []string
	for i := len(inputs) - 1; i >= 0; i-- {
		b, err := json.Marshal(counted(inputs[i], dim))
		if err != nil {
			panic(err)
		}
		list = append(list, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, b))
	}
	return `{"object":"list","data":[` + strings.Join(list, ",") + `]}`
}

// counted counts a text's characters.
func counted(text string, dim int) []float32 {
	v := make([]float32, dim)
	v[0] = 1
	for _, r := range text {
		v[int(r)%dim]++
	}
	return v
}

// serve starts the endpoint and a client of it.
func (e *endpoint) serve(t *testing.T, o RemoteOptions) *Remote {
	t.Helper()
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	o.URL, o.Model = s.URL+"/v1/", "counter"
	r, err := NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func articles(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("第%d条 用人单位应当%s支付劳动报酬。", i, strings.Repeat("按月", i%7))
	}
	return list
}

// holdVectors holds that each text has its own unit vector.
func holdVectors(t *testing.T, texts []string, got [][]float32, dim int) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(got), len(texts))
	}
	for i, text := range texts {
		want := counted(text, dim)
		normalize(want)
		if !slices.EqualFunc(got[i], want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }) {
			t.Fatalf("text %d has the vector %v instead of %v", i, got[i], want)
		}
	}
}

func TestRemoteEncodes(t *testing.T) {
	e := &endpoint{key: "secret"}
	r := e.serve(t, RemoteOptions{Key: "secret"})
	if r.Dim() != 0 || r.Digest() != "" || e.calls != 0 {
		t.Errorf("before the first call the dimension is %d, the digest %q, and %d calls were made", r.Dim(), r.Digest(), e.calls)
	}
	texts := articles(300)
	got, err := r.Encode(t.Context(), texts, Passage)
	if err != nil {
		t.Fatal(err)
	}
	holdVectors(t, texts, got, 8)
	if r.Dim() != 8 || len(r.Digest()) != 16 || e.calls != 5 {
		t.Errorf("dimension %d, digest %q after %d calls", r.Dim(), r.Digest(), e.calls)
	}
	if none, err := r.Encode(t.Context(), nil, Passage); err != nil || len(none) != 0 {
		t.Errorf("no texts gave %v, %v", none, err)
	}
	if strings.Contains(r.Name(), "secret") || !strings.Contains(r.Name(), "counter at http://127.0.0.1:") {
		t.Errorf("its name is %s", r.Name())
	}
}

// TestRemoteIdentity holds that address, model and dimension decide the digest.
func TestRemoteIdentity(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []RemoteOptions{
		{URL: "http://a/v1", Model: "m", Dim: 8}, {URL: "http://b/v1", Model: "m", Dim: 8},
		{URL: "http://a/v1", Model: "n", Dim: 8}, {URL: "http://a/v1", Model: "m", Dim: 9},
	} {
		r, err := NewRemote(o)
		if err != nil || seen[r.Digest()] {
			t.Errorf("%+v: %v, %v", o, r.Digest(), err)
		}
		seen[r.Digest()] = true
	}
	same, err := NewRemote(RemoteOptions{URL: "http://a/v1/", Model: "m", Dim: 8, Key: "k", Timeout: time.Second})
	if err != nil || !seen[same.Digest()] {
		t.Errorf("key, time-out or a slash changed the digest: %v", err)
	}
	for _, o := range []RemoteOptions{{URL: "localhost:80", Model: "m"}, {URL: "http://", Model: "m"}, {URL: "http://a"}, {URL: "http://a", Model: "m", Dim: -1}} {
		if _, err := NewRemote(o); err == nil || !strings.Contains(err.Error(), "LEXAGENT_EMBED_") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestRemoteLimits holds that limits of the endpoint are kept to, and every text
// still gets its own vector.
func TestRemoteLimits(t *testing.T) {
	status := func(code int, after string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(code)
		}
	}
	broken := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	texts := articles(100)
	for _, test := range []struct {
		name     string
		endpoint *endpoint
		atLeast  time.Duration
		largest  int // texts of the largest call that was answered
	}{
		{"429 with seconds", &endpoint{before: []func(http.ResponseWriter){status(429, "1")}}, time.Second, 64},
		{"429 without seconds", &endpoint{before: []func(http.ResponseWriter){status(429, "")}}, 400 * time.Millisecond, 64},
		{"413", &endpoint{mostText: 10}, 0, 9},
		{"5xx and a broken connection", &endpoint{before: []func(http.ResponseWriter){status(500, ""), status(503, "0.2"), broken}}, 600 * time.Millisecond, 64},
		{"one call in 200 ms", &endpoint{pause: 200 * time.Millisecond, mostText: 20}, 600 * time.Millisecond, 18},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := test.endpoint.serve(t, RemoteOptions{})
			start := time.Now()
			got, err := r.Encode(t.Context(), texts, Passage)
			if err != nil {
				t.Fatal(err)
			}
			holdVectors(t, texts, got, 8)
			if took := time.Since(start); took < test.atLeast {
				t.Errorf("took %s, and the endpoint asked for %s", took, test.atLeast)
			}
			// Which of two calls at once is refused first decides how a size is halved.
			if largest := slices.Max(test.endpoint.sizes); largest > test.largest || 4*largest < 3*test.largest {
				t.Errorf("calls of %v texts were answered", test.endpoint.sizes)
			}
		})
	}
}

// TestRemoteRemembersLimits holds that a call found too large is not tried again.
func TestRemoteRemembersLimits(t *testing.T) {
	e := &endpoint{mostText: 16}
	r := e.serve(t, RemoteOptions{})
	if _, err := r.Encode(t.Context(), articles(64), Passage); err != nil {
		t.Fatal(err)
	}
	before := e.calls
	if _, err := r.Encode(t.Context(), articles(64), Passage); err != nil || e.calls-before != 4 {
		t.Errorf("64 texts took %d calls the second time (%v)", e.calls-before, err)
	}
}

// TestRemoteCutsLongTexts holds that a text the endpoint can't take has the vector
// of its begin, as with a local encoder.
func TestRemoteCutsLongTexts(t *testing.T) {
	r := (&endpoint{longest: 500}).serve(t, RemoteOptions{})
	long := strings.Repeat("法律", 20_000)
	got, err := r.Encode(t.Context(), []string{"短", long}, Passage)
	if err != nil {
		t.Fatal(err)
	}
	holdVectors(t, []string{"短", firstRunes(long, remoteRunes/16)}, got, 8)
}

// TestRemoteRefuses holds that what is no vector, or will never come, is one
// sentence that names the endpoint and no secret.
func TestRemoteRefuses(t *testing.T) {
	always := func(code int, header ...string) []func(http.ResponseWriter) {
		return slices.Repeat([]func(http.ResponseWriter){func(w http.ResponseWriter) {
			if len(header) > 0 {
				w.Header().Set("Retry-After", header[0])
			}
			w.WriteHeader(code)
			fmt.Fprintf(w, "{\"error\":{\"message\":\"wrong\\nfor key hidden\"}}")
		}}, 50)
	}
	text := func(s string) func([]string) string { return func([]string) string { return s } }
	for _, test := range []struct {
		name     string
		endpoint *endpoint
		options  RemoteOptions
		role     Role
		want     string
	}{
		{"other dimension than asked for", &endpoint{answer: func(in []string) string { return embeddings(in, 7) }}, RemoteOptions{Dim: 8}, Passage, "7 dimensions instead of 8"},
		{"NaN", &endpoint{answer: text(`{"data":[{"index":0,"embedding":[1,NaN]}]}`)}, RemoteOptions{}, Passage, "no vectors of finite numbers"},
		{"null", &endpoint{answer: text(`{"data":[{"index":0,"embedding":[1,null]}]}`)}, RemoteOptions{}, Passage, `"null" is no number`},
		{"too large for 32 bits", &endpoint{answer: text(`{"data":[{"index":0,"embedding":[1,1e300]}]}`)}, RemoteOptions{}, Passage, `"1e300" is no number`},
		{"zeros", &endpoint{answer: text(`{"data":[{"index":0,"embedding":[0,0]}]}`)}, RemoteOptions{}, Passage, "a vector without length"},
		{"too few", &endpoint{answer: text(`{"data":[]}`)}, RemoteOptions{}, Passage, "0 vectors for 1 texts"},
		{"too many", &endpoint{answer: text(`{"data":[{"embedding":[1]},{"embedding":[1]}]}`)}, RemoteOptions{}, Passage, "2 vectors for 1 texts"},
		{"another text's", &endpoint{answer: text(`{"data":[{"index":1,"embedding":[1]}]}`)}, RemoteOptions{}, Passage, "two vectors for one text, or none"},
		{"a page", &endpoint{answer: text(`<html>`)}, RemoteOptions{}, Passage, "no vectors of finite numbers"},
		{"a wrong key", &endpoint{key: "right"}, RemoteOptions{Key: "hidden"}, Passage, "check LEXAGENT_EMBED_KEY"},
		{"an unknown model", &endpoint{before: always(404)}, RemoteOptions{}, Passage, "check LEXAGENT_EMBED_URL and LEXAGENT_EMBED_MODEL"},
		{"a bad request", &endpoint{before: always(400)}, RemoteOptions{Key: "hidden"}, Passage, "error 400: wrong for key …"},
		{"a text too large", &endpoint{before: always(413)}, RemoteOptions{}, Passage, "takes no text of this length"},
		{"a pause of an hour", &endpoint{before: always(429, "3600")}, RemoteOptions{}, Passage, "wants a pause of 1h0m0s"},
		{"a question meets 429", &endpoint{before: always(429, "60")}, RemoteOptions{}, Query, "has too many requests"},
		{"a question meets 500", &endpoint{before: always(500)}, RemoteOptions{}, Query, "error 500"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			got, err := test.endpoint.serve(t, test.options).Encode(t.Context(), []string{"合同" + strings.Repeat("长", 100)}, test.role)
			if err == nil {
				t.Fatalf("got %v", got)
			}
			for _, bad := range []string{"\n", "hidden"} {
				if strings.Contains(err.Error(), bad) {
					t.Errorf("%q is in: %v", bad, err)
				}
			}
			if !strings.Contains(err.Error(), "the embedding endpoint http://127.0.0.1:") || !strings.Contains(err.Error(), test.want) {
				t.Error(err)
			}
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("that took %s", took)
			}
		})
	}
}

// TestRemoteChangesItsMind holds that a second answer of another length is refused.
func TestRemoteChangesItsMind(t *testing.T) {
	dim := 8
	r := (&endpoint{answer: func(in []string) string { return embeddings(in, dim) }}).serve(t, RemoteOptions{})
	if _, err := r.Encode(t.Context(), []string{"合同"}, Passage); err != nil {
		t.Fatal(err)
	}
	dim = 9
	if _, err := r.Encode(t.Context(), []string{"合同"}, Query); err == nil || !strings.Contains(err.Error(), "9 dimensions instead of 8") {
		t.Errorf("got %v", err)
	}
}

// TestRemoteEndsInTime holds that time-outs and cancelled contexts end a call, and
// that a dead endpoint is said to be away.
func TestRemoteEndsInTime(t *testing.T) {
	slow := &endpoint{before: []func(http.ResponseWriter){func(http.ResponseWriter) { time.Sleep(300 * time.Millisecond) }}}
	if _, err := slow.serve(t, RemoteOptions{Timeout: 50 * time.Millisecond}).Encode(t.Context(), []string{"合同"}, Query); err == nil {
		t.Log("answered the second time")
	} else if !strings.Contains(err.Error(), "does not answer in time") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	waits := &endpoint{before: slices.Repeat([]func(http.ResponseWriter){func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	}}, 9)}
	start := time.Now()
	if _, err := waits.serve(t, RemoteOptions{}).Encode(ctx, articles(200), Passage); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 3*time.Second {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
	dead, err := NewRemote(RemoteOptions{URL: "http://127.0.0.1:1/v1", Model: "counter"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dead.Encode(t.Context(), []string{"合同"}, Query); err == nil || !strings.Contains(err.Error(), "can't be reached; is it running?") {
		t.Errorf("got %v", err)
	}
}
