package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"lexagent/book"
	"lexagent/model"
	"lexagent/prompts"
)

// defaultLLMDeadline bounds what a language model may take for one stage, so that a
// slow one costs a search its expansion and not its answer.
const defaultLLMDeadline = 90 * time.Second

// LLMUse tells what a search asked of a language model.
type LLMUse struct {
	model.Usage
	Failed int `json:"failed,omitempty"` // stages that went without it because it gave no reply in time
}

// expand appends what the expansion makes to what is searched by words. Without a
// reply of use the question is searched for as it is.
func (s *search) expand(ctx context.Context) error {
	switch s.q.Expand {
	case NoExpansion:
		return nil
	case Distilled:
		_, err := timed(s, "expand", func() (struct{}, error) { s.distil(); return struct{}{}, nil })
		return err
	}
	x, err := consult(ctx, s, "expand", func(ctx context.Context) (Expanded, model.Usage, error) {
		if s.engine.Expander == nil {
			return Expanded{}, model.Usage{}, model.ErrNoModel
		}
		return s.engine.Expander.Expand(ctx, s.q.Expand, s.q.Text)
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.note("问题未能扩展（" + failure(err) + "），本次按原问题检索。")
		return nil
	}
	s.result.Expansion, s.expanded = &x, true
	s.sparse = s.store.Query(s.q.Text + "\n" + x.Text)
	return nil
}

// wantsIntent reports whether the intent of the question counts.
func (s *search) wantsIntent() bool {
	return s.result.Mode == LexPath && !s.q.without(Rerank) && !s.q.without(IntentScore) && s.q.Lambda.Intent > 0
}

// intent finds out the intent of the question.
func (s *search) intent(ctx context.Context) error {
	if m := s.engine.IntentModel; m != nil && s.result.Mode.ranked() {
		s.asks = m.question(s.q.Text)
	}
	if !s.wantsIntent() {
		return nil
	}
	if s.engine.Intents == nil {
		s.result.QueryIntent = s.asks.Best()
		return nil
	}
	i, err := consult(ctx, s, "intent", func(ctx context.Context) (prompts.Intent, model.Usage, error) {
		return s.engine.Intents.QuestionIntent(ctx, s.q.Text)
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.note("问题的意图未能判断（" + failure(err) + "），本次排序不计意图。")
		return nil
	}
	s.result.QueryIntent, s.asks = i, prompts.Certain(i)
	return nil
}

// consult runs a stage that asks a language model, and counts what it used.
func consult[T any](ctx context.Context, s *search, stage string, fn func(context.Context) (T, model.Usage, error)) (T, error) {
	deadline := s.engine.LLMDeadline
	if deadline == 0 {
		deadline = defaultLLMDeadline
	}
	if end, ok := ctx.Deadline(); ok {
		deadline = min(deadline, time.Until(end)*2/3) // what is left is for the search itself
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	if s.result.LLM == nil {
		s.result.LLM = &LLMUse{}
	}
	return timed(s, stage, func() (T, error) {
		v, used, err := fn(ctx)
		s.result.LLM.Add(used)
		if err != nil && !errors.Is(err, model.ErrRefused) {
			s.result.LLM.Failed++
		}
		return v, err
	})
}

// failure says in a few words why a stage went without the language model.
func failure(err error) string {
	switch {
	case errors.Is(err, model.ErrRefused):
		return "语言模型的回复不合要求"
	case errors.Is(err, model.ErrNoModel):
		return "未配置语言模型，也没有保存的回复"
	}
	return "语言模型" + model.LLMFailure(err)
}

// weigh is LexPath's intent-aware reranker (§ 3.5) over the pool of the best fused
// candidates. The neural reranker is the cross-encoder where there is one. Else it is
// the learned ranker, whose score a sigmoid brings to the range of the others; it
// judges a candidate among those that it was trained on, as in Fast.
func (s *search) weigh(ctx context.Context, found []candidate) ([]candidate, error) {
	if s.q.without(Rerank) {
		return found[:min(len(found), s.q.Pool)], nil
	}
	var err error
	if s.engine.Cross == nil {
		found, err = s.judged(ctx, found)
	}
	if err == nil {
		found, err = s.present(ctx, found, s.q.Pool)
	}
	if err == nil && s.engine.Cross != nil {
		err = s.cross(ctx, found)
	}
	if err == nil && s.result.QueryIntent != "" {
		err = s.articleIntents(ctx, found)
	}
	if err != nil {
		return nil, err
	}
	l := s.q.Lambda
	for i := range found {
		c := &found[i]
		c.score = l.Fused * *c.scores.Fused
		if c.scores.Rerank != nil {
			c.score += l.Rerank * *c.scores.Rerank
		}
		if s.result.QueryIntent == "" {
			continue
		}
		p := s.articleIntent(c)
		c.intent = p.Best()
		same := s.asks.Agree(&p)
		c.scores.Intent = &same
		c.score += l.Intent * same
	}
	best(found)
	return found, nil
}

// judged gives the candidates that the ranker can judge its score. They stay in the
// order of their fused scores.
func (s *search) judged(ctx context.Context, found []candidate) ([]candidate, error) {
	if s.engine.Ranker == nil || s.engine.Ranker.trees == nil {
		s.note("没有可用的排序模型，本次排序只计融合分和意图。")
		return found, nil
	}
	near, deep := parted(found)
	rows, near, err := s.rows(ctx, near)
	if err != nil {
		return nil, err
	}
	for i := range near {
		score := sigmoid(s.engine.Ranker.trees.score(rows[i]))
		near[i].scores.Rerank = &score
	}
	found = append(near, deep...)
	best(found)
	return found, nil
}

// cross has the cross-encoder read the question with each candidate.
func (s *search) cross(ctx context.Context, found []candidate) error {
	passages := make([]string, len(found))
	for i := range found {
		c := &found[i]
		passages[i] = passage(c.unit.Kind, c.law.Title, c.unit.Label, c.unit.Text)
	}
	scores, err := timed(s, "cross", func() ([]float64, error) { return s.engine.Cross.Score(ctx, s.q.Text, passages) })
	if err != nil {
		return fmt.Errorf("rerank: %w", err)
	}
	for i := range found {
		found[i].scores.Rerank = &scores[i]
	}
	return nil
}

// present reads the first n candidates, passing over what left the book since the
// index was made.
func (s *search) present(ctx context.Context, found []candidate, n int) ([]candidate, error) {
	kept := make([]candidate, 0, min(n, len(found)))
	for _, c := range found {
		if len(kept) == n {
			break
		}
		if c.unit == nil {
			err := s.fetch(ctx, &c)
			if errors.Is(err, book.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// articleIntent is the label of the language model that is asked now where it has one,
// else what was stored or the IntentModel tells, else the label of the rules.
func (s *search) articleIntent(c *candidate) prompts.Odds {
	if s.engine.Intents != nil {
		if i, ok := s.engine.Intents.ArticleIntent(ArticleName(c.law.Title, c.unit.Label), c.unit.Text); ok {
			return prompts.Certain(i)
		}
	}
	if c.intents != (prompts.Odds{}) {
		return c.intents
	}
	return prompts.Certain(ArticleIntent(c.unit.Text))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
