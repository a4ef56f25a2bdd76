package model

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"lexagent/prompts"
	"lexagent/state"
)

// Chat is what an Asker needs of a language model; an Eino chat model is one.
type Chat interface {
	Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error)
}

// Replies keeps replies of language models.
type Replies interface {
	Get(model, key string) (state.Reply, bool)
	Put(r state.Reply) error
}

// Asker asks a language model and takes only replies of the shape that was asked
// for. It is safe for concurrent use when its parts are.
type Asker struct {
	Chat    Chat          // nil: only replies that are kept
	Name    string        // of the model: another one replies differently
	Replies Replies       // nil: none are kept
	Pause   time.Duration // before asking again after a failure, doubled each time; 0 = half a second

	shapeless atomic.Bool // the endpoint takes no JSON Schema
}

// Errors of Ask.
var (
	// ErrNoModel is returned when there is no model, and no reply is kept.
	ErrNoModel = errors.New("no language model is configured, and no reply of one is kept")
	// ErrUnreached is returned, with the cause, when the model can't be reached or fails.
	ErrUnreached = errors.New("the language model gave no reply")
	// ErrRefused is returned, with what is wrong, when no reply was taken.
	ErrRefused = errors.New("no reply of the language model was taken")
)

const (
	retries      = 2 // calls beside the first
	defaultPause = time.Second / 2
)

// Usage counts the calls of a language model.
type Usage struct {
	Calls            int `json:"calls"`
	Kept             int `json:"kept,omitempty"` // replies that were there already
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Add adds what another count has.
func (u *Usage) Add(v Usage) {
	u.Calls += v.Calls
	u.Kept += v.Kept
	u.PromptTokens += v.PromptTokens
	u.CompletionTokens += v.CompletionTokens
}

// Ask sends a prompt until accept takes the reply: three times at most, telling the
// model what was wrong. The last reply is kept, taken or not, and not asked for again:
// a batch made again from kept replies is the same batch. The errors are ErrUnreached,
// ErrRefused or the context's; the usage tells the calls made.
func (a *Asker) Ask(ctx context.Context, p prompts.Prompt, accept func(reply string) error) (Usage, error) {
	var used Usage
	key := promptKey(p)
	if text, ok := a.kept(key); ok {
		used.Kept++
		return used, refused(accept(text))
	}
	if a.Chat == nil {
		return used, ErrNoModel
	}
	messages := []*schema.Message{schema.SystemMessage(p.System), schema.UserMessage(p.User)}
	var last error
	for n := range 1 + retries {
		msg, err := a.generate(ctx, messages, p)
		used.Calls++
		if ctx.Err() != nil {
			return used, ctx.Err()
		}
		if err != nil {
			last = fmt.Errorf("%w: %w", ErrUnreached, err)
			if n < retries && !Rest(ctx, cmp.Or(a.Pause, defaultPause)<<n) {
				return used, ctx.Err()
			}
			continue
		}
		r := state.Reply{Key: key, Prompt: p.Version, Model: a.Name, Text: WithoutReasoning(msg.Content)}
		if m := msg.ResponseMeta; m != nil && m.Usage != nil {
			r.PromptTokens, r.CompletionTokens = m.Usage.PromptTokens, m.Usage.CompletionTokens
			used.Add(Usage{PromptTokens: r.PromptTokens, CompletionTokens: r.CompletionTokens})
		}
		err = accept(r.Text)
		last = refused(err)
		if err == nil || n == retries {
			return used, errors.Join(last, a.keep(r))
		}
		messages = append(messages[:2:2], schema.AssistantMessage(clipReply(r.Text), nil), schema.UserMessage(p.Again(err)))
	}
	return used, last
}

// generate makes one call. A prompt's schema goes with it, so that an endpoint that can
// holds the model to it; one that refuses such a call is asked without from then on.
func (a *Asker) generate(ctx context.Context, messages []*schema.Message, p prompts.Prompt) (*schema.Message, error) {
	opts := []model.Option{model.WithMaxTokens(p.MaxTokens)}
	if p.Temperature > 0 {
		opts = append(opts, model.WithTemperature(p.Temperature))
	}
	if p.Schema == nil || a.shapeless.Load() {
		return a.Chat.Generate(ctx, messages, opts...)
	}
	name := strings.Map(func(r rune) rune {
		if r == '.' {
			return '_'
		}
		return r
	}, p.Version)
	shaped := openai.WithExtraFields(map[string]any{"response_format": map[string]any{
		"type": "json_schema", "json_schema": map[string]any{"name": name, "strict": true, "schema": p.Schema},
	}})
	msg, err := a.Chat.Generate(ctx, messages, append(opts, shaped)...)
	var api *openai.APIError
	if errors.As(err, &api) && (api.HTTPStatusCode == http.StatusBadRequest || api.HTTPStatusCode == http.StatusUnprocessableEntity) {
		if msg, err = a.Chat.Generate(ctx, messages, opts...); err == nil { // so it was the schema
			a.shapeless.Store(true)
		}
	}
	return msg, err
}

func refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}

// Known hands the kept reply to a prompt to accept, without asking for one.
func (a *Asker) Known(p prompts.Prompt, accept func(reply string) error) bool {
	text, ok := a.kept(promptKey(p))
	return ok && accept(text) == nil
}

func (a *Asker) kept(key string) (string, bool) {
	if a.Replies == nil {
		return "", false
	}
	r, ok := a.Replies.Get(a.Name, key)
	return r.Text, ok
}

func (a *Asker) keep(r state.Reply) error {
	if a.Replies == nil {
		return nil
	}
	return a.Replies.Put(r)
}

// promptKey is the digest of everything that a model is shown.
func promptKey(p prompts.Prompt) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", p.Version, p.System, p.User, p.MaxTokens))
	return hex.EncodeToString(h[:16])
}

// clipReply bounds how much of a refused reply the model is shown again.
func clipReply(s string) string {
	const most = 1000
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}
