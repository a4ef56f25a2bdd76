package experiment

import (
	"context"
	"sync"
	"time"

	"lexagent/book"
	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/index"
	"lexagent/retrieval"
	"lexagent/statute"
)

// likelihood makes the job of a row that searches by query likelihood.
func (e *Experiment) likelihood(t *trial, k *task, form dataset.Form) (*batch.Job, error) {
	if k.lab.Likelihood == nil {
		return nil, Unready("query likelihood needs the embedded store")
	}
	j, err := e.job(t, k, "runs", "search", map[string]any{"mode": QL, "mu": k.row.Mu, "k": e.File.Depth}, form)
	if err != nil {
		return nil, err
	}
	lab, mu, depth := k.lab, k.row.Mu, e.File.Depth
	var once sync.Once // made when the first question is put, not to be planned with
	var find func(text string, k int) []index.Hit
	today := statute.DateOf(time.Now())
	j.Do = func(ctx context.Context, item batch.Question) (any, error) {
		var err error
		once.Do(func() { find, err = lab.Likelihood(ctx, mu) })
		if err != nil {
			return nil, err
		}
		start := time.Now()
		line := &Line{ID: item.ID, Hits: []retrieval.Hit{}}
		for _, h := range find(item.Question, depth) {
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
	return j, nil
}
