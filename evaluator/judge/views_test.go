package judge

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/prompts"
)

// Judged one dimension at a time, the four replies make one verdict; one of no use makes none.
func TestEachDimensionByItself(t *testing.T) {
	m := script(map[string][]string{"甲": {`{"score":5,"reason":"切题"}`, `{"score":11}`, `{"score":4}`, `{"score":3}`, `{"score":2}`}, "乙": {`{"score":5}`, "五分"}})
	j := judgeOf(m)
	j.Each = true
	v, err := j.Judge(context.Background(), item("q", "甲"))
	if err != nil {
		t.Fatal(err)
	}
	want := Verdict{Scores: prompts.Scores{Relevance: 5, Accuracy: 4, Completeness: 3, Fluency: 2}, Reason: "切题", Usage: Usage{Calls: 5, PromptTokens: 500, CompletionTokens: 50}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, word := range []string{"相关性", "准确性", "准确性", "完整性", "流畅性"} {
		if !strings.Contains(m.seen[i][0].Content, word) {
			t.Errorf("call %d does not ask for %s", i, word)
		}
	}
	if v, err := j.Judge(context.Background(), item("q", "乙")); err == nil || v.Scores != (prompts.Scores{}) {
		t.Errorf("%+v, %v: no verdict was whole", v, err)
	}
}

func TestSpreadOfRepeatedVerdicts(t *testing.T) {
	m := script(map[string][]string{"甲": {verdict(5, 5, 5, 5), verdict(3, 3, 3, 3), verdict(4, 4, 4, 4)}, "乙": {verdict(2, 2, 2, 2)}, "丙": {"?"}})
	b := batch(t, m, item("q1", "甲"), item("q2", "乙"), item("q3", "丙"))
	b.Repeats = 2
	lines := run(t, b)
	r := Summarise(b.Judge, b.Items, lines, Options{Weights: DefaultWeights})
	want := Repeats{Answers: 2, Same: .5, Deviation: .25 / 2} // of 1, ½ and ¾; and none
	if diff := cmp.Diff(want, *r.Repeats, near); diff != "" || r.Queries != 3 || r.Judged != 2 {
		t.Errorf("%d of %d judged (-want +got):\n%s", r.Judged, r.Queries, diff)
	}
	if got := r.Metrics["score"].Value; math.Abs(got-(1+.25)/2) > 1e-12 {
		t.Errorf("score %v: the repetitions don't count", got)
	}
	if run(t, b); m.calls["甲"] != 3 || m.calls["乙"] != 3 {
		t.Errorf("judged again: %v", m.calls)
	}
}

func TestWhatABatchWillTake(t *testing.T) {
	m := script(map[string][]string{"甲": {verdict(5, 5, 5, 5)}, "乙": {verdict(2, 2, 2, 2)}})
	b := batch(t, m, item("q1", "甲"), Item{ID: "q2", Answer: "无从评起"})
	b.Swap = true
	rates := Rates{Speed: 10, PromptPrice: 1, CompletionPrice: 2}
	e, err := b.Estimate(rates)
	if err != nil || e.Calls != 2 || e.Views != 2 || e.Kept != 0 || e.Measured {
		t.Fatalf("%+v, %v", e, err)
	}
	if e.Prompt < 500 || e.Prompt > 1500 || e.Completion != 2*verdictTokens {
		t.Errorf("%d tokens of prompts, %d of replies", e.Prompt, e.Completion)
	}
	if want := (float64(e.Prompt)/10 + 130) / 10; e.Seconds != want || math.Abs(e.Price-(float64(e.Prompt)+260)/1e6) > 1e-12 {
		t.Errorf("%v s, %v; want %v s", e.Seconds, e.Price, want)
	}
	// What was judged tells what the rest will take: 100 tokens a prompt, 10 a reply.
	run(t, b)
	b.Items = []Item{item("q1", "甲"), item("q3", "乙")}
	e, err = b.Estimate(Rates{})
	if err != nil || !e.Measured || e.Kept != 2 || e.Calls != 2 || e.Prompt < 199 || e.Prompt > 201 || e.Completion != 20 || e.Seconds <= 0 {
		t.Errorf("%+v, %v", e, err)
	}
}
