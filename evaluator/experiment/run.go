package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/report"
)

// Experiment is a file with what it's run on.
type Experiment struct {
	File      *File
	Datasets  string // folder of the data sets
	Out       string // folder of the results
	Program   string // version of the program, for the meta files
	Limit     int    // the first questions of each data set; 0 = all
	Overwrite bool   // what other settings made is made anew

	// Open opens a lab. An error that wraps ErrUnready skips what needs it.
	Open     func(ctx context.Context, p Parts) (*Lab, error)
	Progress func(line string) // for people; nil = none
}

// task is one row on one data set, ready to be run.
type task struct {
	row  row
	lab  *Lab
	job  *batch.Job
	done int    // lines that are there
	use  Use    // of a language model for each line, at most
	why  string // it can't be run, because
}

// trial is one data set with its tasks.
type trial struct {
	set       *Dataset
	questions []dataset.Question
	seen      []dataset.Question // training questions
	corpus    string
	notes     []string
	tasks     []task
	why       string // nothing can be run on it, because
}

// Step is what would be done of one row on one data set.
type Step struct {
	Set, Row  string
	Questions int
	Done      int    // of them are there already
	LLM       Use    // of a language model for the others at most, where no reply is kept
	Judge     Use    // of the judge
	Why       string // it would not be run, because
}

// Use is the calls of a language model and, roughly, their tokens.
type Use struct{ Calls, Prompt, Completion int }

// Add adds another use, so many times.
func (u *Use) Add(v Use, times int) {
	u.Calls += v.Calls * times
	u.Prompt += v.Prompt * times
	u.Completion += v.Completion * times
}

// Tokens that calls are taken to have, before any was made.
const (
	callTokens    = 350 // of a prompt without articles
	articleTokens = 150 // of an article in one
	stageTokens   = 100 // of a reply that steers a search
)

// uses notes calls that each line of the task may make.
func (k *task) uses(calls, prompt, completion int) { k.use.Add(Use{1, prompt, completion}, calls) }

// Plan tells what Run would do, and does none of it.
func (e *Experiment) Plan(ctx context.Context) (steps []Step, err error) {
	l := e.labs()
	defer func() { err = errors.Join(err, l.close()) }()
	trials, err := e.trials(ctx, l)
	if err != nil {
		return nil, err
	}
	for _, t := range trials {
		if t.why != "" {
			steps = append(steps, Step{Set: t.set.Name, Why: t.why})
		}
		for _, k := range t.tasks {
			n := len(t.questions)
			s := Step{Set: t.set.Name, Row: k.row.name, Questions: n, Done: k.done, Why: k.why}
			s.LLM.Add(k.use, n-k.done)
			if k.why == "" {
				if s.Judge, err = e.judging(ctx, &t, &k); err != nil {
					return nil, err
				}
			}
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// Run does what is not done yet, measures everything and returns the report.
func (e *Experiment) Run(ctx context.Context) (r *report.Report, err error) {
	l := e.labs()
	defer func() { err = errors.Join(err, l.close()) }()
	trials, err := e.trials(ctx, l)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(e.Out, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the results: %w", err)
	}
	f := e.File
	r = &report.Report{Name: f.Name, Title: f.Title, About: f.About, File: f.digest, Program: e.Program, Seed: f.Seed, Measures: f.Measures, Level: 0.95, Limit: e.Limit}
	for i := range trials {
		set, err := e.runSet(ctx, &trials[i])
		if err != nil {
			return nil, err
		}
		r.Sets = append(r.Sets, *set)
	}
	return r, nil
}

func (e *Experiment) labs() *labs { return &labs{open: e.Open, opened: map[Parts]opened{}} }

// runSet runs the tasks of a data set and measures what they made.
func (e *Experiment) runSet(ctx context.Context, t *trial) (*report.Set, error) {
	set := &report.Set{Name: t.set.Name, Questions: len(t.questions), Corpus: t.corpus, Why: t.why, Notes: t.notes}
	var ran []task
	for i := range t.tasks {
		k := &t.tasks[i]
		if k.why != "" {
			set.NotRun = append(set.NotRun, report.Skipped{Name: k.row.name, Why: k.why, Paper: k.row.paper(t.set)})
			continue
		}
		if err := e.runTask(ctx, t, k); err != nil {
			return nil, fmt.Errorf("%s on %s: %w", k.row.name, t.set.Name, err)
		}
		ran = append(ran, *k)
	}
	if len(ran) == 0 {
		return set, nil
	}
	return set, e.measure(ctx, t, ran, set)
}

// runTask makes the lines of a task that are not there.
func (e *Experiment) runTask(ctx context.Context, t *trial, k *task) error {
	last := time.Now()
	k.job.Progress = func(done, total int) {
		if done == total || time.Since(last) > 10*time.Second {
			last = time.Now()
			e.tell("%s, %s: %d of %d", t.set.Name, k.row.name, done, total)
		}
	}
	if err := os.MkdirAll(filepath.Dir(k.job.Out), 0o755); err != nil {
		return fmt.Errorf("make the folder of the runs: %w", err)
	}
	resumed, err := k.job.Run(ctx)
	if resumed > 0 {
		e.tell("%s, %s: %d of %d were there already", t.set.Name, k.row.name, resumed, len(t.questions))
	}
	return err
}

func (e *Experiment) tell(format string, args ...any) {
	if e.Progress != nil {
		e.Progress(fmt.Sprintf(format, args...))
	}
}

// paper is the row's first measure in the paper, as a share.
func (r *row) paper(d *Dataset) *float64 {
	v, ok := r.Paper[d.Name]
	if !ok {
		return nil
	}
	v /= 100
	return &v
}

// trials prepares every row on every data set. That a data set, a corpus or a model
// isn't here is no error.
func (e *Experiment) trials(ctx context.Context, l *labs) ([]trial, error) {
	var out []trial
	for i := range e.File.Datasets {
		t := trial{set: &e.File.Datasets[i]}
		err := e.load(&t)
		switch {
		case errors.Is(err, os.ErrNotExist):
			t.why = fmt.Sprintf("its questions are not there (%s)", e.path(t.set.Path))
		case err != nil:
			return nil, fmt.Errorf("data set %s: %w", t.set.Name, err)
		}
		if t.why == "" {
			if err := e.prepare(ctx, l, &t); err != nil {
				return nil, err
			}
		}
		out = append(out, t)
	}
	return out, nil
}

func (e *Experiment) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Datasets, name)
}

// load reads the questions of a data set.
func (e *Experiment) load(t *trial) error {
	d := t.set
	qs, err := dataset.ReadFile(e.path(d.Path))
	if err != nil {
		return err
	}
	if d.Split != "" {
		shares, err := dataset.ParseShares(d.Split)
		if err != nil {
			return err
		}
		parts, err := dataset.Split(qs, shares, dataset.Together(d.Group), e.File.Seed)
		if err != nil {
			return err
		}
		qs = parts[slices.Index(dataset.Parts, d.Part)]
	}
	if d.Seen != "" {
		t.seen, err = dataset.ReadFile(e.path(d.Seen))
		switch {
		case errors.Is(err, os.ErrNotExist):
			t.notes = append(t.notes, "Seen and unseen questions are not told apart: "+e.path(d.Seen)+" is not there.")
		case err != nil:
			return err
		}
	}
	t.questions = sample(distinct(qs), e.File.Sample, e.File.Seed)
	if e.Limit > 0 {
		t.questions = t.questions[:min(e.Limit, len(t.questions))]
	}
	if len(t.questions) == 0 {
		t.why = "it holds no questions"
	}
	return nil
}

// distinct leaves out questions whose id came before: a run has one line for each.
func distinct(qs []dataset.Question) []dataset.Question {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(qs), func(q dataset.Question) bool {
		again := seen[q.ID]
		seen[q.ID] = true
		return again
	})
}

// sample draws n questions, which keep their order; 0 = all.
func sample(qs []dataset.Question, n int, seed uint64) []dataset.Question {
	if n == 0 || n >= len(qs) {
		return qs
	}
	places := rand.New(rand.NewPCG(seed, 0x73616d706c65)).Perm(len(qs))[:n]
	slices.Sort(places)
	out := make([]dataset.Question, n)
	for i, p := range places {
		out[i] = qs[p]
	}
	return out
}

// prepare makes the tasks of a data set.
func (e *Experiment) prepare(ctx context.Context, l *labs, t *trial) error {
	files := map[string]bool{}
	for _, r := range e.File.rows() {
		k := task{row: r, why: r.NotRun}
		if k.why == "" {
			err := e.ready(ctx, l, t, &k)
			switch {
			case errors.Is(err, ErrUnready):
				k.why = reason(err)
			case err != nil:
				return fmt.Errorf("%s on %s: %w", r.name, t.set.Name, err)
			case files[k.job.Out]:
				return fmt.Errorf("two rows would be written to %s: give them names that differ in letters or digits", k.job.Out)
			default:
				files[k.job.Out] = true
			}
		}
		t.tasks = append(t.tasks, k)
	}
	return nil
}
