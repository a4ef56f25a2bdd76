package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"lexagent/graph"
	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/tools"
)

// Gate is what a text of a language model passes before anyone sees it.
type Gate interface {
	// Gate checks a draft against the evidence and returns what of it may leave, or an
	// answer that takes its place.
	Gate(ctx context.Context, r graph.Request, draft string, evidence []retrieval.Hit) (*graph.Answer, error)
}

// Workflow answers without tools; *graph.Graph does.
type Workflow interface {
	Answer(ctx context.Context, r graph.Request, emit func(graph.Event)) (*graph.Answer, error)
}

// Streamer is what the loop needs of a language model; an Eino chat model is one.
type Streamer interface {
	Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error)
}

// Bounds of one answer in the tool-calling mode.
const (
	maxTurns     = 8      // replies of the model
	maxCalls     = 16     // of tools
	maxAtOnce    = 4      // calls in one reply
	usualCalls   = 5      // what the model is told
	maxTokens    = 60_000 // of all prompts and replies, as the endpoint counts them
	maxPrompt    = 16_000 // characters of one prompt; older results of tools give way
	resultRunes  = 2_400  // of texts in one result
	replyTokens  = 900    // of one reply
	leastTokens  = 300    // of one reply, whatever is asked for: a call must have room
	answerChars  = 400    // what the model is told
	historyTurns = 6
	turnRunes    = 500
	styleRunes   = 300
	reserve      = 5 * time.Second // kept for the answer that takes the place of one that did not come in time
	callTimeout  = 20 * time.Second
)

// Loop answers by letting a language model call tools: a stream of replies is read by
// ourselves, since models write calls in many ways. It is safe for concurrent use.
type Loop struct {
	LLM      Streamer // nil: the answer is an extract, and says why
	Tools    *tools.Kit
	Gate     Gate
	Workflow Workflow         // answers where the model can't
	Deadline time.Duration    // of one answer; 0 = DefaultDeadline
	Now      func() time.Time // nil: the clock
}

// Answer answers one question. Events come in order, on the caller's goroutine; emit
// may be nil. A language model that fails is no error: the answer is made of the
// articles then and says so.
func (l *Loop) Answer(ctx context.Context, r graph.Request, emit func(graph.Event)) (*graph.Answer, error) {
	if emit == nil {
		emit = func(graph.Event) {}
	}
	deadline := l.Deadline
	if deadline == 0 {
		deadline = DefaultDeadline
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	r.History = r.History[max(0, len(r.History)-maxHistory):]
	if l.LLM == nil || r.Extractive {
		return l.without(ctx, r, emit, "没有配置语言模型", graph.Usage{})
	}
	switch f := graph.Follow(r.Question, r.History); {
	case f.Ask != "": // there is nothing to look up, and the workflow says so
		return l.Workflow.Answer(ctx, r, emit)
	case f.Standing == graph.Alone:
		r.History = nil // another topic: nothing is inherited
	}
	run := l.run(r, emit)
	limited, stop := withReserve(ctx)
	draft, err := run.draft(limited)
	stop()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errNoTools):
		return l.workflow(ctx, r, emit, "语言模型不能调用工具，改按固定流程回答。", run.used)
	case errors.Is(err, errUnread) && len(run.evidence) == 0: // it answers well enough from what it is shown
		return l.workflow(ctx, r, emit, "语言模型"+failure(err)+"，改按固定流程回答。", run.used)
	case err != nil && len(run.evidence) == 0:
		return l.without(ctx, r, emit, "语言模型"+failure(err), run.used)
	case err != nil:
		return run.finish(ctx, "", "语言模型"+failure(err)+instead)
	}
	return run.finish(ctx, draft)
}

// instead is what takes the place of a draft, as a note tells it.
const instead = "，以下改为法条原文摘录。"

// withReserve ends a context early enough that there is time for another answer.
func withReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(reserve, time.Until(end)/5)))
}

// without answers from the articles alone, and says why.
func (l *Loop) without(ctx context.Context, r graph.Request, emit func(graph.Event), why string, used graph.Usage) (*graph.Answer, error) {
	r.Extractive = true
	return l.workflow(ctx, r, emit, why+instead, used)
}

// workflow has the workflow answer, with a note of why.
func (l *Loop) workflow(ctx context.Context, r graph.Request, emit func(graph.Event), note string, used graph.Usage) (*graph.Answer, error) {
	a, err := l.Workflow.Answer(ctx, r, func(e graph.Event) {
		if _, last := e.(graph.Done); !last {
			emit(e)
		}
	})
	if err != nil {
		return nil, err
	}
	a.LLM.Add(used)
	if why, ok := strings.CutSuffix(note, instead); ok && a.Kind == graph.Abstained {
		note = why + "。" // and nothing takes its place
	}
	a.Notes = append([]string{note}, a.Notes...)
	emit(graph.Done{Answer: a})
	return a, nil
}

// running is one answer on its way.
type running struct {
	*Loop
	r        graph.Request
	emit     func(graph.Event)
	tools    map[string]tool.InvokableTool
	infos    []*schema.ToolInfo
	messages []*schema.Message
	results  []int           // places in messages of results of tools
	asked    map[string]bool // calls that were made, with their arguments
	calls    int
	repeated int             // calls that were made before
	told     string          // the system message
	days     map[string]bool // as_of of the calls that brought evidence; "" is today
	cut      bool            // the last text had no more room
	used     graph.Usage

	mu       sync.Mutex
	evidence []retrieval.Hit
}

func (l *Loop) run(r graph.Request, emit func(graph.Event)) *running {
	run := &running{Loop: l, r: r, emit: emit, tools: map[string]tool.InvokableTool{}, asked: map[string]bool{}, days: map[string]bool{}}
	caller := tools.Caller{Scope: r.Scope, Seen: run.see, MaxRunes: resultRunes}
	for _, t := range l.Tools.For(caller) {
		if info, err := t.Info(context.Background()); err == nil {
			run.tools[info.Name] = t
			run.infos = append(run.infos, info)
		}
	}
	return run
}

// see keeps what tools have shown: it is what the answer may rest on.
func (run *running) see(hits []retrieval.Hit) {
	run.mu.Lock()
	defer run.mu.Unlock()
next:
	for _, h := range hits {
		for i := range run.evidence {
			if run.evidence[i].ID == h.ID {
				continue next
			}
		}
		run.evidence = append(run.evidence, h)
	}
}

// Errors that end the loop without a draft.
var (
	errNoTools   = errors.New("the language model refuses tools")
	errEmpty     = errors.New("the language model wrote nothing")
	errTooLong   = errors.New("the reply is too long")
	errRepeating = errors.New("the reply repeats itself")
	errCut       = errors.New("the reply ended before its end")
	errUnread    = errors.New("the language model looked up nothing")
)

// failure is what a reader is told of why there is no draft.
func failure(err error) string {
	switch {
	case errors.Is(err, errEmpty):
		return "没有写出内容"
	case errors.Is(err, errTooLong):
		return "的回复过长"
	case errors.Is(err, errRepeating):
		return "的回复不断重复"
	case errors.Is(err, errCut):
		return "的回复中途断开"
	case errors.Is(err, errUnread):
		return "没有查到法条就作答"
	}
	return llm.LLMFailure(err)
}

// begin makes the messages that the first turn sends.
func (run *running) begin() error {
	now := time.Now
	if run.Now != nil {
		now = run.Now
	}
	system, err := prompts.Agent(prompts.AgentInput{Day: statute.DateOf(now()).String(), Calls: usualCalls, MaxChars: answerChars, Style: cut(run.r.System, styleRunes)})
	if err != nil {
		return err
	}
	run.told = system
	run.messages = []*schema.Message{schema.SystemMessage(system)}
	for _, t := range run.r.History[max(0, len(run.r.History)-historyTurns):] {
		text := cut(prompts.Told(t.Text), turnRunes)
		if t.Role == "assistant" {
			run.messages = append(run.messages, schema.AssistantMessage(text, nil))
		} else {
			run.messages = append(run.messages, schema.UserMessage(text))
		}
	}
	run.messages = append(run.messages, schema.UserMessage(prompts.Told(run.r.Question)))
	return nil
}

// draft lets the model call tools until it writes an answer.
func (run *running) draft(ctx context.Context) (string, error) {
	if err := run.begin(); err != nil {
		return "", err
	}
	nudged := false
	for n := range maxTurns {
		last := n == maxTurns-1 || run.spent()
		t, err := run.turn(ctx, last)
		if err != nil {
			return "", err
		}
		if len(t.calls) > 0 && !last {
			if err := run.call(ctx, t); err != nil {
				return "", err
			}
			continue
		}
		text := strings.TrimSpace(t.text)
		if run.cut = t.cut; t.cut {
			text = llm.WholeSentences(text)
		}
		ungrounded := len(run.evidence) == 0 && (run.calls == 0 || !strings.Contains(text, prompts.NoAnswer))
		if text != "" && !ungrounded {
			return text, nil
		}
		if nudged || last {
			if text == "" {
				return "", errEmpty
			}
			return "", errUnread
		}
		nudged = true
		ask := "请先用工具查到有关法条，再依据法条回答。"
		if !ungrounded {
			ask = "请依据已经查到的法条写出回答。"
		}
		if text != "" {
			run.messages = append(run.messages, schema.AssistantMessage(text, nil))
		}
		run.messages = append(run.messages, schema.UserMessage(ask))
	}
	return "", errEmpty
}

// spent reports whether it is time to answer with what there is.
func (run *running) spent() bool {
	return run.calls >= maxCalls || run.repeated >= 2 || run.used.PromptTokens+run.used.CompletionTokens >= maxTokens
}

// turn gets one reply; one that was cut off or could not be had is asked for again, once.
func (run *running) turn(ctx context.Context, last bool) (*turn, error) {
	run.emit(graph.StepStarted{Step: graph.Plan})
	start := time.Now()
	t, err := run.ask(ctx, last)
	if errors.Is(err, errCut) && ctx.Err() == nil {
		t, err = run.ask(ctx, last)
	}
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("调用 %d 个工具", len(t.calls))
	if len(t.calls) == 0 || last {
		note = fmt.Sprintf("%d 字", utf8.RuneCountInString(t.text))
	}
	run.emit(graph.StepDone{Step: graph.Plan, MS: since(start), Note: note})
	return t, nil
}

func since(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }

func (run *running) ask(ctx context.Context, last bool) (*turn, error) {
	run.shorten()
	limit := replyTokens
	if run.r.MaxTokens > 0 {
		limit = min(limit, max(run.r.MaxTokens, leastTokens))
	}
	messages, opts := run.messages, []model.Option{model.WithMaxTokens(limit)}
	if last {
		messages = append(messages[:len(messages):len(messages)], schema.UserMessage("不要再调用工具。请依据已经查到的法条写出最终回答。"))
	} else {
		opts = append(opts, model.WithTools(run.infos))
	}
	ctx, cancel := context.WithCancel(ctx) // whatever of the stream is not read ends with it
	defer cancel()
	run.used.Calls++
	stream, err := run.LLM.Stream(ctx, messages, opts...)
	if err != nil {
		if !last && run.used.Calls == 1 && llm.Rejected(err) {
			return nil, errNoTools
		}
		return nil, err
	}
	defer stream.Close()
	t, err := read(stream, run.names())
	run.used.Add(t.used)
	return t, err
}

func (run *running) names() map[string]bool {
	names := map[string]bool{}
	for n := range run.tools {
		names[n] = true
	}
	return names
}

// shorten drops older results where a prompt would get too long for small models.
func (run *running) shorten() {
	total := 0
	for _, m := range run.messages {
		total += utf8.RuneCountInString(m.Content)
	}
	for len(run.results) > 1 && total > maxPrompt {
		m := *run.messages[run.results[0]]
		total -= utf8.RuneCountInString(m.Content)
		m.Content = "（这个结果已略去，需要时再查一次）"
		run.messages[run.results[0]] = &m
		run.results = run.results[1:]
		clear(run.asked) // the call may be made again
	}
}

// call runs the tools that a reply asks for and tells the model what came of it.
func (run *running) call(ctx context.Context, t *turn) error {
	if t.written {
		run.messages = append(run.messages, schema.AssistantMessage(t.raw, nil))
	} else {
		run.messages = append(run.messages, schema.AssistantMessage(t.text, toolCalls(t.calls)))
	}
	var told []string
	for i, c := range t.calls {
		out := "一次最多调用 4 个工具，这个没有执行；需要时下一次再调用。"
		if i < maxAtOnce {
			var err error
			if out, err = run.one(ctx, c); err != nil {
				return err
			}
		}
		out = prompts.Told(out)
		if t.written {
			told = append(told, fmt.Sprintf("<tool_response name=%q>\n%s\n</tool_response>", c.name, out))
			continue
		}
		run.results = append(run.results, len(run.messages))
		run.messages = append(run.messages, schema.ToolMessage(out, c.id, schema.WithToolName(c.name)))
	}
	if t.written {
		run.results = append(run.results, len(run.messages))
		run.messages = append(run.messages, schema.UserMessage(strings.Join(told, "\n")))
	}
	return nil
}

// one runs one tool. What goes wrong is told to the model, not to the reader; the only
// error is the context's.
func (run *running) one(ctx context.Context, c call) (string, error) {
	run.calls++
	if c.problem != "" {
		return c.problem, nil
	}
	key := c.name + " " + c.arguments
	if run.asked[key] {
		run.repeated++
		return "这个调用刚才已经做过，结果在上面。请用已有的结果回答，或换一种查法。", nil
	}
	run.asked[key] = true
	t := run.tools[c.name]
	if t == nil {
		names := make([]string, len(run.infos))
		for i, info := range run.infos {
			names[i] = info.Name
		}
		return fmt.Sprintf("没有名为 %q 的工具。可用的工具：%s。", c.name, strings.Join(names, "、")), nil
	}
	run.emit(graph.StepStarted{Step: graph.Tool})
	start, before := time.Now(), len(run.evidence)
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := t.InvokableRun(bounded, c.arguments)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	note := fmt.Sprintf("%s：新查到 %d 条", c.name, len(run.evidence)-before)
	if err != nil {
		out, note = tools.Tell(err), c.name+"：没有结果"
		delete(run.asked, key) // it may go better the next time
	}
	if len(run.evidence) > before {
		run.days[asOf(c.arguments)] = true
	}
	run.emit(graph.StepDone{Step: graph.Tool, MS: since(start), Note: note})
	return out, nil
}

// asOf is the day that a call asks for; "" for today.
func asOf(arguments string) string {
	var in struct {
		AsOf string `json:"as_of"`
	}
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return ""
	}
	return strings.TrimSpace(in.AsOf)
}

// onDay is the request as of the day that all calls asked for, and a note of it: for what
// happened in the past, the law of then is what the answer is held against.
func (run *running) onDay() (r graph.Request, note string) {
	r = run.r
	if len(run.days) != 1 {
		return r, ""
	}
	for day := range run.days {
		if as, err := retrieval.ParseAsOf(day); err == nil && as.Day != 0 {
			r.Scope.AsOf, note = as, "以下按 "+as.Day.String()+" 有效的法律回答。"
		}
	}
	return r, note
}

// finish has the draft checked and sends what may leave. Without a draft, or where
// nothing of it is left, the workflow answers with an extract: of what the question finds,
// which tools may have missed.
func (run *running) finish(ctx context.Context, draft string, notes ...string) (*graph.Answer, error) {
	run.emit(graph.Evidence{Hits: run.evidence})
	evidence := run.evidence
	if strings.Contains(draft, prompts.NoAnswer) {
		draft, evidence = "", nil // which the gate says in its words
	}
	var shown strings.Builder
	for i := range run.evidence {
		shown.WriteString(run.evidence[i].Text + "\n")
	}
	draft, removed := prompts.Clean(draft, run.told, shown.String())
	run.emit(graph.StepStarted{Step: graph.Verify})
	start := time.Now()
	r, day := run.onDay()
	a, err := run.Gate.Gate(ctx, r, draft, evidence)
	if err != nil {
		return nil, err
	}
	run.emit(graph.StepDone{Step: graph.Verify, MS: since(start), Note: fmt.Sprintf("核对 %d 处", len(a.Verification.Findings))})
	if a.Kind == graph.Extractive {
		return run.extract(ctx, a, removed, notes)
	}
	if day != "" && a.Kind == graph.Generated {
		notes = append(notes, day)
	}
	a.Notes = append(notes, a.Notes...)
	a.Verification.Removed = append(removed, a.Verification.Removed...)
	if len(removed) > 0 && a.Kind == graph.Generated {
		a.Notes = append(a.Notes, fmt.Sprintf("草稿中有 %d 处不属于回答的内容（链接、工具名称或系统提示），已删去。", len(removed)))
	}
	if run.cut && a.Kind == graph.Generated {
		a.Cut = true
		a.Notes = append(a.Notes, "回答达到了长度上限，后面的内容没有写完。")
	}
	return run.send(a), nil
}

// extract has the workflow answer in the articles' own words, where nothing is left of the
// draft. What the checks took out of it stays in the record.
func (run *running) extract(ctx context.Context, checked *graph.Answer, removed, notes []string) (*graph.Answer, error) {
	why := "语言模型的回答没有可核实的法条依据" + instead
	if len(notes) > 0 {
		why = notes[0]
	}
	r := run.r
	r.Extractive = true
	used := run.used
	used.Add(checked.LLM)
	emit := run.emit
	return run.workflow(ctx, r, func(e graph.Event) {
		if done, last := e.(graph.Done); last {
			v := &done.Answer.Verification
			v.Removed = slices.Concat(removed, checked.Verification.Removed, v.Removed)
			for _, f := range checked.Verification.Findings {
				if f.End == 0 { // of what was taken out
					v.Findings = append(v.Findings, f)
				}
			}
		}
		emit(e)
	}, why, used)
}

func (run *running) send(a *graph.Answer) *graph.Answer {
	a.LLM.Add(run.used)
	for piece := range strings.SplitAfterSeq(a.Text, "\n\n") {
		run.emit(graph.Text{Text: piece})
	}
	run.emit(graph.Done{Answer: a})
	return a
}

// toolCalls are calls as messages hold them.
func toolCalls(calls []call) []schema.ToolCall {
	out := make([]schema.ToolCall, len(calls))
	for i, c := range calls {
		arguments := c.arguments
		if !json.Valid([]byte(arguments)) {
			arguments = "{}" // endpoints refuse what is no JSON, also in what they wrote themselves
		}
		out[i] = schema.ToolCall{Index: &i, ID: c.id, Type: "function", Function: schema.FunctionCall{Name: c.name, Arguments: arguments}}
	}
	return out
}

// cut is a text's first characters.
func cut(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes]) + "……"
	}
	return text
}
