package server_test

import (
	"strings"
	"testing"
)

func TestMetrics(t *testing.T) {
	s := serve(t)
	s.do("POST", chatPath, ask(`,"stream":true`))
	s.do("POST", "/v1/search", `{"question":"保密的问题"}`)
	s.do("POST", "/v1/search", `{"question":""}`)
	s.do("GET", "/somewhere/秘密", "")
	s.do("BREW", "/v1/search", "")
	res, text := s.do("GET", "/metrics", "")
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	for _, want := range []string{
		`lexagent_http_requests_total{method="POST",route="/v1/search",status="200"} 1`,
		`lexagent_http_requests_total{method="POST",route="/v1/search",status="400"} 1`,
		`lexagent_http_requests_total{method="GET",route="none",status="404"} 1`,
		`lexagent_http_request_seconds_count{route="/v1/chat/completions"} 1`,
		`lexagent_stage_seconds_count{stage="draft"} 1`,
		`lexagent_stage_seconds_sum{stage="draft"} 2.31`,
		`lexagent_stream_first_seconds_count{what="progress"} 1`,
		`lexagent_stream_first_seconds_count{what="text"} 1`,
		`lexagent_answers_total{kind="generated"} 1`,
		`lexagent_findings_total{verdict="exists"} 3`,
		`lexagent_false_citations_caught_total 1`,
		`lexagent_llm_tokens_total{kind="prompt"} 812`,
		`lexagent_llm_tokens_total{kind="completion"} 143`,
		`lexagent_running{class="search"} 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, secret := range []string{"秘密", "保密", "BREW"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics hold %s", secret)
		}
	}
}
