package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: golds at ranks 2 and 5, a third not found.
func TestMeasuresByHand(t *testing.T) {
	r := Ranking{Ranks: []int{5, 0, 2}}
	ideal3 := 1 + 1/math.Log2(3) + 0.5
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"recall@1", r.Recall(1), 0},
		{"recall@4", r.Recall(4), 1. / 3},
		{"recall", r.Recall(0), 2. / 3},
		{"hit@1", r.Hit(1), 0},
		{"hit@2", r.Hit(2), 1},
		{"mrr@1", r.ReciprocalRank(1), 0},
		{"mrr", r.ReciprocalRank(0), 1. / 2},
		{"precision@2", r.Precision(2), 1. / 2},
		{"precision@10", r.Precision(10), 2. / 10},
		{"precision without a cutoff", r.Precision(0), 0},
		{"map@4", r.AveragePrecision(4), (1. / 2) / 3},
		{"map", r.AveragePrecision(0), (1./2 + 2./5) / 3},
		{"ndcg@2", r.NDCG(2), (1 / math.Log2(3)) / (1 + 1/math.Log2(3))},
		{"ndcg", r.NDCG(0), (1/math.Log2(3) + 1/math.Log2(6)) / ideal3},
	} {
		if math.Abs(c.got-c.want) > 1e-15 {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// The ideal order has the grades descending, 3 2 1, whatever their order in the
// gold file, and is cut at k like the run.
func TestGradedNDCG(t *testing.T) {
	r := Ranking{Ranks: []int{1, 3, 0}, Grades: []int{1, 3, 2}}
	want := (1 + 3/2.) / (3 + 2/math.Log2(3) + 1/2.)
	if got := r.NDCG(3); math.Abs(got-want) > 1e-15 {
		t.Errorf("ndcg@3 = %v, want %v", got, want)
	}
	if got := r.NDCG(1); math.Abs(got-1/3.) > 1e-15 {
		t.Errorf("ndcg@1 = %v, want 1/3", got)
	}
}

// A chunk at rank 2 finds two golds at once: it's one relevant hit, and both
// golds have the precision of rank 2.
func TestOneHitFindsSeveralGolds(t *testing.T) {
	r := Ranking{Ranks: []int{2, 2}}
	if got := r.Recall(2); got != 1 {
		t.Errorf("recall@2 = %v, want 1", got)
	}
	if got := r.Precision(2); got != 0.5 {
		t.Errorf("precision@2 = %v, want 1/2", got)
	}
	if got := r.AveragePrecision(0); got != 0.5 {
		t.Errorf("map = %v, want 1/2", got)
	}
	if got, want := r.NDCG(2), (1/math.Log2(3))/(1+1/math.Log2(3)); math.Abs(got-want) > 1e-15 {
		t.Errorf("ndcg@2 = %v, want %v", got, want)
	}
}

func TestNoGoldIsZero(t *testing.T) {
	var r Ranking
	for _, v := range []float64{r.Recall(5), r.Hit(5), r.ReciprocalRank(5), r.Precision(5), r.AveragePrecision(5), r.NDCG(5)} {
		if v != 0 {
			t.Errorf("a measure without gold is %v, want 0", v)
		}
	}
}

// Whatever the ranking, each measure stays within [0, 1], and those that can
// only gain by a longer list do.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + rng.IntN(6)
		r := Ranking{Ranks: make([]int, n), Grades: make([]int, n)}
		for i := range n {
			r.Ranks[i] = max(0, rng.IntN(12)-2) // hits may find several golds
			r.Grades[i] = 1 + rng.IntN(4)
		}
		var before [4]float64
		for k := 1; k <= 12; k++ {
			for _, v := range []float64{r.Recall(k), r.Hit(k), r.ReciprocalRank(k), r.Precision(k), r.AveragePrecision(k), r.NDCG(k)} {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("%+v: a measure at %d is %v", r, k, v)
				}
			}
			now := [4]float64{r.Recall(k), r.Hit(k), r.ReciprocalRank(k), r.AveragePrecision(k)}
			for i := range now {
				if now[i] < before[i] {
					t.Fatalf("%+v: measure %d falls from %v to %v at %d", r, i, before[i], now[i], k)
				}
			}
			before = now
		}
		if r.Recall(12) != r.Recall(0) || r.NDCG(12) != r.NDCG(0) {
			t.Fatalf("%+v: a cutoff beyond the last hit differs from none", r)
		}
	}
}
