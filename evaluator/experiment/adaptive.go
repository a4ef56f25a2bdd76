package experiment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"lexagent/evaluator/batch"
	"lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
)

const (
	maxThoughts = 3  // searches of IRCoT after the first
	shownHits   = 5  // articles that the model is shown
	rankSoftens = 60 // of reciprocal rank fusion, which puts the lists of several searches together
)

// adaptive is a search that a language model steers: the same base search and the same
// number of candidates as the other rows, put together by reciprocal ranks.
func (e *Experiment) adaptive(ctx context.Context, k *task, q retrieval.Query) (func(context.Context, batch.Question) (*Line, error), map[string]any, error) {
	llm, err := k.lab.Generator(ctx, Generator{})
	if err != nil {
		return nil, nil, err
	}
	var steer func(context.Context, *steered) ([][]retrieval.Hit, error)
	switch k.row.Mode {
	case CRAG:
		steer = crag
		k.uses(2, shownHits*articleTokens, stageTokens)
	case ARAG:
		steer = arag
		k.uses(maxSteps, callTokens+shownToAgent*articleTokens/3, stageTokens)
		for _, mode := range []retrieval.Mode{retrieval.BM25, retrieval.Dense} {
			if err := k.lab.Ready(ofMode(q, mode)); err != nil {
				return nil, nil, err
			}
		}
	default:
		steer = ircot
		k.uses(maxThoughts, shownHits*articleTokens, stageTokens)
	}
	config := k.lab.Config(q)
	config["steered"], config["llm"] = k.row.Mode, llm.Name
	return func(ctx context.Context, item batch.Question) (*Line, error) {
		start := time.Now()
		s := &steered{llm: llm.Ask, question: item.Question, line: &Line{ID: item.ID, Hits: []retrieval.Hit{}, LLM: &retrieval.LLMUse{}}}
		s.by = func(ctx context.Context, mode retrieval.Mode, text string) ([]retrieval.Hit, error) {
			found, err := SearchLine(ctx, k.lab.Search, ofMode(q, mode), batch.Question{ID: item.ID, Question: text})
			if err != nil {
				return nil, err
			}
			return found.Hits, nil
		}
		s.find = func(ctx context.Context, text string) ([]retrieval.Hit, error) { return s.by(ctx, q.Mode, text) }
		lists, err := steer(ctx, s)
		if err != nil {
			return nil, err
		}
		s.line.Hits = merged(lists, q.K)
		s.line.MS = since(start)
		return s.line, nil
	}, config, nil
}

// ofMode is a search in another mode; by one path alone there is nothing to leave out of it.
func ofMode(q retrieval.Query, mode retrieval.Mode) retrieval.Query {
	if q.Mode != mode {
		q.Mode, q.Without = mode, nil
	}
	return q
}

// steered is one question on its way through such a search.
type steered struct {
	llm      retrieval.Asker
	find     func(ctx context.Context, text string) ([]retrieval.Hit, error)                      // the base search
	by       func(ctx context.Context, mode retrieval.Mode, text string) ([]retrieval.Hit, error) // the same in another mode
	question string
	line     *Line
}

// ask sends a prompt; a reply of no use is no error, and ok is false.
func (s *steered) ask(ctx context.Context, p prompts.Prompt, accept func(reply string) error) (ok bool, err error) {
	used, err := s.llm.Ask(ctx, p, accept)
	s.line.LLM.Add(used)
	if errors.Is(err, model.ErrRefused) {
		return false, nil
	}
	return err == nil, err
}

// ircot searches for the question, then for each step of reasoning over what was
// found, until the model concludes.
func ircot(ctx context.Context, s *steered) ([][]retrieval.Hit, error) {
	hits, err := s.find(ctx, s.question)
	lists := [][]retrieval.Hit{hits}
	var thoughts []string
	for range maxThoughts {
		if err != nil {
			return nil, err
		}
		p, err := prompts.Thought(s.question, articlesOf(merged(lists, shownHits)), thoughts)
		if err != nil {
			return nil, err
		}
		thought := ""
		ok, err := s.ask(ctx, p, func(reply string) (err error) { thought, err = prompts.ParsePassage(reply); return err })
		if err != nil {
			return nil, err
		}
		if !ok || prompts.Concludes(thought) {
			break
		}
		thoughts = append(thoughts, thought)
		if hits, err = s.find(ctx, thought); err != nil {
			return nil, err
		}
		lists = append(lists, hits)
	}
	return lists, err
}

// crag has what was found judged: what answers stays, what does not is replaced by a
// search for the question in the words of the law, what may is put together with it.
func crag(ctx context.Context, s *steered) ([][]retrieval.Hit, error) {
	hits, err := s.find(ctx, s.question)
	if err != nil {
		return nil, err
	}
	p, err := prompts.Evaluate(s.question, articlesOf(hits[:min(len(hits), shownHits)]))
	if err != nil {
		return nil, err
	}
	grade := prompts.Ambiguous
	if _, err := s.ask(ctx, p, func(reply string) error {
		g, err := prompts.ParseGrade(reply)
		if err == nil {
			grade = g
		}
		return err
	}); err != nil || grade == prompts.Correct {
		return [][]retrieval.Hit{hits}, err
	}
	if p, err = prompts.QR(s.question); err != nil {
		return nil, err
	}
	rewritten := ""
	ok, err := s.ask(ctx, p, func(reply string) (err error) { rewritten, err = prompts.ParseRewrite(reply); return err })
	if err != nil || !ok {
		return [][]retrieval.Hit{hits}, err
	}
	again, err := s.find(ctx, rewritten)
	if grade == prompts.Incorrect {
		return [][]retrieval.Hit{again}, err
	}
	return [][]retrieval.Hit{hits, again}, err
}

func articlesOf(hits []retrieval.Hit) []prompts.DraftArticle {
	out := make([]prompts.DraftArticle, len(hits))
	for i := range hits {
		out[i] = prompts.DraftArticle{Name: retrieval.ArticleName(hits[i].Law, hits[i].Label), Text: hits[i].Text}
	}
	return out
}

// merged puts ranked lists together by reciprocal ranks and keeps the first k. One list
// stays as it is.
func merged(lists [][]retrieval.Hit, k int) []retrieval.Hit {
	if len(lists) == 1 {
		return lists[0][:min(k, len(lists[0]))]
	}
	var out []retrieval.Hit
	at := map[string]int{}
	for _, list := range lists {
		for rank := range list {
			h := list[rank]
			i, seen := at[h.ID]
			if !seen {
				i = len(out)
				at[h.ID] = i
				h.Score = 0
				out = append(out, h)
			}
			out[i].Score += 1 / float64(rankSoftens+rank+1)
		}
	}
	slices.SortStableFunc(out, func(a, b retrieval.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(k, len(out))]
}
