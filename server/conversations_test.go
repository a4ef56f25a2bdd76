package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lexagent/graph"
	"lexagent/server"
	"lexagent/state"
	"lexagent/state/redistest"
)

const talkHeader = "X-Conversation-Id: "

// said is what the answer says about its conversation.
type said struct {
	Choices []struct {
		Message struct{ Content string } `json:"message"`
	} `json:"choices"`
	Lexagent struct {
		Conversation *struct {
			ID       string `json:"id"`
			Recalled int    `json:"recalled"`
			Memory   string `json:"memory"`
		} `json:"conversation"`
	} `json:"lexagent"`
}

func (s *site) say(t *testing.T, question, conversation string, header ...string) said {
	t.Helper()
	body := fmt.Sprintf(`{"model":"lexagent","messages":[{"role":"system","content":"简短"},{"role":"user","content":%q}]}`, question)
	res, text := s.do("POST", chatPath, body, append(header, talkHeader+conversation)...)
	if res.StatusCode != 200 || res.Header.Get("X-Conversation-Id") != conversation {
		t.Fatalf("%d %v %s", res.StatusCode, res.Header, text)
	}
	var a said
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestConversation(t *testing.T) {
	s := serve(t)
	s.script.asked = make(chan graph.Request, 1)
	if a := s.say(t, "甲", "c-1"); a.Lexagent.Conversation.Recalled != 0 || a.Lexagent.Conversation.Memory != "kept" {
		t.Errorf("%+v", a.Lexagent.Conversation)
	}
	if r := <-s.script.asked; len(r.History) != 0 {
		t.Errorf("a new conversation has a history: %v", r.History)
	}
	if a := s.say(t, "乙", "c-1"); a.Lexagent.Conversation.Recalled != 2 {
		t.Errorf("%+v", a.Lexagent.Conversation)
	}
	if r := <-s.script.asked; len(r.History) != 2 || r.History[0] != (graph.Turn{Role: "user", Text: "甲"}) || r.History[1].Text != answerText {
		t.Errorf("history %v", r.History)
	}
	// Several messages are the whole truth.
	s.do("POST", chatPath, `{"model":"lexagent","messages":[{"role":"user","content":"子"},{"role":"assistant","content":"丑"},{"role":"user","content":"丙"}]}`, talkHeader+"c-1")
	if r := <-s.script.asked; len(r.History) != 2 || r.History[0].Text != "子" {
		t.Errorf("history %v", r.History)
	}
	// Streams remember too.
	_, stream := s.do("POST", chatPath, ask(`,"stream":true`), talkHeader+"c-1")
	if r := <-s.script.asked; len(r.History) != 6 || !strings.Contains(stream, `"conversation":{"id":"c-1","recalled":6,"memory":"kept"}`) {
		t.Errorf("history of %d turns, %s", len(r.History), stream)
	}
	// Without the header nothing is recalled, nor told.
	_, plain := s.do("POST", chatPath, ask(""))
	if r := <-s.script.asked; len(r.History) != 0 || strings.Contains(plain, `"conversation"`) {
		t.Errorf("history %v, %s", r.History, plain)
	}
}

func TestConversationExportAndDelete(t *testing.T) {
	s := serve(t)
	for _, method := range []string{"GET", "DELETE"} {
		if res, body := s.do(method, "/v1/conversations/c-1", ""); res.StatusCode != 404 || !strings.Contains(body, `"code":"not_found"`) {
			t.Errorf("%s of none: %d %s", method, res.StatusCode, body)
		}
	}
	s.say(t, "甲", "c-1", "X-Request-Id: r-1")
	_, body := s.do("GET", "/v1/conversations/c-1", "")
	want := `{"id":"c-1","object":"conversation","messages":[{"role":"user","content":"甲","created_at":"2026-01-02T12:00:00Z"},` +
		`{"role":"assistant","content":` + quoted(answerText) + `,"created_at":"2026-01-02T12:00:00Z","answer_id":"chatcmpl-r-1",` +
		`"citations":["民法典@2020-05-28:1077","民法典@2020-05-28:1076"]}]}`
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if _, body := s.do("DELETE", "/v1/conversations/c-1", ""); body != `{"id":"c-1","object":"conversation.deleted","deleted":true}` {
		t.Error(body)
	}
	if res, _ := s.do("GET", "/v1/conversations/c-1", ""); res.StatusCode != 404 {
		t.Errorf("after it was deleted: %d", res.StatusCode)
	}
	if res, _ := s.do("POST", "/v1/conversations/c-1", ""); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD, DELETE, OPTIONS" {
		t.Errorf("%d %s", res.StatusCode, res.Header.Get("Allow"))
	}
}

func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return strings.TrimSpace(b.String())
}

func TestConversationsEnd(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Retention = 50 * time.Millisecond })
	s.say(t, "甲", "c-1")
	time.Sleep(100 * time.Millisecond)
	if res, _ := s.do("GET", "/v1/conversations/c-1", ""); res.StatusCode != 404 {
		t.Errorf("after its time: %d", res.StatusCode)
	}
}

func TestBadConversationIDs(t *testing.T) {
	s := serve(t)
	for _, id := range []string{"a b", "../x", "a:b", strings.Repeat("x", 129)} {
		if res, body := s.do("POST", chatPath, ask(""), talkHeader+id); res.StatusCode != 400 || !strings.Contains(body, `"param":"X-Conversation-Id"`) {
			t.Errorf("%.20q: %d %s", id, res.StatusCode, body)
		}
	}
}

// redisOf opens the store that replicas share.
func redisOf(t *testing.T, r *redistest.Server) func(*server.Options) {
	t.Helper()
	shared, err := state.OpenRedis(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Close() })
	return func(o *server.Options) { o.State = shared }
}

// A conversation that began at one replica goes on at another.
func TestConversationOverReplicas(t *testing.T) {
	r := redistest.Start(t)
	one, two := serve(t, redisOf(t, r)), serve(t, redisOf(t, r))
	one.say(t, "甲", "c-1")
	two.script.asked = make(chan graph.Request, 1)
	two.say(t, "乙", "c-1")
	if asked := <-two.script.asked; len(asked.History) != 2 || asked.History[0].Text != "甲" {
		t.Errorf("the other replica knows %v", asked.History)
	}
	if err := one.stop(); err != nil { // a replica that ends takes nothing along
		t.Fatal(err)
	}
	if a := two.say(t, "丙", "c-1"); a.Lexagent.Conversation.Recalled != 4 {
		t.Errorf("%+v", a.Lexagent.Conversation)
	}
}

// Without Redis questions are answered, and the answers say that they are not remembered.
func TestConversationWithoutRedis(t *testing.T) {
	r := redistest.Start(t)
	s := serve(t, redisOf(t, r))
	s.say(t, "甲", "c-1")
	r.Kill()
	for range 5 {
		begun := time.Now()
		a := s.say(t, "乙", "c-1")
		if a.Lexagent.Conversation.Memory != "lost" || !strings.Contains(a.Choices[0].Message.Content, "会话记忆暂时不可用") {
			t.Errorf("%+v\n%s", a.Lexagent.Conversation, a.Choices[0].Message.Content)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("the answer took %v", took)
		}
	}
	if res, body := s.do("GET", "/v1/conversations/c-1", ""); res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	r.Start()
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if a := s.say(t, "丙", "c-1"); a.Lexagent.Conversation.Memory == "kept" {
			break
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatal("memory is not back after 10 s")
		}
	}
}
