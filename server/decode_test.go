package server

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"lexagent/retrieval"
)

// Whatever a client sends is either a question that can be asked, or a problem
// with a status of its own and one sentence.
func FuzzDecodeChat(f *testing.F) {
	for _, s := range []string{
		`{"model":"lexagent","messages":[{"role":"user","content":"问"}]}`,
		`{"model":"lexagent-search","messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"stream":true,"n":1}`,
		`{"model":"lexagent","messages":[{"role":"user","content":null},{"role":"assistant"}],"levels":[1,9],"as_of":"any"}`,
		`{"model":"lexagent","messages":[{"role":"user","content":"\ud800"}],"max_tokens":1e3,"collections":[null]}`,
		`{"messages":{}}`, `[]`, `null`, ``, "\xff", `{"model":"lexagent","messages":[[]]}`, `{"stream_options":7}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, g, err := decodeChat(body)
		var p *problem
		var input *retrieval.InputError
		switch {
		case err == nil:
			if r == nil || strings.TrimSpace(g.Question) == "" || !utf8.ValidString(g.Question) || len(g.Scope.Collections) == 0 {
				t.Errorf("accepted %q as %+v", body, g)
			}
		case errors.As(err, &input):
			if input.Param == "" {
				t.Errorf("%q: %+v", body, input)
			}
		case !errors.As(err, &p):
			t.Errorf("%q: %T %v", body, err, err)
		case p.Status != 400 && p.Status != 404 || p.Message == "":
			t.Errorf("%q: %+v", body, p)
		}
	})
}

func TestLoopbackHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST:1": true, "127.0.0.1": true, "127.0.0.1:9": true, "[::1]": true, "[::1]:8080": true,
		"": false, "evil.example": false, "localhost.evil.example:80": false, "127.0.0.1.evil.example": false, "0.0.0.0:80": false,
	} {
		if loopbackHost(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}
