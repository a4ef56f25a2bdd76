package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lexagent/evaluator"
	"lexagent/evaluator/answers"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/jsonl"
	"lexagent/evaluator/judge"
	"lexagent/evaluator/metrics"
	"lexagent/evaluator/report"
	"lexagent/retrieval"
	"lexagent/statute"
)

// measureAnswers measures one file of answers.
func (e *Experiment) measureAnswers(ctx context.Context, row *report.Row, t *trial, k *task, o evaluator.Options) (measured, error) {
	preds, err := answers.ReadFile(row.File)
	if err != nil {
		return nil, err
	}
	asOf, err := retrieval.ParseAsOf(e.File.AsOf)
	if err != nil {
		return nil, err
	}
	var day statute.Date
	if !asOf.Any {
		day = asOf.On(time.Now())
	}
	rep, err := answers.Evaluate(ctx, preds, t.questions, answers.Options{
		Words: k.lab.Words, Book: k.lab.Book, Day: day, Seed: e.File.Seed, Groups: o.Groups,
	})
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", row.File, err)
	}
	row.Metrics, row.Questions = plainMetrics(rep.Metrics, len(t.questions))
	row.Groups = map[string]map[string]evaluator.Group{}
	for by, groups := range rep.Groups {
		row.Groups[by] = map[string]evaluator.Group{}
		for name, g := range groups {
			m, _ := plainMetrics(g.Metrics, g.Queries)
			row.Groups[by][name] = evaluator.Group{Queries: g.Queries, Metrics: m}
		}
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(rep.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", rep.Kinds[kind], kind))
	}
	row.Problems = append(row.Problems, "answers: "+strings.Join(kinds, ", "))
	series := measured{}
	for name := range rep.Metrics {
		series[name] = *rep.Series(name)
	}
	return series, e.costs(row)
}

// plainMetrics are measures of answers as those of runs, and on how many questions
// each stands where these aren't all.
func plainMetrics(in map[string]answers.Metric, all int) (map[string]evaluator.Metric, map[string]int) {
	out, some := map[string]evaluator.Metric{}, map[string]int{}
	for name, m := range in {
		out[name] = evaluator.Metric{Value: m.Value, Low: m.Low, High: m.High}
		if m.Questions != all {
			some[name] = m.Questions
		}
	}
	return out, some
}

// costs reads what the answers of a row took.
func (e *Experiment) costs(row *report.Row) (err error) {
	f, err := jsonl.Open(row.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var ms []float64
	calls := 0
	err = jsonl.Each(f, func(l *struct {
		MS  float64 `json:"ms"`
		LLM struct {
			Calls int `json:"calls"`
		} `json:"llm"`
	}) error {
		ms = append(ms, l.MS)
		calls += l.LLM.Calls
		return nil
	})
	row.Time = timing(ms)
	row.Calls = float64(calls) / float64(max(len(ms), 1))
	return err
}

// defaultWeights are LegRAG's, of relevance, accuracy, completeness and fluency.
const defaultWeights = "0.3,0.4,0.2,0.1"

// judge has a language model score the answers of every row, where the file asks for
// that. It is the configured one; without it the report says so.
func (e *Experiment) judge(ctx context.Context, t *trial, ran []task, set *report.Set, reports []measured) error {
	if e.File.Judge == nil || !e.File.answering() {
		return nil
	}
	if !judged(t) {
		set.Notes = append(set.Notes, "Not judged: the questions have no reference answers.")
		return nil
	}
	llm, err := ran[0].lab.Generator(ctx, Generator{})
	if errors.Is(err, ErrUnready) {
		set.Notes = append(set.Notes, "Not judged: "+reason(err)+".")
		return nil
	}
	if err != nil {
		return err
	}
	weights, err := judge.ParseWeights(e.File.Judge.weights())
	if err != nil {
		return err
	}
	set.Notes = append(set.Notes, fmt.Sprintf("Judged by %s with the weights %s; score, 0 to 1, is judge_score.", llm.Name, e.File.Judge.weights()))
	for i := range ran {
		if g := ran[i].row.gen; g != nil && g.title(llm.Name) == llm.Name {
			set.Rows[i].Problems = append(set.Rows[i].Problems, "the judge is the generator itself, which tends to like its own answers")
		}
		if err := e.judgeRow(ctx, t, &ran[i], &set.Rows[i], reports[i], &judge.Judge{Model: llm.Chat, Name: llm.Name}, weights); err != nil {
			return fmt.Errorf("judge %s on %s: %w", ran[i].row.name, t.set.Name, err)
		}
	}
	return nil
}

func (j *Judge) weights() string {
	if j.Weights == "" {
		return defaultWeights
	}
	return j.Weights
}

// scores are the weighted scores question by question; one that was not judged weighs
// nothing.
func scores(t *trial, lines []judge.Line, w judge.Weights) metrics.Series {
	s := metrics.Series{Num: make([]float64, len(t.questions)), Den: make([]float64, len(t.questions))}
	at := make(map[string]int, len(t.questions))
	for i := range t.questions {
		at[t.questions[i].ID] = i
	}
	for _, l := range lines {
		if l.Status == judge.Judged {
			s.Num[at[l.ID]], s.Den[at[l.ID]] = w.Score(*l.Scores), 1
		}
	}
	return s
}

// judging tells what judging a row will take: exactly where its answers are there, else
// for answers of the greatest length.
func (e *Experiment) judging(ctx context.Context, t *trial, k *task) (Use, error) {
	if e.File.Judge == nil || k.row.Answer == "" || !judged(t) {
		return Use{}, nil
	}
	llm, err := k.lab.Generator(ctx, Generator{})
	if errors.Is(err, ErrUnready) {
		return Use{}, nil
	}
	if err != nil {
		return Use{}, err
	}
	var preds []answers.Prediction
	if k.done == len(t.questions) {
		if preds, err = answers.ReadFile(k.job.Out); err != nil {
			return Use{}, err
		}
	} else {
		for i := range t.questions {
			preds = append(preds, answers.Prediction{ID: t.questions[i].ID, Text: strings.Repeat("答", e.File.Tokens)})
		}
	}
	items, _ := judge.Items(preds, t.questions)
	b := &judge.Batch{Judge: &judge.Judge{Name: llm.Name}, Out: verdicts(k.job.Out), Items: items}
	x, err := b.Estimate(judge.Rates{})
	return Use{x.Calls, x.Prompt, x.Completion}, err
}

// judged reports whether a data set has reference answers to judge by.
func judged(t *trial) bool {
	return slices.ContainsFunc(t.questions, func(q dataset.Question) bool { return q.Answer != "" })
}

// verdicts is the file of the verdicts on a file of answers.
func verdicts(answers string) string { return strings.TrimSuffix(answers, ".jsonl") + ".judge.jsonl" }

// judgeRow judges the answers of one row into a file beside them.
func (e *Experiment) judgeRow(ctx context.Context, t *trial, k *task, row *report.Row, series measured, j *judge.Judge, w judge.Weights) error {
	preds, err := answers.ReadFile(row.File)
	if err != nil {
		return err
	}
	items, _ := judge.Items(preds, t.questions)
	b := &judge.Batch{
		Judge: j, Out: verdicts(row.File), Items: items,
		Progress: func(done, total int) {
			if done == total || done%10 == 0 {
				e.tell("%s, %s: %d of %d judged", t.set.Name, k.row.name, done, total)
			}
		},
	}
	lines, err := b.Run(ctx)
	if err != nil {
		return err
	}
	r := judge.Summarise(j, items, lines, judge.Options{Weights: w, Seed: e.File.Seed})
	for name, m := range r.Metrics {
		row.Metrics["judge_"+name] = evaluator.Metric{Value: m.Value, Low: m.Low, High: m.High}
		if r.Judged != r.Queries {
			row.Questions["judge_"+name] = r.Judged
		}
	}
	series["judge_score"] = scores(t, lines, w)
	if n := r.NotJudged.Count; n > 0 {
		row.Problems = append(row.Problems, evaluator.Note{List: r.NotJudged, Says: "answers not judged, in no mean"}.String())
	}
	return nil
}
