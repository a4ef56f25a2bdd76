package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Of many worlds with a biased judge, the interval holds the people's mean in about
// 95 of 100, and is narrower than that of the people's scores alone when the judge
// follows them.
func TestPredictionPoweredCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const worlds, n, m = 400, 40, 400
	held, width, alone := 0, 0.0, 0.0
	for range worlds {
		draw := func() (judge, people float64) {
			people = 3 + rng.NormFloat64()
			return people*0.8 + 1.5 + 0.4*rng.NormFloat64(), people
		}
		judge, people, rest := make([]float64, n), make([]float64, n), make([]float64, m)
		for i := range judge {
			judge[i], people[i] = draw()
		}
		for i := range rest {
			rest[i], _ = draw()
		}
		_, low, high, ok := PredictionPowered(judge, people, rest)
		if !ok {
			t.Fatal("no estimate")
		}
		if low <= 3 && 3 <= high {
			held++
		}
		width += high - low
		alone += 2 * 1.96 * math.Sqrt(variance(people)/n)
	}
	if held < worlds*90/100 || held > worlds*99/100 {
		t.Errorf("%d of %d intervals hold the mean", held, worlds)
	}
	if width > 0.75*alone {
		t.Errorf("the intervals are %.2f of those without a judge", width/alone)
	}
}

func TestPredictionPoweredIsNotFooled(t *testing.T) {
	people := []float64{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}
	flat := make([]float64, 10)
	value, _, _, ok := PredictionPowered(flat, people, []float64{9, 9, 9})
	if !ok || value < 2.9 || value > 3.1 {
		t.Errorf("a judge without any relation to people moves their mean to %v", value)
	}
	if _, _, _, ok := PredictionPowered(flat[:5], people[:5], flat); ok {
		t.Error("five labels are too few")
	}
	if _, _, _, ok := PredictionPowered(flat, people, nil); ok {
		t.Error("nothing is left to predict")
	}
}

func TestKrippendorff(t *testing.T) {
	for _, c := range []struct {
		what  string
		units [][]float64
		want  float64
	}{
		{"full agreement", [][]float64{{1, 1}, {3, 3}, {5, 5, 5}}, 1},
		{"one rating each", [][]float64{{1}, {2}}, 0},
		{"nothing differs", [][]float64{{3, 3}, {3, 3}}, 0},
		// By hand: observed (2·1)/4 = 0.5; pooled 1,2,3,3 has variance 0.9167, expected 1.8333.
		{"one off by one", [][]float64{{1, 2}, {3, 3}}, 1 - 0.5/1.8333333333333333},
		{"a rating that stands alone does not count", [][]float64{{1, 2}, {3, 3}, {9}}, 1 - 0.5/1.8333333333333333},
	} {
		if got := Krippendorff(c.units); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
