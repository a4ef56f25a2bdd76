package server

import (
	"context"
	"net/url"
	"slices"

	"github.com/cloudwego/hertz/pkg/app"
)

// exposed are the headers that a foreign page may read.
const exposed = "X-Request-Id, X-Conversation-Id, Retry-After, Location, " +
	"X-Ratelimit-Limit-Requests, X-Ratelimit-Remaining-Requests, X-Ratelimit-Reset-Requests, " +
	"X-Ratelimit-Limit-Tokens, X-Ratelimit-Remaining-Tokens, X-Ratelimit-Reset-Tokens"

// cors lets pages of the listed origins ask, and no other foreign page: a browser
// sends what changes something without asking first.
func (s *Server) cors(c context.Context, ctx *app.RequestContext) {
	origin, method := string(ctx.GetHeader("Origin")), string(ctx.Method())
	if origin == "" {
		ctx.Next(c)
		return
	}
	ctx.Header("Vary", "Origin")
	switch listed := slices.Contains(s.live().Origins, origin); {
	case listed:
		ctx.Header("Access-Control-Allow-Origin", origin)
		ctx.Header("Access-Control-Expose-Headers", exposed)
		if asked := string(ctx.GetHeader("Access-Control-Request-Method")); method == "OPTIONS" && asked != "" {
			ctx.Header("Access-Control-Allow-Methods", asked)
			ctx.Header("Access-Control-Allow-Headers", string(ctx.GetHeader("Access-Control-Request-Headers")))
			ctx.Header("Access-Control-Max-Age", "600")
			ctx.SetStatusCode(204)
			ctx.Abort()
			return
		}
	case method != "GET" && method != "HEAD" && method != "OPTIONS" && !s.ownOrigin(ctx, origin):
		s.refuse(ctx, &problem{Status: 403, Code: "origin_not_allowed", Message: "pages of this origin may not ask here; the server's list of origins would have to name it"})
		return
	}
	ctx.Next(c)
}

// ownOrigin reports whether an origin is that of the page served here.
func (s *Server) ownOrigin(ctx *app.RequestContext, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	public, err := url.Parse(s.live().PublicURL)
	return u.Host == string(ctx.Host()) || err == nil && u.Host == public.Host
}
