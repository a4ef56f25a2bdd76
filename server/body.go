package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/hertz/pkg/app"
	herrors "github.com/cloudwego/hertz/pkg/common/errors"
)

// watcher is what Hertz's connections can do under WithSenseClientDisconnection:
// end the request's context when the peer goes away. Hertz starts it by itself
// except for requests with a streamed body, which would be read by two then.
type watcher interface {
	DetectConnectionClose()
	AbortBlockingRead()
}

// body reads the request's body, at most MaxBody bytes (MaxUpload of documents), and
// then watches the connection while the handler works.
func (s *Server) body(c context.Context, ctx *app.RequestContext) {
	if !ctx.Request.IsBodyStream() {
		ctx.Next(c)
		return
	}
	if coding := strings.ToLower(string(ctx.GetHeader("Content-Encoding"))); coding != "" && coding != "identity" {
		s.refuse(ctx, &problem{Status: 415, Code: "unsupported_encoding", Message: "send the body as it is, without compression"})
		return
	}
	limit := s.o.MaxBody
	if s.o.Documents != nil && string(ctx.Path()) == documentsPath {
		limit = s.o.MaxUpload
		select {
		case s.uploads <- struct{}{}:
			defer func() { <-s.uploads }()
		default:
			s.refuseBody(ctx, errBusy, limit)
			ctx.Abort()
			return
		}
	}
	b, err := readBody(ctx.RequestBodyStream(), ctx.Request.Header.ContentLength(), limit)
	if err != nil {
		s.refuseBody(ctx, err, limit)
		ctx.Abort()
		return
	}
	ctx.Set(bodyKey, b)
	if w, ok := ctx.GetConn().(watcher); ok {
		w.DetectConnectionClose()
		defer w.AbortBlockingRead()
	}
	ctx.Next(c)
}

const bodyKey = "body"

// maxUploads is how many uploads are taken at the same time: each is in memory as a whole.
const maxUploads = 4

var (
	errTooLarge = errors.New("body too large")   // is returned when a body is longer than it may be
	errBusy     = errors.New("too many uploads") // is returned when maxUploads are being taken
)

// readBody reads a body of known length (≥ 0) or of unknown length (< 0) to its
// end. It asks for no byte beyond a known length, since those are the next request's.
func readBody(r io.Reader, length, limit int) ([]byte, error) {
	if length > limit {
		return nil, errTooLarge
	}
	if length >= 0 {
		b := make([]byte, length)
		_, err := io.ReadFull(r, b)
		return b, err
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(b) > limit {
		err = errTooLarge
	}
	return b, err
}

// refuseBody answers for a body that is not read to its end, so the connection
// can't go on; its Close lets the client finish.
func (s *Server) refuseBody(ctx *app.RequestContext, err error, limit int) {
	ctx.SetConnectionClose()
	p := &problem{Status: 400, Code: "bad_body", Message: "the body ended too early or is not well-formed HTTP"}
	switch {
	case errors.Is(err, errTooLarge):
		p = &problem{Status: 413, Code: "request_too_large", Message: fmt.Sprintf("the body is too large: at most %d bytes are allowed", limit)}
	case errors.Is(err, errBusy):
		p = &problem{Status: 503, Code: "busy", Message: "too many uploads at the same time; try again in a moment", Retry: 2}
	case errors.Is(err, herrors.ErrTimeout) || isTimeout(err):
		p = &problem{Status: 408, Code: "timeout", Message: "the body did not arrive in time"}
	}
	_ = ctx.GetConn().SetReadDeadline(past) // Hertz would read on; fails only when the peer is gone
	s.fail(ctx, p)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// requireJSON refuses bodies that do not say they are JSON. Browsers send those
// of foreign pages without asking, so this also keeps such pages out.
func requireJSON(ctx *app.RequestContext) error {
	kind, params, err := mime.ParseMediaType(string(ctx.ContentType()))
	if err != nil || kind != "application/json" {
		return &problem{Status: 415, Code: "unsupported_media_type", Message: "send JSON, with the header Content-Type: application/json"}
	}
	if charset := strings.ToLower(params["charset"]); charset != "" && charset != "utf-8" && charset != "utf8" {
		return &problem{Status: 415, Code: "unsupported_charset", Message: "send JSON in UTF-8"}
	}
	return nil
}

// readJSON decodes the body of a request in our own protocol.
func readJSON(ctx *app.RequestContext, v any) error {
	if err := requireJSON(ctx); err != nil {
		return err
	}
	return parseJSON(bodyOf(ctx), v, true)
}

// bodyOf returns the body that was read, nil when there was none.
func bodyOf(ctx *app.RequestContext) []byte {
	b, _ := ctx.Value(bodyKey).([]byte)
	return b
}

// parseJSON decodes one JSON object; what is wrong with it is a *problem. Strict
// refuses unknown fields: they are typing errors in a protocol of our own, and
// extensions in OpenAI's.
func parseJSON(body []byte, v any, strict bool) error {
	malformed := &problem{Status: 400, Code: "invalid_json", Message: "the body is not a JSON object"}
	if !utf8.Valid(body) {
		malformed.Message = "the body is not valid UTF-8"
		return malformed
	}
	if t := bytes.TrimLeft(body, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return malformed
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if strict {
		d.DisallowUnknownFields()
	}
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return malformed
	}
	var p *problem
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &wrong):
		return badParam(wrong.Field, "%s has the wrong type: it can't be a %s", wrong.Field, wrong.Value)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		field := strings.Trim(strings.TrimPrefix(err.Error(), "json: unknown field "), `"`)
		return &problem{Status: 400, Code: "unknown_field", Param: field, Message: "there is no field " + field}
	}
	return malformed
}
