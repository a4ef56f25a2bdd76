package answers

import (
	"context"
	"errors"
	"fmt"
	"time"

	eino "github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/model"
)

// Outside is a system behind an OpenAI-compatible endpoint, such as another
// retrieval-augmented assistant or a bare language model, that is asked as its users
// would ask it: the question and nothing else, after the dialogue that it ends. A
// statement that is true or false is put as the question whether it is.
//
// It is safe for concurrent use when its Chat is.
type Outside struct {
	Chat   model.Chat
	Tokens int           // of an answer at most; 0 = as many as the endpoint gives
	Pause  time.Duration // before asking again after a failure, doubled each time; 0 = a second
}

// OutsideLine is one line of the answers of an Outside, which Read reads.
type OutsideLine struct {
	ID     string      `json:"id"`
	Answer string      `json:"answer"`
	Kind   string      `json:"kind,omitempty"` // Failed where the endpoint refused the question
	MS     float64     `json:"ms"`
	LLM    model.Usage `json:"llm"`
	Error  string      `json:"error,omitempty"`
}

const (
	outsideAttempts = 3 // calls for a question at most
	outsideRefusals = 3 // questions in a row that may be refused: it is the endpoint then, not the questions
)

// IsItTrue is the question that a statement is put as.
const IsItTrue = "下面的说法是否正确？请先回答“正确”或“错误”，再说明理由。\n"

// Ask asks one question, in the text that is given, and with its dialogue where that
// is the question itself. A question that the endpoint refuses has a line without an
// answer; that it can't be reached is an error.
func (o *Outside) Ask(ctx context.Context, q *dataset.Question, text string) (OutsideLine, error) {
	start := time.Now()
	l := OutsideLine{ID: q.ID}
	var messages []*schema.Message
	if text == q.Question {
		for _, t := range q.History {
			messages = append(messages, schema.UserMessage(t.User), schema.AssistantMessage(t.Assistant, nil))
		}
	}
	if q.Label != nil {
		text = IsItTrue + text
	}
	messages = append(messages, schema.UserMessage(text))
	var opts []eino.Option
	if o.Tokens > 0 {
		opts = append(opts, eino.WithMaxTokens(o.Tokens))
	}
	pause := o.Pause
	if pause == 0 {
		pause = time.Second
	}
	for n := range outsideAttempts {
		msg, err := o.Chat.Generate(ctx, messages, opts...)
		l.LLM.Calls++
		l.MS = float64(time.Since(start).Microseconds()) / 1000
		switch {
		case ctx.Err() != nil:
			return l, ctx.Err()
		case err == nil:
			l.Answer = model.WithoutReasoning(msg.Content)
			if m := msg.ResponseMeta; m != nil && m.Usage != nil {
				l.LLM.PromptTokens, l.LLM.CompletionTokens = m.Usage.PromptTokens, m.Usage.CompletionTokens
			}
			return l, nil
		case model.Rejected(err):
			l.Kind, l.Error = Failed, model.LLMFailure(err)
			return l, nil
		case n+1 == outsideAttempts:
			return l, fmt.Errorf("the endpoint gave no answer: %s", model.LLMFailure(err))
		case !model.Rest(ctx, pause<<n):
			return l, ctx.Err()
		}
	}
	return l, nil
}

// AskAll asks all questions into a file, one line each. Lines are written as they
// come, so that a batch that is stopped goes on where it was; whose says what the
// answers depend on, and a file of another endpoint is refused unless overwrite is set.
func (o *Outside) AskAll(ctx context.Context, questions []dataset.Question, out string, whose map[string]any, overwrite bool, progress func(done, total int)) error {
	qs, byID := make([]batch.Question, 0, len(questions)), make(map[string]*dataset.Question, len(questions))
	for i := range questions {
		q := &questions[i]
		if byID[q.ID] != nil {
			continue // a question that repeats an id is counted by the report
		}
		text, err := q.Text(dataset.PrefixAnswers)
		if err != nil {
			return err
		}
		qs, byID[q.ID] = append(qs, batch.Question{ID: q.ID, Question: text}), q
	}
	refused := 0
	j := &batch.Job{
		Out: out, Questions: qs, Overwrite: overwrite, Progress: progress,
		Meta: batch.Meta{Command: "ask", Config: whose, Queries: batch.Digest(qs)},
		Do: func(ctx context.Context, item batch.Question) (any, error) {
			q := byID[item.ID]
			l, err := o.Ask(ctx, q, q.Question)
			if err != nil {
				return nil, err
			}
			if refused++; l.Kind != Failed {
				refused = 0
			}
			if refused == outsideRefusals {
				return nil, fmt.Errorf("%d questions in a row were refused: %s", refused, l.Error)
			}
			return l, nil
		},
	}
	_, err := j.Run(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, batch.ErrDiffers) {
		return fmt.Errorf("%w; run the same command again to go on", err)
	}
	return err
}
