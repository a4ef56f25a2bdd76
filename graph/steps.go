package graph

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
)

// shortQuestion is the length in characters below which a question is taken to
// build on the one before it.
const shortQuestion = 20

// followUps begin questions that build on the one before.
var followUps = []string{"那", "如果", "还有", "为什么", "怎么", "他", "她", "它", "这", "上面", "前面", "刚才", "以上", "继续", "具体"}

// understand makes the text to search for: the question, with the user's turn
// before it when the question does not stand alone.
func (g *Graph) understand(_ context.Context, j *job) (string, error) {
	j.query = j.request.Question
	if before := lastQuestion(j.request.History); before != "" && buildsOn(j.request.Question) {
		j.query = before + "\n" + j.request.Question
		return "结合上文", nil
	}
	return "", nil
}

func lastQuestion(history []Turn) string {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Role == "user" {
			return history[i].Text
		}
	}
	return ""
}

func buildsOn(question string) bool {
	q := strings.TrimSpace(question)
	for _, f := range followUps {
		if strings.HasPrefix(q, f) {
			return true
		}
	}
	return utf8.RuneCountInString(q) < shortQuestion && !strings.Contains(q, "法")
}

// retrieve searches, and keeps as evidence what bears on the question.
func (g *Graph) retrieve(ctx context.Context, j *job) (string, error) {
	by := j.request.By
	if by == "" {
		by = retrieval.Dual
	}
	res, err := g.o.Search.Search(ctx, retrieval.Query{
		Text: j.query, Mode: j.request.Mode, By: by, Scope: j.request.Scope, Explain: true, Whole: true,
	})
	if err != nil {
		return "", err
	}
	j.result = res
	j.answer.Notes = append([]string{}, res.Notes...)
	j.evidence = relevant(j.request.Question, res, g.o.Floor)
	j.answer.Evidence = make([]string, len(j.evidence))
	for i := range j.evidence {
		j.answer.Evidence[i] = j.evidence[i].ID
	}
	j.emit(Evidence{Hits: j.evidence})
	return fmt.Sprintf("%d 条", len(j.evidence)), nil
}

// write asks the language model for a draft.
func (g *Graph) write(ctx context.Context, j *job) (string, error) {
	system, user, err := prompts.Draft(draftInput(j))
	if err != nil {
		return "", err
	}
	max := g.o.MaxTokens
	if j.request.MaxTokens > 0 {
		max = min(max, j.request.MaxTokens)
	}
	msg, err := g.o.LLM.Generate(ctx, []*schema.Message{schema.SystemMessage(system), schema.UserMessage(user)}, model.WithMaxTokens(max))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	j.answer.LLM.Calls++
	if err != nil {
		return giveUp(j, "语言模型"+llm.LLMFailure(err)), nil
	}
	if m := msg.ResponseMeta; m != nil && m.Usage != nil {
		j.answer.LLM.Add(Usage{PromptTokens: m.Usage.PromptTokens, CompletionTokens: m.Usage.CompletionTokens})
	}
	j.draft = strings.TrimSpace(promptMarks.Replace(msg.Content))
	switch {
	case j.draft == "":
		return giveUp(j, "语言模型没有写出内容"), nil
	case strings.Contains(j.draft, prompts.NoAnswer):
		j.answer.Kind = Abstained
		return "法条不足以回答", nil
	}
	j.answer.Kind = Generated
	return fmt.Sprintf("%d 字", utf8.RuneCountInString(j.draft)), nil
}

// promptMarks takes out the marks of the prompt that small models repeat.
var promptMarks = strings.NewReplacer("<法条>", "", "</法条>", "", "<问题>", "", "</问题>", "")

// giveUp turns to the extractive answer and tells the reader why.
func giveUp(j *job, why string) string {
	j.reject = true
	j.answer.Notes = append(j.answer.Notes, why+"，以下改为法条原文摘录。")
	return why
}

// quote makes the extractive answer.
func (g *Graph) quote(_ context.Context, j *job) (string, error) {
	text, used := extract(j.request.Question, j.evidence)
	j.draft, j.reject, j.answer.Kind = text, false, Extractive
	return fmt.Sprintf("摘录 %d 条", len(used)), nil
}

// notFound is what an answer says when the book does not answer.
const notFound = "没有在已收录的法律条文中找到回答这个问题的依据，因此不作回答。可以换一种说法再问，或者写明法律名称和条号。"

// abstain says plainly that nothing was found.
func (g *Graph) abstain(_ context.Context, j *job) (string, error) {
	j.draft, j.answer.Kind = notFound, Abstained
	return "未找到依据", nil
}
