package evaluator

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

// ErrNotExplained is returned when a run tells no scores of the stages that a hit
// went through.
var ErrNotExplained = errors.New("the run has no fused scores; write it with --explain, in a mode that fuses, and -k as large as --pool")

// Stages tells what fusion and reranking did to the golds of a run.
type Stages struct {
	K         int     `json:"k"`
	By        By      `json:"by"`
	Questions int     `json:"questions"`
	Funnel    Funnel  `json:"funnel"` // of golds
	Within    int     `json:"within"` // questions with a gold among the first k before reranking
	Demoted   int     `json:"demoted"`
	Share     float64 `json:"share"` // Demoted ÷ Within: questions of which reranking moved a gold out of the first k
	// Labels counts golds that reranking moved out of the first k by what did it.
	Labels   map[Label]int `json:"labels"`
	Linear   bool          `json:"linear"`  // the final score is a weighted sum of the others, so that it can be told what the intent did
	Weights  [3]float64    `json:"weights"` // of rerank, fused and intent in it
	Cases    []Case        `json:"cases"`   // golds that are not among the first k, in file order
	Problems Problems      `json:"problems"`
}

// Funnel says where the golds of all questions are. The numbers from NotInPool to
// Kept make Golds.
type Funnel struct {
	Golds        int `json:"golds"`
	NotInPool    int `json:"not_in_pool"`    // not among the candidates
	LostInFusion int `json:"lost_in_fusion"` // a candidate, beyond k by the fused score, and left there by reranking
	InAPath      int `json:"in_a_path"`      // of these: among the first k of the sparse or the dense path alone
	LostInRerank int `json:"lost_in_rerank"` // within k by the fused score, moved out by reranking
	WonInRerank  int `json:"won_in_rerank"`  // beyond k by the fused score, moved in by reranking
	Kept         int `json:"kept"`           // within k before and after
}

// Label says why reranking moved a gold out of the first k (LexPath, App. E).
type Label string

// The labels.
const (
	IntentMismatch   Label = "intent mismatch"   // question and gold have different intents, and without the intent score the gold would have stayed
	IntentPrediction Label = "intent prediction" // the same, and one of the two intents was predicted wrongly
	NeuralReranker   Label = "neural reranker"   // it would have gone without the intent score too
)

// Loss says where a gold was lost.
type Loss string

// The losses.
const (
	NotInPool    Loss = "not in pool"
	LostInFusion Loss = "lost in fusion"
	LostInRerank Loss = "lost in rerank"
)

// Case is a gold that is not among the first k.
type Case struct {
	ID       string `json:"id"` // of the question
	Question string `json:"question"`
	Intent   string `json:"intent,omitempty"` // predicted of the question
	Loss     Loss   `json:"loss"`
	Label    Label  `json:"label,omitempty"` // of what was lost in rerank
	Gold     Seat   `json:"gold"`
	First    []Seat `json:"first"` // the first k hits
}

// Seat is an article with its ranks before and after reranking, 0 where it's no
// candidate.
type Seat struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Before int    `json:"before"`
	After  int    `json:"after"`
	Intent string `json:"intent,omitempty"` // predicted
}

// StagesOptions of an analysis.
type StagesOptions struct {
	K  int // 0 = 5
	By By  // "" = what the gold has
	// Intents are the right intents, by ids of questions and of articles. With them
	// wrong predictions are told from mismatches; without, they look alike.
	Intents map[string]string
}

// AnalyseStages follows every gold through the stages of a run whose hits have
// their scores. The ranking before reranking is that of the fused scores among the
// hits of a line, so the run must hold the whole pool of candidates. Articles that
// the question named, which come first without a score, are first in both.
func AnalyseStages(r *run.Run, gold []dataset.Question, o StagesOptions) (*Stages, error) {
	if o.K == 0 {
		o.K = 5
	}
	if o.By == "" {
		o.By = matchBy(gold)
	}
	if o.K < 1 {
		return nil, fmt.Errorf("a cutoff k must be at least 1, not %d", o.K)
	}
	report := &Report{By: o.By}
	questions := report.prepare(gold)
	lines := report.index(r, gold)
	if len(questions) == 0 {
		return nil, fmt.Errorf("%w by %s", ErrNoGold, o.By)
	}
	if !explained(r) {
		return nil, ErrNotExplained
	}
	s := &Stages{K: o.K, By: o.By, Questions: len(questions), Labels: map[Label]int{}}
	s.Weights, s.Linear = finalWeights(r)
	texts := make(map[string]*dataset.Question, len(gold))
	for i := range gold {
		texts[gold[i].ID] = &gold[i]
	}
	for i := range questions {
		q := &questions[i]
		line := lines[q.id]
		if line == nil {
			report.Problems.Missing.Add(q.id, 1)
			line = &run.Line{}
		}
		hits, doubles := distinct(line.Hits)
		report.Problems.DuplicateHits.Add(q.id, doubles)
		t := &trace{stages: s, o: o, q: q, gold: texts[q.id], line: line, hits: hits, before: fusedRanks(hits)}
		t.follow()
	}
	if s.Within > 0 {
		s.Share = float64(s.Demoted) / float64(s.Within)
	}
	s.Problems = report.Problems
	return s, nil
}

func explained(r *run.Run) bool {
	return slices.ContainsFunc(r.Lines, func(l run.Line) bool {
		return slices.ContainsFunc(l.Hits, func(h run.Hit) bool { return h.Scores != nil && h.Scores.Fused != nil })
	})
}

// trace follows the golds of one question.
type trace struct {
	stages *Stages
	o      StagesOptions
	q      *question
	gold   *dataset.Question
	line   *run.Line
	hits   []run.Hit
	before []int // rank of each hit by the fused score
}

func (t *trace) follow() {
	s, k := t.stages, t.o.K
	after := t.q.rank(t.hits, t.o.By).Ranks
	within, demoted := false, false
	for j, a := range after {
		s.Funnel.Golds++
		b := 0
		if a > 0 {
			b = t.before[a-1]
		}
		within = within || b > 0 && b <= k
		switch {
		case a == 0:
			s.Funnel.NotInPool++
			t.lose(j, a, NotInPool, "")
		case b > k && a > k:
			s.Funnel.LostInFusion++
			if t.inAPath(a - 1) {
				s.Funnel.InAPath++
			}
			t.lose(j, a, LostInFusion, "")
		case a > k:
			s.Funnel.LostInRerank++
			demoted = true
			label := t.label(a - 1)
			s.Labels[label]++
			t.lose(j, a, LostInRerank, label)
		case b > k:
			s.Funnel.WonInRerank++
		default:
			s.Funnel.Kept++
		}
	}
	if within {
		s.Within++
	}
	if demoted {
		s.Demoted++
	}
}

// lose notes the case of gold j, which is hit a (from 1), or none.
func (t *trace) lose(j, a int, loss Loss, label Label) {
	c := Case{ID: t.q.id, Question: t.gold.Question, Intent: intent(t.line.QueryIntent), Loss: loss, Label: label, First: []Seat{}}
	if a > 0 {
		c.Gold = t.seat(a - 1)
	} else {
		c.Gold = t.absent(j)
	}
	for i := range t.hits[:min(t.o.K, len(t.hits))] {
		c.First = append(c.First, t.seat(i))
	}
	t.stages.Cases = append(t.stages.Cases, c)
}

func (t *trace) seat(i int) Seat {
	h := &t.hits[i]
	name := "《" + h.Law + "》" + h.Label
	if h.Law == "" {
		name = h.DocID()
	}
	return Seat{Name: name, Text: h.Text, Before: t.before[i], After: i + 1, Intent: intent(h.Intent)}
}

// absent is a gold that is no candidate, as the gold file tells it.
func (t *trace) absent(j int) Seat {
	key := t.q.golds[j]
	for i := range t.gold.Gold {
		if g := &t.gold.Gold[i]; g.Key() == key || g.Name() == key {
			name := g.ID
			if g.Law != "" {
				name = "《" + g.Law + "》" + g.Label
			}
			return Seat{Name: name, Text: g.Text}
		}
	}
	return Seat{Name: t.gold.Document, Text: key} // a passage of evidence
}

// inAPath reports whether a hit is among the first k of a path alone.
func (t *trace) inAPath(i int) bool {
	for _, path := range []func(*run.Scores) *float64{
		func(s *run.Scores) *float64 { return s.Sparse }, func(s *run.Scores) *float64 { return s.Dense },
	} {
		own := score(&t.hits[i], path)
		if own == nil {
			continue
		}
		better := 0
		for j := range t.hits {
			if v := score(&t.hits[j], path); v != nil && *v > *own {
				better++
			}
		}
		if better < t.o.K {
			return true
		}
	}
	return false
}

// label says why reranking moved hit i out of the first k.
func (t *trace) label(i int) Label {
	h := &t.hits[i]
	asked, shown := intent(t.line.QueryIntent), intent(h.Intent)
	if asked == "" || shown == "" || asked == shown || !t.stays(i) {
		return NeuralReranker
	}
	if right := t.o.Intents[t.q.id]; right != "" && right != asked {
		return IntentPrediction
	}
	for _, id := range append([]string{h.ID, h.SourceID}, h.SourceIDs...) {
		if right := t.o.Intents[id]; right != "" && right != shown {
			return IntentPrediction
		}
	}
	return IntentMismatch
}

// stays reports whether hit i would be among the first k if the intent had not
// counted.
func (t *trace) stays(i int) bool {
	if !t.stages.Linear {
		return true // what the intent did can't be told apart; its mismatch is what is known
	}
	without := func(h *run.Hit) float64 {
		v := h.Score
		if s := h.Scores; s != nil && s.Final != nil {
			v = *s.Final
		}
		if s := score(h, func(s *run.Scores) *float64 { return s.Intent }); s != nil {
			v -= t.stages.Weights[2] * *s
		}
		return v
	}
	better := 0
	for j := range t.hits {
		if j != i && without(&t.hits[j]) > without(&t.hits[i]) {
			better++
		}
	}
	return better < t.o.K
}

func score(h *run.Hit, of func(*run.Scores) *float64) *float64 {
	if h.Scores == nil {
		return nil
	}
	return of(h.Scores)
}

// fusedRanks ranks hits by their fused scores, equal ones in their printed order.
// Hits without one that stand first were looked up and stay first; others come
// last.
func fusedRanks(hits []run.Hit) []int {
	none := math.Inf(-1)
	fused := make([]float64, len(hits))
	order := make([]int, len(hits))
	for i := range hits {
		order[i], fused[i] = i, none
		if v := score(&hits[i], func(s *run.Scores) *float64 { return s.Fused }); v != nil {
			fused[i] = *v
		}
	}
	named := 0
	for named < len(hits) && fused[named] == none {
		named++
	}
	slices.SortStableFunc(order[named:], func(i, j int) int { return cmp.Compare(fused[j], fused[i]) })
	ranks := make([]int, len(hits))
	for rank, i := range order {
		ranks[i] = rank + 1
	}
	return ranks
}

// intent is a predicted intent: a word, or the first of several.
func intent(raw json.RawMessage) string {
	var one string
	var several []string
	if json.Unmarshal(raw, &one) != nil && json.Unmarshal(raw, &several) == nil && len(several) > 0 {
		one = several[0]
	}
	return strings.ToLower(strings.TrimSpace(one))
}

// finalWeights finds the weights with which rerank, fused and intent scores make
// the final one (LexPath, Eq. 6), by least squares over all hits that have the
// four. linear is false where no weights make them exactly, or where the scores
// don't tell the weights.
func finalWeights(r *run.Run) (w [3]float64, linear bool) {
	var m [3][4]float64 // normal equations, right side last
	var rows [][4]float64
	for i := range r.Lines {
		for j := range r.Lines[i].Hits {
			s := r.Lines[i].Hits[j].Scores
			if s == nil || s.Rerank == nil || s.Fused == nil || s.Intent == nil || s.Final == nil {
				continue
			}
			row := [4]float64{*s.Rerank, *s.Fused, *s.Intent, *s.Final}
			rows = append(rows, row)
			for a := range m {
				for b := range m[a] {
					m[a][b] += row[a] * row[b]
				}
			}
		}
	}
	w, ok := solve(m)
	if !ok {
		return [3]float64{}, false
	}
	for _, row := range rows {
		if d := w[0]*row[0] + w[1]*row[1] + w[2]*row[2] - row[3]; math.Abs(d) > 1e-6 {
			return [3]float64{}, false
		}
	}
	return w, true
}

// solve solves three linear equations by elimination; ok is false where they have
// no single solution.
func solve(m [3][4]float64) (x [3]float64, ok bool) {
	for c := range 3 {
		pivot := c
		for r := c + 1; r < 3; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[pivot][c]) {
				pivot = r
			}
		}
		m[c], m[pivot] = m[pivot], m[c]
		if math.Abs(m[c][c]) < 1e-9 {
			return x, false
		}
		for r := range 3 {
			if r == c {
				continue
			}
			f := m[r][c] / m[c][c]
			for i := c; i < 4; i++ {
				m[r][i] -= f * m[c][i]
			}
		}
	}
	for i := range x {
		x[i] = m[i][3] / m[i][i]
	}
	return x, true
}
