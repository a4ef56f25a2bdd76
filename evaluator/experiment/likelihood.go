package experiment

import (
	"context"
	"time"

	"lexagent/book"
	"lexagent/evaluator/batch"
	"lexagent/index"
	"lexagent/retrieval"
	"lexagent/statute"
)

// likelihood is the search of a row by query likelihood. It sees every version of
// every law, as experiments do.
func (e *Experiment) likelihood(k *task, depth int) (func(context.Context, batch.Question) (*Line, error), map[string]any, error) {
	if k.lab.Likelihood == nil {
		return nil, nil, Unready("query likelihood needs the embedded store")
	}
	lab, mu, today := k.lab, k.row.Mu, statute.DateOf(time.Now())
	var search func(text string, k int) []index.Hit // made when the first question is put
	find := func(ctx context.Context, item batch.Question) (_ *Line, err error) {
		if search == nil {
			if search, err = lab.Likelihood(ctx, mu); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		line := &Line{ID: item.ID, Hits: []retrieval.Hit{}}
		for _, h := range search(item.Question, depth) {
			collection, id := book.SplitDocID(h.ID)
			u, l, err := lab.Book.Unit(ctx, []string{collection}, id, 0)
			if err != nil {
				return nil, err
			}
			hit := retrieval.Hit{
				ID: u.ID, SourceID: u.SourceID, Kind: u.Kind, Law: l.Title, Label: u.Label, Text: u.Text, Score: h.Score,
				LawID: l.ID, Path: u.Path, Status: l.StatusOn(today), Level: l.Level,
			}
			if len(u.Also) > 0 {
				hit.Also = append([]string{u.SourceID}, u.Also...)
			}
			line.Hits = append(line.Hits, hit)
		}
		line.MS = since(start)
		return line, nil
	}
	return find, map[string]any{"mode": QL, "mu": mu, "k": depth}, nil
}
