package judge

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"lexagent/evaluator"
	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
	llm "lexagent/model"
	"lexagent/prompts"
)

// scripted replies by what the answer under judgement says; "!" is a failure.
type scripted struct {
	replies map[string][]string // by answer, one a call; the last one stays
	calls   map[string]int
	seen    [][]*schema.Message
}

func (m *scripted) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.seen = append(m.seen, in)
	for answer, replies := range m.replies {
		if !strings.Contains(in[1].Content, "<待评答案>\n"+answer+"\n") {
			continue
		}
		n := min(m.calls[answer], len(replies)-1)
		m.calls[answer]++
		if replies[n] == "!" {
			return nil, errors.New("connection refused")
		}
		out := schema.AssistantMessage(replies[n], nil)
		out.ResponseMeta = &schema.ResponseMeta{Usage: &schema.TokenUsage{PromptTokens: 100, CompletionTokens: 10}}
		return out, nil
	}
	return nil, errors.New("no such answer")
}

func script(replies map[string][]string) *scripted {
	return &scripted{replies: replies, calls: map[string]int{}}
}

func verdict(r, a, c, f int) string {
	return fmt.Sprintf(`{"relevance":%d,"accuracy":%d,"completeness":%d,"fluency":%d,"reason":"理由"}`, r, a, c, f)
}

func item(id, answer string) Item {
	return Item{ID: id, Question: "期限？", Reference: "三十日。", Answer: answer}
}

func judgeOf(m llm.Chat) *Judge { return &Judge{Model: m, Name: "m", Pause: time.Nanosecond} }

func TestAReplyThatIsNoVerdictIsAskedForAgain(t *testing.T) {
	m := script(map[string][]string{"甲": {"很好", `{"relevance":9,"accuracy":1,"completeness":1,"fluency":1}`, verdict(5, 4, 3, 5)}})
	v, err := judgeOf(m).Judge(context.Background(), item("q", "甲"))
	if err != nil {
		t.Fatal(err)
	}
	want := Verdict{Scores: prompts.Scores{Relevance: 5, Accuracy: 4, Completeness: 3, Fluency: 5}, Reason: "理由", Usage: Usage{Calls: 3, PromptTokens: 300, CompletionTokens: 30}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if last := m.seen[2]; len(last) != 4 || !strings.Contains(last[3].Content, "relevance 必须是 1 到 5 的整数，而不是 9") {
		t.Errorf("the model is not told what was wrong: %v", last)
	}
}

func TestWhatCannotBeJudged(t *testing.T) {
	m := script(map[string][]string{"甲": {"不打分"}, "乙": {"!"}, "丙": {"!", verdict(1, 1, 1, 1)}})
	for answer, want := range map[string]error{"甲": ErrNoVerdict, "乙": ErrModel, "丙": nil} {
		v, err := judgeOf(m).Judge(context.Background(), item("q", answer))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", answer, err, want)
		}
		if err != nil && v.Scores != (prompts.Scores{}) {
			t.Errorf("%s: there is no verdict, and scores %+v", answer, v.Scores)
		}
		if v.Usage.Calls > 3 {
			t.Errorf("%s: %d calls", answer, v.Usage.Calls)
		}
	}
	if _, err := judgeOf(m).Judge(context.Background(), Item{ID: "q", Question: "?", Answer: "甲"}); !errors.Is(err, ErrNothingToCompare) {
		t.Errorf("nothing to compare with: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := judgeOf(m).Judge(ctx, item("q", "甲")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestWeights(t *testing.T) {
	w, err := ParseWeights(" 0.3,0.4, 0.2,0.1")
	if err != nil || w != DefaultWeights {
		t.Fatal(w, err)
	}
	if w, err := ParseWeights("30,40,20,10"); err != nil || cmp.Diff(DefaultWeights, w, near) != "" {
		t.Errorf("in per cent: %v, %v", w, err)
	}
	if got, want := w.Score(prompts.Scores{Relevance: 5, Accuracy: 3, Completeness: 1, Fluency: 2}), 0.3+0.4/2+0+0.1/4; math.Abs(got-want) > 1e-15 {
		t.Errorf("score %v, want %v", got, want)
	}
	for in, want := range map[string]string{
		"1,0,0": "must be four numbers", "0,0,0,0": "are all 0", "a,0,0,1": "must be a number", "1.5,-0.5,0,0": "from 0 to 100", "NaN,0,0,1": "from 0 to 100",
	} {
		if _, err := ParseWeights(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

func batch(t *testing.T, m llm.Chat, items ...Item) *Batch {
	return &Batch{Judge: judgeOf(m), Out: filepath.Join(t.TempDir(), "out.judge.jsonl"), Items: items}
}

func run(t *testing.T, b *Batch) []Line {
	t.Helper()
	lines, err := b.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestABatchGoesOn(t *testing.T) {
	m := script(map[string][]string{"甲": {verdict(5, 5, 5, 5)}, "乙": {"?", "?", "?", verdict(2, 2, 2, 2)}, "丙": {verdict(3, 3, 3, 3)}})
	b := batch(t, m, item("q1", "甲"), item("q2", "乙"))
	lines := run(t, b)
	if lines[0].Status != Judged || lines[1].Status != NotJudged || lines[1].Scores != nil || !strings.Contains(lines[1].Error, ErrNoVerdict.Error()) {
		t.Errorf("%+v", lines)
	}
	// A kill leaves half a line; an answer is new; what was not judged is tried again.
	f, err := os.OpenFile(b.Out, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"q3","co`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	b.Items = []Item{item("q3", "丙"), item("q1", "甲"), item("q2", "乙")}
	if left, err := b.Left(); err != nil || left != 2 {
		t.Errorf("%d left, %v", left, err)
	}
	lines = run(t, b)
	if m.calls["甲"] != 1 || m.calls["丙"] != 1 || m.calls["乙"] != 4 {
		t.Errorf("calls %v", m.calls)
	}
	data, err := os.ReadFile(b.Out)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for text := range strings.Lines(string(data)) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, l.ID+" "+l.Status)
	}
	if diff := cmp.Diff([]string{"q3 judged", "q1 judged", "q2 judged"}, ids); diff != "" || len(lines) != 3 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Another model's verdicts, and those on another answer, are others.
	b.Judge.Name = "other"
	if left, err := b.Left(); err != nil || left != 3 {
		t.Errorf("another model: %d left, %v", left, err)
	}
	b.Judge.Name, b.Items[0].Reference = "m", "十日。"
	if left, err := b.Left(); err != nil || left != 1 {
		t.Errorf("another reference: %d left, %v", left, err)
	}
}

func TestABatchWhoseModelIsAway(t *testing.T) {
	m := script(map[string][]string{"甲": {"!"}})
	b := batch(t, m, item("q1", "甲"), item("q2", "甲"), item("q3", "甲"), item("q4", "甲"))
	_, err := b.Run(context.Background())
	if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "run the same command again") || strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
	if m.calls["甲"] != 9 {
		t.Errorf("%d calls, want 3 for each of 3 answers", m.calls["甲"])
	}
	// Nothing to judge by is a line, and no reason to stop.
	b = batch(t, m, Item{ID: "q1", Answer: "甲"})
	if lines := run(t, b); lines[0].Status != NotJudged || lines[0].Error == "" {
		t.Errorf("%+v", lines)
	}
	run(t, b) // the file reads back
	if err := os.WriteFile(b.Out, []byte(`{"id":"q1","answer":"no judgement"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "line 1: bad line: this is no file of judgements") {
		t.Errorf("got %v", err)
	}
}

// Two raters on a form filled in by hand, one of whom left an answer out.
func TestReport(t *testing.T) {
	m := script(map[string][]string{"甲": {verdict(5, 5, 5, 5)}, "乙乙": {verdict(1, 1, 1, 1)}, "丙丙丙": {verdict(3, 3, 3, 3), verdict(3, 3, 3, 5)}, "丁": {"?"}})
	items := []Item{item("q1", "甲"), item("q2", "乙乙"), item("q3", "丙丙丙"), item("q4", "丁")}
	b := batch(t, m, items...)
	b.Swap = true
	lines := run(t, b)
	human := Ratings{}
	for _, f := range []func(i int) string{
		func(i int) string { return []string{"5,4,5,5", "1,2,1,1", "3,3,3,3", "1,1,1,1"}[i] },
		func(i int) string { return []string{"5,4,5,5", ",,,", "3,3,3,3", "1,1,1,1"}[i] },
	} {
		var form strings.Builder
		form.WriteString("\ufeffremark,code,relevance,accuracy,completeness,fluency\n")
		for i := range items {
			form.WriteString("x," + items[i].Code() + "," + f(i) + "\n")
		}
		form.WriteString("x,stranger,1,1,1,1\n")
		if err := human.Read(strings.NewReader(form.String())); err != nil {
			t.Fatal(err)
		}
	}
	r := Summarise(b.Judge, items, lines, Options{
		Weights: DefaultWeights, Human: human, Missing: list("q5"), Groups: []evaluator.Grouping{{Name: "type", Of: map[string]string{"q1": "logic"}}},
	})
	if r.Queries != 4 || r.Judged != 3 || r.NotJudged.Count != 1 || r.Missing.Count != 1 {
		t.Errorf("%d of %d judged, %v not, %v missing", r.Judged, r.Queries, r.NotJudged, r.Missing)
	}
	// What was not judged is in no mean: 1, 0 and ½, not a fourth.
	if got := r.Metrics["score"].Value; math.Abs(got-0.5) > 1e-15 {
		t.Errorf("score %v, want 1/2", got)
	}
	if got := r.Groups["type"]["logic"].Metrics["accuracy"].Value; got != 5 {
		t.Errorf("accuracy of logic %v, want 5", got)
	}
	if want := (Swap{Answers: 3, Same: 2 / 3., Mean: 0.05 / 3, Shift: 0.05 / 3}); cmp.Diff(want, *r.Swap, near) != "" {
		t.Errorf("swap %+v, want %+v", *r.Swap, want)
	}
	a := r.Agreement["accuracy"] // judge 5 1 3, people 4 2 3
	want := Agreement{Answers: 3, Pearson: 1, Spearman: 1, Low: a.Low, High: a.High, Kendall: 1, Kappa: a.Kappa, Bias: 0}
	if diff := cmp.Diff(want, a, near); diff != "" || a.Kappa <= 0 || a.Kappa >= 1 {
		t.Errorf("accuracy %+v, κ %v\n%s", a, a.Kappa, diff)
	}
	if r.People.Answers != 2 || r.People.Unknown != 2 || r.People.Kappa["relevance"] != 1 {
		t.Errorf("people %+v", r.People) // q1 and q3; q4 was not judged, a stranger is none
	}
	var text bytes.Buffer
	if err := r.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"judged 3 of 4 answers with m, prompt judge.v1", "Agreement with people", "answers not judged, in no mean: 1 (q4)", "questions without an answer, in no mean: 1 (q5)", "swapped: of 3 answers"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })

func list(ids ...string) (l evaluator.List) {
	for _, id := range ids {
		l.Add(id, 1)
	}
	return l
}

func TestFormsWithMistakes(t *testing.T) {
	const head = "code,relevance,accuracy,completeness,fluency\n"
	for in, want := range map[string]string{
		"":                              "can't be read as CSV",
		"code,relevance\n":              "line 1: bad rating form: the columns code, relevance, accuracy, completeness, fluency are needed",
		head + "a,1,2,3,4\nb,1,2,3,\n":  "line 3: bad rating form: an answer needs all four ratings, or none",
		head + "a,1,2,3,6\n":            `line 2: bad rating form: fluency is "6"; it must be a number from 1 to 5`,
		head + "a,1,2,gut,4\n":          `completeness is "gut"`,
		head + "a,1,2,3\n":              "wrong number of fields",
		head + "a,\"1,2,3,4\nb,1,1,1,1": "bad rating form",
	} {
		if err := (Ratings{}).Read(strings.NewReader(in)); !errors.Is(err, ErrForm) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", in, err, want)
		}
	}
}

// The form tells nothing of systems, is in an order of its own, and is read back.
func TestTheFormIsBlind(t *testing.T) {
	gold := []dataset.Question{{ID: "q1", Question: "期限？", Answer: "三十日。"}, {ID: "q2", Question: "罚款？", Answer: "千元。", History: []dataset.Turn{{User: "要登记吗？", Assistant: "要。"}}}, {ID: "q3", Question: "?"}}
	var all []Item
	for _, answer := range []string{"- 三十日", "三十天", "三十天", "=30"} {
		items, missing := Items([]answers.Prediction{{ID: "q1", Text: answer}, {ID: "q2", Text: "系统" + answer}, {ID: "q9"}}, gold)
		if missing.Count != 1 {
			t.Errorf("missing %v", missing)
		}
		all = append(all, items...)
	}
	form := Blind(all, 1)
	if len(form) != 6 { // three answers that differ to each of two questions
		t.Fatalf("%d answers on the form", len(form))
	}
	again, other := Blind(all, 1), Blind(all, 2)
	if !cmp.Equal(form, again) || cmp.Equal(form, other) {
		t.Error("the order is not the seed's")
	}
	var sheet, page bytes.Buffer
	if err := errors.Join(WriteCSV(&sheet, form), WriteHTML(&page, form)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(sheet.String(), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows[1:] {
		if row[0] != form[i].Code() || strings.HasPrefix(row[3], "=") || strings.HasPrefix(row[3], "-") {
			t.Errorf("row %v", row)
		}
		for c := 4; c < 8; c++ {
			rows[i+1][c] = "3"
		}
		if !strings.Contains(page.String(), row[0]) {
			t.Errorf("the page lacks %s", row[0])
		}
	}
	if !strings.Contains(page.String(), `const names = ["relevance","accuracy","completeness","fluency"]`) || !strings.Contains(page.String(), "要登记吗？") {
		t.Error("the page lacks its names or a conversation")
	}
	var filled bytes.Buffer
	if err := csv.NewWriter(&filled).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	ratings := Ratings{}
	if err := ratings.Read(&filled); err != nil || len(ratings) != 6 {
		t.Errorf("%d ratings, %v", len(ratings), err)
	}
}

// Whatever a form holds, it's refused or its ratings are in range.
func FuzzRatings(f *testing.F) {
	f.Add([]byte("code,relevance,accuracy,completeness,fluency\na,1,2,3,4\nb,,,,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Ratings{}
		if r.Read(bytes.NewReader(data)) != nil {
			return
		}
		for _, all := range r {
			for _, s := range all {
				for _, v := range s {
					if !(v >= 1 && v <= 5) {
						t.Fatalf("a rating of %v", v)
					}
				}
			}
		}
	})
}
