package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/book"
	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/jsonl"
	"lexagent/statute"
)

func TestRead(t *testing.T) {
	in := `{"id":"a","kind":"generated","text":"三十日。","answer":"三十日。\n\n依据：…","citations":[{"id":"登记法@2019-01-02:2","law":"登记法","label":"第二条","text":"…"}],"ms":3}
{"id":"1_turn2","question":"?","response":"罚款。"}
{"id":7,"answer":"免费"}
`
	got, err := Read(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	want := []Prediction{
		{ID: "a", Kind: "generated", Text: "三十日。", Citations: []Citation{{"登记法@2019-01-02:2", "登记法", "第二条"}}},
		{ID: "1_turn2", Text: "罚款。"}, {ID: "7", Text: "免费"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadInputNamesTheLine(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"a","text":"x"}` + "\n" + `{"text":"x"}`: `line 2: bad line: no "id" of a prediction`,
		`{"id":[1],"text":"x"}`:                         `no "id" of a prediction`,
		`{"id":"a"}`:                                    `line 1: bad line: no "text", "answer" or "response" of a prediction`,
		`{"id":"a","text":1}`:                           `"text" can't be a number`,
		`{"id":"a","text":"x","citations":[{}]}`:        `citation 1 has no "id", nor "law" and "label"`,
		`[1]`:                                           "a JSON object is expected",
	} {
		_, err := Read(strings.NewReader(in))
		if !errors.Is(err, jsonl.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", in, err, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for text, want := range map[string]string{
		"正确": "yes",
		"正确。依照《登记法》第二条……": "yes",
		"**错误**。期限是三十日。":  "no",
		"对，应当登记。":         "yes",
		"不对。":             "no",
		"不正确，因为……":        "no",
		"是的，可以。":          "yes",
		"否。":              "no",
		"该说法正确。":          "yes",
		"<说法>正确。\n理由：……":  "yes",
		"<说法>是错误的。":       "no",
		"上述表述是错误的。":       "no",
		"依照第二条，期限是三十日。因此，该说法错误。": "no",
		"分析：……\n答案：正确":           "yes",
		"结论是：该命题不成立。":            "no",
		"Yes, it must.":          "yes",
		"No.":                    "no",
		"N":                      "no",
		"Answer: Y":              "yes",
		"【答案】错误":                 "no",
		"对于登记，应当在三十日内申请。": "", // 对于 is no verdict
		"是否应当登记，取决于事实。":   "",
		"应当登记。": "",
		"":      "",
		"正确。……因此，该说法错误。":        "", // contradicts itself
		"答案：正确。答案：错误。":          "",
		"现有法条无法回答":              "",
		"Not every application": "",
		"错过期限的，处罚款。":            "",
	} {
		verdict, ok := Verdict(text)
		got := map[[2]bool]string{{true, true}: "yes", {false, true}: "no"}[[2]bool{verdict, ok}]
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// statutes is a book of two articles, of which the second is repealed.
type statutes struct{}

func (statutes) Mentions(_ context.Context, _ []string, text string, _ *statute.Context, _ statute.Date) ([]book.Mention, error) {
	var out []book.Mention
	for _, r := range statute.FindReferences(text, nil) {
		m := book.Mention{Outcome: book.NoLaw}
		if l, units := lawOf(r.Law); l != nil {
			m = book.Mention{Outcome: book.NoArticle, Law: l}
			for i := range units {
				if len(r.Points) > 0 && units[i].Number == r.Points[0].Number {
					m.Outcome, m.Unit = book.Found, &units[i]
				}
			}
		}
		out = append(out, m)
	}
	return out, nil
}

func (statutes) Unit(_ context.Context, _ []string, id string, _ statute.Date) (*statute.Unit, *statute.Law, error) {
	for _, name := range []string{"登记法", "旧登记法"} {
		l, units := lawOf(name)
		for i := range units {
			if units[i].ID == id {
				return &units[i], l, nil
			}
		}
	}
	return nil, nil, book.ErrNotFound
}

func lawOf(name string) (*statute.Law, []statute.Unit) {
	switch name {
	case "登记法":
		return &statute.Law{ID: "登记法@2019-01-02", Title: "登记法", Declared: statute.InForce},
			[]statute.Unit{{ID: "登记法@2019-01-02:2", SourceID: "L1:2", Label: "第二条", Number: 2}}
	case "旧登记法":
		return &statute.Law{ID: "旧登记法@1999-01-02", Title: "旧登记法", Declared: statute.Repealed},
			[]statute.Unit{{ID: "旧登记法@1999-01-02:1", SourceID: "L0:1", Label: "第一条", Number: 1}}
	}
	return nil, nil
}

func yes(b bool) *bool { return &b }

var gold = []dataset.Question{
	{ID: "q1", Type: "logic", Answer: "三十日", Gold: []dataset.Article{{ID: "L1:2"}}},
	{ID: "q2", Label: yes(true), Gold: []dataset.Article{{Law: "登记法", Label: "第2条"}, {ID: "L9:9"}}},
	{ID: "q3", Label: yes(false), Keywords: []string{"《登记法》第二条", "罚款", "一千元"}},
	{ID: "q4", Keywords: []string{"《登记法》第二条"}},
	{ID: "q5", Answer: "可以"},
	{ID: "q5", Answer: "重复"},
}

var preds = []Prediction{
	{ID: "q1", Kind: "generated", Text: "二十日。依照《登记法》第二条、《虚构法》第一条。", Citations: []Citation{{ID: "登记法@2019-01-02:2"}, {ID: "登记法@2019-01-02:9", Law: "登记法", Label: "第九条"}}},
	{ID: "q2", Kind: "generated", Text: "正确。依照《登记法》第二条和《旧登记法》第一条。"},
	{ID: "q3", Kind: "generated", Text: "要罚款，见《登记法》第二条。"},
	{ID: "q4", Kind: "abstained", Text: "现有法条无法回答"},
	{ID: "q4", Text: "again"},
	{ID: "stranger", Text: "?"},
}

func evaluate(t *testing.T, o Options) *Report {
	t.Helper()
	o.Words = strings.Fields
	r, err := Evaluate(context.Background(), preds, gold, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEvaluateByHand(t *testing.T) {
	r := evaluate(t, Options{Book: statutes{}, Groups: []evaluator.Grouping{KindGroups(preds), evaluator.TypeGroups(gold)}})
	answer := 17. // characters of q1's text without marks
	for name, want := range map[string]Metric{
		"f1_char":                           {Value: 2 * 2 / (3 + answer) / 2, Questions: 2}, // 十 and 日; q5 is missing
		"rouge_l_char":                      {Value: 2 * 2 / (3 + answer) / 2, Questions: 2},
		"keyword_accuracy":                  {Value: (2/3. + 0) / 2, Questions: 2},
		"keyword_accuracy_without_articles": {Value: 1 / 2., Questions: 1},
		"label_accuracy":                    {Value: 1 / 2., Questions: 2}, // q3 says neither
		"label_accuracy_parsed":             {Value: 1, Questions: 1},
		"unparsable":                        {Value: 1 / 2., Questions: 2},
		"citation_precision":                {Value: (1/2. + 1/2.) / 2, Questions: 2}, // listed, and referred to
		"citation_precision_micro":          {Value: 2 / 4., Questions: 2},
		"citation_recall":                   {Value: (1 + 1/2.) / 2, Questions: 2},
		"citation_recall_micro":             {Value: 2 / 3., Questions: 2},
		"false_citation_rate":               {Value: 1 / 5., Questions: 3}, // 虚构法, of five references
		"false_citation_answers":            {Value: 1 / 5., Questions: 5},
		"not_in_force_rate":                 {Value: 1 / 5., Questions: 3}, // 旧登记法
		"abstention_rate":                   {Value: 1 / 4., Questions: 4},
	} {
		m := r.Metrics[name]
		if math.Abs(m.Value-want.Value) > 1e-15 || m.Questions != want.Questions {
			t.Errorf("%s = %v of %d questions, want %v of %d", name, m.Value, m.Questions, want.Value, want.Questions)
		}
		if !(m.Low <= m.Value && m.Value <= m.High) {
			t.Errorf("%s = %v lies outside of [%v, %v]", name, m.Value, m.Low, m.High)
		}
	}
	problems, err := json.Marshal(r.Problems)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"missing":{"count":1,"ids":["q5"]},"unknown":{"count":1,"ids":["stranger"]},"duplicate_predictions":{"count":1,"ids":["q4"]},"duplicate_questions":{"count":1,"ids":["q5"]}}`
	if diff := cmp.Diff(want, string(problems)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"generated": 3, "abstained": 1, "missing": 1}, r.Kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if g := r.Groups["kind"]["generated"]; g.Queries != 3 || g.Metrics["abstention_rate"].Value != 0 {
		t.Errorf("generated: %+v", g)
	}
	if g := r.Groups["type"]["other"]; g.Queries != 4 {
		t.Errorf("other types: %+v", g)
	}
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil || !strings.Contains(b.String(), "abstained 1, generated 3, missing 1") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Without a book articles are compared by law and label, and nothing is called false.
func TestWithoutABook(t *testing.T) {
	r := evaluate(t, Options{})
	if _, there := r.Metrics["false_citation_rate"]; there {
		t.Error("references were judged without a book")
	}
	if got, want := r.Metrics["citation_recall_micro"].Value, 1/3.; got != want { // q1's gold has only a source id
		t.Errorf("citation_recall_micro = %v, want %v", got, want)
	}
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil || !strings.Contains(b.String(), "there is no book") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestPredictionsOfAnotherSet(t *testing.T) {
	_, err := Evaluate(context.Background(), []Prediction{{ID: "x"}}, gold, Options{Words: strings.Fields})
	if !errors.Is(err, ErrNoOverlap) {
		t.Errorf("got %v", err)
	}
}

func TestCharsDropMarks(t *testing.T) {
	if got := strings.Join(chars("第１条，　Ａ级 b。①"), "|"); got != "第|1|条|a|级|b|1" {
		t.Errorf("got %s", got)
	}
}

// Whatever comes in, the reader gives an error or predictions with ids.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"a","text":"x","citations":[{"id":"y"}],"kind":"generated"}`))
	f.Add([]byte(`{"id":7,"response":"该说法错误"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ps, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, p := range ps {
			if p.ID == "" {
				t.Fatal("a prediction without id")
			}
			Verdict(p.Text)
		}
	})
}
