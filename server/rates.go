package server

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
)

const (
	requestWindow = time.Minute
	tokenWindow   = 24 * time.Hour
)

// quota is how much a caller may still ask.
type quota struct{ requests, tokens int } // per minute, per day; 0 = no limit

// quotaOf returns the limits of a request's key, or the server's.
func (s *Server) quotaOf(ctx *app.RequestContext) quota {
	q := quota{s.live().RequestsPerMinute, s.live().TokensPerDay}
	if k := keyOf(ctx); k != nil {
		if k.PerMinute > 0 {
			q.requests = k.PerMinute
		}
		if k.TokensDaily > 0 {
			q.tokens = k.TokensDaily
		}
	}
	return q
}

// payer is whose limits a request counts towards: its key's, or where there are no
// keys its address's.
func payer(ctx *app.RequestContext) string {
	if k := keyOf(ctx); k != nil {
		return k.ID
	}
	host, _, err := net.SplitHostPort(ctx.RemoteAddr().String()) // not X-Forwarded-For, which anyone can write
	if err != nil {
		return "unknown"
	}
	return host
}

// rates refuses who asks too often. While the counters are out of reach everybody
// passes: a limit that can't be kept is no reason to stop answering.
func (s *Server) rates(c context.Context, ctx *app.RequestContext) {
	if !guarded(string(ctx.Path())) {
		ctx.Next(c)
		return
	}
	q := s.quotaOf(ctx)
	if q.requests > 0 && !s.pass(c, ctx, "requests", "r:"+payer(ctx), 1, q.requests, requestWindow) {
		return
	}
	if q.tokens > 0 && !s.pass(c, ctx, "tokens", tokenKey(payer(ctx)), 0, q.tokens, tokenWindow) {
		return
	}
	ctx.Next(c)
}

func tokenKey(payer string) string { return "t:" + payer }

// pass counts n of one kind and sets the headers that tell about it; false means
// that the request was refused.
func (s *Server) pass(c context.Context, ctx *app.RequestContext, kind, key string, n, limit int, window time.Duration) bool {
	a, err := s.o.State.Use(c, key, n, limit, window)
	if err != nil {
		s.metrics.lost.WithLabelValues("limits").Inc()
		s.o.Logger.Warn("limits are out of reach: everybody passes", "request_id", requestID(ctx), "error", err)
		return true
	}
	for name, value := range map[string]string{
		"limit": strconv.Itoa(limit), "remaining": strconv.Itoa(max(limit-a.Used, 0)), "reset": a.Reset.Round(time.Millisecond).String(),
	} {
		ctx.Header("X-Ratelimit-"+name+"-"+kind, value)
	}
	if a.OK {
		return true
	}
	s.metrics.refused.WithLabelValues(kind).Inc()
	s.refuse(ctx, &problem{
		Status: 429, Code: "rate_limit_exceeded", Retry: int((a.Reset + time.Second - 1) / time.Second),
		Message: "too many " + kind + ": " + strconv.Itoa(limit) + " in " + inWords(window) + " are allowed",
	})
	return false
}

func inWords(window time.Duration) string {
	if window == tokenWindow {
		return "a day"
	}
	return "a minute"
}

// spend counts the tokens of an answer, which are known only when it is made.
func (s *Server) spend(c context.Context, ctx *app.RequestContext, tokens int) {
	if tokens == 0 || s.quotaOf(ctx).tokens == 0 {
		return
	}
	c, cancel := context.WithTimeout(context.WithoutCancel(c), rememberTime)
	defer cancel()
	if _, err := s.o.State.Use(c, tokenKey(payer(ctx)), tokens, 0, tokenWindow); err != nil {
		s.metrics.lost.WithLabelValues("limits").Inc()
		s.o.Logger.Warn("tokens are not counted", "request_id", requestID(ctx), "error", err)
	}
}
