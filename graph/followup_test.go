package graph

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
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
		{"a law by its name, with a space", turnsOf("离婚冷静期多久"), "劳动合同法 第82条说什么", Alone, ""},
		{"a law by its name and 的", turnsOf("离婚冷静期多久"), "劳动合同法的第八十二条说什么", Alone, ""},
		{"an interpretation with its number", turnsOf("离婚冷静期多久"), "婚姻家庭编解释（一）第二十五条怎么理解", Alone, ""},
		{"an amendment", turnsOf("离婚冷静期多久"), "刑法修正案（十一）第一条是什么", Alone, ""},
		{"rules for carrying out a law", turnsOf("离婚冷静期多久"), "商标法实施细则第三条", Alone, ""},
		{"a law whose name ends in 本法", turnsOf("民法典第1077条说什么"), "香港特别行政区基本法第五条呢？", Alone, ""},
		{"that law, with 那", turnsOf("民法典第1077条说什么"), "那这部法律的第1078条呢？", BuildsOn, "那《中华人民共和国民法典》第1078条呢？"},
		{"that law", turnsOf("民法典第1077条说什么"), "该法第1078条呢？", BuildsOn, "《中华人民共和国民法典》第1078条呢？"},
		{"the law of the lawyers", nil, "律师法第三十八条规定了什么？", Alone, ""},
		{"the lawyer's fee", nil, "律师费由谁承担？", Alone, ""},
		{"a lawyer, greeted", nil, "律师，被辞退了有补偿吗？", Alone, "被辞退了有补偿吗？"},
		{"short, and clear", nil, "怎么离婚呢？", Alone, ""},
		{"short, and clear, of a person", nil, "他不还钱怎么办？", Alone, ""},
		{"a definition", nil, "什么是定金呢？", Alone, ""},
		{"another definition", turnsOf("离婚冷静期多久"), "什么是缓刑？", Alone, ""},
		{"another topic that ends in 呢", turnsOf("离婚冷静期多久"), "公司拖欠工资怎么办呢？", Alone, ""},
		{"another topic that begins with 他人", turnsOf("离婚冷静期多久"), "他人冒用我的身份证贷款怎么处理？", Alone, ""},
		{"another topic that begins with 对方", turnsOf("离婚冷静期多久"), "对方全责的交通事故怎么赔偿？", Alone, ""},
		{"another topic that begins with 怎么", turnsOf("离婚冷静期多久"), "怎么申请劳动仲裁？", Alone, ""},
		{"another topic that begins with 不是", turnsOf("离婚冷静期多久"), "不是本地户口可以上学吗？", Alone, ""},
		{"another topic with its own 这个", turnsOf("离婚冷静期多久"), "公司让我签了竞业限制协议，这个协议有效吗？", Alone, ""},
		{"half a condition", turnsOf("起诉离婚要多久"), "女方不同意呢？", BuildsOn, "起诉离婚要多久\n女方不同意呢？"},
		{"a condition in 的话", turnsOf("公司辞退我怎么赔"), "工作满两年的话赔多少？", BuildsOn, "公司辞退我怎么赔\n工作满两年的话赔多少？"},
		{"other cases", turnsOf("用人单位可以解除劳动合同的情形"), "还有其他情况吗？", More, "用人单位可以解除劳动合同的情形"},
		{"other rules", turnsOf("用人单位可以解除劳动合同的情形"), "还有别的规定吗？", More, "用人单位可以解除劳动合同的情形"},
		{"what there is, asked of the topic", turnsOf("离婚冷静期多久"), "有什么规定？", BuildsOn, "离婚冷静期多久\n有什么规定？"},
		{"what there is to it", turnsOf("工伤认定"), "什么条件？", BuildsOn, "工伤认定\n什么条件？"},
		{"in particular", turnsOf("公司违法辞退我"), "具体赔偿标准是什么？", BuildsOn, "公司违法辞退我\n具体赔偿标准是什么？"},
		{"bare 其他", turnsOf("用人单位可以解除劳动合同的情形"), "其他情形呢？", More, "用人单位可以解除劳动合同的情形"},
		{"which others", turnsOf("用人单位可以解除劳动合同的情形"), "还有哪些情形？", More, "用人单位可以解除劳动合同的情形"},
		{"a correction the other way round", turnsOf(three), "不对，是一年不是三年", Corrects, "劳动合同期限是一年，试用期最长多久？"},
		{"a correction without a comma", turnsOf(three), "不是三年是一年", Corrects, "劳动合同期限是一年，试用期最长多久？"},
		{"a correction of a term", turnsOf("劳动合同到期不续签有补偿吗"), "不对，我说的是劳务合同", Corrects, "劳务合同到期不续签有补偿吗"},
		{"after another topic, said by itself", turnsOf("离婚冷静期多久", "换个话题"), "盗窃罪怎么判？", Alone, ""},
		{"thanks, then what builds on", turnsOf("起诉离婚要多久", "谢谢"), "那女方不同意呢？", BuildsOn, "起诉离婚要多久\n那女方不同意呢？"},
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

// Where nothing was asked, nothing is looked for, and the earlier question is not answered
// again.
func TestNothingAsked(t *testing.T) {
	for _, q := range []string{"你好", "律师您好！", "谢谢", "好的，谢谢您！", "明白了", "换个话题", "换个问题吧", "我想问一个问题"} {
		for _, history := range [][]Turn{nil, turnsOf("离婚冷静期多久")} {
			if f := Follow(q, history); f.Ask != GoAhead {
				t.Errorf("%s after %d turns: %+v", q, len(history), f)
			}
		}
	}
}

// The law of 第1078条 is the one whose article was cited last, not one that the list behind
// the answer points to.
func TestTheLawOfANumber(t *testing.T) {
	history := []Turn{{"user", "登记离婚后多久能领证"}, {"assistant", "依据《中华人民共和国民法典》第一千零七十七条，三十日内可以撤回。\n\n> 草稿中有 1 句的引用未通过核对，已删去。\n\n依据：\n- 《中华人民共和国民法典》第一千零七十七条\n\n另见：\n- 《婚姻登记条例》第十二条"}}
	if f := Follow("第1078条呢", history); f.Query != "《中华人民共和国民法典》第1078条呢" {
		t.Errorf("%+v", f)
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

// 还有别的吗 leaves out what was cited since the question that it goes on with, under any
// name of its law; not what another topic cited, nor the neighbour of an article with 之一.
func TestWhatWasSaidIsNotSaidAgain(t *testing.T) {
	hit := func(law, number string) retrieval.Hit {
		return retrieval.Hit{ID: law + "@2020-05-28:" + number, Law: "中华人民共和国" + law}
	}
	hits := []retrieval.Hit{hit("民法典", "1076"), hit("民法典", "1077"), hit("民法典", "1078"), hit("民法典", "1079"), hit("刑法", "175"), hit("刑法", "175.1")}
	j := &job{standing: More, request: Request{History: []Turn{
		{"user", "离婚要冷静期吗"}, {"assistant", "依据《民法典》第一千零七十九条，要。"},
		{"user", "换个问题，登记离婚要什么"}, {"assistant", "依据《中华人民共和国民法典》第一千零七十六条，要双方自愿。\n\n另见：\n- 《中华人民共和国民法典》第一千零七十八条"},
		{"user", "还有别的吗"}, {"assistant", "还有《民法典》第1077条，以及《刑法》第一百七十五条之一。"},
	}}}
	var got []string
	for _, h := range j.unsaid(hits) {
		got = append(got, h.ID)
	}
	want := []string{"民法典@2020-05-28:1078", "民法典@2020-05-28:1079", "刑法@2020-05-28:175"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Whatever is asked after whatever, a question has a standing, and what is searched for is
// no longer than it may be.
func FuzzFollow(f *testing.F) {
	f.Add("那如果是试用期呢？", "辞职要提前多久通知公司？", "三十日。（《劳动合同法》第三十七条）")
	f.Add("不对，我说的是劳务合同", "劳动合同到期不续签", "可以。")
	f.Add("该法第1078条", "民法典第1077条", "《民法典》第一千零七十七条")
	f.Add("换个话题", "\xff", "")
	f.Fuzz(func(t *testing.T, question, before, said string) {
		got := Follow(question, []Turn{{"user", before}, {"assistant", said}})
		switch got.Standing {
		case Alone, BuildsOn, More, Corrects, Unclear:
		default:
			t.Fatalf("%q", got.Standing)
		}
		if (got.Ask != "") != (got.Standing == Unclear) {
			t.Fatalf("%+v", got)
		}
		if numbers := strings.Count(question, "条"); utf8.RuneCountInString(got.Query) > utf8.RuneCountInString(question)*2+chainRunes+64*(numbers+1) {
			t.Fatalf("%d characters for %q", utf8.RuneCountInString(got.Query), question)
		}
	})
}
