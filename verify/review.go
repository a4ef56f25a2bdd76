package verify

import (
	"context"
	"errors"

	"lexagent/model"
	"lexagent/prompts"
)

// Review is what a language model says of a draft: LegRAG's self-verification for
// evidence, consistency and completeness. A verdict that could not be had is
// NotDone, never a pass.
type Review struct {
	Evidence     Judgement `json:"evidence"`          // is every conclusion borne out by the articles
	Consistency  Judgement `json:"consistency"`       // does none reverse, widen or narrow what they say
	Completeness Judgement `json:"completeness"`      // is every part of the question answered
	Missing      []string  `json:"missing,omitempty"` // what is missing, as queries
}

// Judgement is the verdict on one side of a draft, with reasons where it failed.
type Judgement struct {
	Outcome Outcome  `json:"outcome"`
	Reasons []string `json:"reasons,omitempty"`
}

// OK reports whether nothing failed.
func (r *Review) OK() bool {
	return r.Evidence.Outcome != Failed && r.Consistency.Outcome != Failed && r.Completeness.Outcome != Failed
}

// Asker asks a language model; *model.Asker is one.
type Asker interface {
	Ask(ctx context.Context, p prompts.Prompt, accept func(reply string) error) (model.Usage, error)
}

// Reviewer has a language model review drafts.
type Reviewer struct{ LLM Asker }

// Review asks for the three verdicts on an answer to a question, in one call and with
// bounded retries. A model that can't be reached, or gives no valid verdict, is no
// error: nothing was checked then. The errors are the context's.
func (r Reviewer) Review(ctx context.Context, in prompts.ReviewInput) (Review, model.Usage, error) {
	none := Review{Evidence: Judgement{Outcome: NotDone}, Consistency: Judgement{Outcome: NotDone}, Completeness: Judgement{Outcome: NotDone}}
	p, err := prompts.AskReview(in)
	if err != nil {
		return none, model.Usage{}, err
	}
	var said prompts.Review
	used, err := r.LLM.Ask(ctx, p, func(reply string) (err error) {
		said, err = prompts.ParseReview(reply)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return none, used, ctx.Err()
	case errors.Is(err, model.ErrUnreached), errors.Is(err, model.ErrRefused), errors.Is(err, model.ErrNoModel):
		return none, used, nil
	case err != nil:
		return none, used, err
	}
	return Review{
		Evidence: judged(said.Evidence), Consistency: judged(said.Consistency), Completeness: judged(said.Completeness.Judgement),
		Missing: said.Completeness.Missing,
	}, used, nil
}

func judged(j prompts.Judgement) Judgement {
	if j.Pass {
		return Judgement{Outcome: Passed}
	}
	return Judgement{Outcome: Failed, Reasons: j.Reasons}
}
