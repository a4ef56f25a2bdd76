package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"lexagent/book"
	"lexagent/evaluator/batch"
	"lexagent/evaluator/jsonl"
	"lexagent/verify"
)

// checkItem is one line of a file of texts.
type checkItem struct {
	ID       string   `json:"id"`
	Text     *string  `json:"text"`
	Question string   `json:"question"`
	Evidence []string `json:"evidence"` // ids of the articles it was written from; absent = it may refer to any

	problem string // why the line can't be checked
}

// checkLine is one line of a file of reports.
type checkLine struct {
	ID string `json:"id"`
	verify.Report
	Error string `json:"error,omitempty"` // a line that can't be checked; ok is false then, and there are no findings
}

func (f *checkFlags) batch(ctx context.Context, s *checking) error {
	items, digest, err := readCheckItems(f.queries)
	if err != nil {
		return err
	}
	byID := make(map[string]*checkItem, len(items))
	questions := make([]batch.Question, len(items))
	for i := range items {
		byID[items[i].ID] = &items[i]
		questions[i].ID = items[i].ID
	}
	job := &batch.Job{
		Out: f.out, Questions: questions, Overwrite: f.overwrite,
		Meta: batch.Meta{
			Command: "check", Corpus: s.live.Current().Manifest().Digest, Queries: digest, Program: version,
			Config: map[string]any{"as_of": f.asOf, "day": s.draft.Day, "collections": s.draft.Collections, "question": f.question, "evidence": f.evidence, "lang": f.lang},
		},
		Do: func(ctx context.Context, q batch.Question) (any, error) { return f.line(ctx, s, byID[q.ID]) },
	}
	resumed, err := job.Run(ctx)
	if err != nil {
		return err
	}
	if resumed > 0 {
		warn(fmt.Sprintf("%d of %d texts were there already", resumed, len(items)))
	}
	return checkVerdict(f.out)
}

// line checks one text of a batch. What is wrong with the text is said in its line.
func (f *checkFlags) line(ctx context.Context, s *checking, item *checkItem) (any, error) {
	out := checkLine{ID: item.ID, Report: verify.Report{Findings: []verify.Finding{}}, Error: item.problem}
	if out.Error != "" {
		return out, nil
	}
	one := *s
	if item.Question != "" {
		one.draft.Question = item.Question
	}
	evidence := f.evidence
	if item.Evidence != nil {
		evidence = item.Evidence
	}
	report, err := one.check(ctx, *item.Text, evidence)
	switch {
	case errors.Is(err, verify.ErrTooLong), errors.Is(err, book.ErrNotFound):
		out.Error = err.Error()
	case err != nil:
		return nil, err
	default:
		out.Report = *report
	}
	return out, nil
}

// readCheckItems reads a file of texts and its digest. A line that can't be used is
// kept, under "line N", with what is wrong with it.
func readCheckItems(path string) (items []checkItem, digest string, err error) {
	file, err := jsonl.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	seen := map[string]bool{}
	h := sha256.New()
	err = jsonl.Lines(file, func(line int, text []byte) error {
		h.Write(append(text, '\n'))
		var item checkItem
		err := json.Unmarshal(text, &item)
		switch {
		case err != nil || item.Text == nil:
			item = checkItem{problem: fmt.Sprintf("line %d is not a JSON object with id and text", line)}
		case item.ID == "" || seen[item.ID]:
			item = checkItem{problem: fmt.Sprintf("the id %q of line %d is empty or was used before", item.ID, line)}
		}
		if item.problem != "" {
			item.ID = fmt.Sprintf("line %d", line)
		}
		seen[item.ID] = true
		items = append(items, item)
		return nil
	})
	if err == nil && len(items) == 0 {
		err = fmt.Errorf("%s holds no texts", path)
	}
	return items, hex.EncodeToString(h.Sum(nil)), err
}

// checkVerdict turns a finished file of reports into the exit code.
func checkVerdict(path string) (err error) {
	file, err := jsonl.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	texts, wrong, unchecked := 0, 0, 0
	err = jsonl.Lines(file, func(_ int, text []byte) error {
		var l checkLine
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		texts++
		switch {
		case l.Error != "":
			unchecked++
		case !l.OK:
			wrong++
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	warn(fmt.Sprintf("%d texts: something is false in %d, %d could not be checked", texts, wrong, unchecked))
	switch {
	case unchecked > 0:
		return &exitError{code: 1}
	case wrong > 0:
		return &exitError{code: exitFalse}
	}
	return nil
}
