package judge

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode/utf8"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/metrics"
	"lexagent/statute"
)

// Rungs are graded copies of a reference answer, best first. A judge that is fit to
// judge orders them so.
var Rungs = []string{"gold", "shortened", "wrong article", "other answer", "empty"}

// Ladder makes the rungs of n questions, drawn by the seed: the reference answer
// itself, its first half, the same with an article (or else a figure) that is wrong,
// the answer to another question, nothing. Questions without a reference answer, or
// with one that is too short to be halved, are passed over.
func Ladder(gold []dataset.Question, n int, seed uint64) ([]Item, error) {
	rng := rand.New(rand.NewPCG(seed, 0x6c6164646572))
	var fit []*dataset.Question
	for i := range gold {
		if q := &gold[i]; utf8.RuneCountInString(strings.TrimSpace(q.Answer)) >= minRung && q.Label == nil {
			fit = append(fit, q)
		}
	}
	if len(fit) < 2 {
		return nil, fmt.Errorf("a ladder needs two questions at least whose reference answers have %d characters or more; there are %d", minRung, len(fit))
	}
	rng.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
	if n > 0 {
		fit = fit[:min(n, len(fit))]
	}
	if len(fit) < 2 {
		return nil, errors.New("a ladder needs two questions at least, since one rung is the answer to another question")
	}
	var items []Item
	for i, q := range fit {
		for k, answer := range []string{q.Answer, shortened(q.Answer), wrongArticle(q.Answer), fit[(i+1)%len(fit)].Answer, ""} {
			items = append(items, Item{
				ID: q.ID + "/" + Rungs[k], Question: q.Question, History: q.History, Reference: q.Answer, Articles: q.Gold, Answer: answer,
			})
		}
	}
	return items, nil
}

// minRung is the length in characters from which an answer can be shortened.
const minRung = 12

// shortened is about the first half of an answer, up to the end of a sentence or else
// of a clause.
func shortened(answer string) string {
	r := []rune(strings.TrimSpace(answer))
	half := len(r) / 2
	for _, ends := range []string{"。；\n", "，、", ""} {
		for i := half; i > half/3; i-- {
			if ends == "" || strings.ContainsRune(ends, r[i-1]) {
				return strings.TrimRight(string(r[:i]), "，、；\n") + "。"
			}
		}
	}
	return string(r[:half])
}

var (
	articleNumber = regexp.MustCompile(`第([一二三四五六七八九十百千零〇0-9]+)条`)
	figure        = regexp.MustCompile(`([一二三四五六七八九十百千零]+|[0-9]+)(万元|元|日|天|个月|年|倍|人|%|％)`)
)

// wrongArticle is an answer whose first article is another one; where it names none
// its first figure is doubled, and where it has none an article that does not exist
// is put before it.
func wrongArticle(answer string) string {
	if m := articleNumber.FindStringSubmatchIndex(answer); m != nil {
		if n, err := statute.ParseNumeral(answer[m[2]:m[3]]); err == nil {
			if label := statute.Label(n+11, 0); label != "" {
				return answer[:m[0]] + label + answer[m[1]:]
			}
		}
	}
	if m := figure.FindStringSubmatchIndex(answer); m != nil {
		if n, err := statute.ParseNumeral(answer[m[2]:m[3]]); err == nil && n > 0 {
			if word, err := statute.Numeral(2 * n); err == nil {
				return answer[:m[2]] + word + answer[m[3]:]
			}
		}
	}
	return "根据《中华人民共和国民法典》第一千三百八十条，" + answer
}

// Climb tells how a judge ordered the rungs.
type Climb struct {
	Model     string             `json:"model"`
	Prompt    string             `json:"prompt"`
	Questions int                `json:"questions"`
	NotJudged evaluator.List     `json:"not_judged,omitzero"`
	Means     map[string]float64 `json:"means"` // score by rung, 0 to 1
	Pairs     map[string]Metric  `json:"pairs"` // share of questions on which the upper rung of two neighbours scored higher
	Right     Metric             `json:"right"` // share of all pairs of rungs, of all questions, that are ordered rightly; ties are wrong
	Fit       bool               `json:"fit"`
	LLM       Usage              `json:"llm"`
}

// fitShare is the share of pairs from which a judge is called fit: five rungs make ten
// pairs, and a coin would order half of them rightly.
const fitShare = 0.8

// Climbed makes the report on the lines of a ladder's batch.
func Climbed(j *Judge, items []Item, lines []Line, w Weights, seed uint64) *Climb {
	c := &Climb{Model: j.Name, Prompt: j.version(), Questions: len(items) / len(Rungs), Means: map[string]float64{}, Pairs: map[string]Metric{}}
	pairs := len(Rungs) - 1
	series := make([]metrics.Series, pairs+1) // neighbours, then all pairs
	for i := range series {
		series[i].Num, series[i].Den = make([]float64, c.Questions), make([]float64, c.Questions)
	}
	judged := make([]float64, len(Rungs))
	for q := range c.Questions {
		rungs := lines[q*len(Rungs) : (q+1)*len(Rungs)]
		for i := range rungs {
			c.LLM.Add(rungs[i].LLM)
			if rungs[i].Status != Judged {
				c.NotJudged.Add(rungs[i].ID, 1)
				continue
			}
			judged[i]++
			c.Means[Rungs[i]] += w.Score(*rungs[i].Scores)
			for k := range i {
				if rungs[k].Status != Judged {
					continue
				}
				right := 0.0
				if w.Score(*rungs[k].Scores) > w.Score(*rungs[i].Scores) {
					right = 1
				}
				series[pairs].Num[q] += right
				series[pairs].Den[q]++
				if k == i-1 {
					series[k].Num[q], series[k].Den[q] = right, 1
				}
			}
		}
	}
	for i, name := range Rungs {
		if judged[i] > 0 {
			c.Means[name] /= judged[i]
		}
	}
	for i, in := range metrics.Bootstrap(series, 1000, 0.95, seed) {
		m := Metric{Value: series[i].Value(), Low: in.Low, High: in.High}
		if i == pairs {
			c.Right = m
		} else {
			c.Pairs[Rungs[i]+" > "+Rungs[i+1]] = m
		}
	}
	c.Fit = c.Right.Value >= fitShare && c.NotJudged.Count*10 <= len(items)
	for i := 1; i < len(Rungs); i++ {
		c.Fit = c.Fit && c.Means[Rungs[i-1]] > c.Means[Rungs[i]]
	}
	return c
}

// WriteTable writes the report for people.
func (c *Climb) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "graded copies of %d reference answers, judged with %s, prompt %s\n\n", c.Questions, c.Model, c.Prompt)
	rows := [][]string{{"rung", "mean score, 0 to 1", "above the next", "interval"}}
	for i, name := range Rungs {
		row := []string{name, fmt.Sprintf("%.3f", c.Means[name]), "", ""}
		if i+1 < len(Rungs) {
			m := c.Pairs[name+" > "+Rungs[i+1]]
			row[2], row[3] = fmt.Sprintf("%.1f %%", 100*m.Value), fmt.Sprintf("[%.3f, %.3f]", m.Low, m.High)
		}
		rows = append(rows, row)
	}
	evaluator.WriteRows(b, rows)
	fmt.Fprintf(b, "\n- of all pairs of rungs %.1f %% [%.3f, %.3f] are ordered rightly\n", 100*c.Right.Value, c.Right.Low, c.Right.High)
	evaluator.WriteNotes(b, []evaluator.Note{{List: c.NotJudged, Says: "copies not judged, in no mean"}})
	if c.Fit {
		fmt.Fprintf(b, "- %s orders them rightly; whether it agrees with people only people can tell (--human)\n", c.Model)
	} else {
		fmt.Fprintf(b, "\n**UNFIT: %s does not order graded copies of the right answer as it should. Do not use its scores.**\n", c.Model)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
