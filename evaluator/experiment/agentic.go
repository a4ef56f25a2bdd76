package experiment

import (
	"context"
	"slices"

	"lexagent/prompts"
	"lexagent/retrieval"
)

const (
	maxSteps     = 5  // of an agent that searches
	hitsOfAgent  = 5  // of each of its searches that it is shown
	shownToAgent = 12 // articles at most
)

// arag has the language model decide what to search for, by words or by meaning, what
// to read, and when it has found enough. What it names as of use leads the list; what
// it found beside that follows by reciprocal ranks.
func arag(ctx context.Context, s *steered) ([][]retrieval.Hit, error) {
	var lists [][]retrieval.Hit
	var found []retrieval.Hit
	var seen []prompts.Seen
	var steps []prompts.Action
	var named []retrieval.Hit
	for left := maxSteps; left > 0; left-- {
		p, err := prompts.NextAction(s.question, seen, steps, left)
		if err != nil {
			return nil, err
		}
		var next prompts.Action
		ok, err := s.ask(ctx, p, func(reply string) (err error) { next, err = prompts.ParseAction(reply, len(seen)); return err })
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		steps = append(steps, next)
		if next.Action == prompts.Done {
			for _, n := range next.Articles {
				if !has(named, found[n-1].ID) {
					named = append(named, found[n-1])
				}
			}
			break
		}
		if next.Action == prompts.ReadOne {
			seen[next.Article-1].Whole = true
			continue
		}
		mode := retrieval.BM25
		if next.Action == prompts.Semantic {
			mode = retrieval.Dense
		}
		hits, err := s.by(ctx, mode, next.Query)
		if err != nil {
			return nil, err
		}
		lists = append(lists, hits)
		for _, h := range hits[:min(hitsOfAgent, len(hits))] {
			if len(found) < shownToAgent && !has(found, h.ID) {
				found = append(found, h)
				seen = append(seen, prompts.Seen{Name: retrieval.ArticleName(h.Law, h.Label), Text: h.Text})
			}
		}
	}
	if len(lists) == 0 { // it never searched
		hits, err := s.find(ctx, s.question)
		return [][]retrieval.Hit{hits}, err
	}
	if len(named) == 0 {
		return lists, nil
	}
	rest := slices.DeleteFunc(merged(lists, retrieval.MaxHits), func(h retrieval.Hit) bool { return has(named, h.ID) })
	for i := range named {
		named[i].Score = 1 + 1/float64(i+1) // above any sum of reciprocal ranks here
	}
	return [][]retrieval.Hit{append(named, rest...)}, nil
}

func has(hits []retrieval.Hit, id string) bool {
	return slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return h.ID == id })
}
