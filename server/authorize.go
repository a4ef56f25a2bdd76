package server

import (
	"context"
	"strings"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/retrieval"
	"lexagent/server/access"
)

// needs says which scope a key must have for a path. Paths that begin with none of
// these under /v1/ are for admins: a route that is forgotten here is closed.
var needs = []struct {
	prefix string
	scope  access.Scope
}{
	{"/v1/chat/", access.Ask},
	{"/v1/conversations/", access.Ask},
	{"/v1/feedback", access.Ask},
	{"/v1/search", access.Search},
	{"/v1/laws", access.Search},
	{"/v1/articles/", access.Search},
	{"/v1/check", access.Search},
	{"/v1/judge", access.Ask},
	{"/v1/eval/", access.Search},
	{reportsPath, access.Search},
	{"/mcp", access.Search},
	{documentsPath, access.Ingest},
	{"/v1/jobs", access.Ingest},
}

// anyKey are paths under /v1/ for which every key is good.
const anyKey = "/v1/models"

// guarded reports whether a path needs a key at all, where keys are configured.
// The page, its files, health and metrics do not.
func guarded(path string) bool {
	return strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/mcp") || strings.HasPrefix(path, reportsPath)
}

// scopeFor returns the scope that a guarded path needs, "" where every key is good.
func scopeFor(path string) access.Scope {
	if strings.HasPrefix(path, anyKey) {
		return ""
	}
	for _, n := range needs {
		if strings.HasPrefix(path, n.prefix) {
			return n.scope
		}
	}
	return access.Admin
}

const keyKey = "key"

// keyOf returns the key that a request came with, nil where none are configured.
func keyOf(ctx *app.RequestContext) *access.Key {
	k, _ := ctx.Value(keyKey).(*access.Key)
	return k
}

// keysConfigured reports whether this server asks for keys.
func (s *Server) keysConfigured() bool { return s.o.Keys != nil && s.o.Keys.Any() }

// authorize lets in who has a key of the scope that the path needs. Where no keys
// are configured everybody is let in, whatever the Authorization header says.
func (s *Server) authorize(c context.Context, ctx *app.RequestContext) {
	path := string(ctx.Path())
	if !guarded(path) || !s.keysConfigured() {
		ctx.Next(c)
		return
	}
	k := s.o.Keys.Find(bearer(ctx))
	if k == nil {
		ctx.Header("WWW-Authenticate", `Bearer realm="lexagent"`)
		s.refuse(ctx, &problem{Status: 401, Code: "invalid_api_key", Message: "this needs a valid API key, in the header Authorization: Bearer …"})
		return
	}
	ctx.Set(keyKey, k)
	if scope := scopeFor(path); scope != "" && !k.May(scope) {
		s.refuse(ctx, &problem{Status: 403, Code: "insufficient_scope", Message: "the API key is not for this: it lacks the scope " + string(scope)})
		return
	}
	ctx.Next(c)
}

func bearer(ctx *app.RequestContext) string {
	kind, secret, _ := strings.Cut(string(ctx.GetHeader("Authorization")), " ")
	if !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// refuse answers instead of the handler. The connection ends where a body is still
// to come: nobody here wants to read it.
func (s *Server) refuse(ctx *app.RequestContext, p *problem) {
	if ctx.Request.IsBodyStream() {
		ctx.SetConnectionClose()
		_ = ctx.GetConn().SetReadDeadline(past) // Hertz would read on; fails only when the peer is gone
	}
	s.fail(ctx, p)
	ctx.Abort()
}

// visible returns the collections that a request works on: those it names, where its
// key sees them all, or else its key's. Whether a collection exists makes no difference.
func visible(ctx *app.RequestContext, named []string) ([]string, error) {
	k := keyOf(ctx)
	if k == nil || k.SeesAll() {
		sc := retrieval.Scope{Collections: named}
		return sc.Visible(), nil
	}
	if len(named) == 0 {
		return k.Collections, nil
	}
	for _, c := range named {
		if !k.Sees(c) {
			return nil, &problem{Status: 403, Code: "collection_not_allowed", Param: "collections", Message: "the API key does not see all of these collections"}
		}
	}
	return named, nil
}

// owner is who asks: the conversations of one are never another's.
func owner(ctx *app.RequestContext) string {
	if k := keyOf(ctx); k != nil {
		return k.ID
	}
	return "anyone"
}
