package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"lexagent/evaluator"
	"lexagent/evaluator/judge"
	"lexagent/evaluator/report"
	"lexagent/prompts"
	"lexagent/server"
)

// fixedJudge gives every answer the same scores, and none to what it does not
// understand.
type fixedJudge struct{}

func (fixedJudge) Judge(ctx context.Context, it judge.Item) (judge.Verdict, error) {
	v := judge.Verdict{Usage: judge.Usage{Calls: 1, PromptTokens: 100, CompletionTokens: 10}}
	switch it.Answer {
	case "谜":
		return v, fmt.Errorf("%w: 散文", judge.ErrNoVerdict)
	case "down":
		return v, fmt.Errorf("%w: %w", judge.ErrModel, errors.New("connection refused at 10.0.0.1"))
	case "slow":
		<-ctx.Done()
		return v, ctx.Err()
	}
	v.Scores, v.Reason = prompts.Scores{Relevance: 5, Accuracy: 3, Completeness: 5, Fluency: 5}, "数字有误"
	return v, nil
}

func judging(o *server.Options) { o.Judge = fixedJudge{} }

func TestJudge(t *testing.T) {
	s := serve(t, judging)
	var r struct {
		Prompt  string
		Results []struct {
			ID     string
			Score  *float64
			Scores *prompts.Scores
			Error  string
		}
		LLM judge.Usage
	}
	s.get("POST", "/v1/judge", `{"items":[{"id":"a","question":"期限？","answer":"三十日","reference":"三十日。"},
		{"id":"b","question":"期限？","answer":"谜","articles":[{"law":"某法","article_label":"第一条","text":"三十日"}]}]}`, &r)
	if len(r.Results) != 2 || r.Results[0].Score == nil || math.Abs(*r.Results[0].Score-0.8) > 1e-9 || r.Results[0].Scores.Accuracy != 3 {
		t.Errorf("%+v", r)
	}
	if b := r.Results[1]; b.Score != nil || b.Error == "" || r.LLM.Calls != 2 {
		t.Errorf("what got no verdict has a score, or no reason: %+v", r)
	}
	s.get("POST", "/v1/judge", `{"items":[{"question":"期限？","answer":"三十日","reference":"三十日。"}],"weights":{"relevance":0,"accuracy":1,"completeness":0,"fluency":0}}`, &r)
	if *r.Results[0].Score != 0.5 {
		t.Errorf("with weights: %v", *r.Results[0].Score)
	}
	s.get("POST", "/v1/judge", `{"items":[{"question":"期限？","answer":"三十日","reference":"三十日。"}],"weights":{"relevance":1,"accuracy":1,"completeness":0,"fluency":0}}`, &r)
	if *r.Results[0].Score != 0.75 {
		t.Errorf("weights that do not make 1: %v", *r.Results[0].Score)
	}
}

func TestBadJudgeRequests(t *testing.T) {
	s := serve(t, judging)
	item := `{"question":"q","answer":"a","reference":"r"}`
	for _, c := range []struct {
		what, body  string
		status      int
		code, param string
	}{
		{"nothing", `{}`, 400, "invalid_value", "items"},
		{"too many", `{"items":[` + item + strings.Repeat(","+item, 20) + `]}`, 400, "invalid_value", "items"},
		{"no question", `{"items":[{"answer":"a","reference":"r"}]}`, 400, "invalid_value", "items[0].question"},
		{"nothing to compare", `{"items":[` + item + `,{"question":"q","answer":"a"}]}`, 400, "invalid_value", "items[1].reference"},
		{"an answer of a megabyte", `{"items":[{"question":"q","reference":"r","answer":"` + strings.Repeat("x", 1<<20) + `"}]}`, 400, "invalid_value", "items[0]"},
		{"weights", `{"items":[` + item + `],"weights":{"relevance":1,"accuracy":-1,"completeness":0,"fluency":0}}`, 400, "invalid_value", "weights"},
		{"no weight at all", `{"items":[` + item + `],"weights":{"relevance":0,"accuracy":0,"completeness":0,"fluency":0}}`, 400, "invalid_value", "weights"},
		{"typing error", `{"item":[]}`, 400, "unknown_field", "item"},
		{"no object", `[]`, 400, "invalid_json", ""},
		{"model away", `{"items":[{"question":"q","answer":"down","reference":"r"}]}`, 503, "unavailable", ""},
	} {
		res, body := s.do("POST", "/v1/judge", c.body)
		if res.StatusCode != c.status || !strings.Contains(body, `"code":"`+c.code+`"`) || c.param != "" && !strings.Contains(body, `"param":"`+c.param+`"`) || strings.Contains(body, "10.0.0.1") {
			t.Errorf("%s: %d %.300s", c.what, res.StatusCode, body)
		}
	}
	if res, _ := serve(t).do("POST", "/v1/judge", `{"items":[`+item+`]}`); res.StatusCode != 404 {
		t.Errorf("without a language model: %d", res.StatusCode)
	}
	slow := serve(t, judging, func(o *server.Options) { o.AnswerTimeout = 50e6 })
	if res, body := slow.do("POST", "/v1/judge", `{"items":[{"question":"q","answer":"slow","reference":"r"}]}`); res.StatusCode != 504 || res.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestEvalRetrieval(t *testing.T) {
	s := serve(t)
	run := `{"id":"q1","hits":[{"id":"民法典@2020-05-28:1077","source_id":"","score":2},{"id":"民法典@2020-05-28:1076","source_id":"","score":1}],"ms":1}`
	gold := `{"id":"q1","question":"反悔","gold":[{"article_id":"民法典@2020-05-28:1076"}]}`
	var r evaluator.Report
	s.get("POST", "/v1/eval/retrieval", `{"run":[`+run+`],"gold":[`+gold+`],"k":[1,2]}`, &r)
	if r.Queries != 1 || r.Metrics["recall@1"].Value != 0 || r.Metrics["recall@2"].Value != 1 || r.Metrics["mrr@2"].Value != 0.5 {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct{ what, body, param, says string }{
		{"nothing", `{}`, "run", "1 to 2000"},
		{"no gold", `{"run":[` + run + `]}`, "gold", "1 to 2000"},
		{"another gold", `{"run":[` + run + `],"gold":[{"id":"q9","gold":[{"article_id":"x"}]}]}`, "gold", "none of the questions"},
		{"no run", `{"run":[{"question":"x"}],"gold":[` + gold + `]}`, "run", "line 1"},
		{"gold that is none", `{"run":[` + run + `],"gold":[` + gold + `,{"id":"q2","gold":[{"law":"x"}]}]}`, "gold", "line 2"},
		{"cutoffs", `{"run":[` + run + `],"gold":[` + gold + `],"k":[0]}`, "k", "1 to 1000"},
		{"resamples", `{"run":[` + run + `],"gold":[` + gold + `],"bootstrap":1000000}`, "bootstrap", "0 to 1000"},
		{"matching", `{"run":[` + run + `],"gold":[` + gold + `],"by":"smell"}`, "by", "smell"},
	} {
		res, body := s.do("POST", "/v1/eval/retrieval", c.body)
		if res.StatusCode != 400 || !strings.Contains(body, `"param":"`+c.param+`"`) || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %.300s", c.what, res.StatusCode, body)
		}
	}
}

func TestReports(t *testing.T) {
	r := report.Report{Name: "t1", Title: "Table <1>", Measures: []string{"recall@5"},
		Sets: []report.Set{{Name: "STARD", Questions: 3, Rows: []report.Row{{Name: "BM25", Metrics: map[string]evaluator.Metric{"recall@5": {Value: .5, Low: .4, High: .6}}}}}}}
	var page strings.Builder
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{
		"t1/report.html": {Data: []byte(page.String())}, "t1/report.json": {Data: b}, "t2/report.html": {Data: []byte("<p>old</p>")},
		"half/runs/x.jsonl": {Data: []byte("{}")}, ".hidden/report.html": {Data: []byte("secret")},
	}
	s := serve(t, func(o *server.Options) { o.Reports = files })
	res, body := s.do("GET", "/reports/", "")
	if res.StatusCode != 200 || !strings.Contains(body, `<a href="/reports/t1">Table &lt;1&gt;</a>: STARD, 3 questions, 1 systems`) ||
		!strings.Contains(body, "/reports/t2") || strings.Contains(body, "half") || strings.Contains(body, "hidden") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if p := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'") || len(res.Header.Values("Content-Security-Policy")) != 1 {
		t.Errorf("policy %q", p)
	}
	res, body = s.do("GET", "/reports/t1", "")
	p := res.Header.Get("Content-Security-Policy")
	if res.StatusCode != 200 || !strings.Contains(body, "<svg ") || !strings.HasPrefix(p, "default-src 'none'; style-src 'sha256-") || strings.Contains(p, "unsafe") {
		t.Errorf("%d %q %.200s", res.StatusCode, p, body)
	}
	for _, path := range []string{"/reports/half", "/reports/nothing", "/reports/.hidden", "/reports/..%2Ft1", "/reports/t1%2Freport.json"} {
		if res, body := s.do("GET", path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %d %.100s", path, res.StatusCode, body)
		}
	}
	if res, _ := serve(t).do("GET", "/reports/", ""); res.StatusCode != 404 {
		t.Errorf("without a folder: %d", res.StatusCode)
	}
}
