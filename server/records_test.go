package server_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"lexagent/server"
	"lexagent/server/journal"
	"lexagent/state/redistest"
)

// Each answer leaves a record of what it rests on, without question and text.
func TestAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	s := serve(t, func(o *server.Options) {
		o.Audit, o.LLM, o.Generation = journal.Open(path, 0), "qwen3", func() string { return "g-1" }
	})
	for _, more := range []string{"", `,"stream":true`} {
		s.do("POST", chatPath, ask(more), "X-Request-Id: r-1")
	}
	n := 0
	err := journal.Read(path, func(line json.RawMessage) error {
		n++
		var a server.Audit
		if err := json.Unmarshal(line, &a); err != nil {
			return err
		}
		if a.Answer != "chatcmpl-r-1" || a.LLM != "qwen3" || a.Generation != "g-1" || a.AsOf != "2026-01-02" || a.Kind != "generated" ||
			strings.Join(a.Citations, " ") != "民法典@2020-05-28:1077 民法典@2020-05-28:1076" || len(a.Evidence) != 3 ||
			a.Outcome != "passed" || a.Verdicts["exists"] != 3 || a.Removed != 1 || a.Tokens != 955 {
			t.Errorf("%s", line)
		}
		if text := string(line); strings.Contains(text, "离婚") || strings.Contains(text, "可以撤回") {
			t.Errorf("the record holds what was asked or answered: %s", text)
		}
		return nil
	})
	if err != nil || n != 2 {
		t.Errorf("%d records, %v", n, err)
	}
}

// broken is a journal on a full disk.
type broken struct{}

func (broken) Append(any) error { return errors.New("no space left") }

// An answer goes out also where its record can't be kept, and the log says so.
func TestAuditFails(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Audit = broken{} })
	if res, body := s.do("POST", chatPath, ask("")); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if !strings.Contains(s.log.String(), "the record of an answer is not kept") {
		t.Error(s.log.String())
	}
}

func TestFeedback(t *testing.T) {
	path := filepath.Join(t.TempDir(), "feedback.jsonl")
	s := serve(t, func(o *server.Options) { o.Feedback = journal.Open(path, 0) })
	const good = `{"answer_id":"chatcmpl-r-1","rating":"down","reason":"漏了诉讼时效","scores":{"relevance":5,"accuracy":2,"completeness":1.5,"fluency":4}}`
	if res, body := s.do("POST", "/v1/feedback", good); res.StatusCode != 200 || body != `{"object":"feedback","answer_id":"chatcmpl-r-1","rating":"down"}` {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	for name, bad := range map[string]string{
		"answer_id": `{"answer_id":"","rating":"up"}`, "rating": `{"answer_id":"c","rating":"good"}`,
		"reason":  `{"answer_id":"c","rating":"up","reason":"` + strings.Repeat("长", 2001) + `"}`,
		"scores":  `{"answer_id":"c","rating":"up","scores":{"relevance":5,"accuracy":6,"completeness":1,"fluency":4}}`,
		"answers": `{"answers":"c"}`,
	} {
		if res, body := s.do("POST", "/v1/feedback", bad); res.StatusCode != 400 || !strings.Contains(body, `"param":"`+name+`"`) {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
	n := 0
	if err := journal.Read(path, func(f server.Feedback) error {
		if n++; f.Rating != "down" || f.Reason != "漏了诉讼时效" || f.Scores.Completeness != 1.5 {
			t.Errorf("%+v", f)
		}
		return nil
	}); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
}

// The line stands at the end of the content, streamed or not, and nowhere else.
func TestDisclaimer(t *testing.T) {
	const line = "以上内容供参考，不是法律意见。"
	s := serve(t, func(o *server.Options) { o.Disclaimer = line })
	_, whole := s.do("POST", chatPath, ask(""))
	if !strings.Contains(whole, `\n\n`+line+`","refusal"`) || strings.Count(whole, line) != 1 {
		t.Error(whole)
	}
	_, stream := s.do("POST", chatPath, ask(`,"stream":true`))
	if !strings.Contains(stream, `\n\n`+line+`"}`) || strings.Count(stream, line) != 1 {
		t.Error(stream)
	}
}

func TestDependencies(t *testing.T) {
	r := redistest.Start(t)
	s := serve(t, redisOf(t, r))
	s.health.r.Dependencies = map[string]string{"milvus": "ready"}
	if _, body := s.do("GET", "/readyz", ""); !strings.Contains(body, `"dependencies":{"llm":"configured","milvus":"ready","redis":"ready"}`) {
		t.Error(body)
	}
	r.Kill()
	if res, body := s.do("GET", "/readyz", ""); res.StatusCode != 200 || !strings.Contains(body, `"redis":"down"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}
