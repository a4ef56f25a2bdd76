package evaluator

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// ids makes hits of article ids, with falling scores.
func ids(list ...string) []run.Hit {
	hits := make([]run.Hit, len(list))
	for i, id := range list {
		hits[i] = run.Hit{ID: id, Score: float64(len(list) - i)}
	}
	return hits
}

func articles(id string, list ...string) dataset.Question {
	q := dataset.Question{ID: id}
	for _, a := range list {
		q.Gold = append(q.Gold, dataset.Article{ID: a})
	}
	return q
}

// Three questions: one found in full, one in part and late, one missing.
func small() (*run.Run, []dataset.Question) {
	return &run.Run{Lines: []run.Line{
			{ID: "q1", Hits: ids("a", "b", "x")},
			{ID: "q2", Hits: ids("x", "y", "c", "z")},
		}}, []dataset.Question{
			articles("q1", "a", "b"),
			articles("q2", "c", "d", "e", "f"),
			articles("q3", "g"),
		}
}

func TestEvaluateByHand(t *testing.T) {
	found, gold := small()
	r, err := Evaluate(found, gold, Options{K: []int{5, 2, 5}})
	if err != nil {
		t.Fatal(err)
	}
	ideal := 1 + 1/math.Log2(3) + 1/2. + 1/math.Log2(5)
	want := map[string]float64{
		"recall@2": (1 + 0 + 0) / 3., "recall@5": (1 + 1/4. + 0) / 3.,
		"recall_micro@2": 2 / 7., "recall_micro@5": 3 / 7.,
		"ndcg@2": 1 / 3., "ndcg@5": (1 + (1/2.)/ideal) / 3,
		"mrr@2": 1 / 3., "mrr@5": (1 + 1/3.) / 3, "mrr": (1 + 1/3.) / 3,
		"map@2": 1 / 3., "map@5": (1 + 1/12.) / 3, "map": (1 + 1/12.) / 3,
		"hit@2": 1 / 3., "hit@5": 2 / 3.,
		"precision@2": 1 / 3., "precision@5": (2/5. + 1/5.) / 3,
		"all@2": 1 / 3., "all@5": 1 / 3., "first@2": 1 / 3., "first@5": 2 / 3.,
	}
	if len(r.Metrics) != len(want) {
		t.Errorf("%d measures, want %d", len(r.Metrics), len(want))
	}
	for name, v := range want {
		m := r.Metrics[name]
		if math.Abs(m.Value-v) > 1e-15 {
			t.Errorf("%s = %v, want %v", name, m.Value, v)
		}
		if !(m.Low <= m.Value && m.Value <= m.High) {
			t.Errorf("%s = %v lies outside of [%v, %v]", name, m.Value, m.Low, m.High)
		}
	}
	if r.Queries != 3 || r.Depth != 4 || r.By != ByArticle || r.Problems.Missing.Count != 1 {
		t.Errorf("report %+v", r)
	}
}

// A gold article is found by any id that the hit goes by.
func TestMatchByAnyID(t *testing.T) {
	gold := []dataset.Question{articles("q", "L1:1")}
	for name, h := range map[string]run.Hit{
		"id":         {ID: "L1:1", SourceID: "other"},
		"source_id":  {ID: "民法典@2020-05-28:1", SourceID: "L1:1"},
		"source_ids": {ID: "民法典@2020-05-28:1", SourceIDs: []string{"L0:1", "L1:1"}},
	} {
		r, err := Evaluate(&run.Run{Lines: []run.Line{{ID: "q", Hits: []run.Hit{h}}}}, gold, Options{})
		if err != nil || r.Metrics["recall@1"].Value != 1 {
			t.Errorf("%s: not found (%v)", name, err)
		}
	}
}

func TestEvidence(t *testing.T) {
	gold := []dataset.Question{
		{ID: "q1", Evidence: []string{"第三条　国家 保护\n消费者。", "国家保护消费者。", "经营者应当守信。"}},
		{ID: "q2", Evidence: []string{"甲。乙。"}},
	}
	found := &run.Run{Lines: []run.Line{
		{ID: "q1", Hits: []run.Hit{
			{ID: "1", Label: "第二条", Text: "经营者应当诚实。"},
			{ID: "2", Label: "第三条", Text: "国家保护消费者。\n另款。"},    // both, one with the label
			{ID: "3", Label: "第四条", Text: "第四条 经营者应当\n\n守信。"}, // label within the text
		}},
		{ID: "q2", Hits: []run.Hit{{ID: "1", Text: "甲。"}, {ID: "2", Text: "乙。"}}}, // never in one hit
	}}
	r, err := Evaluate(found, gold, Options{K: []int{1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"recall@1": 0, "recall@2": (2 / 3.) / 2, "recall@3": 1 / 2., "recall_micro@3": 3 / 4.,
		"hit@2": 1 / 2., "mrr@3": (1 / 2.) / 2, "precision@2": (1 / 2.) / 2, "all@3": 1 / 2., "first@2": 1 / 2.,
		// Put together, the texts of q2's hits hold its passage, and no hit alone does.
		"legal_dc_recall@2": 1 / 2., "legal_dc_recall@3": 1, "legal_dc_mrr@3": ((1/2. + 1/2. + 1/3.) / 3) / 2,
	} {
		if got := r.Metrics[name].Value; math.Abs(got-want) > 1e-15 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if r.By != ByEvidence {
		t.Errorf("matched by %q, want evidence, which is all that the gold has", r.By)
	}
}

// The scripts of Legal-DC count every hit that holds a passage, so that overlapping
// chunks bring their MRR above 1.
func TestLegalDCsMRRCanExceedOne(t *testing.T) {
	text := run.Hit{Text: "登记免费。"}
	found := &run.Run{Lines: []run.Line{{ID: "q", Hits: []run.Hit{
		{ID: "1", Text: text.Text}, {ID: "2", Text: text.Text}, {ID: "3", Text: "另文。"}, {ID: "4", Text: text.Text}}}}}
	r, err := Evaluate(found, []dataset.Question{{ID: "q", Evidence: []string{"登记免费。"}}}, Options{K: []int{5}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Metrics["legal_dc_mrr@5"].Value, 1+1/2.+1/4.; got != want {
		t.Errorf("legal_dc_mrr@5 = %v, want %v", got, want)
	}
	if got := r.Metrics["mrr@5"].Value; got != 1 {
		t.Errorf("mrr@5 = %v, want 1", got)
	}
}

// A gold without an id is found by its law and label, in whatever form and version
// these come, and within a chunk. By name, ids don't matter.
func TestMatchByName(t *testing.T) {
	named := dataset.Article{Law: "《中华人民共和国民法典》", Label: "第1077条"}
	both := dataset.Article{ID: "L1:1077", Law: "民法典", Label: "第一千零七十七条"}
	hits := map[string]run.Hit{
		"title": {ID: "x:1", Law: "民法典", Label: "第一千零七十七条"},
		"chunk": {ID: "民法典@2020-05-28:块3", Law: "民法典", Label: "第一千零七十六条至第一千零七十八条",
			Articles: []string{"民法典@2020-05-28:1076", "民法典@2020-05-28:1077"}},
		"other law":    {ID: "x:2", Law: "民法典释义", Label: "第一千零七十七条"},
		"other number": {ID: "x:3", Law: "民法典", Label: "第一千零七十七条之一"},
	}
	for _, c := range []struct {
		hit  string
		gold dataset.Article
		by   By
		want float64
	}{
		{"title", named, ByArticle, 1}, {"chunk", named, ByArticle, 1}, {"other law", named, ByArticle, 0}, {"other number", named, ByArticle, 0},
		{"title", both, ByArticle, 0}, {"title", both, ByName, 1},
		{"chunk", dataset.Article{ID: "民法典@2020-05-28:1077"}, ByArticle, 1},
	} {
		r, err := Evaluate(&run.Run{Lines: []run.Line{{ID: "q", Hits: []run.Hit{hits[c.hit]}}}},
			[]dataset.Question{{ID: "q", Gold: []dataset.Article{c.gold}}}, Options{By: c.by})
		if err != nil || r.Metrics["recall@1"].Value != c.want {
			t.Errorf("%s, %+v by %s: recall %v, want %v (%v)", c.hit, c.gold, c.by, r.Metrics["recall@1"].Value, c.want, err)
		}
	}
}

func TestTypeAndLevelGroups(t *testing.T) {
	gold := []dataset.Question{
		{ID: "a", Type: "logic", Gold: []dataset.Article{{Law: "中华人民共和国宪法"}, {Law: "宪法"}}},
		{ID: "b", Type: "concept", Gold: []dataset.Article{{ID: "民法典@2020-05-28:1077"}}},
		{ID: "c", Gold: []dataset.Article{{Law: "民法典"}, {Law: "最高人民法院关于适用民法典若干问题的解释"}, {Law: "民法典"}}},
		{ID: "d", Gold: []dataset.Article{{ID: "L1:7"}}},
		{ID: "e", Document: "登记管理条例", Evidence: []string{"x"}},
	}
	if diff := cmp.Diff(map[string]string{"a": "0", "b": "1", "c": "several", "e": "2"}, LevelGroups(gold).Of); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "logic", "b": "concept"}, TypeGroups(gold).Of); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

// Nothing untidy is dropped in silence.
func TestProblems(t *testing.T) {
	found := &run.Run{Lines: []run.Line{
		{ID: "q1", Hits: []run.Hit{{ID: "x", Score: 1}, {ID: "x", Score: 2}, {ID: "x", Score: 1}, {ID: "a", Score: 1}}},
		{ID: "q1", Hits: ids("a")},
		{ID: "stranger", Hits: ids("a")},
		{ID: "q4", Hits: ids("a")},
	}}
	gold := []dataset.Question{
		articles("q1", "a", "b", "a"), articles("q2", "a"), articles("q3", "a"), articles("q4"), articles("q2", "b"),
	}
	r, err := Evaluate(found, gold, Options{K: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(r.Problems)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"missing":{"count":2,"ids":["q2","q3"]},"no_gold":{"count":1,"ids":["q4"]},"unknown":{"count":1,"ids":["stranger"]},` +
		`"duplicate_lines":{"count":1,"ids":["q1"]},"duplicate_questions":{"count":1,"ids":["q2"]},"duplicate_hits":{"count":2,"ids":["q1"]},` +
		`"duplicate_gold":{"count":1,"ids":["q1"]},"rising":{"count":1,"ids":["q1"]}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// a moves up to rank 2 when the doubles go; q2 and q3 count as 0, q4 not at all.
	if got := r.Metrics["recall@2"].Value; r.Queries != 3 || got != (1/2.)/3 {
		t.Errorf("recall@2 of %d questions = %v, want %v of 3", r.Queries, got, (1/2.)/3)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	found, gold := small()
	evidence := []dataset.Question{{ID: "q1", Evidence: []string{"x"}}}
	for _, c := range []struct {
		name string
		gold []dataset.Question
		o    Options
		want error
	}{
		{"nothing to find", []dataset.Question{{ID: "q1"}}, Options{}, ErrNoGold},
		{"no evidence in the gold", gold, Options{By: ByEvidence}, ErrNoGold},
		{"no text in the run", evidence, Options{}, ErrNoText},
		{"another data set", []dataset.Question{articles("p1", "a")}, Options{}, ErrNoOverlap},
	} {
		if _, err := Evaluate(found, c.gold, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, o := range []Options{{K: []int{0}}, {By: "law"}, {Bootstrap: -1}, {Bootstrap: 1e9}, {Permutations: -1}, {Level: 1}, {Level: math.NaN()}} {
		if _, err := Evaluate(found, gold, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestGroups(t *testing.T) {
	train := []dataset.Question{articles("t", "a", "b", "c")}
	found, gold := small()
	gold = append(gold, articles("none"))
	groups := SeenGroups(train, gold)
	if diff := cmp.Diff(Grouping{"seen", map[string]string{"q1": Seen, "q2": Mixed, "q3": Unseen}}, groups); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	delete(groups.Of, "q3")
	r, err := Evaluate(found, gold, Options{K: []int{5}, Groups: []Grouping{groups}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Group{
		Seen:    {1, map[string]Metric{"recall@5": {1, 1, 1}, "recall_micro@5": {1, 1, 1}}},
		Mixed:   {1, map[string]Metric{"recall@5": {0.25, 0.25, 0.25}, "recall_micro@5": {0.25, 0.25, 0.25}}},
		"other": {1, map[string]Metric{"recall@5": {}, "recall_micro@5": {}}},
	} {
		got := r.Groups["seen"][name]
		for m := range want.Metrics {
			if got.Queries != want.Queries || got.Metrics[m] != want.Metrics[m] {
				t.Errorf("%s: %s of %d questions = %+v, want %+v", name, m, got.Queries, got.Metrics[m], want.Metrics[m])
			}
		}
	}
	passages := []dataset.Question{{ID: "p", Evidence: []string{"甲 乙"}}}
	if got := SeenGroups([]dataset.Question{{ID: "o", Evidence: []string{"甲乙"}}}, passages).Of["p"]; got != Seen {
		t.Errorf("a passage of the training data is %q", got)
	}
}

func TestCompareByHand(t *testing.T) {
	found, gold := small()
	better := &run.Run{Lines: []run.Line{
		{ID: "q1", Hits: ids("x", "a")},                // recall 1/2 instead of 1
		{ID: "q2", Hits: ids("c", "d", "e", "f", "x")}, // 1 instead of 1/4
		{ID: "q3", Hits: ids("g")},                     // 1 instead of 0
	}}
	c, err := Compare(found, better, gold, Options{K: []int{5}})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Paired.Metrics["recall@5"]
	// Differences −1/2, 3/4, 1: |sum| ≥ 5/4 for the signs −++, +++, +−−, −−−.
	want := Pair{First: (1 + 1/4.) / 3, Second: 2.5 / 3, Difference: 1.25 / 3, P: 4 / 8., Exact: true, Better: 2, Worse: 1}
	want.Low, want.High = p.Low, p.High
	if math.Abs(p.Difference-want.Difference) < 1e-15 {
		want.Difference = p.Difference
	}
	if p != want {
		t.Errorf("got %+v\nwant %+v", p, want)
	}
	if !(p.Low <= p.Difference && p.Difference <= p.High) {
		t.Errorf("%v lies outside of [%v, %v]", p.Difference, p.Low, p.High)
	}
	if _, err := Compare(found, &run.Run{}, gold, Options{}); !errors.Is(err, ErrNoOverlap) {
		t.Errorf("an empty second run gives %v", err)
	}
}

func TestSameSeedSameReport(t *testing.T) {
	found, gold := small()
	var reports [2]bytes.Buffer
	for i := range reports {
		c, err := Compare(found, found, gold, Options{Seed: 9, Groups: []Grouping{SeenGroups(gold[:1], gold)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&reports[i]).Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(reports[0].Bytes(), reports[1].Bytes()) {
		t.Error("two evaluations differ")
	}
}

// What programs and people get to see.
func TestGoldenReports(t *testing.T) {
	found, gold := small()
	second := &run.Run{Lines: []run.Line{{ID: "q1", Hits: ids("b", "a")}, {ID: "q2", Hits: ids("f")}, {ID: "q9"}}}
	o := Options{K: []int{1, 5}, Seed: 1, Bootstrap: 100, Groups: []Grouping{SeenGroups(gold[:1], gold)}}
	report, err := Evaluate(found, gold, o)
	if err != nil {
		t.Fatal(err)
	}
	o.K, o.Groups = []int{5}, nil
	comparison, err := Compare(found, second, gold, o)
	if err != nil {
		t.Fatal(err)
	}
	var text, pairText bytes.Buffer
	if err := errors.Join(report.WriteTable(&text), comparison.WriteTable(&pairText)); err != nil {
		t.Fatal(err)
	}
	indented := func(v any) []byte {
		b, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return append(b, '\n')
	}
	for name, got := range map[string][]byte{
		"report.md": text.Bytes(), "report.json": indented(report),
		"comparison.md": pairText.Bytes(), "comparison.json": indented(comparison),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".json" {
			equalJSON(t, name, want, got)
		} else if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// equalJSON lets the last bits of numbers differ, since CPUs do in logarithms.
func equalJSON(t *testing.T, name string, want, got []byte) {
	t.Helper()
	var w, g any
	if err := errors.Join(json.Unmarshal(want, &w), json.Unmarshal(got, &g)); err != nil {
		t.Fatal(err)
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(w, g, near); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
