package graph

import (
	"encoding/json"

	"lexagent/retrieval"
)

// Event is something that happens while an answer is made. The set is sealed:
// everything above (agent, server, page) forwards these types and no others.
type Event interface{ eventType() string }

// Step names a node of the graph, as shown to people.
type Step string

// The steps of the answer graph.
const (
	Understand Step = "understand"
	Retrieve   Step = "retrieve"
	Draft      Step = "draft"
	Verify     Step = "verify"
	Supplement Step = "supplement" // search for what the draft lacked
)

// The steps of the tool-calling mode, which come again and again before Verify.
const (
	Plan Step = "plan" // the language model reads what there is, and asks for tools or answers
	Tool Step = "tool" // a tool runs; the note names it
)

// StepStarted says that a step of the graph began.
type StepStarted struct {
	Step Step `json:"step"`
}

// StepDone says that a step ended, after how long, and what came of it in a few
// words for people.
type StepDone struct {
	Step Step    `json:"step"`
	MS   float64 `json:"ms"`
	Note string  `json:"note,omitempty"`
}

// Evidence lists the units that the draft will rest on.
type Evidence struct {
	Hits []retrieval.Hit `json:"hits"`
}

// Text is the next piece of the checked answer. It is sent only after the
// verdict: nothing unchecked leaves. Where Request.Inline asks for it, each sentence is
// sent after its own deterministic check, before the verdict on the whole.
type Text struct {
	Text string `json:"text"`
}

// Done carries the whole answer; it is the last event.
type Done struct {
	Answer *Answer `json:"answer"`
}

func (StepStarted) eventType() string { return "step_started" }
func (StepDone) eventType() string    { return "step_done" }
func (Evidence) eventType() string    { return "evidence" }
func (Text) eventType() string        { return "text" }
func (Done) eventType() string        { return "done" }

// MarshalEvent writes an event as JSON, {"type":…} and the event's own fields.
func MarshalEvent(e Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	head := []byte(`{"type":"` + e.eventType() + `"`)
	if len(body) > 2 {
		head = append(head, ',')
	}
	return append(head, body[1:]...), nil
}
