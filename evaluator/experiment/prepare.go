package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
)

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
	data := t.set.Data
	if k.row.Data != "" {
		data = k.row.Data
	}
	lab, err := l.get(ctx, data, k.row.Encoder)
	if err != nil {
		return err
	}
	k.lab = lab
	if t.corpus == "" {
		t.corpus = lab.Corpus
	}
	k.job, err = e.searching(t, k)
	if err != nil {
		return err
	}
	k.done, err = k.job.Done()
	return err
}

// job makes a batch of the data set's questions.
func (e *Experiment) job(t *trial, k *task, folder, command string, config any, form dataset.Form) (*batch.Job, error) {
	qs := make([]batch.Question, len(t.questions))
	for i := range t.questions {
		text, err := t.questions[i].Text(form)
		if err != nil {
			return nil, err
		}
		qs[i] = batch.Question{ID: t.questions[i].ID, Question: text}
	}
	return &batch.Job{
		Out:       filepath.Join(e.Out, folder, slug(t.set.Name)+"."+slug(k.row.name)+".jsonl"),
		Meta:      batch.Meta{Command: command, Config: config, Corpus: k.lab.Corpus, Queries: batch.Digest(qs), Program: e.Program},
		Questions: qs, Overwrite: e.Overwrite,
	}, nil
}

// searching makes the job of a row that searches.
func (e *Experiment) searching(t *trial, k *task) (*batch.Job, error) {
	form := dataset.Form(t.set.History)
	if form == "" {
		form = dataset.Current
	}
	if k.row.Mode == QL {
		return e.likelihood(t, k, form)
	}
	q, err := k.row.query(t.set, e.File, e.File.Depth)
	if err != nil {
		return nil, err
	}
	if err := k.lab.Ready(q); err != nil {
		return nil, err
	}
	k.asks = q.Asks()
	j, err := e.job(t, k, "runs", "search", k.lab.Config(q), form)
	if err != nil {
		return nil, err
	}
	j.Do = func(ctx context.Context, item batch.Question) (any, error) {
		return SearchLine(ctx, k.lab.Search, q, item)
	}
	return j, nil
}
