package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
	"go.opentelemetry.io/otel/trace"
)

const requestIDHeader = "X-Request-Id"

// maxRequestID bounds the ids that clients bring along.
const maxRequestID = 128

// requestIDKey keeps the request's id among its values, whose access is locked: a
// stream may be writing the response's headers while somebody asks for the id.
const requestIDKey = "requestID"

// requestID returns the id of the request, as it stands in the response.
func requestID(ctx *app.RequestContext) string { return ctx.GetString(requestIDKey) }

// accessLog gives the request its id and logs one line about it when it is over:
// never the question, the body or the query string.
func (s *Server) accessLog(c context.Context, ctx *app.RequestContext) {
	start := time.Now()
	id := string(ctx.GetHeader(requestIDHeader))
	if !plainID(id) {
		id = rand.Text()
	}
	ctx.Set(requestIDKey, id)
	ctx.Header(requestIDHeader, id)
	method, path := string(ctx.Method()), string(ctx.Path())
	ctx.Next(c)
	status := ctx.Response.StatusCode()
	if c.Err() != nil && !s.stopping() {
		status = statusLeft
	}
	about := []slog.Attr{slog.String("request_id", id)}
	if span := trace.SpanContextFromContext(c); span.IsValid() {
		about = append(about, slog.String("trace_id", span.TraceID().String()))
	}
	s.o.Logger.LogAttrs(c, slog.LevelInfo, "request", append(about,
		slog.String("method", method), slog.String("path", path),
		slog.String("key", keyID(ctx)), slog.Int("status", status), slog.Float64("ms", float64(time.Since(start).Microseconds())/1000))...)
}

// keyID names the key that a request came with, "" for none.
func keyID(ctx *app.RequestContext) string {
	if k := keyOf(ctx); k != nil {
		return k.ID
	}
	return ""
}

// plainID reports whether an id from outside can stand in headers and logs.
func plainID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for _, r := range id {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.') {
			return false
		}
	}
	return true
}

// recoverPanic turns a panic into a 500 for this request; its stack is logged.
func (s *Server) recoverPanic(c context.Context, ctx *app.RequestContext) {
	defer func() {
		if r := recover(); r != nil {
			s.logPanic(ctx, r)
			ctx.Abort()
			if ctx.Response.GetHijackWriter() == nil {
				s.fail(ctx, internalProblem(ctx))
			}
		}
	}()
	ctx.Next(c)
}

// logPanic is called by the function that recovered, so that the stack is the
// panic's.
func (s *Server) logPanic(ctx *app.RequestContext, r any) {
	s.o.Logger.Error("panic", "request_id", requestID(ctx), "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
}
