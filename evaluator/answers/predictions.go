package answers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"lexagent/evaluator/jsonl"
	"lexagent/prompts"
)

// Prediction is one system's answer to one question.
type Prediction struct {
	ID        string
	Text      string     // without list of sources and notes
	Kind      string     // generated, extractive, abstained, or "" where the system doesn't say
	Citations []Citation // nil where the system doesn't list any
	System    string     // whose answer it is, where a file holds those of several; with its setting
}

// Citation is an article that an answer rests on. It has an ID, or a Law and a
// Label, or all of them.
type Citation struct {
	ID    string `json:"id"`
	Law   string `json:"law"`
	Label string `json:"label"`
}

// abstained is the kind of an answer that declines; see graph.Abstained.
const abstained = "abstained"

// Abstained reports whether the answer declines to answer.
func (p *Prediction) Abstained() bool {
	if p.Kind != "" {
		return p.Kind == abstained
	}
	text := strings.TrimSpace(p.Text)
	return text == "" || strings.Contains(text, prompts.NoAnswer)
}

// line is a line of predictions: what ask writes, or LexRAG's {"id","response"},
// or the bare {"id","answer"}.
type line struct {
	ID        json.RawMessage `json:"id"`
	Text      *string         `json:"text"`
	Answer    *string         `json:"answer"`
	Response  *string         `json:"response"`
	Kind      string          `json:"kind"`
	System    string          `json:"system"`
	Setting   string          `json:"setting"`
	Citations []Citation      `json:"citations"`
}

// ReadFile reads a file of predictions, plain or gzipped.
func ReadFile(path string) (ps []Prediction, err error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	if ps, err = Read(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return ps, errors.Join(err, f.Close())
}

// Read reads predictions, one a line. Ids that occur twice are kept as they come;
// the report counts them.
func Read(r io.Reader) ([]Prediction, error) {
	var ps []Prediction
	err := jsonl.Each(r, func(l *line) error {
		p, err := l.prediction()
		ps = append(ps, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ps, nil
}

func (l *line) prediction() (Prediction, error) {
	id, err := idOf(l.ID)
	if err != nil {
		return Prediction{}, err
	}
	text := cmp.Or(l.Text, l.Answer, l.Response)
	if text == nil {
		return Prediction{}, fmt.Errorf("%w: no \"text\", \"answer\" or \"response\" of a prediction", jsonl.ErrFormat)
	}
	for i, c := range l.Citations {
		if c.ID == "" && (c.Law == "" || c.Label == "") {
			return Prediction{}, fmt.Errorf("%w: citation %d has no \"id\", nor \"law\" and \"label\"", jsonl.ErrFormat, i+1)
		}
	}
	return Prediction{ID: id, Text: *text, Kind: l.Kind, Citations: l.Citations, System: strings.TrimSpace(l.System + " " + l.Setting)}, nil
}

// idOf reads an id that is a string or a number.
func idOf(raw json.RawMessage) (string, error) {
	var id string
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) > 0 && raw[0] == '"':
		if err := json.Unmarshal(raw, &id); err != nil {
			return "", fmt.Errorf("%w: %w", jsonl.ErrFormat, err)
		}
	case len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'):
		id = string(raw)
	}
	if id == "" {
		return "", fmt.Errorf("%w: no \"id\" of a prediction", jsonl.ErrFormat)
	}
	return id, nil
}
