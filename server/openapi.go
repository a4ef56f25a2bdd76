package server

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/cloudwego/hertz/pkg/app"
	"go.yaml.in/yaml/v3"
)

//go:embed openapi.yaml
var openAPI []byte

// loadOpenAPI turns the document, which is written in YAML, into JSON.
func loadOpenAPI() ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(openAPI, &doc); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write openapi.json: %w", err)
	}
	return b, nil
}

// openapi answers GET /openapi.json.
func (s *Server) openapi(_ context.Context, ctx *app.RequestContext) error {
	ctx.Data(200, "application/json; charset=utf-8", s.api)
	return nil
}
