package graph

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	llm "lexagent/model"
	"lexagent/prompts"
)

// turnsOf makes a conversation of what the user said, with an answer after each.
func turnsOf(questions ...string) []Turn {
	var out []Turn
	for _, q := range questions {
		out = append(out, Turn{"user", q}, Turn{"assistant", "依据《中华人民共和国民法典》第一千零七十七条，可以。"})
	}
	return out
}

func TestFollow(t *testing.T) {
	const three = "劳动合同期限是三年，试用期最长多久？"
	for _, c := range []struct {
		name     string
		history  []Turn
		question string
		standing Standing
		query    string // "" = the question itself
	}{
		{"the first", nil, "试用期最长多久？", Alone, ""},
		{"the first, politely", nil, "律师你好，请问试用期最长多久？", Alone, "试用期最长多久？"},
		{"a condition", turnsOf("辞职要提前多久通知公司？"), "那如果是试用期呢？", BuildsOn, "辞职要提前多久通知公司？\n那如果是试用期呢？"},
		{"a condition of a condition", turnsOf("辞职要提前多久通知公司？", "那如果是试用期呢？"), "那工资怎么算？", BuildsOn, "辞职要提前多久通知公司？\n那如果是试用期呢？\n那工资怎么算？"},
		{"what points back", turnsOf("借条没有写利息"), "这样还能要利息吗", BuildsOn, "借条没有写利息\n这样还能要利息吗"},
		{"who is meant", turnsOf("朋友借钱不还"), "他名下没有财产怎么执行", BuildsOn, "朋友借钱不还\n他名下没有财产怎么执行"},
		{"hardly a word", turnsOf("打了收据但是还没有收到钱"), "必须书面？", BuildsOn, "打了收据但是还没有收到钱\n必须书面？"},
		{"what is left out", turnsOf("公司违法辞退我"), "赔偿标准是什么？", BuildsOn, "公司违法辞退我\n赔偿标准是什么？"},
		{"more", turnsOf("用人单位可以解除劳动合同的情形"), "还有别的吗", More, "用人单位可以解除劳动合同的情形"},
		{"more of more", turnsOf("用人单位可以解除劳动合同的情形", "还有别的吗"), "还有呢？", More, "用人单位可以解除劳动合同的情形"},
		{"a correction", turnsOf(three), "说错了，不是三年，是一年", Corrects, "劳动合同期限是一年，试用期最长多久？"},
		{"a question after a correction", turnsOf(three, "不是三年，是一年"), "那可以约定几次？", BuildsOn, "劳动合同期限是一年，试用期最长多久？\n那可以约定几次？"},
		{"a correction of what was not said", turnsOf("试用期最长多久？"), "不是全日制，是非全日制用工", Corrects, "试用期最长多久？\n非全日制用工"},
		{"an article of the law that was named", turnsOf("民法典第1077条说什么"), "那第1078条呢？", BuildsOn, "那《中华人民共和国民法典》第1078条呢？"},
		{"another article", turnsOf("离婚冷静期多久"), "劳动合同法第82条说什么", Alone, ""},
		{"another topic, said so", turnsOf("离婚冷静期多久"), "换个问题，楼上漏水不修怎么办", Alone, "楼上漏水不修怎么办"},
		{"another topic, said otherwise", turnsOf("离婚冷静期多久"), "另外问一下，公司拖欠工资怎么投诉？", Alone, "公司拖欠工资怎么投诉？"},
		{"another topic, unsaid", turnsOf("离婚冷静期多久"), "公司拖欠工资可以向哪个部门投诉？", Alone, ""},
		{"another topic, short", turnsOf("离婚财产怎么分割"), "盗窃罪怎么判？", Alone, ""},
		{"another topic in the form of a condition", turnsOf("离婚冷静期多久"), "如果公司一直不签书面劳动合同能要求双倍工资吗？", Alone, ""},
		{"after another topic", turnsOf("离婚冷静期多久", "换个问题，楼上漏水不修怎么办"), "那物业有责任吗？", BuildsOn, "楼上漏水不修怎么办\n那物业有责任吗？"},
		{"nothing to look for", nil, "这样合法吗？", Unclear, ""},
		{"nothing at all", nil, "怎么办？", Unclear, ""},
		{"something to look for", nil, "这种情况下公司拖欠工资怎么办？", Alone, ""},
		{"what was asked back, answered", []Turn{{"user", "这样合法吗？"}, {"assistant", AskBack}}, "公司让我自愿放弃社保", BuildsOn, "这样合法吗？\n公司让我自愿放弃社保"},
		{"what was asked back, not answered", []Turn{{"user", "这样合法吗？"}, {"assistant", AskBack}}, "到底合不合法？", BuildsOn, "这样合法吗？\n到底合不合法？"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Follow(c.question, c.history)
			want := c.query
			if want == "" {
				want = c.question
			}
			if f.Standing != c.standing || f.Query != want || (f.Ask != "") != (c.standing == Unclear) {
				t.Errorf("%s %q, asks %q; want %s %q", f.Standing, f.Query, f.Ask, c.standing, want)
			}
		})
	}
}

// However long a conversation, what is searched for stays short.
func TestFollowIsBounded(t *testing.T) {
	var history []Turn
	for range 100 {
		history = append(history, Turn{"user", "那" + strings.Repeat("长", 5000) + "呢？"}, Turn{"assistant", strings.Repeat("答", 5000)})
	}
	if f := Follow("那如果是试用期呢？", history); len([]rune(f.Query)) > chainRunes+20 {
		t.Errorf("%d characters", len([]rune(f.Query)))
	}
}

// replying is a language model with one reply.
type replying struct {
	text  string
	err   error
	asked int
}

func (r *replying) Ask(_ context.Context, p prompts.Prompt, accept func(string) error) (llm.Usage, error) {
	r.asked++
	if !strings.Contains(p.User, "辞职要提前多久") {
		return llm.Usage{}, errors.New("the prompt lacks the conversation")
	}
	if r.err != nil {
		return llm.Usage{Calls: 1}, r.err
	}
	return llm.Usage{Calls: 1}, accept(r.text)
}

func TestFollowWithALanguageModel(t *testing.T) {
	history := turnsOf("辞职要提前多久通知公司？")
	const together = "辞职要提前多久通知公司？\n那如果是试用期呢？"
	for _, c := range []struct {
		name, question string
		model          replying
		query          string
		asked          int
	}{
		{"rewritten", "那如果是试用期呢？", replying{text: `{"text":"试用期内辞职要提前多久通知公司？"}`}, "试用期内辞职要提前多久通知公司？", 1},
		{"no JSON", "那如果是试用期呢？", replying{text: "好的"}, together, 1},
		{"dead", "那如果是试用期呢？", replying{err: llm.ErrUnreached}, together, 1},
		{"not asked for what stands alone", "公司拖欠工资可以向哪个部门投诉？", replying{}, "公司拖欠工资可以向哪个部门投诉？", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, used, err := Conversation{LLM: &c.model}.Follow(t.Context(), c.question, history)
			if err != nil || f.Query != c.query || c.model.asked != c.asked || used.Calls != c.asked {
				t.Errorf("%q %+v %v, asked %d times", f.Query, used, err, c.model.asked)
			}
		})
	}
}

// LexRAG's sample: questions that open a conversation stand alone, and of those that
// point back none does.
func TestFollowOnLexRAG(t *testing.T) {
	data, err := os.ReadFile("../../shared/data/lexrag/sample.json")
	if err != nil {
		t.Skip("the sample is not there")
	}
	var all []struct {
		Conversation []struct{ User, Assistant string }
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		var history []Turn
		for i, turn := range c.Conversation {
			f := Follow(turn.User, history)
			if i == 0 && f.Standing != Alone {
				t.Errorf("%s: %s", turn.User, f.Standing)
			}
			if i > 0 && (strings.HasPrefix(turn.User, "这") || strings.HasPrefix(turn.User, "那") || strings.HasPrefix(turn.User, "他")) && f.Standing != BuildsOn {
				t.Errorf("%s: %s", turn.User, f.Standing)
			}
			history = append(history, Turn{"user", turn.User}, Turn{"assistant", turn.Assistant})
		}
	}
}
