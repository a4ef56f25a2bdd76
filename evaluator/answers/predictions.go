package answers

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"lexagent/evaluator/jsonl"
	"lexagent/model"
	"lexagent/prompts"
)

// Prediction is one system's answer to one question.
type Prediction struct {
	ID        string
	Text      string     // without list of sources and notes
	Kind      string     // generated, extractive, abstained, failed, or "" where the system doesn't say
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

// Kinds of answers, beside those of package graph.
const (
	abstained = "abstained" // it declines; see graph.Abstained
	// Failed is the kind of a prediction that is none: the system gave no answer. It
	// counts as an empty one, and not as one that declines.
	Failed = "failed"
)

// Abstained reports whether the answer declines to answer.
func (p *Prediction) Abstained() bool {
	if p.Kind != "" {
		return p.Kind == abstained
	}
	text := strings.TrimSpace(p.Text)
	return text == "" || strings.Contains(text, prompts.NoAnswer)
}

// line is a line of predictions: what ask writes, or LexRAG's {"id","response"},
// or the bare {"id","answer"}, or a line of the output of OpenAI's Batch API, which
// has the question's id as custom_id and a whole reply as response.
type line struct {
	ID        json.RawMessage `json:"id"`
	CustomID  json.RawMessage `json:"custom_id"`
	Text      *string         `json:"text"`
	Answer    *string         `json:"answer"`
	Response  json.RawMessage `json:"response"`
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

// Read reads predictions, one a line of JSON or one a row of a table: see Columns.
// Ids that occur twice are kept as they come; the report counts them.
func Read(r io.Reader) ([]Prediction, error) {
	b := bufio.NewReader(r)
	if table, err := isTable(b); err != nil || table {
		if err != nil {
			return nil, err
		}
		return readTable(b)
	}
	var ps []Prediction
	err := jsonl.Each(b, func(l *line) error {
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
	if l.CustomID != nil {
		l.ID = l.CustomID
	}
	id, err := idOf(l.ID)
	if err != nil {
		return Prediction{}, err
	}
	text := cmp.Or(l.Text, l.Answer)
	if text == nil {
		if text, err = l.response(); err != nil {
			return Prediction{}, err
		}
	}
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

// response reads the field response, a text or a whole reply of an OpenAI endpoint. A
// reply without a message is that of a call that failed, and no answer.
func (l *line) response() (*string, error) {
	raw := bytes.TrimSpace(l.Response)
	var text string
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		if l.CustomID == nil {
			return nil, nil //nolint:nilnil // the line has none
		}
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, fmt.Errorf("%w: %w", jsonl.ErrFormat, err)
		}
		return &text, nil
	case raw[0] == '{':
		var reply struct {
			Body struct {
				Choices []struct {
					Message struct {
						Content string `json:"content"`
					} `json:"message"`
				} `json:"choices"`
			} `json:"body"`
		}
		if err := json.Unmarshal(raw, &reply); err != nil {
			return nil, fmt.Errorf("%w: \"response\" is neither a text nor a reply with choices: %w", jsonl.ErrFormat, err)
		}
		if c := reply.Body.Choices; len(c) > 0 {
			text = model.WithoutReasoning(c[0].Message.Content)
			return &text, nil
		}
	default:
		return nil, fmt.Errorf("%w: \"response\" is neither a text nor a reply with choices", jsonl.ErrFormat)
	}
	l.Kind = Failed
	return &text, nil
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
