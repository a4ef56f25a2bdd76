package agent

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"

	"lexagent/graph"
	"lexagent/verify"
)

const trialQuestion = "合同三年，试用期最长多久？"

var (
	answered = says("三年以上的，试用期不得超过六个月[" + trial + "]。")
	getTrial = `{"article":"` + trial + `"}`
)

// Models write calls in many ways; each leads to the same checked answer, and nothing
// of the calls or of what a model thought is in it.
func TestCallsInEveryForm(t *testing.T) {
	kit := newSystem(t)
	call := `{"name":"get_article","arguments":{"article":"` + trial + `"}}`
	for name, first := range map[string]reply{
		"native":                 asks("get_article", getTrial),
		"text before it":         chunks("tool_calls", `{"content":"我先查一下。"}`, `{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get_article","arguments":`+quoted(getTrial)+`}}]}`),
		"reasoning before it":    chunks("tool_calls", `{"reasoning_content":"机密的思考"}`, `{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get_article","arguments":`+quoted(getTrial)+`}}]}`),
		"without ids":            chunks("tool_calls", `{"tool_calls":[{"index":0,"function":{"name":"get_article","arguments":`+quoted(getTrial)+`}}]}`),
		"without index":          chunks("tool_calls", `{"tool_calls":[{"id":"a","function":{"name":"get_article","arguments":""}}]}`, `{"tool_calls":[{"function":{"arguments":`+quoted(getTrial)+`}}]}`),
		"finished as stop":       chunks("stop", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_article","arguments":`+quoted(getTrial)+`}}]}`),
		"several":                asks("get_article", getTrial, "law_status", `{"law":"示范用工条例"}`),
		"tag":                    says("<think>机密的思考</think>好的。<tool_call>\n" + call + "\n</tool_call>"),
		"tag that is not closed": says("<tool_call>" + call),
		"two tags":               says("<tool_call>" + call + "</tool_call><tool_call>{\"name\":\"law_status\",\"arguments\":{\"law\":\"示范用工条例\"}}</tool_call>"),
		"tag of another kind":    says("<function=get_article><parameter=article>" + trial + "</parameter></function>"),
		"fence":                  says("我来查：\n```json\n" + call + "\n```"),
		"list in a fence":        says("```json\n[" + call + "]\n```"),
		"bare object":            says(call),
		"arguments as a string":  says(`{"function_call":{"name":"get_article","arguments":` + quoted(getTrial) + `}}`),
		"function and args":      says(`{"tool_calls":[{"type":"function","function":{"name":"get_article","parameters":` + getTrial + `}}]}`),
		"action":                 says(`{"action":"get_article","action_input":` + getTrial + `}`),
		"a dict of Python's":     says(`{'name': 'get_article', 'arguments': {'article': '` + trial + `'}}`),
		"all of index 0":         chunks("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_article","arguments":`+quoted(getTrial)+`}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"law_status","arguments":"{\"law\":\"示范用工条例\"}"}}]}`),
		"the name with each":     chunks("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_article","arguments":""}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_article","arguments":`+quoted(getTrial)+`}}]}`),
		"behind a mark":          says("[TOOL_CALLS] [" + call + "]"),
		"behind a citation":      says("根据[示范用工条例:5]还不够，再查一条：" + call),
		"thought without begin":  says("机密的思考</think><tool_call>" + call + "</tool_call>"),
	} {
		t.Run(name, func(t *testing.T) {
			e := serveReplies(t, first, answered)
			var steps []graph.Step
			text := ""
			a, err := newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: trialQuestion}, func(ev graph.Event) {
				switch ev := ev.(type) {
				case graph.StepDone:
					steps = append(steps, ev.Step)
					if strings.Contains(ev.Note, "机密") {
						t.Errorf("a note shows what was thought: %s", ev.Note)
					}
				case graph.Text:
					text += ev.Text
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if a.Kind != graph.Generated || len(a.Citations) != 1 || a.Citations[0].ID != trial || a.Verification.Citations != verify.Passed {
				t.Errorf("%+v", a)
			}
			if text != a.Text || strings.Contains(a.Full(), "tool_call") || strings.Contains(a.Full(), "机密") || strings.Contains(a.Full(), "get_article") {
				t.Errorf("%s", a.Full())
			}
			if a.LLM.Calls != 2 || a.LLM.PromptTokens != 200 || len(steps) < 4 || steps[0] != graph.Plan || steps[1] != graph.Tool {
				t.Errorf("%+v %v", a.LLM, steps)
			}
			sent := e.requests()
			if len(sent) != 2 || !strings.Contains(told(sent[1]), "三年以上的，试用期不得超过六个月") {
				t.Errorf("the model was told %s", told(sent[1]))
			}
			for _, m := range sent[1].Messages {
				for _, c := range m.ToolCalls {
					if c.ID == "" {
						t.Error("a call goes back without an id")
					}
				}
				if m.Role == "tool" && m.ToolCallID == "" {
					t.Error("a result names no call")
				}
			}
		})
	}
}

// A question of another topic inherits nothing; one that builds on the last turns brings them.
func TestWhatTheModelSeesOfAConversation(t *testing.T) {
	kit := newSystem(t)
	history := []graph.Turn{{Role: "user", Text: "离婚冷静期多久？"}, {Role: "assistant", Text: "三十日。"}}
	for question, inherits := range map[string]bool{"换个问题，试用期最长多久？": false, "公司和我约定了试用期，最长可以多久？": false, "那如果一方反悔呢？": true} {
		e := serveReplies(t, asks("get_article", getTrial), answered)
		if _, err := newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: question, History: history}, nil); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(told(e.requests()[0]), "冷静期") != inherits {
			t.Errorf("%s: %s", question, told(e.requests()[0]))
		}
	}
	e := serveReplies(t, answered)
	a, err := newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: "这样合法吗？"}, nil)
	if err != nil || a.Text != graph.AskBack || len(e.requests()) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// What happened in the past is answered by the law of then, and the answer says so.
func TestThePastIsAnsweredByItsLaw(t *testing.T) {
	const before = "示范用工条例@2018-05-02:3"
	e := serveReplies(t, asks("search_statutes", `{"query":"试用期最长多久","as_of":"2019-06-01"}`), says("试用期不得超过十二个月["+before+"]。"))
	a, err := newLoop(t, newSystem(t), e.URL).Answer(t.Context(), graph.Request{Question: "2019年签的合同，试用期最长多久？"}, nil)
	if err != nil || a.Kind != graph.Generated || len(a.Citations) != 1 || a.Citations[0].ID != before || len(a.Notes) == 0 || !strings.Contains(a.Notes[0], "2019-06-01") {
		t.Errorf("%+v, %v", a, err)
	}
}

// A result that gave way to others may be fetched again, and so may one that did not come.
func TestAShortenedResultIsFetchedAgain(t *testing.T) {
	run := newLoop(t, newSystem(t), "").run(graph.Request{Question: trialQuestion}, func(graph.Event) {})
	fetch := call{name: "get_article", arguments: getTrial}
	for i := range 3 {
		out, err := run.one(t.Context(), fetch)
		if err != nil || strings.Contains(out, "刚才已经做过") != (i == 1) {
			t.Errorf("call %d: %s, %v", i, out, err)
		}
		if i == 1 { // two long results, of which the first gives way
			for range 2 {
				run.results = append(run.results, len(run.messages))
				run.messages = append(run.messages, schema.ToolMessage(strings.Repeat("长", maxPrompt), "a"))
			}
			run.shorten()
		}
	}
}

// What a model does wrong it is told, and goes on.
func TestTheModelIsTold(t *testing.T) {
	kit := newSystem(t)
	for _, c := range []struct {
		name  string
		wrong reply
		want  string
	}{
		{"broken arguments", asks("get_article", `{"article":`), "不是合法的 JSON 对象"},
		{"a broken call in a tag", says("<tool_call>{\"name\": \"get_article\", \"argum</tool_call>"), "JSON 不完整或不合法"},
		{"an unknown tool", asks("web_search", `{"q":"试用期"}`), "可用的工具：search_statutes"},
		{"an unknown tool in a tag", says(`<tool_call>{"name":"web_search","arguments":{}}</tool_call>`), "没有名为"},
		{"a wrong article", asks("get_article", `{"article":"示范用工条例第九十九条"}`), "最后一条是第八条"},
		{"an answer from memory", says("试用期最长六个月。"), "先用工具查到"},
		{"nothing", chunks("stop"), "先用工具查到"},
		{"too many at once", asks("law_status", `{"law":"a"}`, "law_status", `{"law":"b"}`, "law_status", `{"law":"c"}`, "law_status", `{"law":"d"}`, "law_status", `{"law":"e"}`), "一次最多调用 4 个"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := serveReplies(t, c.wrong, asks("get_article", getTrial), answered)
			a, err := newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
			if err != nil || a.Kind != graph.Generated || len(a.Citations) != 1 {
				t.Fatalf("%+v %v", a, err)
			}
			if got := told(e.requests()[1]); !strings.Contains(got, c.want) {
				t.Errorf("lacks %q: %s", c.want, got)
			}
		})
	}
}

// A model that never comes to an end is brought to one.
func TestTheLoopIsBounded(t *testing.T) {
	kit := newSystem(t)
	for _, c := range []struct {
		name   string
		script []reply
		most   int // requests
		kind   graph.Kind
		note   string
	}{
		{"the same call again and again", []reply{asks("get_article", getTrial)}, 5, graph.Extractive, ""},
		{"calls without end", []reply{
			asks("get_article", getTrial), asks("get_article", `{"article":"示范用工条例:1"}`), asks("get_article", `{"article":"示范用工条例:2"}`), asks("get_article", `{"article":"示范用工条例:4"}`),
			asks("get_article", `{"article":"示范用工条例:5"}`), asks("get_article", `{"article":"示范用工条例:6"}`), asks("get_article", `{"article":"示范用工条例:7"}`), answered,
		}, maxTurns, graph.Generated, ""},
		{"no end of the same words", []reply{asks("get_article", getTrial), says(strings.Repeat("试用期不得超过六个月，", 400))}, 2, graph.Extractive, "不断重复"},
		{"never a tool", []reply{says("试用期最长六个月。")}, 2, graph.Extractive, "没有查到法条就作答"},
		{"never a word", []reply{asks("get_article", getTrial), chunks("stop")}, 3, graph.Extractive, "没有写出内容"},
		{"too many words", []reply{asks("get_article", getTrial), func(w http.ResponseWriter, r *http.Request) { flood(w, r, 100_000) }}, 2, graph.Extractive, "过长"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := serveReplies(t, c.script...)
			l := newLoop(t, kit, e.URL)
			l.Deadline = time.Minute // it is not time that ends these
			a, err := l.Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(e.requests()); n > c.most || a.Kind != c.kind || !strings.Contains(strings.Join(a.Notes, " "), c.note) {
				t.Errorf("%d requests, %s, %q", n, a.Kind, a.Notes)
			}
		})
	}
}

// workflow answers with the language model, and notes whether it was told not to.
type workflow struct{ extractive bool }

func (w *workflow) Answer(_ context.Context, r graph.Request, _ func(graph.Event)) (*graph.Answer, error) {
	w.extractive = r.Extractive
	return &graph.Answer{Kind: graph.Generated, Text: "六个月。", LLM: graph.Usage{Calls: 2}}, nil
}

// A model that answers without having looked anything up is asked again, and then shown
// the articles: many small models use no tools, and answer well from what they are given.
func TestAModelThatUsesNoTools(t *testing.T) {
	e := serveReplies(t, says("试用期最长六个月。"))
	l, w := newLoop(t, newSystem(t), e.URL), &workflow{}
	l.Workflow = w
	a, err := l.Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
	if err != nil || a.Kind != graph.Generated || w.extractive || a.LLM.Calls != 4 || !strings.Contains(strings.Join(a.Notes, ""), "没有查到法条就作答，改按固定流程回答") {
		t.Errorf("%+v, extractive %t, %v", a, w.extractive, err)
	}
}

// The gate lets nothing out that the tools did not show.
func TestTheLastTextIsChecked(t *testing.T) {
	kit := newSystem(t)
	for _, c := range []struct {
		name, text, not string
		kind            graph.Kind
	}{
		{"an article that was not looked up", "提前三十日通知[" + notice + "]。试用期不得超过六个月[" + trial + "]。", "三十日", graph.Generated},
		{"an article that is not there", "试用期不得超过六个月[" + trial + "]。另见《示范用工条例》第九十九条。", "第九十九条", graph.Generated},
		{"an altered quotation", "《示范用工条例》第三条规定：“三年以上的，试用期不得超过九个月。”", "九个月", graph.Extractive},
		{"no citation at all", "试用期最长十二个月。", "十二个月", graph.Extractive},
		{"a refusal", "抱歉，我不能回答这个问题。", "抱歉", graph.Extractive},
		{"no answer there", "现有法条无法回答", "摘录", graph.Abstained},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := serveReplies(t, asks("get_article", getTrial), says(c.text))
			a, err := newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
			if err != nil || a.Kind != c.kind || strings.Contains(a.Text, c.not) {
				t.Errorf("%+v %v", a, err)
			}
		})
	}
}

// An answer that had no more room ends with its last whole sentence.
func TestAnAnswerThatIsCut(t *testing.T) {
	e := serveReplies(t, asks("get_article", getTrial), chunks("length", `{"content":"三年以上的，试用期不得超过六个月[`+trial+`]。同一用人单位与同一劳动者只能约定两"}`))
	a, err := newLoop(t, newSystem(t), e.URL).Answer(t.Context(), graph.Request{Question: trialQuestion, MaxTokens: 10}, nil)
	if err != nil || a.Kind != graph.Generated || strings.Contains(a.Text, "两") || e.requests()[0].MaxTokens < leastTokens {
		t.Errorf("%+v %v", a, err)
	}
}

// What the book does not answer is said so, and no extract is promised.
func TestSmallTalk(t *testing.T) {
	e := serveReplies(t, says("你好！有什么可以帮您？"))
	l := newLoop(t, newSystem(t), e.URL)
	l.Workflow = abstaining{}
	a, err := l.Answer(t.Context(), graph.Request{Question: "你叫什么名字？"}, nil)
	if err != nil || a.Kind != graph.Abstained || strings.Contains(a.Notes[0], "摘录") {
		t.Errorf("%+v %v", a, err)
	}
}

// abstaining is a workflow that finds nothing.
type abstaining struct{}

func (abstaining) Answer(context.Context, graph.Request, func(graph.Event)) (*graph.Answer, error) {
	return &graph.Answer{Kind: graph.Abstained}, nil
}

// Without a language model, and where it can't call tools, there is an answer all the
// same, and why it is another one.
func TestOtherWays(t *testing.T) {
	kit := newSystem(t)
	a, err := newLoop(t, kit, "").Answer(t.Context(), graph.Request{Question: trialQuestion}, nil)
	if err != nil || a.Kind != graph.Extractive || !strings.Contains(a.Notes[0], "没有配置语言模型") {
		t.Errorf("%+v %v", a, err)
	}
	e := serveReplies(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"this model does not support tools","type":"invalid_request_error"}}`, http.StatusBadRequest)
	})
	done := 0
	a, err = newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: trialQuestion}, func(ev graph.Event) {
		if d, ok := ev.(graph.Done); ok {
			done++
			if len(d.Answer.Notes) == 0 || !strings.Contains(d.Answer.Notes[0], "不能调用工具") {
				t.Errorf("%+v", d.Answer)
			}
		}
	})
	if err != nil || len(a.Citations) == 0 || done != 1 {
		t.Errorf("%+v %v, done %d times", a, err, done)
	}
}

// A long conversation and long results don't make prompts longer than small models read.
func TestPromptsStayShort(t *testing.T) {
	kit := newSystem(t)
	var history []graph.Turn
	for range 40 {
		history = append(history, graph.Turn{Role: "user", Text: strings.Repeat("问", 3000)}, graph.Turn{Role: "assistant", Text: strings.Repeat("答", 3000)})
	}
	var script []reply
	for _, q := range []string{"试用期", "解除", "通知", "罚款", "登记", "施行"} {
		script = append(script, asks("search_statutes", `{"query":"`+q+`","k":20}`))
	}
	e := serveReplies(t, append(script, answered)...)
	a, err := newLoop(t, kit, e.URL).Answer(t.Context(), graph.Request{Question: trialQuestion, History: history, System: strings.Repeat("请简短。", 1000)}, nil)
	if err != nil || a.Kind != graph.Generated {
		t.Fatalf("%+v %v", a, err)
	}
	for i, s := range e.requests() {
		n := 0
		for _, m := range s.Messages {
			n += len([]rune(m.Content))
		}
		if n > maxPrompt+4*resultRunes {
			t.Errorf("request %d has %d characters", i, n)
		}
	}
}
