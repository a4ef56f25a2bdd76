package dataset

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"lexagent/evaluator/jsonl"
)

// readQrels reads "qid iteration docid grade" (TREC), "qid docid grade" with a head
// (BEIR) or "qid docid" (STARD). The lines of a question need not stand together.
func readQrels(data []byte) ([]Question, error) {
	var qs []Question
	place := map[string]int{}
	columns, headed := 0, false
	err := jsonl.Lines(bytes.NewReader(data), func(line int, text []byte) error {
		f := strings.Fields(string(text))
		if line == 1 && f[0] == "query-id" {
			columns, headed = 3, true
			return nil
		}
		if columns == 0 {
			columns = len(f)
		}
		if len(f) == 6 {
			return ErrRun
		}
		if len(f) != columns || len(f) != 2 && len(f) != 4 && !headed {
			return fmt.Errorf("%w: qrels have the four columns \"qid 0 docid grade\", or \"qid docid\", not %d", jsonl.ErrFormat, len(f))
		}
		doc, grade := f[1], 1
		if len(f) == 4 {
			doc = f[2]
		}
		if len(f) > 2 {
			var err error
			if grade, err = strconv.Atoi(f[len(f)-1]); err != nil {
				return fmt.Errorf("%w: grade %q is no whole number", jsonl.ErrFormat, f[len(f)-1])
			}
		}
		i, seen := place[f[0]]
		if !seen {
			i = len(qs)
			place[f[0]] = i
			qs = append(qs, Question{ID: f[0]})
		}
		if grade > 0 {
			qs[i].Gold = append(qs[i].Gold, Article{ID: doc, Grade: grade})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return qs, nil
}
