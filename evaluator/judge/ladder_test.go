package judge

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"lexagent/evaluator/dataset"
)

var climbed = []dataset.Question{
	{ID: "a", Question: "期限多久？", Answer: "根据《示范登记条例》第二条，申请登记应当自事实发生之日起三十日内提出。逾期提出的，登记机关可以处以罚款。"},
	{ID: "b", Question: "罚多少？", Answer: "处一万元以上五万元以下罚款；情节轻微的，可以不予处罚，但应当责令改正。"},
	{ID: "c", Question: "谁来登记？", Answer: "由登记机关办理，申请人应当提交身份证明和有关材料。"},
	{ID: "short", Question: "收费吗？", Answer: "不收。"},
	{ID: "none", Question: "什么是登记？"},
}

func TestRungsGetWorse(t *testing.T) {
	items, err := Ladder(climbed, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 3*len(Rungs) {
		t.Fatalf("%d rungs", len(items))
	}
	by := map[string]string{}
	for _, it := range items {
		by[it.ID] = it.Answer
		if it.Reference == "" {
			t.Errorf("%s has nothing to compare with", it.ID)
		}
	}
	for id, want := range map[string]string{
		"a/gold":          climbed[0].Answer,
		"a/shortened":     "根据《示范登记条例》第二条，申请登记应当自事实发生之日起。",
		"a/wrong article": strings.Replace(climbed[0].Answer, "第二条", "第十三条", 1),
		"b/wrong article": strings.Replace(climbed[1].Answer, "一万元", "二万元", 1),
		"c/wrong article": "根据《中华人民共和国民法典》第一千三百八十条，" + climbed[2].Answer,
		"a/empty":         "",
	} {
		if id == "a/shortened" {
			if n := len([]rune(by[id])); n < 10 || n > len([]rune(climbed[0].Answer))*2/3 || !strings.HasPrefix(climbed[0].Answer, strings.TrimSuffix(by[id], "。")) {
				t.Errorf("%s is %q", id, by[id])
			}
		} else if by[id] != want {
			t.Errorf("%s is %q, want %q", id, by[id], want)
		}
	}
	if by["a/other answer"] == climbed[0].Answer {
		t.Error("the answer to another question is its own")
	}
	if _, err := Ladder(climbed[3:], 0, 1); err == nil {
		t.Error("a ladder was made of nothing")
	}
}

// grader scores an answer by what rung it is on; level tells which.
type grader struct {
	level func(answer, reference string) int
}

func (g grader) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	between := func(name string) string {
		_, text, _ := strings.Cut(in[1].Content, "<"+name+">\n")
		text, _, _ = strings.Cut(text, "\n</"+name+">")
		return text
	}
	n := g.level(between("待评答案"), between("参考答案"))
	return schema.AssistantMessage(verdict(n, n, n, n), nil), nil
}

func climb(t *testing.T, level func(answer, reference string) int) *Climb {
	t.Helper()
	items, err := Ladder(climbed, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	j := judgeOf(grader{level})
	b := &Batch{Judge: j, Out: filepath.Join(t.TempDir(), "l.jsonl"), Items: items}
	lines, err := b.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return Climbed(j, items, lines, DefaultWeights, 1)
}

func TestAFitJudgeClimbsTheLadder(t *testing.T) {
	c := climb(t, func(answer, reference string) int {
		switch {
		case answer == reference:
			return 5
		case answer == "":
			return 1
		case strings.HasPrefix(reference, strings.TrimSuffix(answer, "。")):
			return 4
		case len(answer) >= len(reference) && answer[len(answer)-12:] == reference[len(reference)-12:]:
			return 3
		}
		return 2
	})
	if !c.Fit || c.Right.Value != 1 || c.Questions != 3 || c.Pairs["gold > shortened"].Value != 1 {
		t.Errorf("%+v", c)
	}
}

func TestAJudgeThatCannotTellIsCalledUnfit(t *testing.T) {
	for what, level := range map[string]func(answer, reference string) int{
		"all alike":       func(string, string) int { return 4 },
		"longer is nicer": func(answer, _ string) int { return min(1+len(answer)/60, 5) },
		"upside down":     func(answer, reference string) int { return map[bool]int{true: 1, false: 4}[answer == reference] },
	} {
		c := climb(t, level)
		var b bytes.Buffer
		if err := c.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		if c.Fit || !strings.Contains(b.String(), "**UNFIT: m ") {
			t.Errorf("%s passes: %s", what, b.String())
		}
	}
}
