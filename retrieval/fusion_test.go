package retrieval

import (
	"errors"
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func TestLexPathFusion(t *testing.T) {
	// § 3.4: r̄ = 1/2 + arctan(r)/π; r = α·r̄(sparse) + (1−α)·r̄(dense), α = 0.4.
	got := Fusion{}.Fuse([]float64{0, 1, 31.5}, []float64{0.5, 0.25, 0.7})
	for i, want := range []float64{
		0.4*0.5 + 0.6*(0.5+math.Atan(0.5)/math.Pi),
		0.4*0.75 + 0.6*(0.5+math.Atan(0.25)/math.Pi),
		0.4*(0.5+math.Atan(31.5)/math.Pi) + 0.6*(0.5+math.Atan(0.7)/math.Pi),
	} {
		if !near(got[i], want) {
			t.Errorf("%d: %v, want %v", i, got[i], want)
		}
	}
}

func TestOtherFusions(t *testing.T) {
	half := 0.5
	sparse, dense := []float64{10, 20, 20}, []float64{0.9, 0.1, 0.5}
	for _, c := range []struct {
		method Method
		want   []float64
	}{
		{MinMax, []float64{0.5, 0.5, 0.75}},
		{RRF, []float64{(1./63 + 1./61) / 2, (1./61 + 1./63) / 2, (1./61 + 1./62) / 2}},
	} {
		got := Fusion{Method: c.method, Alpha: &half}.Fuse(sparse, dense)
		for i := range got {
			if !near(got[i], c.want[i]) {
				t.Errorf("%s: %v, want %v", c.method, got, c.want)
			}
		}
	}
	// All candidates equal in a path: the path says nothing, and nothing is NaN.
	for _, v := range (Fusion{Method: MinMax}).Fuse([]float64{3, 3}, []float64{0.2, 0.2}) {
		if v != 0 {
			t.Errorf("minmax of equal scores: %v", v)
		}
	}
}

func TestFusionKeepsTheOrderOfOnePath(t *testing.T) {
	zero, one := 0.0, 1.0
	sparse, dense := []float64{5, 1, 3}, []float64{0.1, 0.2, 0.3}
	for _, m := range []Method{Arctan, MinMax, RRF} {
		s := Fusion{Method: m, Alpha: &one}.Fuse(sparse, dense)
		d := Fusion{Method: m, Alpha: &zero}.Fuse(sparse, dense)
		if !(s[0] > s[2] && s[2] > s[1]) || !(d[2] > d[1] && d[1] > d[0]) {
			t.Errorf("%s: %v %v", m, s, d)
		}
	}
}

func TestFusionsThatDoNotExist(t *testing.T) {
	var input *InputError
	nan, two := math.NaN(), 2.0
	for _, f := range []Fusion{{Method: "sum"}, {Alpha: &nan}, {Alpha: &two}} {
		if err := f.check(); !errors.As(err, &input) {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
