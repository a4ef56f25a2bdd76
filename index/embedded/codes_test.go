package embedded

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestInner8 holds that the processor's vector instructions add up what they should,
// at the ends of the ranges too.
func TestInner8(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, width := range []int{32, 64, 512, 1024, 4096} {
		for round := range 50 {
			q, x := make([]int16, width), make([]int8, width)
			most := min(askMost, math.MaxInt32/(codeMost*width))
			for i := range q {
				q[i], x[i] = int16(r.IntN(2*most+1)-most), int8(r.IntN(2*codeMost+1)-codeMost)
				if round < 2 {
					q[i], x[i] = int16(most*(1-2*round)), codeMost
				}
			}
			want := int64(0)
			for i := range q {
				want += int64(q[i]) * int64(x[i])
			}
			if got := inner8(q, x); int64(got) != want {
				t.Fatalf("width %d: %d instead of %d", width, got, want)
			}
		}
	}
}

// TestBounds holds that the bounds that codes give hold the exact score, for vectors
// of every kind, and are near enough to rule rows out.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	kinds := map[string]func(v []float32){
		"normal": func(v []float32) {
			for i := range v {
				v[i] = float32(r.NormFloat64())
			}
		},
		"one large": func(v []float32) {
			for i := range v {
				v[i] = float32(r.NormFloat64()) * 1e-4
			}
			v[r.IntN(len(v))] = 1
		},
		"few": func(v []float32) { v[r.IntN(len(v))], v[r.IntN(len(v))] = 1, -2 },
		"grid": func(v []float32) {
			for i := range v {
				v[i] = float32(r.IntN(5)-2) / 4
			}
		},
		"tiny": func(v []float32) {
			for i := range v {
				v[i] = float32(r.NormFloat64()) * 1e-9
			}
		},
		"huge": func(v []float32) {
			for i := range v {
				v[i] = float32(r.NormFloat64()) * 1e9
			}
		},
		"least": func(v []float32) { v[0] = math.SmallestNonzeroFloat32 },
		"equal": func(v []float32) {
			for i := range v {
				v[i] = 0.1
			}
		},
		"zero": func([]float32) {},
	}
	for _, dim := range []int{1, 3, 24, 512, 1000, 4096} {
		for asks, fillV := range kinds {
			for holds, fillX := range kinds {
				v, x := make([]float32, dim), make([]float32, dim)
				fillV(v)
				fillX(x)
				a, ok := ask(v)
				if !ok {
					continue
				}
				code := make([]int8, codeWidth(dim))
				m := encodeRow(x, code)
				low, high := a.bounds(code, m)
				score := inner(v, x)
				if !(low <= score && score <= high) {
					t.Errorf("%s, %s, %d dimensions: %g is not between %g and %g", asks, holds, dim, score, low, high)
				}
				if asks == "normal" && holds == "normal" && high-low > 0.05*norm(v)*norm(x) {
					t.Errorf("%d dimensions: the score is between %g and %g", dim, low, high)
				}
			}
		}
	}
	for _, v := range [][]float32{{0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
		if _, ok := ask(v); ok {
			t.Errorf("%v has a code", v)
		}
	}
}
