package server

import (
	"time"

	"lexagent/graph"
	"lexagent/verify"
)

// Journal keeps records; *journal.File does.
type Journal interface{ Append(record any) error }

// Audit is the record of one answer: what it rests on and how it was checked, so that
// one can say later why it was given. It holds neither the question nor the text.
type Audit struct {
	Time       time.Time              `json:"time"`
	Answer     string                 `json:"answer_id"`
	Key        string                 `json:"key,omitempty"` // id of the API key
	Model      string                 `json:"model"`         // as asked for
	LLM        string                 `json:"llm,omitempty"` // name of the language model
	Generation string                 `json:"generation"`    // of the index
	AsOf       string                 `json:"as_of"`
	Kind       graph.Kind             `json:"kind"`
	Evidence   []string               `json:"evidence"`  // ids with their versions, as the draft was given them
	Citations  []string               `json:"citations"` // those that the answer names
	Outcome    verify.Outcome         `json:"outcome"`   // of the citations
	Verdicts   map[verify.Verdict]int `json:"verdicts"`
	Removed    int                    `json:"removed"` // sentences that did not hold
	Tokens     int                    `json:"tokens"`
	MS         float64                `json:"ms"`
}

// audit keeps the record of an answer. One that can't be kept is told to the log:
// the answer goes out.
func (k *call) audit(a *graph.Answer) {
	if k.s.o.Audit == nil {
		return
	}
	r := Audit{
		Time: k.s.o.Now().UTC(), Answer: k.id, Key: keyID(k.ctx), Model: k.r.Model, AsOf: k.echo.AsOf, Kind: a.Kind,
		Evidence: list(a.Evidence), Citations: []string{}, Outcome: a.Verification.Citations, Verdicts: map[verify.Verdict]int{},
		Removed: len(a.Verification.Removed), Tokens: a.LLM.PromptTokens + a.LLM.CompletionTokens,
		MS: float64(time.Since(k.begun).Microseconds()) / 1000,
	}
	if k.s.o.Generation != nil {
		r.Generation = k.s.o.Generation()
	}
	if a.LLM.Calls > 0 {
		r.LLM = k.s.o.LLM
	}
	for i := range a.Citations {
		r.Citations = append(r.Citations, a.Citations[i].ID)
	}
	for i := range a.Verification.Findings {
		r.Verdicts[a.Verification.Findings[i].Verdict]++
	}
	if err := k.s.o.Audit.Append(r); err != nil {
		k.s.o.Logger.Error("the record of an answer is not kept", "request_id", requestID(k.ctx), "error", err)
	}
}
