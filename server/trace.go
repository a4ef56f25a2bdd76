package server

import (
	"context"

	"github.com/cloudwego/hertz/pkg/app"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"lexagent/server/tracing"
)

// header reads the trace that a request belongs to from its header.
type header struct{ ctx *app.RequestContext }

func (h header) Get(key string) string { return string(h.ctx.GetHeader(key)) }
func (h header) Set(string, string)    {}
func (h header) Keys() []string        { return nil }

// trace makes a span of the request, in the caller's trace where it has one.
func (s *Server) trace(c context.Context, ctx *app.RequestContext) {
	method, route := knownMethod(string(ctx.Method())), ctx.FullPath()
	c = otel.GetTextMapPropagator().Extract(c, header{ctx})
	c, span := otel.Tracer(tracing.Name).Start(c, method+" "+route, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", method), attribute.String("http.route", route)))
	defer span.End()
	ctx.Next(c)
	status := ctx.Response.StatusCode()
	span.SetAttributes(attribute.Int("http.response.status_code", status), attribute.String("lexagent.request_id", requestID(ctx)))
	if status >= 500 {
		span.SetStatus(codes.Error, "")
	}
}

// Interface guard.
var _ propagation.TextMapCarrier = header{}
