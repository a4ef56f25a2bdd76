package run

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"lexagent/evaluator/jsonl"
)

// readTREC reads "qid Q0 docid rank score tag". The lines of a question need
// not stand together.
func readTREC(r io.Reader) (*Run, error) {
	type ranked struct {
		hit  Hit
		rank int
	}
	var order []string
	hits := map[string][]ranked{}
	err := jsonl.Lines(r, func(_ int, text []byte) error {
		f := strings.Fields(string(text))
		if len(f) != 6 {
			return fmt.Errorf("%w: a run has the six columns \"qid Q0 docid rank score tag\", not %d", jsonl.ErrFormat, len(f))
		}
		rank, err := strconv.Atoi(f[3])
		if err != nil {
			return fmt.Errorf("%w: rank %q is no whole number", jsonl.ErrFormat, f[3])
		}
		score, err := strconv.ParseFloat(f[4], 64)
		if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
			return fmt.Errorf("%w: score %q is no finite number", jsonl.ErrFormat, f[4])
		}
		if _, seen := hits[f[0]]; !seen {
			order = append(order, f[0])
		}
		hits[f[0]] = append(hits[f[0]], ranked{Hit{ID: f[2], Score: score}, rank})
		return nil
	})
	if err != nil {
		return nil, err
	}
	run := &Run{}
	for _, id := range order {
		list := hits[id]
		slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
		line := Line{ID: id, Hits: make([]Hit, len(list))}
		for i, h := range list {
			line.Hits[i] = h.hit
		}
		run.Lines = append(run.Lines, line)
	}
	return run, nil
}

// WriteTREC writes the run in TREC format, hits named by DocID, ranks from 1. A
// hit whose name occurred before on its line is left out, since trec_eval
// refuses such files. tag names the system. Names with white space are errors.
func (r *Run) WriteTREC(w io.Writer, tag string) error {
	if !isColumn(tag) {
		return fmt.Errorf("the tag %q must be one word", tag)
	}
	b := bufio.NewWriter(w)
	for i := range r.Lines {
		l := &r.Lines[i]
		if !isColumn(l.ID) {
			return fmt.Errorf("question id %q can't be a TREC column: it's empty or has white space", l.ID)
		}
		seen := map[string]bool{}
		for j := range l.Hits {
			doc := l.Hits[j].DocID()
			if !isColumn(doc) {
				return fmt.Errorf("question %s: id %q can't be a TREC column: it's empty or has white space", l.ID, doc)
			}
			if seen[doc] {
				continue
			}
			seen[doc] = true
			score := strconv.FormatFloat(l.Hits[j].Score, 'g', -1, 64)
			if _, err := fmt.Fprintf(b, "%s Q0 %s %d %s %s\n", l.ID, doc, len(seen), score, tag); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// isColumn reports whether s survives in white-space separated columns.
func isColumn(s string) bool {
	f := strings.Fields(s)
	return len(f) == 1 && f[0] == s
}
