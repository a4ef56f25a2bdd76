// Package tracing makes OpenTelemetry traces of requests, of the steps of the answer
// graph, and of calls to the language model, the latter by the semantic conventions
// for generative AI. It costs nothing where no collector is configured.
//
// Spans hold names, counts and times, never a question, a text or a prompt.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Name is the name of the instrumentation.
const Name = "lexagent"

// configured reports whether the environment names a collector.
func configured() bool {
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Start sends traces to the collector that the variables OTEL_EXPORTER_OTLP_…  name,
// by OTLP over HTTP; where they name none it does nothing. stop sends what is left.
// failed hears what could not be sent. It is called once in a process, before anything is traced.
func Start(ctx context.Context, version string, failed func(error)) (stop func(context.Context) error, err error) {
	if !configured() {
		return func(context.Context) error { return nil }, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", Name), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(failed))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	callbacks.AppendGlobalHandlers(handler())
	return provider.Shutdown, nil
}

// ours marks a context with the span that the handler began.
type ours struct{}

// handler makes a span of each node of Eino's graphs and of each call to a model.
func handler() callbacks.Handler {
	return callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
			return begin(ctx, info, in)
		}).
		OnStartWithStreamInputFn(func(ctx context.Context, info *callbacks.RunInfo, in *schema.StreamReader[callbacks.CallbackInput]) context.Context {
			in.Close()
			return begin(ctx, info, nil)
		}).
		OnEndFn(func(ctx context.Context, _ *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
			if s := span(ctx); s != nil {
				tell(s, out)
				s.End()
			}
			return ctx
		}).
		OnEndWithStreamOutputFn(func(ctx context.Context, _ *callbacks.RunInfo, out *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
			go drain(span(ctx), out) // must not be read by the caller's goroutine
			return ctx
		}).
		OnErrorFn(func(ctx context.Context, _ *callbacks.RunInfo, err error) context.Context {
			if s := span(ctx); s != nil {
				failed(s, err)
				s.End()
			}
			return ctx
		}).Build()
}

func span(ctx context.Context) oteltrace.Span {
	s, _ := ctx.Value(ours{}).(oteltrace.Span)
	return s
}

func begin(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
	name, kind := "step", oteltrace.SpanKindInternal
	if info != nil && info.Name != "" {
		name = info.Name
	}
	var about []attribute.KeyValue
	if call, ok := in.(*model.CallbackInput); ok {
		kind, name = oteltrace.SpanKindClient, "chat"
		about = append(about, attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", "openai"))
		if c := call.Config; c != nil {
			name = "chat " + c.Model
			about = append(about, attribute.String("gen_ai.request.model", c.Model), attribute.Int("gen_ai.request.max_tokens", c.MaxTokens),
				attribute.Float64("gen_ai.request.temperature", float64(c.Temperature)))
		}
	}
	ctx, s := otel.Tracer(Name).Start(ctx, name, oteltrace.WithSpanKind(kind), oteltrace.WithAttributes(about...))
	return context.WithValue(ctx, ours{}, s)
}

// tell adds what a model used.
func tell(s oteltrace.Span, out callbacks.CallbackOutput) {
	call, ok := out.(*model.CallbackOutput)
	if !ok {
		return
	}
	if u := call.TokenUsage; u != nil {
		s.SetAttributes(attribute.Int("gen_ai.usage.input_tokens", u.PromptTokens), attribute.Int("gen_ai.usage.output_tokens", u.CompletionTokens))
	}
	if m := call.Message; m != nil && m.ResponseMeta != nil && m.ResponseMeta.FinishReason != "" {
		s.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{m.ResponseMeta.FinishReason}))
	}
}

// drain reads a stream to its end, which ends its span.
func drain(s oteltrace.Span, out *schema.StreamReader[callbacks.CallbackOutput]) {
	defer out.Close()
	if s == nil {
		return
	}
	defer s.End()
	for {
		piece, err := out.Recv()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			failed(s, err)
			return
		}
		tell(s, piece)
	}
}

func failed(s oteltrace.Span, err error) {
	s.SetAttributes(attribute.String("error.type", kind(err)))
	s.SetStatus(codes.Error, "") // an error's text may quote what was asked
}

// kind names an error without its text.
func kind(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return fmt.Sprintf("%T", err)
}
