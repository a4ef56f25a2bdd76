package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"lexagent/evaluator"
	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
)

// givenLine is the answer of an outside system as it lies beside ours.
type givenLine struct {
	ID        string             `json:"id"`
	Answer    string             `json:"answer"`
	Kind      string             `json:"kind,omitempty"`
	Citations []answers.Citation `json:"citations,omitempty"`
	Error     string             `json:"error,omitempty"`
}

// given makes the job of a row whose answers another system gave, from its file.
func (e *Experiment) given(ctx context.Context, t *trial, k *task) error {
	path := e.path(k.row.Pred)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Unready("its answers are not there (%s)", path)
	}
	if err != nil {
		return fmt.Errorf("read the answers: %w", err)
	}
	preds, err := answers.ReadFile(path)
	if err != nil {
		return err
	}
	byID, known := map[string]*answers.Prediction{}, map[string]bool{}
	var unknown evaluator.List
	for i := range t.questions {
		known[t.questions[i].ID] = true
	}
	for i := range preds {
		if byID[preds[i].ID] == nil {
			byID[preds[i].ID] = &preds[i]
		}
		if !known[preds[i].ID] {
			unknown.Add(preds[i].ID, 1)
		}
	}
	if unknown.Count > 0 && e.Limit == 0 && e.File.Sample == 0 {
		t.notes = append(t.notes, evaluator.Note{List: unknown, Says: "Answers of " + k.row.name + " to other questions, ignored"}.String()+".")
	}
	sum := sha256.Sum256(raw)
	config := map[string]any{"answer": Given, "file": hex.EncodeToString(sum[:8])}
	return e.job(ctx, t, k, "ask", config, func(_ context.Context, q *dataset.Question, _ string) (any, error) {
		p := byID[q.ID]
		if p == nil {
			return givenLine{ID: q.ID, Kind: answers.Failed, Error: "there is no answer to it in the file"}, nil
		}
		return givenLine{ID: q.ID, Answer: p.Text, Kind: p.Kind, Citations: p.Citations}, nil
	})
}

// asked makes the job of a row that asks an outside system as its users would.
func (e *Experiment) asked(ctx context.Context, t *trial, k *task) error {
	llm, err := k.lab.Generator(ctx, *k.row.gen)
	if err != nil {
		return err
	}
	k.uses(1, callTokens, e.File.Tokens)
	o := answers.Outside{Chat: llm.Chat, Tokens: e.File.Tokens}
	config := map[string]any{"answer": Asked, "generator": llm.Name, "url": k.row.gen.URL, "tokens": e.File.Tokens}
	return e.job(ctx, t, k, "ask", config, func(ctx context.Context, q *dataset.Question, text string) (any, error) {
		return o.Ask(ctx, q, text)
	})
}
