package server

import (
	"errors"
	"testing"
)

func TestVerifyInlineIsAskedFor(t *testing.T) {
	body := func(verify string) []byte {
		return []byte(`{"model":"lexagent","messages":[{"role":"user","content":"试用期多久"}]` + verify + `}`)
	}
	for _, c := range []struct {
		verify string
		inline bool
		ok     bool
	}{{"", false, true}, {`,"verify":""`, false, true}, {`,"verify":"inline"`, true, true}, {`,"verify":"never"`, false, false}} {
		_, g, err := decodeChat(body(c.verify))
		var p *problem
		if c.ok != (err == nil) || g.Inline != c.inline || err != nil && (!errors.As(err, &p) || p.Status != 400 || p.Param != "verify") {
			t.Errorf("%s: inline %v, %v", c.verify, g.Inline, err)
		}
	}
}

// References are followed where the request says so.
func TestFollowIsAsked(t *testing.T) {
	for body, want := range map[string]bool{`{"model":"lexagent","messages":[{"role":"user","content":"a"}]}`: false, `{"model":"lexagent","messages":[{"role":"user","content":"a"}],"follow":true}`: true} {
		if _, g, err := decodeChat([]byte(body)); err != nil || g.Follow != want {
			t.Errorf("%s: follow %v, %v", body, g.Follow, err)
		}
	}
}
