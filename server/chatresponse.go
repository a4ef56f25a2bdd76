package server

import (
	"encoding/json"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"lexagent/graph"
	"lexagent/verify"
)

// completion is the whole answer as OpenAI's chat.completion, with our fields.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
	extension
}

type choice struct {
	Index        int          `json:"index"`
	Message      replyMessage `json:"message"`
	Logprobs     *struct{}    `json:"logprobs"` // always null
	FinishReason string       `json:"finish_reason"`
}

// finishReason is "length" where the language model had no room to end its answer.
func finishReason(a *graph.Answer) string {
	if a.Cut {
		return "length"
	}
	return "stop"
}

type replyMessage struct {
	Role        string       `json:"role"`
	Content     string       `json:"content"`
	Refusal     *string      `json:"refusal"` // always null
	Annotations []annotation `json:"annotations"`
}

// annotation is OpenAI's way to say that a range of the content rests on a page.
type annotation struct {
	Type string      `json:"type"`
	URL  urlCitation `json:"url_citation"`
}

type urlCitation struct {
	Start int    `json:"start_index"` // characters of the content, [start, end)
	End   int    `json:"end_index"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// extension is what we add to OpenAI's answer. In a stream it comes with the
// chunk that has finish_reason.
type extension struct {
	Citations    []graph.Citation `json:"citations"`
	Verification verify.Record    `json:"verification"`
	Lexagent     outcome          `json:"lexagent"`
}

// outcome tells how the answer came about and how the request was understood.
type outcome struct {
	Type       string     `json:"type"` // "answer", beside the types of graph.Event in a stream
	Kind       graph.Kind `json:"kind"`
	TextLength int        `json:"text_length"` // characters of the answer proper; notes and the list of sources follow it
	Evidence   []string   `json:"evidence"`
	Notes      []string   `json:"notes"`
	LLMCalls   int        `json:"llm_calls"`
	MS         float64    `json:"ms"`

	Conversation *remembered `json:"conversation,omitempty"` // absent without one
	scopeEcho
}

// chunk is one data line of a stream, OpenAI's chat.completion.chunk.
type chunk struct {
	ID        string          `json:"id"`
	Object    string          `json:"object"`
	Created   int64           `json:"created"`
	Model     string          `json:"model"`
	Choices   []chunkChoice   `json:"choices"`
	Usage     json.RawMessage `json:"usage,omitempty"`    // null until the last chunk, absent unless asked for
	Lexagent  json.RawMessage `json:"lexagent,omitempty"` // progress, a graph.Event
	*lastPart                 // in the chunk that ends the answer
}

// lastPart is extension under names that do not clash with a chunk's.
type lastPart struct {
	Citations    []graph.Citation `json:"citations"`
	Verification verify.Record    `json:"verification"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        delta     `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`      // always null
	FinishReason *string   `json:"finish_reason"` // null, then "stop" or "length"
}

type delta struct {
	Role        string       `json:"role,omitempty"`
	Content     *string      `json:"content,omitempty"`
	Annotations []annotation `json:"annotations,omitempty"`
}

func usageOf(u graph.Usage) usage {
	return usage{u.PromptTokens, u.CompletionTokens, u.PromptTokens + u.CompletionTokens}
}

// annotations lists where the content names the articles it rests on. base is
// where readers reach the page.
func annotations(a *graph.Answer, base string) []annotation {
	list := []annotation{}
	for i := range a.Citations {
		c := &a.Citations[i]
		for _, span := range c.Spans {
			list = append(list, annotation{"url_citation", urlCitation{span[0], span[1], c.Name(), articleURL(base, c.ID)}})
		}
	}
	return list
}

// articleURL is the address of an article on the page.
func articleURL(base, id string) string { return base + "/#/article/" + url.PathEscape(id) }

// extensionOf gathers our fields of an answer. Lists are never null.
func extensionOf(a *graph.Answer, echo scopeEcho, took time.Duration) extension {
	v := a.Verification
	v.Findings, v.Removed = list(v.Findings), list(v.Removed)
	citations := list(slices.Clone(a.Citations))
	for i := range citations {
		citations[i].Spans = list(citations[i].Spans)
	}
	return extension{citations, v, outcome{
		Type: "answer", Kind: a.Kind, TextLength: utf8.RuneCountInString(a.Text),
		Evidence: list(a.Evidence), Notes: list(a.Notes), LLMCalls: a.LLM.Calls,
		MS: float64(took.Microseconds()) / 1000, scopeEcho: echo,
	}}
}

// list returns s, or an empty list in the place of nil, which JSON would call null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
