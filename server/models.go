package server

import (
	"context"
	"slices"

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
	names := s.modelNames()
	cards := make([]modelCard, len(names))
	for i, name := range names {
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
	if _, err := s.answerer(name); err != nil {
		return err
	}
	return writeJSON(ctx, 200, card(name))
}

// modelNames are the models that this server has.
func (s *Server) modelNames() []string {
	return slices.DeleteFunc(slices.Clone(modelNames), func(name string) bool { return name == modelAgent && s.o.Agent == nil })
}

// answerer is what answers for a model.
func (s *Server) answerer(name string) (Answerer, error) {
	switch names := s.modelNames(); {
	case !slices.Contains(names, name):
		return nil, noModel(name, names)
	case name == modelAgent:
		return s.o.Agent, nil
	}
	return s.o.Answerer, nil
}
