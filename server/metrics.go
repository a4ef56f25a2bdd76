package server

import (
	"context"
	"strconv"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/common/adaptor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"lexagent/graph"
)

// seconds are the buckets of latencies: from a look-up in memory to a slow model.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 180}

// metrics are what GET /metrics tells. No label holds anything that a client wrote.
type metrics struct {
	registry *prometheus.Registry

	requests  *prometheus.CounterVec   // route, method, status
	latency   *prometheus.HistogramVec // route
	stage     *prometheus.HistogramVec // stage
	first     *prometheus.HistogramVec // what: progress, text
	answers   *prometheus.CounterVec   // kind
	findings  *prometheus.CounterVec   // verdict
	removed   prometheus.Counter
	llmCalls  prometheus.Counter
	llmTokens *prometheus.CounterVec // kind: prompt, completion
	cached    *prometheus.CounterVec // cache, outcome: hit, miss
	refused   *prometheus.CounterVec // class, or requests, tokens
	lost      *prometheus.CounterVec // what: conversations, limits
	feedback  *prometheus.CounterVec // rating
}

func newMetrics(lanes []*lane) *metrics {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	f := promauto.With(r)
	count := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: "lexagent_" + name, Help: help}, labels)
	}
	last := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return f.NewHistogramVec(prometheus.HistogramOpts{Name: "lexagent_" + name, Help: help, Buckets: seconds}, labels)
	}
	for _, l := range lanes {
		gauge := func(name, help string, value func() float64) {
			f.NewGaugeFunc(prometheus.GaugeOpts{Name: "lexagent_" + name, Help: help, ConstLabels: prometheus.Labels{"class": l.name}}, value)
		}
		gauge("running", "Requests of a class that are being answered.", func() float64 { n, _ := l.load(); return float64(n) })
		gauge("queued", "Requests of a class that wait to be answered.", func() float64 { _, n := l.load(); return float64(n) })
	}
	return &metrics{
		registry: r,
		requests: count("http_requests_total", "Requests that were answered.", "route", "method", "status"),
		latency:  last("http_request_seconds", "Time from a request's head to the end of its answer.", "route"),
		stage:    last("stage_seconds", "Time in a step of an answer or a stage of a search.", "stage"),
		first:    last("stream_first_seconds", "Time from a chat request to its first chunk of progress, or of text, in a stream.", "what"),
		answers:  count("answers_total", "Answers by how they came about: generated, extractive, abstained.", "kind"),
		findings: count("findings_total", "What was checked in answers, by verdict.", "verdict"),
		removed: f.NewCounter(prometheus.CounterOpts{Name: "lexagent_false_citations_caught_total",
			Help: "Sentences of drafts that were taken out because a citation or quotation in them did not hold."}),
		llmCalls:  f.NewCounter(prometheus.CounterOpts{Name: "lexagent_llm_calls_total", Help: "Calls to the language model for answers."}),
		llmTokens: count("llm_tokens_total", "Tokens of the language model, as it counts them.", "kind"),
		cached:    count("cache_requests_total", "Look-ups in a cache.", "cache", "outcome"),
		refused:   count("refused_total", "Requests that were refused because of a queue or a limit.", "reason"),
		lost:      count("state_errors_total", "Times that the store of conversations and limits was out of reach.", "what"),
		feedback:  count("feedback_total", "Ratings of answers by their readers.", "rating"),
	}
}

// measure counts requests and how long they take.
func (s *Server) measure(c context.Context, ctx *app.RequestContext) {
	start := time.Now()
	ctx.Next(c)
	route := ctx.FullPath()
	if route == "" {
		route = "none"
	}
	s.metrics.requests.WithLabelValues(route, knownMethod(string(ctx.Method())), strconv.Itoa(ctx.Response.StatusCode())).Inc()
	s.metrics.latency.WithLabelValues(route).Observe(time.Since(start).Seconds())
}

// knownMethod keeps methods that clients invent out of labels.
func knownMethod(m string) string {
	for _, known := range methods {
		if m == known {
			return m
		}
	}
	return "other"
}

// event counts what a step of an answer took.
func (m *metrics) event(e graph.Event) {
	if d, ok := e.(graph.StepDone); ok {
		m.stage.WithLabelValues(string(d.Step)).Observe(d.MS / 1000)
	}
}

// answer counts an answer that was made.
func (m *metrics) answer(a *graph.Answer) {
	m.answers.WithLabelValues(string(a.Kind)).Inc()
	for i := range a.Verification.Findings {
		m.findings.WithLabelValues(string(a.Verification.Findings[i].Verdict)).Inc()
	}
	m.removed.Add(float64(len(a.Verification.Removed)))
	m.llmCalls.Add(float64(a.LLM.Calls))
	m.llmTokens.WithLabelValues("prompt").Add(float64(a.LLM.PromptTokens))
	m.llmTokens.WithLabelValues("completion").Add(float64(a.LLM.CompletionTokens))
}

// metricsPage answers GET /metrics.
func (s *Server) metricsPage() handler {
	page := adaptor.HertzHandler(promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}))
	return func(c context.Context, ctx *app.RequestContext) error {
		page(c, ctx)
		return nil
	}
}
