package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func normal(n int, mean float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	for i := range out {
		out[i] = mean + rng.NormFloat64()
	}
	return out
}

// For a large sample the interval is mean ± 1.96 standard errors.
func TestBootstrapAgreesWithTheory(t *testing.T) {
	x := normal(2000, 3, 7)
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / 2000
		square += v * v / 2000
	}
	half := 1.96 * math.Sqrt((square-mean*mean)/2000)
	in := Bootstrap([]Series{{Num: x}}, 4000, 0.95, 1)[0]
	if math.Abs(in.Low-(mean-half)) > 0.1*half || math.Abs(in.High-(mean+half)) > 0.1*half {
		t.Errorf("interval %v, want %v ± %v", in, mean, half)
	}
}

func TestBootstrapIsDeterministic(t *testing.T) {
	s := []Series{{Num: normal(50, 0, 1)}, {Num: normal(50, 1, 2), Den: normal(50, 9, 3)}}
	a, b, c := Bootstrap(s, 200, 0.95, 5), Bootstrap(s, 200, 0.95, 5), Bootstrap(s, 200, 0.95, 6)
	if a[0] != b[0] || a[1] != b[1] {
		t.Errorf("the same seed gives %v and %v", a, b)
	}
	if a[0] == c[0] {
		t.Errorf("another seed gives the same interval %v", a[0])
	}
}

func TestBootstrapOfFewQuestions(t *testing.T) {
	if in := Bootstrap([]Series{{Num: []float64{0.25}}}, 100, 0.95, 0)[0]; in != (Interval{0.25, 0.25}) {
		t.Errorf("the interval of one question is %v, want its value", in)
	}
	if in := Bootstrap([]Series{{}}, 100, 0.95, 0)[0]; in != (Interval{}) {
		t.Errorf("the interval of no question is %v, want zero", in)
	}
	if v := (Series{Num: []float64{1, 2}, Den: []float64{2, 4}}).Value(); v != 0.5 {
		t.Errorf("1+2 of 2+4 is %v, want 0.5", v)
	}
}

func TestQuantileInterpolates(t *testing.T) {
	x := []float64{1, 2, 4}
	for q, want := range map[float64]float64{0: 1, 0.25: 1.5, 0.5: 2, 0.75: 3, 1: 4} {
		if got := quantile(x, q); got != want {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
}

// By hand: three differences of the same sign and size; only all three signs
// alike lie as far out, 2 patterns of 8.
func TestRandomiseByHand(t *testing.T) {
	for _, c := range []struct {
		diffs []float64
		want  float64
	}{
		{[]float64{1, 1, 1}, 2. / 8},
		{[]float64{1, 0, 1, 1, 0}, 2. / 8}, // no difference, no evidence
		{[]float64{1, -1}, 1},
		{[]float64{0, 0}, 1},
		{nil, 1},
		{[]float64{0.1, 0.2, 0.3}, 2. / 8}, // sums that differ in the last bit
		{[]float64{0.3, 0.2, 0.1}, 2. / 8},
		{[]float64{3, 1, -1}, 6. / 8}, // sums ±5, ±3, ±3, ±1
	} {
		if p, exact := Randomise(c.diffs, 10, 1); !exact || p != c.want {
			t.Errorf("%v: p = %v, exact %v; want %v", c.diffs, p, exact, c.want)
		}
	}
}

// Drawn patterns lead to what theory says: for many differences the sum is
// normal, so z = 2 has p = 0.0455.
func TestRandomiseDrawn(t *testing.T) {
	d := make([]float64, 400)
	for i := range d {
		d[i] = 1
		if i >= 220 { // 220 for, 180 against: z = 40/√400 = 2
			d[i] = -1
		}
	}
	p, exact := Randomise(d, 20_000, 3)
	// The sum moves in steps of 2: P(|sum| ≥ 40) = P(|z| > 39/20).
	want := math.Erfc(39. / 20 / math.Sqrt2)
	if exact || math.Abs(p-want) > 0.005 {
		t.Errorf("p = %v, exact %v; want about %v, drawn", p, exact, want)
	}
	if again, _ := Randomise(d, 20_000, 3); again != p {
		t.Errorf("the same seed gives %v and %v", p, again)
	}
	one := make([]float64, 100)
	for i := range one {
		one[i] = 1
	}
	if p, _ := Randomise(one, 999, 1); p != 1./1000 {
		t.Errorf("p = %v, want the smallest that 999 draws allow", p)
	}
}

// Two systems whose references are counted: one is wrong in every tenth reference, the
// other in every second. Exchanged at random they rarely lie as far apart; the same
// system against itself always does.
func TestRandomiseRatios(t *testing.T) {
	a, b := Series{}, Series{}
	for i := range 30 {
		refs := float64(1 + i%4)
		a.Num, a.Den = append(a.Num, refs/10), append(a.Den, refs)
		b.Num, b.Den = append(b.Num, float64(i%3)/2), append(b.Den, float64(i%3))
	}
	if p := RandomiseRatios(a, b, 2000, 1); p > .01 {
		t.Errorf("p = %v of what differs", p)
	}
	if p := RandomiseRatios(a, a, 2000, 1); p != 1 {
		t.Errorf("p = %v of the same", p)
	}
	if got := b.Of([]int{0, 1, 2}); got != .5 {
		t.Errorf("half of the references are wrong, not %v", got)
	}
	// Where the questions weigh alike it is the test that Randomise makes.
	x, y, diff := Series{}, Series{}, []float64{}
	for i := range 40 {
		x.Num, y.Num = append(x.Num, float64(i%5)), append(y.Num, float64(i%7)/1.5)
		diff = append(diff, y.Num[i]-x.Num[i])
	}
	exact, _ := Randomise(diff, 20_000, 3)
	if p := RandomiseRatios(x, y, 20_000, 4); math.Abs(p-exact) > .02 {
		t.Errorf("p = %v, want about %v", p, exact)
	}
}
