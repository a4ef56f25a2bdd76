package dataset

import (
	"encoding/json"
	"fmt"
	"strings"

	"lexagent/evaluator/jsonl"
)

type legalDCRecord struct {
	Query    string          `json:"query"`
	Answer   string          `json:"answer"`
	Document json.RawMessage `json:"document"` // a passage, or a list of them
	Title    string          `json:"title"`
	Class    string          `json:"class"`
}

// classes are the types of question by their published names.
var classes = map[string]string{"概念解释型": "concept", "概括归纳型": "summary", "逻辑推理型": "logic"}

// readLegalDC reads pro_LawQA.json. The published offsets count in a text that
// isn't published, so they are passed over.
func readLegalDC(data []byte) ([]Question, error) {
	var qs []Question
	err := records(data, func(r *legalDCRecord) error {
		passages, err := passages(r.Document)
		if err != nil {
			return err
		}
		switch {
		case r.Query == "":
			return missing("query", "a question")
		case r.Title == "":
			return missing("title", "a question")
		}
		q := Question{
			ID: fmt.Sprintf("ldc-%d", len(qs)), Question: unescape(r.Query), Answer: unescape(r.Answer),
			Type: "other", Document: r.Title, Group: r.Title, Evidence: passages,
		}
		if class := classes[strings.TrimSpace(r.Class)]; class != "" {
			q.Type = class
		}
		if err := q.check(); err != nil {
			return err
		}
		qs = append(qs, q)
		return nil
	})
	return qs, err
}

// passages reads the evidence. In a string, written backslash-n parts passages;
// in a list it's a line end within one.
func passages(raw json.RawMessage) ([]string, error) {
	var one string
	var list []string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, missing("document", "a question")
	case json.Unmarshal(raw, &one) == nil:
		list = strings.Split(one, `\n`)
	case json.Unmarshal(raw, &list) != nil:
		return nil, fmt.Errorf("%w: \"document\" must be a passage or a list of passages", jsonl.ErrFormat)
	}
	var out []string
	for _, p := range list {
		if p = unescape(p); p != "" {
			out = append(out, p)
		}
	}
	return out, nil
}
