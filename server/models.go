package server

import (
	"context"

	"github.com/cloudwego/hertz/pkg/app"
)

// modelCard is OpenAI's description of a model.
type modelCard struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// modelsCreated is a fixed day: the protocol wants one, and it means nothing.
const modelsCreated = 1767225600 // 2026-01-01

func card(name string) modelCard { return modelCard{name, "model", modelsCreated, "lexagent"} }

// models answers GET /v1/models.
func (s *Server) models(_ context.Context, ctx *app.RequestContext) error {
	cards := make([]modelCard, len(modelNames))
	for i, name := range modelNames {
		cards[i] = card(name)
	}
	return writeJSON(ctx, 200, struct {
		Object string      `json:"object"`
		Data   []modelCard `json:"data"`
	}{"list", cards})
}

// model answers GET /v1/models/{model}.
func (s *Server) model(_ context.Context, ctx *app.RequestContext) error {
	name := ctx.Param("model")
	if err := checkModel(name); err != nil {
		return err
	}
	return writeJSON(ctx, 200, card(name))
}
