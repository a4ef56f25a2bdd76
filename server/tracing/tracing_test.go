package tracing_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"lexagent/model"
	"lexagent/server/tracing"
)

// A collector gets the steps of a graph and the calls to the model in them, with what
// they used, and nothing of what was asked or answered.
func TestTraces(t *testing.T) {
	var mu sync.Mutex
	spans := map[string]*v1.Span{}
	var raw strings.Builder
	otlp := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		var got collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(b, &got)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		mu.Lock()
		defer mu.Unlock()
		raw.Write(b)
		for _, rs := range got.GetResourceSpans() {
			for _, ss := range rs.GetScopeSpans() {
				for _, s := range ss.GetSpans() {
					spans[s.GetName()] = s
				}
			}
		}
	}))
	defer otlp.Close()
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"model":"qwen3","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"机密的回答"}}],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`)
	}))
	defer endpoint.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", otlp.URL)
	stop, err := tracing.Start(t.Context(), "test", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	llm, err := model.OpenLLM(t.Context(), model.LLMOptions{URL: endpoint.URL, Model: "qwen3"})
	if err != nil {
		t.Fatal(err)
	}
	g := compose.NewGraph[string, string]()
	draft := func(ctx context.Context, q string) (string, error) {
		m, err := llm.Generate(ctx, []*schema.Message{schema.UserMessage(q)})
		if err != nil {
			return "", err
		}
		return m.Content, nil
	}
	err = g.AddLambdaNode("draft", compose.InvokableLambda(draft), compose.WithNodeName("draft"))
	if err == nil {
		err = g.AddEdge(compose.START, "draft")
	}
	if err == nil {
		err = g.AddEdge("draft", compose.END)
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Compile(t.Context(), compose.WithGraphName("answer"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, request := otel.Tracer(tracing.Name).Start(t.Context(), "POST /v1/chat/completions")
	if _, err := run.Invoke(ctx, "机密的问题"); err != nil {
		t.Fatal(err)
	}
	request.End()
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for child, parent := range map[string]string{"answer": "POST /v1/chat/completions", "draft": "answer", "chat qwen3": "draft"} {
		c, p := spans[child], spans[parent]
		if c == nil || p == nil || string(c.GetParentSpanId()) != string(p.GetSpanId()) {
			t.Errorf("%s is not within %s: %v", child, parent, spans)
		}
	}
	about := map[string]string{}
	for _, a := range spans["chat qwen3"].GetAttributes() {
		about[a.GetKey()] = a.GetValue().String()
	}
	for key, want := range map[string]string{
		"gen_ai.operation.name": `string_value:"chat"`, "gen_ai.request.model": `string_value:"qwen3"`,
		"gen_ai.usage.input_tokens": `int_value:100`, "gen_ai.usage.output_tokens": `int_value:10`,
	} {
		if about[key] != want {
			t.Errorf("%s is %s", key, about[key])
		}
	}
	if strings.Contains(raw.String(), "机密") {
		t.Error("the spans hold what was asked or answered")
	}
}
