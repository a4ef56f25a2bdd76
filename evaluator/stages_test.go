package evaluator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

// explainedHit is a hit with the scores of LexPath's stages.
func explainedHit(id, intent, asked string, sparse, fused, rerank float64) run.Hit {
	match := 0.0
	if intent == asked {
		match = 1
	}
	final := rerank + fused + 1.5*match
	raw, err := json.Marshal(intent)
	if err != nil {
		panic(err)
	}
	return run.Hit{ID: id, Law: "示范法", Label: id, Text: "条文" + id, Score: final, Intent: raw,
		Scores: &run.Scores{Sparse: &sparse, Fused: &fused, Rerank: &rerank, Intent: &match, Final: &final}}
}

// line has eight hits, h1 to h8 by their fused scores, of which those named match
// the intent of the question and those in rerank have a score of the reranker.
func explainedLine(id, asked string, match []string, rerank, sparse map[string]float64) run.Line {
	l := run.Line{ID: id}
	raw, err := json.Marshal(asked)
	if err != nil {
		panic(err)
	}
	l.QueryIntent = raw
	for i := range 8 {
		name := fmt.Sprintf("h%d", i+1)
		intent := "procedure"
		if slices.Contains(match, name) {
			intent = asked
		}
		l.Hits = append(l.Hits, explainedHit(name, intent, asked, sparse[name], 0.9-float64(i)/100, rerank[name]))
	}
	slices.SortStableFunc(l.Hits, func(a, b run.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return l
}

// Golds followed through a run: found, lost at every stage, and won.
func TestStages(t *testing.T) {
	found := &run.Run{Lines: []run.Line{
		// Three hits behind h4 match the intent and pass it: 4 → 7.
		explainedLine("mismatch", "consequence", []string{"h5", "h6", "h7"}, nil, nil),
		explainedLine("prediction", "consequence", []string{"h5", "h6", "h7"}, nil, nil),
		explainedLine("prediction of the article", "consequence", []string{"h5", "h6", "h7"}, nil, nil),
		// The reranker lifts them, whatever the intent.
		explainedLine("reranker", "consequence", nil, map[string]float64{"h5": .5, "h6": .5, "h7": .5}, nil),
		explainedLine("away", "consequence", nil, nil, nil),
		explainedLine("fusion", "consequence", nil, nil, map[string]float64{"h8": 20}),
		explainedLine("won", "consequence", []string{"h8"}, nil, nil),
		explainedLine("kept", "consequence", nil, map[string]float64{"h2": .1}, nil),
		{ID: "named", Hits: append([]run.Hit{{ID: "direct", Score: 9}}, explainedLine("x", "a", nil, nil, nil).Hits...)},
	}}
	gold := []dataset.Question{
		articles("mismatch", "h4"), articles("prediction", "h4"), articles("prediction of the article", "h4"), articles("reranker", "h4"),
		articles("away", "h9", "h1"), articles("fusion", "h8"), articles("won", "h8"), articles("kept", "h2"), articles("named", "direct", "h4"), articles("absent", "h1"),
	}
	gold[4].Gold[0] = dataset.Article{ID: "h9", Law: "示范法", Label: "第九条", Text: "不在候选中"}
	s, err := AnalyseStages(found, gold, StagesOptions{Intents: map[string]string{
		"mismatch": "consequence", "prediction": "definition", "h4": "procedure"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Funnel{Golds: 12, NotInPool: 2, LostInFusion: 1, InAPath: 1, LostInRerank: 4, WonInRerank: 1, Kept: 4}); s.Funnel != want {
		t.Errorf("funnel %+v\nwant   %+v", s.Funnel, want)
	}
	if s.Within != 7 || s.Demoted != 4 || s.Share != 4/7. {
		t.Errorf("%d of %d moved out, share %v", s.Demoted, s.Within, s.Share)
	}
	if !s.Linear || math.Abs(s.Weights[0]-1) > 1e-6 || math.Abs(s.Weights[1]-1) > 1e-6 || math.Abs(s.Weights[2]-1.5) > 1e-6 {
		t.Errorf("weights %v, linear %v", s.Weights, s.Linear)
	}
	got := map[string]string{}
	for _, c := range s.Cases {
		got[c.ID] += fmt.Sprintf("%s %s %d→%d;", c.Loss, c.Label, c.Gold.Before, c.Gold.After)
	}
	want := map[string]string{
		"mismatch": "lost in rerank intent mismatch 4→7;", "prediction": "lost in rerank intent prediction 4→7;",
		"prediction of the article": "lost in rerank intent mismatch 4→7;", "reranker": "lost in rerank neural reranker 4→7;",
		"away": "not in pool  0→0;", "absent": "not in pool  0→0;", "fusion": "lost in fusion  8→8;",
	}
	if d := diff.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// With another intent known for the article it's its prediction that was wrong.
	s, err = AnalyseStages(found, gold, StagesOptions{Intents: map[string]string{"h4": "consequence"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := diff.Diff(map[Label]int{IntentPrediction: 3, NeuralReranker: 1}, s.Labels); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	sheets(t, s)
}

// The sheets show the texts side by side.
func sheets(t *testing.T, s *Stages) {
	t.Helper()
	var table, sheet, page bytes.Buffer
	if err := errors.Join(s.WriteTable(&table), s.WriteCSV(&sheet), s.WriteHTML(&page)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		table.String(): "| intent prediction | mismatch                  | 《示范法》h4 | 4 → 7 |",
		sheet.String(): "5 → 1 《示范法》h5 [consequence]\n条文h5",
		page.String():  "不在候选中",
	} {
		if !strings.Contains(name, want) {
			t.Errorf("no %q in\n%s", want, name)
		}
	}
}

func TestStagesOfARunThatTellsNothing(t *testing.T) {
	found, gold := small()
	if _, err := AnalyseStages(found, gold, StagesOptions{}); !errors.Is(err, ErrNotExplained) {
		t.Errorf("got %v", err)
	}
	if _, err := AnalyseStages(found, nil, StagesOptions{}); !errors.Is(err, ErrNoGold) {
		t.Errorf("got %v", err)
	}
}

// A final score that is no weighted sum, like a learned ranker's, says nothing of
// what the intent did.
func TestWeightsOfALearnedRanker(t *testing.T) {
	l := explainedLine("q", "a", []string{"h2"}, map[string]float64{"h3": .4}, nil)
	for i := range l.Hits {
		*l.Hits[i].Scores.Final = math.Sqrt(*l.Hits[i].Scores.Final)
	}
	if w, linear := finalWeights(&run.Run{Lines: []run.Line{l}}); linear {
		t.Errorf("taken for a sum with weights %v", w)
	}
}
