package server

import (
	"context"
	"net"
	"slices"
	"strings"

	"github.com/cloudwego/hertz/pkg/app"
)

// policy lets the page load what is embedded here and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard sets the security headers, and refuses requests that a foreign page made
// through a name that points here (DNS rebinding) or that want what we can't send.
func (s *Server) guard(c context.Context, ctx *app.RequestContext) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      policy,
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
	} {
		ctx.Header(name, value)
	}
	if host := string(ctx.Host()); s.onLoopback() && !loopbackHost(host) && !slices.Contains(s.live().Hosts, hostName(host)) {
		s.refuse(ctx, &problem{Status: 403, Code: "host_not_allowed", Message: "this server answers on localhost only; call it as localhost or 127.0.0.1"})
		return
	}
	if strings.HasPrefix(string(ctx.Path()), "/v1/") && !acceptsJSON(string(ctx.GetHeader("Accept"))) {
		s.refuse(ctx, &problem{Status: 406, Code: "not_acceptable", Message: "answers are application/json or text/event-stream; send an Accept header that allows them"})
		return
	}
	ctx.Next(c)
}

// onLoopback reports whether only this machine can reach the server.
func (s *Server) onLoopback() bool {
	tcp, ok := s.conns.Addr().(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// loopbackHost reports whether a Host header names this machine, with any port.
func loopbackHost(host string) bool {
	switch hostName(host) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// hostName is a Host header without its port.
func hostName(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// acceptsJSON reports whether an Accept header lets us answer at all.
func acceptsJSON(accept string) bool {
	if accept == "" {
		return true
	}
	for _, part := range strings.Split(accept, ",") {
		kind, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "*/*", "application/*", "application/json", "text/*", "text/event-stream":
			return true
		}
	}
	return false
}
