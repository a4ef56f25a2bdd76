package judge

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/evaluator"
	"lexagent/evaluator/metrics"
	"lexagent/prompts"
)

// Report is what a judge says of a system's answers, and how far it may be trusted.
type Report struct {
	Model     string                      `json:"model"`
	Prompt    string                      `json:"prompt"` // its version
	Weights   Weights                     `json:"weights"`
	Queries   int                         `json:"queries"` // answers that were to be judged
	Judged    int                         `json:"judged"`
	NotJudged evaluator.List              `json:"not_judged,omitzero"` // in no mean
	Missing   evaluator.List              `json:"missing,omitzero"`    // questions without an answer; in no mean either
	Metrics   map[string]Metric           `json:"metrics"`             // score, 0 to 1, and the dimensions, 1 to 5
	Groups    map[string]map[string]Group `json:"groups,omitempty"`
	Length    float64                     `json:"length"` // Spearman's correlation of score and length of the answer: how far long answers score higher
	Swap      *Swap                       `json:"swap,omitempty"`
	Repeats   *Repeats                    `json:"repeats,omitempty"`
	Bare      evaluator.List              `json:"without_reference,omitzero"` // judged by the texts of articles alone
	Own       bool                        `json:"own,omitempty"`              // the judge wrote the answers itself
	Agreement map[string]Agreement        `json:"agreement,omitempty"`        // with people, by dimension and for the score
	People    *People                     `json:"people,omitempty"`
	// Powered are the means that people would give to all answers, where they rated
	// only a part: theirs, corrected by the judge's scores of the others.
	Powered map[string]Metric `json:"powered,omitempty"`
	LLM     Usage             `json:"llm"`
}

// Metric is a mean over the answers judged, with its bootstrap interval.
type Metric struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Group is the part of a report for some of the answers.
type Group struct {
	Judged  int               `json:"judged"`
	Metrics map[string]Metric `json:"metrics"`
}

// Swap tells how a judge holds to its scores when the same answer is judged once
// more, with reference and answer in the other order.
type Swap struct {
	Answers int     `json:"answers"` // judged both ways
	Same    float64 `json:"same"`    // share with the same four scores
	Mean    float64 `json:"mean"`    // mean absolute difference of the weighted scores
	Shift   float64 `json:"shift"`   // mean difference, swapped − not
}

// Repeats tells how a judge holds to its scores when it judges the same again and is
// free in its words.
type Repeats struct {
	Answers   int     `json:"answers"`   // judged more than once
	Same      float64 `json:"same"`      // share with the same four scores each time
	Deviation float64 `json:"deviation"` // mean standard deviation of the weighted score
}

// Agreement is how far the judge's scores follow people's.
type Agreement struct {
	Answers  int     `json:"answers"`
	Pearson  float64 `json:"pearson"`
	Spearman float64 `json:"spearman"`
	Low      float64 `json:"low"` // bootstrap interval of Spearman's correlation
	High     float64 `json:"high"`
	Kendall  float64 `json:"kendall"` // τ-b
	Kappa    float64 `json:"kappa"`   // Cohen's, quadratic weights, people's means rounded
	Bias     float64 `json:"bias"`    // mean of judge − people
}

// People tells how far people agree among themselves, the ceiling of any judge.
type People struct {
	Answers int                `json:"answers"` // rated by two or more
	Kappa   map[string]float64 `json:"kappa"`   // of the first two ratings of each answer
	Alpha   map[string]float64 `json:"alpha"`   // Krippendorff's, interval, of all ratings
	Unknown int                `json:"unknown"` // answers rated that have no verdict here
}

// Options of a report.
type Options struct {
	Weights   Weights
	Human     Ratings // nil: no agreement
	Missing   evaluator.List
	Own       bool // the judge wrote the answers itself
	Groups    []evaluator.Grouping
	Bootstrap int // resamples; 0 = 1,000
	Seed      uint64
}

// Summarise makes the report on the lines of a batch.
func Summarise(j *Judge, items []Item, lines []Line, o Options) *Report {
	if o.Bootstrap == 0 {
		o.Bootstrap = 1000
	}
	r := &Report{Model: j.Name, Prompt: j.version(), Weights: o.Weights, Missing: o.Missing, Own: o.Own}
	for i := range items {
		if items[i].Reference == "" {
			r.Bare.Add(items[i].ID, 1)
		}
	}
	plain := r.plain(lines)
	r.Metrics = summary(plain, o)
	for _, g := range o.Groups {
		if r.Groups == nil {
			r.Groups = map[string]map[string]Group{}
		}
		r.Groups[g.Name] = grouped(plain, g, o)
	}
	r.Length = length(plain, items, o.Weights)
	r.Swap = swap(lines, o.Weights)
	r.Repeats = repeats(lines, o.Weights)
	if o.Human != nil {
		r.agree(plain, o)
	}
	return r
}

// plain are the lines judged in the usual order; it counts all.
func (r *Report) plain(lines []Line) []Line {
	var out []Line
	for _, l := range lines {
		r.LLM.Add(l.LLM)
		if l.Swapped || l.Repeat > 0 {
			continue
		}
		r.Queries++
		if l.Status != Judged {
			r.NotJudged.Add(l.ID, 1)
			continue
		}
		out = append(out, l)
	}
	r.Judged = len(out)
	return out
}

// summary computes the means with their intervals.
func summary(lines []Line, o Options) map[string]Metric {
	series := make([]metrics.Series, dimensions+1)
	for _, l := range lines {
		series[0].Num = append(series[0].Num, o.Weights.Score(*l.Scores))
		for i, v := range values(*l.Scores) {
			series[i+1].Num = append(series[i+1].Num, v)
		}
	}
	out := map[string]Metric{}
	if len(lines) == 0 {
		return out
	}
	for i, in := range metrics.Bootstrap(series, o.Bootstrap, 0.95, o.Seed) {
		name := "score"
		if i > 0 {
			name = names[i-1]
		}
		out[name] = Metric{Value: series[i].Value(), Low: in.Low, High: in.High}
	}
	return out
}

func grouped(lines []Line, g evaluator.Grouping, o Options) map[string]Group {
	members := map[string][]Line{}
	for _, l := range lines {
		name := g.Of[l.ID]
		if name == "" {
			name = "other"
		}
		members[name] = append(members[name], l)
	}
	out := make(map[string]Group, len(members))
	for name, list := range members {
		out[name] = Group{Judged: len(list), Metrics: summary(list, o)}
	}
	return out
}

func length(lines []Line, items []Item, w Weights) float64 {
	chars := make(map[string]float64, len(items))
	for i := range items {
		chars[items[i].ID] = float64(utf8.RuneCountInString(items[i].Answer))
	}
	var x, y []float64
	for _, l := range lines {
		x, y = append(x, chars[l.ID]), append(y, w.Score(*l.Scores))
	}
	return metrics.Spearman(x, y)
}

// swap compares each swapped line with the one before it.
func swap(lines []Line, w Weights) *Swap {
	var s Swap
	for i := 1; i < len(lines); i++ {
		a, b := &lines[i-1], &lines[i]
		if !b.Swapped || a.Status != Judged || b.Status != Judged {
			continue
		}
		d := w.Score(*b.Scores) - w.Score(*a.Scores)
		s.Answers++
		s.Shift += d
		s.Mean += math.Abs(d)
		if *a.Scores == *b.Scores {
			s.Same++
		}
	}
	if s.Answers == 0 {
		return nil
	}
	n := float64(s.Answers)
	s.Same, s.Mean, s.Shift = s.Same/n, s.Mean/n, s.Shift/n
	return &s
}

// repeats compares the verdicts on each answer, which follow each other.
func repeats(lines []Line, w Weights) *Repeats {
	var r Repeats
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && (lines[end].Swapped || lines[end].Repeat > 0) {
			end++
		}
		var scores []float64
		same := true
		for _, l := range lines[i:end] {
			if l.Status == Judged && !l.Swapped {
				same = same && *l.Scores == *lines[i].Scores
				scores = append(scores, w.Score(*l.Scores))
			} else if l.Repeat == 0 && !l.Swapped {
				break // the first verdict is missing
			}
		}
		if len(scores) > 1 {
			r.Answers++
			r.Deviation += metrics.Deviation(scores)
			if same {
				r.Same++
			}
		}
		i = end
	}
	if r.Answers == 0 {
		return nil
	}
	r.Same, r.Deviation = r.Same/float64(r.Answers), r.Deviation/float64(r.Answers)
	return &r
}

// agree compares the judge with people.
func (r *Report) agree(lines []Line, o Options) {
	known := map[string]bool{}
	var judge, people, rest [dimensions + 1][]float64
	add := func(to *[dimensions + 1][]float64, s [dimensions]float64) {
		to[0] = append(to[0], o.Weights.score(s))
		for i, v := range s {
			to[i+1] = append(to[i+1], v)
		}
	}
	for _, l := range lines {
		known[l.Code] = true
		if h, ok := o.Human.mean(l.Code); ok {
			add(&judge, values(*l.Scores))
			add(&people, h)
		} else {
			add(&rest, values(*l.Scores))
		}
	}
	r.Agreement = map[string]Agreement{}
	for i := range judge {
		name := "score"
		if i > 0 {
			name = names[i-1]
		}
		r.Agreement[name] = agreement(judge[i], people[i], i == 0, o)
		if v, low, high, ok := metrics.PredictionPowered(judge[i], people[i], rest[i]); ok {
			if r.Powered == nil {
				r.Powered = map[string]Metric{}
			}
			r.Powered[name] = Metric{Value: v, Low: low, High: high}
		}
	}
	r.People = o.Human.among(known)
}

// agreement is that of two lists. weighted: they are weighted scores, 0 to 1, which
// for κ are put on the scale of the dimensions.
func agreement(judge, people []float64, weighted bool, o Options) Agreement {
	a := Agreement{Answers: len(judge), Pearson: metrics.Pearson(judge, people), Spearman: metrics.Spearman(judge, people),
		Kendall: metrics.Kendall(judge, people), Kappa: metrics.WeightedKappa(classes(judge, weighted), classes(people, weighted), prompts.LowestScore, prompts.HighestScore)}
	for i := range judge {
		a.Bias += (judge[i] - people[i]) / float64(len(judge))
	}
	in := metrics.BootstrapOf(len(judge), o.Bootstrap, 0.95, o.Seed, func(drawn []int) float64 {
		x, y := make([]float64, len(drawn)), make([]float64, len(drawn))
		for i, d := range drawn {
			x[i], y[i] = judge[d], people[d]
		}
		return metrics.Spearman(x, y)
	})
	a.Low, a.High = in.Low, in.High
	return a
}

func classes(x []float64, weighted bool) []int {
	out := make([]int, len(x))
	for i, v := range x {
		if weighted {
			v = prompts.LowestScore + v*(prompts.HighestScore-prompts.LowestScore)
		}
		out[i] = int(math.Round(v))
	}
	return out
}

// among tells how far people agree among themselves.
func (r Ratings) among(known map[string]bool) *People {
	p := &People{Kappa: map[string]float64{}, Alpha: map[string]float64{}}
	var first, second [dimensions][]int
	var units [dimensions][][]float64
	for _, code := range slices.Sorted(maps.Keys(r)) {
		all := r[code]
		if !known[code] {
			p.Unknown++
		}
		if !known[code] || len(all) < 2 {
			continue
		}
		p.Answers++
		for i := range first {
			first[i] = append(first[i], int(math.Round(all[0][i])))
			second[i] = append(second[i], int(math.Round(all[1][i])))
			unit := make([]float64, len(all))
			for j := range all {
				unit[j] = all[j][i]
			}
			units[i] = append(units[i], unit)
		}
	}
	for i, name := range names {
		if p.Answers > 0 {
			p.Kappa[name] = metrics.WeightedKappa(first[i], second[i], prompts.LowestScore, prompts.HighestScore)
			p.Alpha[name] = metrics.Krippendorff(units[i])
		}
	}
	return p
}

// WriteTable writes the report for people, as Markdown tables.
func (r *Report) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "judged %d of %d answers with %s, prompt %s; weights: %s; means with 95 %% bootstrap intervals\n\n", r.Judged, r.Queries, r.Model, r.Prompt, r.Weights)
	if r.Own {
		b.WriteString("**The judge wrote these answers itself: a model tends to like its own.**\n\n")
	}
	writeMetrics(b, r.Metrics)
	for _, by := range slices.Sorted(maps.Keys(r.Groups)) {
		for _, name := range slices.Sorted(maps.Keys(r.Groups[by])) {
			g := r.Groups[by][name]
			fmt.Fprintf(b, "\n%s: %s, judged: %d\n\n", by, name, g.Judged)
			writeMetrics(b, g.Metrics)
		}
	}
	if r.Agreement != nil {
		b.WriteString("\nAgreement with people (LegRAG's judge, Qwen3-max, has a Spearman correlation of .87 with its raters):\n\n")
		rows := [][]string{{"", "answers", "Pearson", "Spearman", "Kendall", "weighted κ", "bias"}}
		for _, name := range append([]string{"score"}, names[:]...) {
			a := r.Agreement[name]
			rows = append(rows, []string{name, fmt.Sprint(a.Answers), fmt.Sprintf("%.3f", a.Pearson),
				fmt.Sprintf("%.3f [%.3f, %.3f]", a.Spearman, a.Low, a.High), fmt.Sprintf("%.3f", a.Kendall), fmt.Sprintf("%.3f", a.Kappa), fmt.Sprintf("%+.3f", a.Bias)})
		}
		evaluator.WriteRows(b, rows)
	}
	if r.Powered != nil {
		b.WriteString("\nWhat people would give to all answers, by their ratings of a part and the judge's scores of the others (prediction-powered, 95 %):\n\n")
		writeMetrics(b, r.Powered)
	}
	r.writeNotes(b)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMetrics(b *strings.Builder, m map[string]Metric) {
	rows := [][]string{{"", "mean", "interval", "scale", "of 100"}}
	for _, name := range append([]string{"score"}, names[:]...) {
		scale, hundred := "1 to 5", func(v float64) float64 {
			return 100 * (v - prompts.LowestScore) / (prompts.HighestScore - prompts.LowestScore)
		}
		if name == "score" {
			scale, hundred = "0 to 1", func(v float64) float64 { return 100 * v }
		}
		if v, ok := m[name]; ok {
			rows = append(rows, []string{name, fmt.Sprintf("%.4f", v.Value), fmt.Sprintf("[%.3f, %.3f]", v.Low, v.High), scale, fmt.Sprintf("%.1f", hundred(v.Value))})
		}
	}
	evaluator.WriteRows(b, rows)
}

func (r *Report) writeNotes(b *strings.Builder) {
	fmt.Fprintf(b, "\n- length: Spearman's correlation of score and length of the answer is %.3f\n", r.Length)
	if s := r.Swap; s != nil {
		fmt.Fprintf(b, "- swapped: of %d answers judged in both orders %.1f %% got the same scores; mean difference %.3f, shift %+.3f\n",
			s.Answers, 100*s.Same, s.Mean, s.Shift)
	}
	if s := r.Repeats; s != nil {
		fmt.Fprintf(b, "- repeated: of %d answers judged again %.1f %% got the same scores each time; the weighted score's standard deviation is %.3f in the mean\n",
			s.Answers, 100*s.Same, s.Deviation)
	}
	if p := r.People; p != nil && p.Answers > 0 {
		fmt.Fprintf(b, "- people: weighted κ among themselves on %d answers:", p.Answers)
		for _, name := range names {
			fmt.Fprintf(b, " %s %.3f (Krippendorff's α %.3f)", name, p.Kappa[name], p.Alpha[name])
		}
		b.WriteString("\n")
	}
	if p := r.People; p != nil && p.Unknown > 0 {
		fmt.Fprintf(b, "- people rated %d answers that have no verdict here\n", p.Unknown)
	}
	evaluator.WriteNotes(b, []evaluator.Note{
		{List: r.Bare, Says: "answers without a reference answer, judged by articles alone where there are any"},
		{List: r.NotJudged, Says: "answers not judged, in no mean"},
		{List: r.Missing, Says: "questions without an answer, in no mean"},
	})
}
