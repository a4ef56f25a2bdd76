package server

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"

	"github.com/cloudwego/hertz/pkg/app"
)

//go:embed web
var web embed.FS

// asset is one file of the page.
type asset struct {
	body       []byte
	kind, etag string
}

// kinds are the types of the page's files, named here since the machine's own
// table of types may say otherwise.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// loadPage reads the embedded files.
func loadPage() (map[string]asset, error) {
	files, err := fs.ReadDir(web, "web")
	if err != nil {
		return nil, fmt.Errorf("read the embedded page: %w", err)
	}
	page := map[string]asset{}
	for _, f := range files {
		kind := kinds[path.Ext(f.Name())]
		if kind == "" {
			return nil, fmt.Errorf("embedded page: %s is of no known type", f.Name())
		}
		b, err := web.ReadFile("web/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read the embedded page: %w", err)
		}
		sum := sha256.Sum256(b)
		page[f.Name()] = asset{b, kind, `"` + hex.EncodeToString(sum[:8]) + `"`}
	}
	return page, nil
}

// index answers GET /.
func (s *Server) index(_ context.Context, ctx *app.RequestContext) error {
	return s.sendAsset(ctx, "index.html")
}

// asset answers GET /assets/{file}.
func (s *Server) asset(_ context.Context, ctx *app.RequestContext) error {
	return s.sendAsset(ctx, ctx.Param("file"))
}

// sendAsset sends a file, or 304 when the client has it. Clients ask each time,
// so that a new version of the server is a new page at once.
func (s *Server) sendAsset(ctx *app.RequestContext, name string) error {
	a, ok := s.page[name]
	if !ok {
		return &problem{Status: 404, Code: "not_found", Message: "the page has no such file"}
	}
	ctx.Header("Cache-Control", "no-cache")
	ctx.Header("ETag", a.etag)
	if string(ctx.GetHeader("If-None-Match")) == a.etag {
		ctx.SetStatusCode(304)
		return nil
	}
	ctx.Data(200, a.kind, a.body)
	return nil
}
