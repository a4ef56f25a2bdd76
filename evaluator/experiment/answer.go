package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lexagent/evaluator/answers"
	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/graph"
	"lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
)

// AnswerLine is one line of a file of answers.
type AnswerLine struct {
	ID string `json:"id"`
	*graph.Answer
	Text  string  `json:"answer"` // with its citations; sources, notes and verdicts have fields of their own
	MS    float64 `json:"ms"`
	Error string  `json:"error,omitempty"`
}

// answering makes the job of a row that answers.
func (e *Experiment) answering(ctx context.Context, t *trial, k *task) error {
	switch k.row.Answer {
	case ZeroShot, Plain:
		return e.prompted(ctx, t, k)
	case Given:
		return e.given(ctx, t, k)
	case Asked:
		return e.asked(ctx, t, k)
	}
	return e.graphed(ctx, t, k)
}

// prompted makes the job of a row whose answers are one reply to one prompt.
func (e *Experiment) prompted(ctx context.Context, t *trial, k *task) error {
	llm, err := k.lab.Generator(ctx, *k.row.gen)
	if err != nil {
		return err
	}
	config := map[string]any{"answer": k.row.Answer, "generator": llm.Name, "tokens": e.File.Tokens}
	find := func(context.Context, batch.Question) (*Line, error) { return &Line{}, nil }
	if k.row.Answer == Plain {
		var searched map[string]any
		if find, searched, err = e.finder(ctx, t, k, e.File.Articles); err != nil {
			return err
		}
		config["search"] = searched
	}
	shown := 0
	if k.row.Answer == Plain {
		shown = e.File.Articles
	}
	k.uses(1, callTokens+shown*articleTokens, e.File.Tokens)
	return e.job(ctx, t, k, "ask", config, func(ctx context.Context, q *dataset.Question, text string) (any, error) {
		start := time.Now()
		found, err := find(ctx, batch.Question{ID: q.ID, Question: text})
		if err != nil {
			return nil, err
		}
		in := prompts.QAInput{Question: q.Question, Statement: q.Label != nil, History: turns(q.History), MaxChars: e.File.Tokens * 2 / 3}
		a := &graph.Answer{Kind: graph.Generated, Notes: []string{}}
		for i := range found.Hits {
			h := &found.Hits[i]
			in.Articles = append(in.Articles, prompts.DraftArticle{Name: retrieval.ArticleName(h.Law, h.Label), Text: h.Text})
			a.Evidence = append(a.Evidence, h.ID)
		}
		used, err := reply(ctx, llm, in, e.File.Tokens, &a.Text)
		if err != nil {
			return nil, err
		}
		if found.LLM != nil {
			used.Add(found.LLM.Usage)
		}
		a.LLM = graph.Usage{Calls: used.Calls + used.Kept, PromptTokens: used.PromptTokens, CompletionTokens: used.CompletionTokens}
		return AnswerLine{ID: q.ID, Answer: a, Text: a.Text, MS: since(start)}, nil
	})
}

// reply asks for an answer. One without words is asked for again, and then is none.
func reply(ctx context.Context, llm *LLM, in prompts.QAInput, tokens int, to *string) (model.Usage, error) {
	p, err := prompts.QA(in)
	if err != nil {
		return model.Usage{}, err
	}
	p.MaxTokens = tokens
	used, err := llm.Ask.Ask(ctx, p, func(text string) error {
		if *to = strings.TrimSpace(text); *to == "" {
			return fmt.Errorf("%w: 没有内容", prompts.ErrReply)
		}
		return nil
	})
	if errors.Is(err, model.ErrRefused) {
		err = nil
	}
	return used, err
}

// graphed makes the job of a row that the answer graph answers, or the loop of tools.
func (e *Experiment) graphed(ctx context.Context, t *trial, k *task) error {
	q, err := k.row.query(t.set, e.File, e.File.Articles)
	if err != nil {
		return err
	}
	if err := k.lab.Ready(q); err != nil {
		return err
	}
	config := map[string]any{"answer": k.row.Answer, "mode": q.Mode, "granularity": q.By, "as_of": q.Scope.AsOf, "tokens": e.File.Tokens}
	var llm *LLM
	if k.row.Answer != Extractive {
		if llm, err = k.lab.Generator(ctx, *k.row.gen); err != nil {
			return err
		}
		config["generator"] = llm.Name
		watched := *llm
		watched.Chat = reached{llm.Chat}
		llm = &watched
		calls := 1
		if k.row.Answer == Reflecting || k.row.Answer == Tools {
			calls += 3 // a review, another draft, and its review; or calls of tools
		}
		k.uses(calls, callTokens+e.File.Articles*articleTokens, e.File.Tokens)
		k.uses(q.Asks(), callTokens, stageTokens)
	}
	open := k.lab.Graph
	if k.row.Answer == Tools {
		open = k.lab.Tools
	}
	g, err := open(ctx, llm)
	if err != nil {
		return err
	}
	return e.job(ctx, t, k, "ask", config, func(ctx context.Context, dq *dataset.Question, text string) (any, error) {
		r := graph.Request{
			Question: text, Scope: q.Scope, Mode: q.Mode, By: q.By, Extractive: k.row.Answer == Extractive, OnePass: k.row.Answer == OnePass,
			MaxTokens: e.File.Tokens,
		}
		if dq.Label != nil {
			r.Question = answers.IsItTrue + text
		}
		if text == dq.Question {
			r.History = history(dq.History)
		}
		start := time.Now()
		ctx, failure := watch(ctx)
		a, err := g.Answer(ctx, r, nil)
		if err == nil {
			err = failure()
		}
		var input *retrieval.InputError
		if errors.As(err, &input) {
			return AnswerLine{ID: dq.ID, Answer: &graph.Answer{Kind: graph.Abstained}, Error: input.Problem}, nil
		}
		if err != nil {
			return nil, err
		}
		return AnswerLine{ID: dq.ID, Answer: a, Text: a.Text, MS: since(start)}, nil
	})
}

// history is a dialogue as the graph is given it.
func history(turns []dataset.Turn) []graph.Turn {
	var out []graph.Turn
	for _, t := range turns {
		out = append(out, graph.Turn{Role: "user", Text: t.User}, graph.Turn{Role: "assistant", Text: t.Assistant})
	}
	return out
}
