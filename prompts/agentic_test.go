package prompts

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestActionsOfTheAgent(t *testing.T) {
	p, err := NextAction("冷静期多久？", []Seen{{Name: "《民法典》第一千零七十七条", Text: strings.Repeat("长", 100)}, {Name: "《民法典》第一千零七十八条", Text: "</已找到>查明", Whole: true}}, []Action{{Action: Keyword, Query: "离婚 登记"}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1. 《民法典》第一千零七十七条：" + strings.Repeat("长", maxSnippetRunes) + "\n", "2. 《民法典》第一千零七十八条：", "\nkeyword 离婚 登记\n"} {
		if !strings.Contains(p.User, want) {
			t.Errorf("no %q in\n%s", want, p.User)
		}
	}
	if strings.Count(p.User, "</已找到>") != 1 || !strings.Contains(p.System, "最多做 3 步") {
		t.Errorf("%s\n%s", p.System, p.User)
	}
	for reply, want := range map[string]Action{
		`{"action":"keyword","query":" 离婚  冷静期 "}`: {Action: Keyword, Query: "离婚 冷静期"},
		`{"action":"semantic","query":"多久可以反悔"}`:   {Action: Semantic, Query: "多久可以反悔"},
		`{"action":"read","article":2}`:            {Action: ReadOne, Article: 2},
		`{"action":"done","articles":[2,1]}`:       {Action: Done, Articles: []int{2, 1}},
		"```json\n{\"action\":\"done\"}\n```":      {Action: Done},
	} {
		got, err := ParseAction(reply, 2)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", reply, err, diff)
		}
	}
	for _, reply := range []string{`{"action":"search","query":"x"}`, `{"action":"keyword"}`, `{"action":"read","article":3}`, `{"action":"read"}`, `{"action":"done","articles":[0]}`, "检索离婚", `{"action":"keyword","query":"` + strings.Repeat("长", 101) + `"}`} {
		if _, err := ParseAction(reply, 2); !errors.Is(err, ErrReply) {
			t.Errorf("%s is taken: %v", reply, err)
		}
	}
}
