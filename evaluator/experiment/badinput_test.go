package experiment

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lexagent/evaluator"
	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

// A file of ten thousand lines with one broken line is refused with its number.
func TestABrokenLineIsNamed(t *testing.T) {
	const broken = 7812
	file := func(good, bad string) string {
		var b strings.Builder
		for n := 1; n <= 10_000; n++ {
			if n == broken {
				b.WriteString(bad + "\n")
			} else {
				fmt.Fprintf(&b, good+"\n", n)
			}
		}
		return b.String()
	}
	for what, read := range map[string]func() error{
		"a run": func() error {
			_, err := run.Read(strings.NewReader(file(`{"id":"q%d","hits":[],"ms":1}`, `{"id":"q7812","hits":[`)))
			return err
		},
		"questions": func() error {
			_, err := dataset.Read(strings.NewReader(file(`{"id":"q%d","question":"x"}`, `{"id":"q7812","question":`)))
			return err
		},
		"answers": func() error {
			_, err := answers.Read(strings.NewReader(file(`{"id":"q%d","answer":"x"}`, `{"id":"q7812","answer":'x'}`)))
			return err
		},
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), "line 7812") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What is untidy in answers is counted and listed, and nothing of it ends an evaluation.
func TestUntidyAnswersAreCounted(t *testing.T) {
	gold := []dataset.Question{{ID: "a", Answer: "三十日"}, {ID: "b", Answer: "十日"}, {ID: "c", Answer: "一年"}, {ID: "c", Answer: "两年"}, {ID: "d", Answer: "五日"}}
	preds, err := answers.Read(strings.NewReader(`{"id":"a","answer":"三十日"}
{"id":"a","answer":"九日"}
{"id":"b","answer":""}
{"id":"c","answer":"` + strings.Repeat("一年。", 120_000) + `"}
{"id":"z","answer":"别的"}
`))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, err := answers.Evaluate(context.Background(), preds, gold, answers.Options{Words: strings.Fields})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Problems
	for what, got := range map[string]evaluator.List{
		"duplicate predictions a": p.DuplicatePredictions, "unknown z": p.Unknown, "missing d": p.Missing, "duplicate questions c": p.DuplicateQuestions,
	} {
		id := what[len(what)-1:]
		if got.Count != 1 || len(got.IDs) != 1 || got.IDs[0] != id {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if r.Queries != 4 || r.Metrics["f1_char"].Questions != 4 {
		t.Errorf("%d questions, F1 on %d", r.Queries, r.Metrics["f1_char"].Questions)
	}
	if v := r.Metrics["f1_char"].Value; v < 0.25 || v > 0.2501 { // one right of four; the long one has next to nothing, the empty ones nothing
		t.Errorf("F1 is %v", v)
	}
	if v := r.Metrics["abstention_rate"].Value; v != 1./3 { // the empty one of three answers
		t.Errorf("abstention rate is %v", v)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("a megabyte took %v", took)
	}
}
