package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
	"lexagent/evaluator/report"
	"lexagent/evaluator/run"
	"lexagent/retrieval"
)

// cutoffs are where runs are measured, up to the depth of a run.
var cutoffs = []int{1, 3, 5, 10, 20, 50, 100}

// measure measures what the tasks of a data set made.
func (e *Experiment) measure(ctx context.Context, t *trial, ran []task, set *report.Set) error {
	o, err := e.options(t)
	if err != nil {
		return err
	}
	rows, reports, errs := make([]report.Row, len(ran)), make([]measured, len(ran)), make([]error, len(ran))
	places := make(chan struct{}, maxMeasured)
	var wg sync.WaitGroup
	for i := range ran {
		k := &ran[i]
		rows[i] = report.Row{Name: k.row.name, File: k.job.Out, Config: k.job.Meta.Config, Point: k.row.point, Paper: k.row.paper(t.set)}
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if errs[i] = ctx.Err(); errs[i] != nil {
				return
			}
			if k.row.Answer != "" {
				reports[i], errs[i] = e.measureAnswers(ctx, &rows[i], t, k, o)
			} else {
				reports[i], errs[i] = measureRun(&rows[i], t, o)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	set.Rows = rows
	if err := lacking(ctx, t, ran[0].lab, set); err != nil {
		return err
	}
	if err := e.judge(ctx, t, ran, set, reports); err != nil {
		return err
	}
	return e.compare(set, reports, o)
}

// measured are the measures of a row question by question, for tests. Both have the
// questions of the data set, in its order, but for those that no measure allows.
type measured map[string]metrics.Series

// compare tests one measure of every row against the reference's: the first of the
// file's that this has.
func (e *Experiment) compare(set *report.Set, reports []measured, o evaluator.Options) error {
	set.Reference = e.File.reference(set.Rows)
	at := slices.IndexFunc(set.Rows, func(r report.Row) bool { return r.Name == set.Reference })
	first := slices.IndexFunc(e.File.Measures, func(m string) bool { _, ok := reports[at][m]; return ok })
	if first < 0 {
		set.Reference = ""
		return nil
	}
	set.Tested = e.File.Measures[first]
	reference := reports[at][set.Tested]
	for i := range set.Rows {
		own, ok := reports[i][set.Tested]
		if i == at || !ok || len(own.Num) != len(reference.Num) {
			continue
		}
		p, err := o.Pair(reference, own)
		if err != nil {
			return err
		}
		set.Rows[i].Against = &p
	}
	return nil
}

// lacking notes the golds that the corpus does not have: nothing can find them, and
// they count all the same.
func lacking(ctx context.Context, t *trial, lab *Lab, set *report.Set) error {
	if !slices.ContainsFunc(t.questions, func(q dataset.Question) bool { return len(q.Gold) > 0 }) {
		return nil
	}
	holds, err := lab.Holds(ctx)
	if err != nil {
		return fmt.Errorf("look for the golds in the corpus: %w", err)
	}
	var list evaluator.List
	for i := range t.questions {
		q := &t.questions[i]
		for j := range q.Gold {
			if !holds(q.Gold[j].Key()) {
				list.Add(q.ID+": "+q.Gold[j].Key(), 1)
			}
		}
	}
	if list.Count > 0 {
		set.Notes = append(set.Notes, evaluator.Note{List: list, Says: "Golds that the corpus lacks, which count as not found"}.String()+".")
	}
	return nil
}

// maxMeasured bounds the runs that are in memory at once.
const maxMeasured = 4

// options of the evaluation of runs on a data set.
func (e *Experiment) options(t *trial) (evaluator.Options, error) {
	o := evaluator.Options{By: evaluator.By(e.File.By), Seed: e.File.Seed}
	for _, k := range cutoffs {
		if k <= e.File.Depth {
			o.K = append(o.K, k)
		}
	}
	for _, m := range e.File.Measures {
		_, at, _ := strings.Cut(m, "@")
		if k, err := strconv.Atoi(at); err == nil && k > 0 && !slices.Contains(o.K, k) {
			o.K = append(o.K, k)
		}
	}
	for _, name := range e.File.Groups {
		switch name {
		case "type":
			o.Groups = append(o.Groups, evaluator.TypeGroups(t.questions))
		case "level":
			o.Groups = append(o.Groups, evaluator.LevelGroups(t.questions))
		default:
			return o, fmt.Errorf("there are no groups by %q", name)
		}
	}
	if t.seen != nil {
		o.Groups = append(o.Groups, evaluator.SeenGroups(t.seen, t.questions))
	}
	return o, nil
}

// measureRun measures one run.
func measureRun(row *report.Row, t *trial, o evaluator.Options) (measured, error) {
	r, err := run.ReadFile(row.File)
	if err != nil {
		return nil, err
	}
	rep, err := evaluator.Evaluate(r, t.questions, o)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", row.File, err)
	}
	row.Metrics = rep.Metrics
	for by, groups := range rep.Groups {
		if row.Groups == nil {
			row.Groups = map[string]map[string]evaluator.Group{}
		}
		row.Groups[by] = groups
	}
	row.Problems = rep.Says()
	times := make([]float64, len(r.Lines))
	for i := range r.Lines {
		times[i] = r.Lines[i].MS
		var used retrieval.LLMUse
		if raw := r.Lines[i].LLM; raw != nil {
			if err := json.Unmarshal(raw, &used); err != nil {
				return nil, fmt.Errorf("%s, question %s: its llm is not what a search writes: %w", row.File, r.Lines[i].ID, err)
			}
		}
		row.Calls += float64(used.Calls+used.Kept) / float64(len(r.Lines))
		row.Kept += float64(used.Kept) / float64(len(r.Lines))
	}
	row.Time = timing(times)
	return rep.Series(), nil
}

// timing sums up the times of questions.
func timing(ms []float64) report.Time {
	if len(ms) == 0 {
		return report.Time{}
	}
	sorted := slices.Sorted(slices.Values(ms))
	at := func(share float64) float64 { return sorted[int(math.Ceil(share*float64(len(sorted))))-1] }
	sum := 0.0
	for _, x := range ms {
		sum += x
	}
	return report.Time{Median: at(.5), P95: at(.95), Mean: sum / float64(len(ms))}
}
