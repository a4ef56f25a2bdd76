package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/retrieval"
	"lexagent/verify"
)

// Checker checks what a text says about statutes; *verify.Checker is one.
type Checker interface {
	Check(ctx context.Context, d verify.Draft) (*verify.Report, error)
}

// checkRequest is the body of POST /v1/check. The zero value of each field but Text is
// its default.
type checkRequest struct {
	Text        string   `json:"text"`
	Question    string   `json:"question"`    // what the text answers; figures in it may be repeated
	Evidence    []string `json:"evidence"`    // ids of the articles it was written from; absent = it may refer to any
	AsOf        string   `json:"as_of"`       // 2021-01-01, "any", or "" for today
	Collections []string `json:"collections"` // default: public
}

// maxEvidence bounds the articles that a text was written from.
const maxEvidence = 100

// draft checks the fields that the checker does not.
func (r *checkRequest) draft() (verify.Draft, retrieval.AsOf, error) {
	asOf, err := retrieval.ParseAsOf(r.AsOf)
	if err != nil {
		return verify.Draft{}, asOf, err
	}
	sc := retrieval.Scope{Collections: r.Collections}
	d := verify.Draft{Text: r.Text, Question: r.Question, Collections: sc.Visible(), AnyDay: asOf.Any}
	switch {
	case strings.TrimSpace(r.Text) == "":
		return d, asOf, badParam("text", "the text is empty")
	case len(r.Text) > verify.MaxText:
		return d, asOf, tooLong
	case utf8.RuneCountInString(r.Question) > retrieval.MaxQuestion:
		return d, asOf, badParam("question", "the question is too long: at most %d characters are allowed", retrieval.MaxQuestion)
	case len(r.Evidence) > maxEvidence:
		return d, asOf, badParam("evidence", "%d articles are too many: at most %d are allowed", len(r.Evidence), maxEvidence)
	}
	if err := checkNames("evidence", r.Evidence); err != nil {
		return d, asOf, err
	}
	return d, asOf, checkNames("collections", d.Collections)
}

var tooLong = &problem{
	Status: 413, Code: "request_too_large", Param: "text",
	Message: fmt.Sprintf("the text is too long: at most %d bytes are allowed", verify.MaxText),
}

// check answers POST /v1/check with a verify.Report. Its notes are in English for
// clients that ask for it (Accept-Language).
func (s *Server) check(c context.Context, ctx *app.RequestContext) error {
	if s.o.Checker == nil {
		return &problem{Status: 404, Code: "not_found", Message: "texts are not checked here"}
	}
	var r checkRequest
	if err := readJSON(ctx, &r); err != nil {
		return err
	}
	d, asOf, err := r.draft()
	if err != nil {
		return err
	}
	if d.Collections, err = visible(ctx, r.Collections); err != nil {
		return err
	}
	d.Day = asOf.On(s.o.Now())
	d.English = strings.HasPrefix(strings.ToLower(string(ctx.GetHeader("Accept-Language"))), "en")
	c, done, err := s.take(c, s.searches, s.o.ReadTimeout)
	if err != nil {
		return err
	}
	defer done()
	if d.Evidence, err = verify.ReadEvidence(c, s.o.Statutes, d.Collections, r.Evidence, d.Day); err != nil {
		return err
	}
	report, err := s.o.Checker.Check(c, d)
	switch {
	case errors.Is(err, verify.ErrTooLong):
		return tooLong
	case err != nil:
		return err
	}
	return writeJSON(ctx, 200, report)
}
