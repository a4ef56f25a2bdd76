package metrics

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// each decodes a file of testdata, which make.py has made, line by line.
func each[T any](t *testing.T, path string, do func(v T)) (n int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		do(v)
		n++
	}
	return n
}

func TestRougeLEqualsRougeChinese(t *testing.T) {
	type golden struct {
		Answer    []string `json:"answer"`
		Reference []string `json:"reference"`
		F         float64  `json:"f"`
	}
	n := each(t, "testdata/rouge.jsonl", func(g golden) {
		// The library adds 1e-8 to the sum of precision and recall.
		if got := RougeL(g.Answer, g.Reference); math.Abs(got-g.F) > 5e-9 {
			t.Errorf("%v against %v: %v, want %v", g.Answer, g.Reference, got, g.F)
		}
	})
	if n < 200 {
		t.Errorf("only %d cases compared", n)
	}
}

func TestOverlapByHand(t *testing.T) {
	a, b := []string{"甲", "甲", "乙", "丙"}, []string{"乙", "甲", "甲", "甲", "丁"}
	if got, want := F1(a, b), 2*3./9; got != want { // 甲 twice, 乙 once
		t.Errorf("F1 = %v, want %v", got, want)
	}
	if got, want := RougeL(a, b), 2*2./9; got != want { // 甲 甲
		t.Errorf("ROUGE-L = %v, want %v", got, want)
	}
	if F1(nil, b) != 0 || F1(a, nil) != 0 || RougeL(nil, nil) != 0 {
		t.Error("nothing overlaps with nothing")
	}
	if F1(a, a) != 1 || RougeL(b, b) != 1 {
		t.Error("a text overlaps with itself in full")
	}
}

func TestAgreementEqualsScipyAndScikitLearn(t *testing.T) {
	type golden struct {
		X, Y                              []float64
		Pearson, Spearman, Kendall, Kappa float64
	}
	whole := func(x []float64) []int {
		var out []int
		for _, v := range x {
			out = append(out, int(v))
		}
		return out
	}
	n := each(t, "testdata/agreement.jsonl", func(g golden) {
		for name, c := range map[string][2]float64{
			"pearson": {Pearson(g.X, g.Y), g.Pearson}, "spearman": {Spearman(g.X, g.Y), g.Spearman},
			"kendall": {Kendall(g.X, g.Y), g.Kendall}, "kappa": {WeightedKappa(whole(g.X), whole(g.Y), 1, 5), g.Kappa},
		} {
			if math.Abs(c[0]-c[1]) > 1e-9 {
				t.Errorf("%s of %v and %v is %v, want %v", name, g.X, g.Y, c[0], c[1])
			}
		}
	})
	if n < 100 {
		t.Errorf("only %d cases compared", n)
	}
}

func TestRanksShareTies(t *testing.T) {
	if got := ranks([]float64{5, 1, 5, 3, 5}); !slices.Equal(got, []float64{4, 1, 4, 2, 4}) {
		t.Errorf("got %v", got)
	}
	if Pearson([]float64{2, 2}, []float64{1, 3}) != 0 || WeightedKappa([]int{3, 3}, []int{3, 3}, 1, 5) != 0 {
		t.Error("without spread there is no agreement to measure")
	}
}
