package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
)

// maxQuestion bounds the time of one question: far above what a small language model
// on a slow machine needs for all its calls.
const maxQuestion = 20 * time.Minute

// Unready makes an error that says in one sentence why something can't be run here.
func Unready(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnready, fmt.Sprintf(format, args...))
}

// reason is what an error of Unready says.
func reason(err error) string {
	return strings.TrimPrefix(err.Error(), ErrUnready.Error()+": ")
}

// ready opens what a task needs and makes its job. Its error wraps ErrUnready where
// something is not here.
func (e *Experiment) ready(ctx context.Context, l *labs, t *trial, k *task) error {
	parts := Parts{Data: t.set.Data, Encoder: k.row.Encoder, Reranker: k.row.Reranker}
	if k.row.Data != "" {
		parts.Data = k.row.Data
	}
	lab, err := l.get(ctx, parts)
	if err != nil {
		return err
	}
	k.lab = lab
	if t.corpus == "" {
		t.corpus = lab.Corpus
	}
	if k.row.Answer != "" {
		err = e.answering(ctx, t, k)
	} else {
		err = e.searching(ctx, t, k)
	}
	if err != nil {
		return err
	}
	k.done, err = k.job.Done()
	return err
}

// job makes a batch of the data set's questions; do makes a line of one, with its
// text in the form that the data set is asked in.
func (e *Experiment) job(ctx context.Context, t *trial, k *task, command string, config map[string]any, do func(ctx context.Context, q *dataset.Question, text string) (any, error)) error {
	form, err := dataset.ParseForm(t.set.History)
	if err != nil {
		return err
	}
	qs, byID := make([]batch.Question, len(t.questions)), make(map[string]*dataset.Question, len(t.questions))
	for i := range t.questions {
		q := &t.questions[i]
		text, err := q.Text(form)
		if err != nil {
			return err
		}
		qs[i], byID[q.ID] = batch.Question{ID: q.ID, Question: text}, q
	}
	var llm *LLM
	if form == dataset.Rewrite {
		if llm, err = k.lab.Generator(ctx, Generator{}); err != nil {
			return err
		}
		config["history"], config["rewriter"] = form, llm.Name
		k.uses(1, callTokens, stageTokens)
	}
	folder := "runs"
	if command == "ask" {
		folder = "answers"
	}
	parallel := 1
	if k.use.Calls > 0 { // searches alone use all the processors by themselves
		parallel = e.File.Parallel
	}
	k.job = &batch.Job{
		Parallel:  parallel,
		Out:       filepath.Join(e.Out, folder, slug(t.set.Name)+"."+slug(k.row.name)+".jsonl"),
		Meta:      batch.Meta{Command: command, Config: config, Corpus: k.lab.Corpus, Queries: batch.Digest(qs), Program: e.Program},
		Questions: qs, Overwrite: e.Overwrite,
		Do: func(ctx context.Context, item batch.Question) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, maxQuestion)
			defer cancel()
			q, text := byID[item.ID], item.Question
			if llm != nil && len(q.History) > 0 {
				var err error
				if text, err = Standalone(ctx, llm.Ask, q); err != nil {
					return nil, err
				}
			}
			return do(ctx, q, text)
		},
	}
	return nil
}

// Standalone has a language model make a question of a dialogue that can be
// understood alone. A reply of no use leaves the question as the user put it.
func Standalone(ctx context.Context, llm retrieval.Asker, q *dataset.Question) (string, error) {
	p, err := prompts.Standalone(q.Question, turns(q.History))
	if err != nil {
		return "", err
	}
	text := q.Question
	_, err = llm.Ask(ctx, p, func(reply string) error {
		made, err := prompts.ParseRewrite(reply)
		if err == nil {
			text = made
		}
		return err
	})
	if errors.Is(err, model.ErrRefused) {
		return q.Question, nil
	}
	return text, err
}

// turns are the turns of a dialogue as prompts show them.
func turns(history []dataset.Turn) []prompts.DraftTurn {
	var out []prompts.DraftTurn
	for _, t := range history {
		out = append(out, prompts.DraftTurn{Speaker: "用户", Text: t.User}, prompts.DraftTurn{Speaker: "助手", Text: t.Assistant})
	}
	return out
}

// searching makes the job of a row that searches.
func (e *Experiment) searching(ctx context.Context, t *trial, k *task) error {
	find, config, err := e.finder(ctx, t, k, e.File.Depth)
	if err != nil {
		return err
	}
	return e.job(ctx, t, k, "search", config, func(ctx context.Context, q *dataset.Question, text string) (any, error) {
		return find(ctx, batch.Question{ID: q.ID, Question: text})
	})
}

// finder is the search of a row, with what decides its results.
func (e *Experiment) finder(ctx context.Context, t *trial, k *task, depth int) (find func(context.Context, batch.Question) (*Line, error), config map[string]any, err error) {
	if k.row.Mode == QL {
		return e.likelihood(k, depth)
	}
	q, err := k.row.query(t.set, e.File, depth)
	if err != nil {
		return nil, nil, err
	}
	if err := k.lab.Ready(q); err != nil {
		return nil, nil, err
	}
	if k.row.steered() {
		return e.adaptive(ctx, k, q)
	}
	k.uses(q.Asks(), callTokens, stageTokens)
	find = func(ctx context.Context, item batch.Question) (*Line, error) {
		return SearchLine(ctx, k.lab.Search, q, item)
	}
	return find, k.lab.Config(q), nil
}
