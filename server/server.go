package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/common/hlog"
	"github.com/cloudwego/hertz/pkg/network/standard"
)

// Hertz logs through one logger of the process. It is told to report only its
// own failures: broken requests are the peers' affair, and ours are in our log.
func init() {
	hlog.SetSilentMode(true)
	hlog.SetLevel(hlog.LevelError)
}

// Server serves LexAgent over HTTP.
type Server struct {
	o                 Options
	page              map[string]asset
	metrics           *metrics
	answers, searches *lane
	uploads           chan struct{} // one for each upload being taken
	relays            relays
	api               []byte // the OpenAPI document

	base   context.Context // ends when requests in flight must stop
	cancel context.CancelFunc

	applied atomic.Pointer[Live]

	mu       sync.Mutex
	inFlight int
	draining bool
	idle     chan struct{} // closed when draining and nothing is in flight

	conns *conns
}

// New returns a server that is ready to listen.
func New(o Options) (*Server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	page, err := loadPage()
	if err != nil {
		return nil, err
	}
	api, err := loadOpenAPI()
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, page: page, api: api, answers: newLane("answer", o.MaxAnswers, o.Queue, o.Patience),
		searches: newLane("search", o.MaxSearches, o.Queue, o.Patience), uploads: make(chan struct{}, maxUploads), idle: make(chan struct{})}
	s.Apply(o.Live())
	s.metrics = newMetrics([]*lane{s.answers, s.searches})
	s.base, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// ErrOpen is returned by Listen where other machines could ask without a key.
var ErrOpen = errors.New("this address can be reached from other machines, and nobody would need a key")

// Listen binds the address. Run calls it when it was not called before.
func (s *Server) Listen() error {
	if s.conns != nil {
		return nil
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", s.o.Addr)
	if err != nil {
		return fmt.Errorf("can't listen on %s: %w", s.o.Addr, err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); (!ok || !tcp.IP.IsLoopback()) && !s.o.Open && !s.keysConfigured() {
		return errors.Join(ErrOpen, ln.Close())
	}
	s.conns = newConns(ln, s.o.ReadTimeout)
	return nil
}

// Addr returns the address that is listened on, host:port, or "" before Listen.
func (s *Server) Addr() string {
	if s.conns == nil {
		return ""
	}
	return s.conns.Addr().String()
}

// Run serves until ctx ends. Then it accepts nothing new, gives requests in
// flight ShutdownGrace to finish, ends them, and returns nil. A Server runs once.
func (s *Server) Run(ctx context.Context) error {
	if err := s.Listen(); err != nil {
		return err
	}
	defer s.cancel()
	engine := s.engine()
	served := make(chan error, 1)
	go func() { served <- engine.Run() }()
	select {
	case err := <-served:
		s.conns.end(0)
		return fmt.Errorf("the server stopped by itself: %w", err)
	case <-ctx.Done():
	}
	if err := s.conns.Listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		s.o.Logger.Warn("close listener", "error", err)
	}
	s.drain()
	if err := <-served; err != nil {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

// lastWords is what requests get to report that the server stops, and responses
// to reach the network.
const lastWords = time.Second

// drain waits for what is in flight, then ends it, then closes connections.
func (s *Server) drain() {
	s.mu.Lock()
	s.draining = true
	if s.inFlight == 0 {
		close(s.idle)
	}
	s.mu.Unlock()
	select {
	case <-s.idle:
	case <-time.After(s.o.ShutdownGrace):
		s.cancel()
		select {
		case <-s.idle:
		case <-time.After(lastWords):
			s.o.Logger.Error("requests did not stop in time")
		}
	}
	s.conns.end(lastWords)
}

// track counts a request in flight and ends its context when the server must
// stop.
func (s *Server) track(c context.Context, ctx *app.RequestContext) {
	s.mu.Lock()
	s.inFlight++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.inFlight--
		if s.draining && s.inFlight == 0 {
			close(s.idle)
		}
		s.mu.Unlock()
	}()
	c, cancel := context.WithCancel(c)
	defer cancel()
	defer context.AfterFunc(s.base, cancel)()
	ctx.Next(c)
}

// stopping reports whether the server is shutting down.
func (s *Server) stopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// engine builds the Hertz engine. The standard network library is used since the
// other one takes no listener of our own; streams gain nothing from it.
func (s *Server) engine() *server.Hertz {
	h := server.New(
		server.WithListener(s.conns),
		server.WithTransport(standard.NewTransporter),
		server.WithReadTimeout(s.o.ReadTimeout),
		server.WithIdleTimeout(s.o.IdleTimeout),
		server.WithSenseClientDisconnection(true),
		server.WithStreamBody(true),
		server.WithMaxRequestBodySize(math.MaxInt), // body.go bounds it
		server.WithDisablePreParseMultipartForm(true),
		server.WithDisablePrintRoute(true),
		server.WithRedirectTrailingSlash(false),
	)
	h.Name = "lexagent"
	// The count of requests in flight is outermost: what follows a response is part of it.
	h.Use(s.track, s.measure, s.trace, s.accessLog, s.recoverPanic, s.guard, s.cors, s.authorize, s.rates, s.body)
	s.register(h)
	h.NoRoute(func(c context.Context, ctx *app.RequestContext) {
		s.fail(ctx, &problem{Status: 404, Code: "not_found", Message: "there is nothing at this path"})
	})
	return h
}

// handler answers a request or returns why it can't.
type handler func(c context.Context, ctx *app.RequestContext) error

// route is a path and a method that it answers. GET answers HEAD too.
type route struct {
	method, path string
	serve        handler
}

func (s *Server) routes() []route {
	routes := []route{
		{"POST", "/v1/chat/completions", s.chat},
		{"GET", "/v1/chat/streams/:id", s.resume},
		{"DELETE", "/v1/chat/streams/:id", s.endStream},
		{"GET", "/v1/models", s.models},
		{"GET", "/v1/models/:model", s.model},
		{"POST", "/v1/search", s.search},
		{"POST", "/v1/check", s.check},
		{"POST", "/v1/judge", s.judge},
		{"POST", "/v1/eval/retrieval", s.evalRetrieval},
		{"GET", reportsPath, s.reports},
		{"GET", reportsPath + ":name", s.report},
		{"POST", documentsPath, s.documents},
		{"GET", documentsPath, s.listDocuments},
		{"DELETE", documentsPath + "/:name", s.deleteDocument},
		{"GET", "/v1/jobs/:id", s.job},
		{"GET", "/v1/laws", s.laws},
		{"GET", "/v1/laws/:law", s.law},
		{"GET", "/v1/articles/:id", s.article},
		{"GET", "/v1/articles/:id/versions", s.versions},
		{"GET", "/v1/articles/:id/citations", s.citations},
		{"POST", "/v1/feedback", s.feedback},
		{"GET", "/v1/conversations/:id", s.exportConversation},
		{"DELETE", "/v1/conversations/:id", s.deleteConversation},
		{"GET", "/healthz", s.healthz},
		{"GET", "/readyz", s.readyz},
		{"GET", "/metrics", s.metricsPage()},
		{"GET", "/openapi.json", s.openapi},
		{"GET", "/", s.index},
		{"GET", "/assets/:file", s.asset},
	}
	if s.o.Tools != nil {
		routes = append(routes, route{"POST", "/mcp", s.mcp()})
	}
	return routes
}

// methods are those that a path may be asked by.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// register gives every method of each path an answer: its routes', OPTIONS with what
// is allowed, all others 405.
func (s *Server) register(h *server.Hertz) {
	paths := map[string]map[string]handler{}
	for _, r := range s.routes() {
		if paths[r.path] == nil {
			paths[r.path] = map[string]handler{}
		}
		paths[r.path][r.method] = r.serve
		if r.method == "GET" {
			paths[r.path]["HEAD"] = r.serve
		}
	}
	for path, serve := range paths {
		allowed := slices.DeleteFunc(slices.Clone(methods), func(m string) bool { return serve[m] == nil && m != "OPTIONS" })
		allow := strings.Join(allowed, ", ")
		for _, m := range methods {
			h.Handle(m, path, func(c context.Context, ctx *app.RequestContext) {
				switch {
				case m == "OPTIONS":
					ctx.Header("Allow", allow)
					ctx.SetStatusCode(204)
				case serve[m] == nil:
					ctx.Header("Allow", allow)
					s.fail(ctx, &problem{Status: 405, Code: "method_not_allowed", Message: "this path answers " + allow + " only"})
				default:
					if err := serve[m](c, ctx); err != nil {
						s.fail(ctx, s.problemOf(c, ctx, err))
					}
				}
			})
		}
	}
}
