package run

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"lexagent/evaluator/jsonl"
	"lexagent/statute"
)

// Run is what one system returned for a set of questions, in file order.
type Run struct {
	Lines []Line
}

// Line is what the system returned for one question. The fields after MS are
// there when the search was asked to explain itself; their inner shape is the
// search's own, and is kept as it came.
type Line struct {
	ID   string  `json:"id"`   // id of the question
	Hits []Hit   `json:"hits"` // best first
	MS   float64 `json:"ms"`   // time of the search, in milliseconds

	QueryIntent json.RawMessage    `json:"query_intent,omitempty"`
	Expansion   json.RawMessage    `json:"expansion,omitempty"`
	LLM         json.RawMessage    `json:"llm,omitempty"`
	StageMS     map[string]float64 `json:"stage_ms,omitempty"`
}

// Hit is one unit that was found.
type Hit struct {
	ID        string       `json:"id"`                   // 民法典@2020-05-28:1077
	SourceID  string       `json:"source_id"`            // id the corpus brought along, or ""
	SourceIDs []string     `json:"source_ids,omitempty"` // all of them, where one unit stands for several
	Kind      statute.Kind `json:"kind,omitempty"`
	Law       string       `json:"law,omitempty"`      // title as printed
	Label     string       `json:"label,omitempty"`    // 第一千零七十七条
	Articles  []string     `json:"articles,omitempty"` // of a chunk: ids of the units it holds
	Text      string       `json:"text,omitempty"`     // the whole article or chunk
	Score     float64      `json:"score"`

	Scores *Scores         `json:"scores,omitempty"`
	Level  *statute.Level  `json:"level,omitempty"`
	Intent json.RawMessage `json:"intent,omitempty"`
}

// Scores are the scores that a hit got on its way. nil means that the stage did
// not run, which is not the same as 0.
type Scores struct {
	Sparse *float64 `json:"sparse,omitempty"`
	Dense  *float64 `json:"dense,omitempty"`
	Fused  *float64 `json:"fused,omitempty"`
	Rerank *float64 `json:"rerank,omitempty"`
	Intent *float64 `json:"intent,omitempty"`
	Final  *float64 `json:"final,omitempty"`
}

// DocID is the name of the hit in files that allow only one: the corpus's own
// id where there is one, so that it matches the corpus's gold files.
func (h *Hit) DocID() string {
	if h.SourceID != "" {
		return h.SourceID
	}
	return h.ID
}

// Rising reports whether a hit has a higher score than one ranked above it.
// Tools that sort by score then see another order than the one printed.
func (l *Line) Rising() bool {
	for i := 1; i < len(l.Hits); i++ {
		if l.Hits[i].Score > l.Hits[i-1].Score {
			return true
		}
	}
	return false
}

// ReadFile reads a run file in either format, plain or gzipped.
func ReadFile(path string) (r *Run, err error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	if r, err = Read(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return r, err
}

// Read reads a run in either format. Questions that occur twice are kept as
// they come; the evaluator counts them.
func Read(r io.Reader) (*Run, error) {
	b := bufio.NewReader(r)
	isJSON, err := jsonl.IsJSON(b)
	if err != nil {
		return nil, err
	}
	if !isJSON {
		return readTREC(b)
	}
	run := &Run{}
	err = jsonl.Each(b, func(l *Line) error {
		if err := l.check(); err != nil {
			return err
		}
		run.Lines = append(run.Lines, *l)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return run, nil
}

func (l *Line) check() error {
	if l.ID == "" {
		return fmt.Errorf("%w: no \"id\" of a question", jsonl.ErrFormat)
	}
	if l.Hits == nil {
		return fmt.Errorf("%w: no \"hits\" list", jsonl.ErrFormat)
	}
	for i := range l.Hits {
		if l.Hits[i].ID == "" && l.Hits[i].SourceID == "" {
			return fmt.Errorf("%w: hit %d has neither \"id\" nor \"source_id\"", jsonl.ErrFormat, i+1)
		}
	}
	return nil
}

// Write writes the line as one line of JSON. A search writes each line as soon
// as it has it, so that a batch can be resumed.
func (l Line) Write(w io.Writer) error {
	if l.Hits == nil {
		l.Hits = []Hit{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(l)
}
