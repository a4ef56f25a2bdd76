package dataset

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"lexagent/evaluator/jsonl"
)

// Question is one question of a data set.
type Question struct {
	ID       string    `json:"id"`
	Question string    `json:"question"`
	Answer   string    `json:"answer,omitempty"`   // reference answer
	Type     string    `json:"type,omitempty"`     // concept, summary, logic … in Legal-DC
	Document string    `json:"document,omitempty"` // title of the document that the evidence is from
	Gold     []Article `json:"gold,omitempty"`
	Evidence []string  `json:"evidence,omitempty"` // passages, verbatim
	// Spans are [start, end) of each passage in the document, in characters.
	Spans [][2]int `json:"evidence_spans,omitempty"`
}

// Article is an article that governs a question.
type Article struct {
	ID    string `json:"article_id"`
	Law   string `json:"law,omitempty"`
	Label string `json:"article_label,omitempty"`
	Grade int    `json:"grade,omitempty"` // how relevant; 0 stands for 1
}

// ReadFile reads a gold file in any known format, plain or gzipped.
func ReadFile(path string) (qs []Question, err error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	if qs, err = Read(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return qs, err
}

// Read reads questions in any known format. Questions without gold and ids that
// occur twice are kept as they come; the evaluator counts them.
func Read(r io.Reader) ([]Question, error) {
	b := bufio.NewReader(r)
	isJSON, err := jsonl.IsJSON(b)
	if err != nil {
		return nil, err
	}
	if !isJSON {
		return readQrels(b)
	}
	var qs []Question
	err = jsonl.Each(b, func(q *Question) error {
		if err := q.check(); err != nil {
			return err
		}
		qs = append(qs, *q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return qs, nil
}

func (q *Question) check() error {
	if q.ID == "" {
		return fmt.Errorf("%w: no \"id\" of a question", jsonl.ErrFormat)
	}
	for i := range q.Gold {
		switch g := &q.Gold[i]; {
		case g.ID == "":
			return fmt.Errorf("%w: gold %d has no \"article_id\"", jsonl.ErrFormat, i+1)
		case g.Grade < 0:
			return fmt.Errorf("%w: gold %d has the grade %d", jsonl.ErrFormat, i+1, g.Grade)
		case g.Grade == 0:
			g.Grade = 1
		}
	}
	for i, e := range q.Evidence {
		if Squeeze(e) == "" {
			return fmt.Errorf("%w: evidence %d is empty", jsonl.ErrFormat, i+1)
		}
	}
	return nil
}

// readQrels reads "qid iteration docid grade". The lines of a question need not
// stand together.
func readQrels(r io.Reader) ([]Question, error) {
	var qs []Question
	place := map[string]int{}
	err := jsonl.Lines(r, func(_ int, text []byte) error {
		f := strings.Fields(string(text))
		if len(f) != 4 {
			return fmt.Errorf("%w: qrels have the four columns \"qid 0 docid grade\", not %d", jsonl.ErrFormat, len(f))
		}
		grade, err := strconv.Atoi(f[3])
		if err != nil {
			return fmt.Errorf("%w: grade %q is no whole number", jsonl.ErrFormat, f[3])
		}
		i, seen := place[f[0]]
		if !seen {
			i = len(qs)
			place[f[0]] = i
			qs = append(qs, Question{ID: f[0]})
		}
		if grade > 0 {
			qs[i].Gold = append(qs[i].Gold, Article{ID: f[2], Grade: grade})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return qs, nil
}

// Squeeze drops all white space. Passages and texts are compared in this form,
// since the same law is laid out differently in every source.
func Squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
