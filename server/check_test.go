package server_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/book/booktest"
	"lexagent/server"
	"lexagent/verify"
)

const checkPath = "/v1/check"

// shelved is a statute book that holds the laws of a shelf.
func shelved(t testing.TB, s *shelf) *book.Book {
	t.Helper()
	var laws []booktest.Law
	for _, l := range s.laws {
		laws = append(laws, booktest.Law{Law: l, Units: s.units[l.ID]})
	}
	return booktest.New(t, laws...)
}

func withChecker(t testing.TB) func(*server.Options) {
	b := shelved(t, newShelf())
	return func(o *server.Options) { o.Checker = &verify.Checker{Book: b} }
}

func TestCheck(t *testing.T) {
	s := serve(t, withChecker(t))
	res, body := s.do("POST", checkPath, `{"text":"《民法典》第1077条规定：“自婚姻登记机关收到离婚登记申请之日起六十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。”另见第一千三百条。"}`)
	if res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	golden(t, "check.json", body+"\n")

	var r verify.Report
	s.get("POST", checkPath, `{"text":"《婚姻法》第三十一条","as_of":"2010-01-01"}`, &r)
	if !r.OK || len(r.Findings) != 1 || r.Findings[0].Verdict != verify.Exists || r.AsOf.String() != "2010-01-01" {
		t.Errorf("on a day of its own: %+v", r)
	}
	s.get("POST", checkPath, `{"text":"《婚姻法》第三十一条","as_of":"any"}`, &r)
	if !r.OK || !r.AsOf.IsZero() {
		t.Errorf("on any day: %+v", r)
	}
	s.get("POST", checkPath, `{"text":"《民法典》第1076条，三十日","evidence":["民法典:1077"]}`, &r)
	if !r.OK || r.Findings[0].Verdict != verify.NotInEvidence || r.Findings[1].Verdict != verify.FigureFound {
		t.Errorf("with evidence: %+v", r)
	}
	if _, body := s.do("POST", checkPath, `{"text":"《民法典》第一千三百条"}`, "Accept-Language: en-GB,en;q=0.9"); !strings.Contains(body, "has no 第一千三百条") {
		t.Errorf("in English: %s", body)
	}
}

func TestBadCheckRequests(t *testing.T) {
	s := serve(t, withChecker(t))
	for _, c := range []struct {
		name, body  string
		status      int
		code, param string
	}{
		{"nothing", `{}`, 400, "invalid_value", "text"},
		{"blank", `{"text":" \n"}`, 400, "invalid_value", "text"},
		{"no object", `[]`, 400, "invalid_json", ""},
		{"typing error", `{"text":"x","asof":"any"}`, 400, "unknown_field", "asof"},
		{"day", `{"text":"x","as_of":"2021-02-30"}`, 400, "invalid_value", "as_of"},
		{"collections", `{"text":"x","collections":[""]}`, 400, "invalid_value", "collections"},
		{"evidence that is not there", `{"text":"x","evidence":["民法典:9999"]}`, 404, "not_found", ""},
		{"much evidence", `{"text":"x","evidence":["a"` + strings.Repeat(`,"a"`, 100) + `]}`, 400, "invalid_value", "evidence"},
		{"long question", `{"text":"x","question":"` + strings.Repeat("长", 20_001) + `"}`, 400, "invalid_value", "question"},
		{"long text", `{"text":"` + strings.Repeat("x", verify.MaxText+1) + `"}`, 413, "request_too_large", "text"},
	} {
		res, body := s.do("POST", checkPath, c.body)
		if res.StatusCode != c.status || !strings.Contains(body, `"code":"`+c.code+`"`) || c.param != "" && !strings.Contains(body, `"param":"`+c.param+`"`) {
			t.Errorf("%s: %d %.300s", c.name, res.StatusCode, body)
		}
	}
	if res, _ := s.do("GET", checkPath, ""); res.StatusCode != 405 {
		t.Errorf("GET: %d", res.StatusCode)
	}
	if res, _ := serve(t).do("POST", checkPath, `{"text":"x"}`); res.StatusCode != 404 {
		t.Errorf("without a checker: %d", res.StatusCode)
	}
}

// slow is a checker that takes until its context ends.
type slow struct{}

func (slow) Check(ctx context.Context, _ verify.Draft) (*verify.Report, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestACheckHasADeadline(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Checker, o.ReadTimeout = slow{}, 50*time.Millisecond })
	if res, body := s.do("POST", checkPath, `{"text":"x"}`); res.StatusCode != 504 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

var _ verify.Units = (*shelf)(nil)
