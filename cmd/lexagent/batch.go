package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/run"
	"lexagent/graph"
	"lexagent/retrieval"
)

// oneOrBatch refuses a command line that has neither a question nor a file of them
// with a file, named by flag, to write to.
func oneOrBatch(args []string, queries, out, flag string) error {
	switch {
	case queries != "" && out == "":
		return fmt.Errorf("a batch needs %s FILE to write to", flag)
	case queries == "" && len(args) == 0:
		return errors.New("what is the question? Give it as an argument, or a file with --queries")
	}
	return nil
}

// searchLine searches for one question of a batch. A question that can't be
// searched for makes a line without hits, so that it counts as found nothing.
func searchLine(ctx context.Context, s *system, q retrieval.Query, item batch.Question) (any, error) {
	q.Text = item.Question
	start := time.Now()
	res, err := s.search.Search(ctx, q)
	var input *retrieval.InputError
	if errors.As(err, &input) && input.Param == "question" {
		warn(fmt.Sprintf("question %s: %s", item.ID, input.Problem))
		return runLine{ID: item.ID, Hits: []retrieval.Hit{}, MS: since(start), Error: input.Problem}, nil
	}
	if err != nil {
		return nil, err
	}
	if res.Mode != q.Mode {
		return nil, fmt.Errorf("a run must not mix modes, and %s is not possible now: %s", q.Mode, strings.Join(res.Notes, " "))
	}
	if res.LLM != nil && res.LLM.Failed > 0 {
		return nil, fmt.Errorf("a run must not mix questions with and without the language model: %s", strings.Join(res.Notes, " "))
	}
	line := runLine{ID: item.ID, Hits: res.Hits, MS: since(start), LLM: res.LLM}
	if q.Explain {
		line.Mode, line.StageMS = res.Mode, res.Stages
		line.QueryIntent, line.Expansion = res.QueryIntent, res.Expansion
	}
	return line, nil
}

// writeTREC writes a finished run beside itself in TREC format.
func writeTREC(path, tag string) (err error) {
	r, err := run.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := os.Create(strings.TrimSuffix(path, ".jsonl") + ".trec")
	if err != nil {
		return fmt.Errorf("write the TREC run: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return r.WriteTREC(f, tag)
}

// answerLine is one line of a file of answers.
type answerLine struct {
	ID string `json:"id"`
	*graph.Answer
	Full  string  `json:"answer"` // what a chat client shows: text, notes, sources
	MS    float64 `json:"ms"`
	Error string  `json:"error,omitempty"`
}
