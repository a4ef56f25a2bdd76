package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// understand makes the text to search for: what the question means in its conversation.
// Where it points to what nobody has said, the answer asks back.
func (g *Graph) understand(ctx context.Context, j *job) (string, error) {
	if strings.TrimSpace(j.request.Question) == "" {
		return "", &retrieval.InputError{Param: "question", Problem: "the question is empty"}
	}
	f, used, err := g.o.Conversation.Follow(ctx, j.request.Question, j.request.History)
	if err != nil {
		return "", err
	}
	j.usage.Add(Usage{Calls: used.Calls, PromptTokens: used.PromptTokens, CompletionTokens: used.CompletionTokens})
	j.query, j.standing, j.next = f.Query, f.Standing, "retrieve"
	j.past(statute.DateOf(g.o.Now()))
	if f.Ask != "" {
		j.next = "settle"
		j.best = &attempt{kind: Abstained, text: f.Ask, citations: []Citation{}, record: verify.Record{Citations: verify.NotDone, Support: verify.NotDone}}
		return "需要补充", nil
	}
	if j.inherits() {
		return "结合上文", nil
	}
	return "", nil
}

// inherits reports whether the question builds on earlier turns.
func (j *job) inherits() bool { return j.standing != Alone && j.standing != Unclear }

// asked is the question with those of the user that it builds on: what the user has said
// there is known.
func (j *job) asked() string {
	if !j.inherits() {
		return j.request.Question
	}
	var all []string
	history := j.request.History
	for _, t := range history[max(0, len(history)-maxHistoryTurns):] {
		if t.Role == "user" {
			all = append(all, t.Text)
		}
	}
	return strings.Join(append(all, j.request.Question), "\n")
}

// unsaid leaves out of what is found the articles that were cited already, where the
// question asks for more: by the answer that it asks to go on with, and those since.
func (j *job) unsaid(hits []retrieval.Hit) []retrieval.Hit {
	if j.standing != More {
		return hits
	}
	said := map[string]bool{}
	for _, t := range slices.Backward(j.request.History) {
		if t.Role == "user" && !wantMore.MatchString(withoutGreeting(t.Text)) {
			break
		}
		refs := statute.FindReferences(spoken(t.Text), nil)
		for i := range refs {
			for _, p := range refs[i].Points {
				said[articleKey(refs[i].Law, p.Number, p.Sub)] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(hits), func(h retrieval.Hit) bool {
		id, err := statute.ParseID(h.ID)
		if err != nil {
			return false
		}
		number, sub, ok := id.Number()
		return ok && said[articleKey(h.Law, number, sub)]
	})
}

// articleKey tells an article of a law, whichever of its names is used.
func articleKey(law string, number, sub int) string {
	return fmt.Sprintf("%s %d.%d", statute.TitleKey(statute.ShortTitle(law)), number, sub)
}

// retrieve searches, and keeps as evidence what bears on the question.
func (g *Graph) retrieve(ctx context.Context, j *job) (string, error) {
	res, err := g.search(ctx, j)
	if err != nil {
		return "", err
	}
	j.result = res
	j.notes = append(j.notes, res.Notes...)
	found := j.unsaid(relevant(j.query, res, g.o.Floor))
	if j.evidence, j.passages, err = g.choose(ctx, j.query, found, res.Named); err != nil {
		return "", err
	}
	if err := g.forParts(ctx, j); err != nil {
		return "", err
	}
	if err := g.follow(ctx, j); err != nil {
		return "", err
	}
	j.emit(Evidence{Hits: j.evidence})
	switch {
	case len(j.evidence) == 0:
		j.next = "abstain"
	case g.o.LLM == nil || j.request.Extractive:
		j.next = "extract"
	default:
		j.next = "draft"
	}
	return fmt.Sprintf("%d 条", len(j.evidence)), nil
}

// named is how many of the evidence's units the question names; they come first.
func (j *job) named() int {
	if j.result == nil || !j.result.Direct {
		return 0
	}
	return min(j.result.Named, len(j.evidence))
}

func (j *job) by() retrieval.Granularity {
	if j.request.By == "" {
		return retrieval.Dual
	}
	return j.request.By
}

// choose keeps the units that a draft is written from: those that the question names,
// then those with the passages that answer it best.
func (g *Graph) choose(ctx context.Context, question string, hits []retrieval.Hit, named int) ([]retrieval.Hit, []retrieval.Passage, error) {
	if g.o.Reader == nil || len(hits) == 0 {
		return hits[:min(len(hits), maxEvidence)], nil, nil
	}
	passages, err := g.o.Reader.Read(ctx, question, hits)
	if err != nil {
		return nil, nil, err
	}
	var order []int
	for i := range min(named, len(hits)) {
		order = append(order, i)
	}
	for _, p := range passages {
		if !slices.Contains(order, p.Hit) {
			order = append(order, p.Hit)
		}
	}
	order = order[:min(len(order), maxEvidence)]
	kept := make([]retrieval.Hit, len(order))
	for i, h := range order {
		kept[i] = hits[h]
	}
	var of []retrieval.Passage
	for _, p := range passages {
		if i := slices.Index(order, p.Hit); i >= 0 {
			p.Hit = i
			of = append(of, p)
		}
	}
	return kept, of, nil
}

// write asks the language model for a draft, or for a better one.
func (g *Graph) write(ctx context.Context, j *job) (string, error) {
	j.began = time.Now()
	if j.request.Inline {
		return g.writeInline(ctx, j)
	}
	within, cancel := withReserve(ctx)
	defer cancel()
	msg, failed, err := ask(ctx, within, g, j, g.o.LLM.Generate)
	if err != nil || failed != "" {
		return failed, err
	}
	if m := msg.ResponseMeta; m != nil && m.Usage != nil {
		j.usage.Add(Usage{PromptTokens: m.Usage.PromptTokens, CompletionTokens: m.Usage.CompletionTokens})
	}
	draft, dropped := prompts.Clean(promptMarks.Replace(llm.WithoutReasoning(msg.Content)), j.told, j.shown())
	j.removed = append(j.removed, dropped...)
	j.cleaned = len(dropped)
	if j.cut = llm.OutOfRoom(msg) || utf8.RuneCountInString(draft) > maxDraftRunes; j.cut {
		draft = llm.WholeSentences(short(draft, maxDraftRunes))
	}
	j.draft = strings.TrimSpace(draft)
	switch {
	case j.draft == "":
		return j.giveUp("语言模型没有写出内容"), nil
	case strings.Contains(j.draft, prompts.NoAnswer):
		rest := answered(j.draft)
		if rest == "" {
			return g.declined(ctx, j)
		}
		j.draft = rest
		j.notes = append(j.notes, "语言模型认为，所给法条不足以回答问题的另一部分。")
	}
	return fmt.Sprintf("第 %d 稿，%d 字", j.rounds, utf8.RuneCountInString(j.draft)), nil
}

// answered is what a draft answers beside saying that the articles do not answer the rest;
// "" where nothing of it cites one.
func answered(draft string) string {
	var b strings.Builder
	for _, s := range verify.Sentences(draft) {
		if !strings.Contains(s, prompts.NoAnswer) {
			b.WriteString(s)
		}
	}
	rest := strings.TrimSpace(b.String())
	refs := statute.FindReferences(rest, nil)
	if !slices.ContainsFunc(refs, func(r statute.Reference) bool { return r.Form == statute.FormID || len(r.Points) > 0 }) {
		return ""
	}
	return rest
}

// shown is the evidence in one text: a draft may repeat it, whatever else says the same.
func (j *job) shown() string {
	var b strings.Builder
	for i := range j.evidence {
		b.WriteString(j.evidence[i].Text + "\n")
	}
	return b.String()
}

// ask begins a round: it sends what a draft is written from, within a time that is
// shorter than ctx's. failed is what the step says where no reply came; the job has then
// another way to go.
func ask[T any](ctx, within context.Context, g *Graph, j *job, send func(context.Context, []*schema.Message, ...model.Option) (T, error)) (reply T, failed string, err error) {
	messages, rules, err := draftMessages(j)
	if err != nil {
		return reply, "", err
	}
	j.told = rules
	j.rounds++
	j.usage.Calls++
	reply, err = send(within, messages, model.WithMaxTokens(g.draftTokens(j)))
	if ctx.Err() != nil {
		return reply, "", ctx.Err()
	}
	j.kind, j.next = Generated, "verify"
	if err != nil {
		return reply, j.giveUp("语言模型" + llm.LLMFailure(err)), nil
	}
	return reply, "", nil
}

// declined is what follows where the language model says that the articles do not answer:
// a draft from what was overlooked, where there is any. Small models say so too readily:
// articles that are near the question are shown all the same, with the model's word about
// them.
func (g *Graph) declined(ctx context.Context, j *job) (string, error) {
	const why = "法条不足以回答"
	if j.best != nil {
		j.next = "settle"
		return why, nil
	}
	if g.another(ctx, j) {
		if err := g.look(ctx, j); err != nil {
			return "", err
		}
		if len(j.overlooked) > 0 {
			j.next = "supplement"
			return why + "，" + lookedAgain, nil
		}
	}
	isNear := func(h retrieval.Hit) bool { return near(&h, g.o.Floor) }
	if g.o.Floor > 0 && slices.ContainsFunc(j.evidence, isNear) {
		j.next = "extract"
		j.notes = append(j.notes, "语言模型认为所给法条没有直接回答这个问题；以下摘录其中最接近的原文，请自行判断。")
	} else {
		j.next = "abstain"
	}
	return why, nil
}

// draftMessages are what a draft is asked for with; rules is what they tell the model to
// do.
func draftMessages(j *job) (messages []*schema.Message, rules string, err error) {
	system, user, rules, err := prompts.Draft(draftInput(j))
	if err != nil {
		return nil, "", err
	}
	return []*schema.Message{schema.SystemMessage(system), schema.UserMessage(user)}, rules, nil
}

// reserve is the time kept of a deadline for what follows the language model: checks,
// or an extractive answer.
const reserve = 2 * time.Second

// withReserve returns a context that ends before its parent does, so that a model that
// is too slow still leaves time for an answer.
func withReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	left := time.Until(end)
	return context.WithTimeout(ctx, left-min(reserve, left/2))
}

// promptMarks takes out the marks of the prompt that small models repeat.
var promptMarks = strings.NewReplacer("<法条>", "", "</法条>", "", "<问题>", "", "</问题>", "")

// giveUp turns to the best draft so far, else to the extractive answer, and tells the
// reader why.
func (j *job) giveUp(why string) string {
	if j.best != nil {
		j.next = "settle"
		return why
	}
	j.next = "extract"
	j.notes = append(j.notes, why+"，以下改为法条原文摘录。")
	return why
}

// quote makes the extractive answer.
func (g *Graph) quote(_ context.Context, j *job) (string, error) {
	j.draft, j.kind = extract(j.query, j.evidence, j.named(), j.passages), Extractive
	return "", nil
}

// notFound is what an answer says when the book does not answer.
const notFound = "没有在已收录的法律条文中找到回答这个问题的依据，因此不作回答。可以换一种说法再问，或者写明法律名称和条号。"

// abstain says plainly that nothing was found, what was searched, and what is missing.
func (g *Graph) abstain(_ context.Context, j *job) (string, error) {
	j.draft, j.kind = notFound, Abstained
	day := "各时期"
	if !j.request.Scope.AsOf.Any {
		day = j.request.Scope.AsOf.On(g.o.Now()).String() + " 有效"
	}
	missing := "这一问题"
	if parts := partsOf(j.request.Question); len(parts) > 1 {
		missing = "“" + strings.Join(parts, "”和“") + "”"
	}
	j.notes = append(j.notes, "已检索“"+clip(strings.ReplaceAll(j.query, "\n", " "), 60)+"”，范围是已收录的"+day+"的法条；其中没有直接规定"+missing+"的条文。")
	return "未找到依据", nil
}
