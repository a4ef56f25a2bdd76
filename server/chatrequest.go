package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/graph"
	"lexagent/retrieval"
)

// chatRequest is what we read of an OpenAI chat request. Other fields
// (temperature, stop, tools, …) are accepted and have no effect: the answer is
// checked as it stands.
type chatRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Verify              string `json:"verify"`    // "inline": sentences are sent as they are written, each after its own check
	Follow              bool   `json:"follow"`    // articles that the best ones refer to join the evidence, one hop
	Resumable           bool   `json:"resumable"` // the stream goes on while its reader is away, for a short time
	N                   *int   `json:"n"`
	MaxTokens           *int   `json:"max_tokens"`
	MaxCompletionTokens *int   `json:"max_completion_tokens"`
	scopeFields
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is text, however it was sent: a string, null, or a list of text parts.
type content string

// UnmarshalJSON reads the three forms and refuses parts that are not text.
func (c *content) UnmarshalJSON(b []byte) error {
	var text *string
	if err := json.Unmarshal(b, &text); err == nil {
		if text != nil {
			*c = content(*text)
		}
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return badParam("messages", "a message's content must be a string or a list of text parts")
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		if p.Type != "text" {
			return badParam("messages", "a message has a part of type %q: only text can be read", p.Type)
		}
		texts[i] = p.Text
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

// The models that are served.
const (
	modelWorkflow = "lexagent"        // answers from the evidence, checked
	modelAgent    = "lexagent-agent"  // the language model calls tools; checked too
	modelSearch   = "lexagent-search" // extracts only, no language model
)

var modelNames = []string{modelWorkflow, modelAgent, modelSearch}

func checkModel(name string) error {
	if slices.Contains(modelNames, name) {
		return nil
	}
	return noModel(name, modelNames)
}

func noModel(name string, models []string) *problem {
	return &problem{Status: 404, Code: "model_not_found", Param: "model",
		Message: fmt.Sprintf("there is no model %q: the models are %s", name, strings.Join(models, ", "))}
}

// decodeChat reads a chat request and what it asks of the graph.
func decodeChat(body []byte) (*chatRequest, graph.Request, error) {
	var r chatRequest
	var g graph.Request
	if err := parseJSON(body, &r, false); err != nil {
		return nil, g, err
	}
	if r.Model == "" {
		return nil, g, badParam("model", "name a model: %s", strings.Join(modelNames, ", "))
	}
	if err := checkModel(r.Model); err != nil {
		return nil, g, err
	}
	if r.N != nil && *r.N != 1 {
		return nil, g, badParam("n", "n is %d: one answer is made for a question", *r.N)
	}
	g, err := conversation(r.Messages)
	if err != nil {
		return nil, g, err
	}
	if g.MaxTokens, err = maxTokens(&r); err != nil {
		return nil, g, err
	}
	sc, err := r.scope()
	if err != nil {
		return nil, g, err
	}
	g.Scope, g.Mode, g.By = sc.Scope, sc.mode, sc.by
	g.Extractive = r.Model == modelSearch
	if r.Verify != "" && r.Verify != "inline" {
		return nil, g, badParam("verify", "verify is %q: leave it out, and the text is sent after it was checked, or say \"inline\"", r.Verify)
	}
	g.Inline = r.Verify == "inline"
	g.Follow = r.Follow
	return &r, g, nil
}

// maxTokens returns the bound of the draft, 0 for none. The newer field wins.
func maxTokens(r *chatRequest) (int, error) {
	for _, f := range []struct {
		name  string
		value *int
	}{{"max_completion_tokens", r.MaxCompletionTokens}, {"max_tokens", r.MaxTokens}} {
		if f.value == nil {
			continue
		}
		if *f.value < 1 {
			return 0, badParam(f.name, "%s is %d: it must be at least 1", f.name, *f.value)
		}
		return *f.value, nil
	}
	return 0, nil
}

// conversation takes the messages apart: the last one of the user is the
// question, what came before it is history, system messages are wishes of style.
// What follows the question (the start of an answer) is not used.
func conversation(messages []message) (graph.Request, error) {
	var g graph.Request
	if len(messages) == 0 {
		return g, badParam("messages", "messages is empty: send at least one message of the user")
	}
	var system []string
	var turns []graph.Turn
	last := -1
	for i, m := range messages {
		text := strings.TrimSpace(string(m.Content))
		switch m.Role {
		case "system", "developer":
			if text != "" {
				system = append(system, text)
			}
		case "user", "assistant":
			if m.Role == "user" {
				last = len(turns)
			}
			turns = append(turns, graph.Turn{Role: m.Role, Text: text})
		default:
			return g, badParam("messages", "messages[%d] has the role %q: the roles are system, user and assistant", i, m.Role)
		}
	}
	if last < 0 {
		return g, badParam("messages", "there is no message of the user")
	}
	g.Question = turns[last].Text
	switch n := utf8.RuneCountInString(g.Question); {
	case n == 0:
		return g, badParam("messages", "the question is empty")
	case n > retrieval.MaxQuestion:
		return g, badParam("messages", "the question has %d characters: at most %d are allowed", n, retrieval.MaxQuestion)
	}
	g.System = strings.Join(system, "\n\n")
	for _, t := range turns[:last] {
		if t.Text != "" {
			g.History = append(g.History, t)
		}
	}
	return g, nil
}

// Interface guard.
var _ json.Unmarshaler = (*content)(nil)
