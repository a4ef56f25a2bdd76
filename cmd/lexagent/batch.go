package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"lexagent/evaluator/experiment"
	"lexagent/evaluator/run"
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
type answerLine = experiment.AnswerLine
