package agent

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/eino/schema"

	"lexagent/graph"
	llm "lexagent/model"
)

// Bounds of one reply.
const (
	maxReply     = 12_000 // characters, reasoning included
	maxWritten   = 16     // calls that are read of one reply
	lookForLoops = 200    // characters between two looks for repetition
)

// turn is one reply of the model.
type turn struct {
	text    string // what it says, without reasoning and calls
	raw     string // what it wrote, without reasoning
	calls   []call
	written bool // the calls stood in the text
	cut     bool // it had no more room
	used    graph.Usage
}

// call is a tool that a reply asks for.
type call struct {
	id, name, arguments string
	problem             string // what is wrong with how it is written, for the model
}

// read reads a reply to its end, or as far as it may go. The turn is never nil.
func read(stream *schema.StreamReader[*schema.Message], known map[string]bool) (*turn, error) {
	t := &turn{}
	var text strings.Builder
	var calls []call
	places := map[int]int{} // of calls, by the index that the endpoint gives
	finished, size, looked := false, 0, 0
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if size > 0 && (errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected EOF")) {
				return t, fmt.Errorf("%w: %w", errCut, err)
			}
			return t, err
		}
		if m.ResponseMeta != nil {
			finished = finished || m.ResponseMeta.FinishReason != ""
			t.cut = t.cut || m.ResponseMeta.FinishReason == "length"
			if u := m.ResponseMeta.Usage; u != nil {
				t.used = graph.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens}
			}
		}
		text.WriteString(m.Content)
		for _, c := range m.ToolCalls {
			calls = gather(calls, places, c)
			size += utf8.RuneCountInString(c.Function.Arguments)
		}
		size += utf8.RuneCountInString(m.Content) + utf8.RuneCountInString(m.ReasoningContent)
		if size > maxReply || len(calls) > maxWritten {
			return t, errTooLong
		}
		if size-looked > lookForLoops {
			looked = size
			if repeats(text.String()) {
				return t, errRepeating
			}
		}
	}
	if !finished {
		if size == 0 {
			return t, errEmpty
		}
		return t, errCut
	}
	t.raw = llm.WithoutReasoning(text.String())
	t.text, t.calls = t.raw, calls
	if len(calls) == 0 {
		t.text, t.calls = written(t.raw, known)
		t.written = len(t.calls) > 0
	}
	for i := range t.calls {
		if t.calls[i].id == "" {
			t.calls[i].id = fmt.Sprintf("call_%d", i+1)
		}
	}
	return t, nil
}

// gather adds a piece of a call. Endpoints that give no index send a name with the
// first piece of each; some give all calls of a reply the index 0, and an id to each.
func gather(calls []call, places map[int]int, c schema.ToolCall) []call {
	at := len(calls) - 1
	if c.Index != nil {
		place, ok := places[*c.Index]
		if !ok || c.ID != "" && calls[place].id != "" && c.ID != calls[place].id {
			place = len(calls)
			places[*c.Index] = place
			calls = append(calls, call{})
		}
		at = place
	} else if c.Function.Name != "" || at < 0 {
		calls = append(calls, call{})
		at = len(calls) - 1
	}
	if calls[at].id == "" {
		calls[at].id = c.ID
	}
	if c.Function.Name != calls[at].name { // some repeat it with each piece
		calls[at].name += c.Function.Name
	}
	calls[at].arguments += c.Function.Arguments
	return calls
}

// repeats reports whether a text ends in the same passage four times over, of at
// least 80 characters in all.
func repeats(text string) bool {
	r := []rune(text)
	for period := 1; period <= 400; period++ {
		span := max(4*period, 80)
		if span > len(r) {
			return false
		}
		tail := r[len(r)-span:]
		same := true
		for i := period; i < span && same; i++ {
			same = tail[i] == tail[i-period]
		}
		if same {
			return true
		}
	}
	return false
}
