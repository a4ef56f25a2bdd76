package experiment

import (
	"strings"
	"testing"
)

const good = `name: t
datasets: [{name: S, path: s.jsonl}]
systems:
  - {name: BM25, mode: bm25}
`

func TestAFileIsReadStrictly(t *testing.T) {
	for _, c := range []struct{ what, text, says string }{
		{"a key that is nearly one", strings.Replace(good, "systems:", "sistems:", 1), `line 3: there is no key "sistems"; is "systems" meant?`},
		{"a key within a list", strings.Replace(good, "mode: bm25", "modes: bm25", 1), `line 4: there is no key "modes"; is "mode" meant?`},
		{"a key that is nothing like one", good + "favourite: 1\n", `there is no key "favourite"; there are about, articles`},
		{"no name", strings.Replace(good, "name: t\n", "", 1), "name is \"\""},
		{"a name that is a path", strings.Replace(good, "name: t", "name: ../t", 1), "must be of letters"},
		{"no systems", "name: t\ndatasets: [{name: S, path: s}]\n", "needs datasets and systems"},
		{"a mode that isn't one", strings.Replace(good, "mode: bm25", "mode: bm26", 1), `system BM25: there is no mode "bm26"`},
		{"a stage that the mode has not", strings.Replace(good, "mode: bm25", "mode: bm25, without: [intent]", 1), "no stage \"intent\""},
		{"a name twice", good + "  - {name: BM25, mode: dense}\n", "needs a name of its own"},
		{"a reference that isn't there", good + "reference: BM2\n", `the reference "BM2" is no row; is "BM25" meant?`},
		{"a sweep of nothing", strings.Replace(good, "mode: bm25", "mode: hybrid, sweep: {parameter: beta, values: [1]}", 1), "a sweep is over alpha or lambda3"},
		{"an α out of range", strings.Replace(good, "mode: bm25", "mode: hybrid, alpha: 1.5", 1), "alpha is 1.5"},
		{"a split without a part", strings.Replace(good, "path: s.jsonl", "path: s.jsonl, split: '7:1:2'", 1), "split and part belong together"},
		{"an answer that isn't one", strings.Replace(good, "mode: bm25", "mode: bm25, answer: plan", 1), `no answer "plan"; is "plain" meant?`},
		{"searches among answers", good + "  - {name: z, answer: zero-shot}\n", "about searches or about answers"},
		{"a paper's value of no data set", strings.Replace(good, "mode: bm25", "mode: bm25, paper: {T: 1}", 1), `paper names "T"`},
		{"no YAML", "a: [", "this is no experiment"},
		{"nothing", "", "this is no experiment"},
	} {
		_, err := Read([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
	f, err := Read([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if f.Depth != 20 || f.Measures[0] != "recall@5" || f.AsOf != "any" {
		t.Errorf("defaults: %+v", f)
	}
}

func TestASweepMakesARowAValue(t *testing.T) {
	f, err := Read([]byte(good + "  - {name: h, mode: hybrid, sweep: {parameter: alpha, values: [0, 0.5]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	rows := f.rows()
	if len(rows) != 3 || rows[2].name != "h, alpha = 0.5" {
		t.Fatalf("%+v", rows)
	}
	q, err := rows[2].query(&f.Datasets[0], f, 20)
	if err != nil || *q.Fusion.Alpha != 0.5 {
		t.Errorf("%v %v", q.Fusion, err)
	}
}
