package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/retrieval"
	"lexagent/state"
)

// problem is an error as a client sees it, in OpenAI's shape. Its message is one
// sentence in English; the page has its own words for the codes.
type problem struct {
	Status  int
	Message string
	Code    string
	Param   string // the field that is wrong, if one is
	Retry   int    // seconds after which to try again, 0 = not told
}

func (p *problem) Error() string { return p.Message }

// badParam is a problem with one field of the request.
func badParam(param, format string, args ...any) *problem {
	return &problem{Status: 400, Code: "invalid_value", Param: param, Message: fmt.Sprintf(format, args...)}
}

// MarshalJSON writes {"error":{message,type,code,param}}; what is not known is null.
func (p *problem) MarshalJSON() ([]byte, error) {
	type body struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Code    *string `json:"code"`
		Param   *string `json:"param"`
	}
	kind := "invalid_request_error"
	if p.Status >= 500 {
		kind = "server_error"
	}
	return encode(struct {
		Error body `json:"error"`
	}{body{p.Message, kind, orNull(p.Code), orNull(p.Param)}})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// statusLeft is the status in the log of a request whose client went away.
const statusLeft = 499

// problemOf joins an error of any port with its status and public message.
func (s *Server) problemOf(c context.Context, ctx *app.RequestContext, err error) *problem {
	var p *problem
	var input *retrieval.InputError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &input):
		return &problem{Status: 400, Code: "invalid_value", Param: input.Param, Message: input.Problem}
	case s.o.NotFound != nil && errors.Is(err, s.o.NotFound):
		return &problem{Status: 404, Code: "not_found", Message: "the statute book has nothing by this id"}
	case errors.Is(err, state.ErrNone):
		return &problem{Status: 404, Code: "not_found", Message: "there is no such conversation, or it was kept for its time and is gone"}
	case errors.Is(err, state.ErrDown):
		return &problem{Status: 503, Code: "unavailable", Message: "the store of conversations is out of reach; try again in a moment", Retry: 5}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(c.Err(), context.DeadlineExceeded):
		return &problem{Status: 504, Code: "timeout", Message: "it took too long; try again or ask for less"}
	case s.stopping():
		return &problem{Status: 503, Code: "stopping", Message: "the server is stopping; try again in a moment", Retry: 5}
	case c.Err() != nil:
		return &problem{Status: statusLeft, Code: "client_left", Message: "the client left"}
	}
	for _, u := range s.o.Unavailable {
		if errors.Is(err, u) {
			s.o.Logger.Warn("unavailable", "request_id", requestID(ctx), "error", err)
			return &problem{Status: 503, Code: "unavailable", Message: "something that this needs is not available; try again in a moment", Retry: 5}
		}
	}
	s.o.Logger.Error("request failed", "request_id", requestID(ctx), "error", err)
	return internalProblem(ctx)
}

func internalProblem(ctx *app.RequestContext) *problem {
	return &problem{Status: 500, Code: "internal_error", Message: "something went wrong here; the request id is " + requestID(ctx)}
}

// fail writes a problem as the response.
func (s *Server) fail(ctx *app.RequestContext, p *problem) {
	if p.Retry > 0 {
		ctx.Header("Retry-After", strconv.Itoa(p.Retry))
	}
	if err := writeJSON(ctx, p.Status, p); err != nil {
		s.o.Logger.Error("write error", "request_id", requestID(ctx), "error", err)
	}
}

// writeJSON writes v as the response.
func writeJSON(ctx *app.RequestContext, status int, v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	ctx.Data(status, "application/json; charset=utf-8", b)
	return nil
}

// encode is JSON without HTML escapes and without a newline at its end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode response: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
