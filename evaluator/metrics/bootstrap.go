package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Series holds a measure question by question, as numerators and denominators:
// the measure over all questions is Σ Num ÷ Σ Den. A mean over questions has
// denominators of 1 (Den nil); micro recall has golds found and golds.
type Series struct {
	Num []float64
	Den []float64 // nil means 1 for each
}

// Value is the measure over all questions, 0 when there are none.
func (s Series) Value() float64 {
	num, den := 0.0, 0.0
	for i, n := range s.Num {
		num += n
		den += s.den(i)
	}
	return ratio(num, den)
}

// Of is the measure over the questions at these places, 0 when there are none.
func (s Series) Of(places []int) float64 {
	num, den := 0.0, 0.0
	for _, i := range places {
		num += s.Num[i]
		den += s.den(i)
	}
	return ratio(num, den)
}

func (s Series) den(i int) float64 {
	if s.Den == nil {
		return 1
	}
	return s.Den[i]
}

// Interval is where a measure would lie if the questions were drawn anew.
type Interval struct {
	Low, High float64
}

// Bootstrap gives the percentile interval of each series: the questions are
// drawn with replacement, resamples times, and the middle part of the values,
// level wide (0.95), is kept, with linear interpolation between neighbours. All
// series see the same draws, and the same seed gives the same values. The series
// must be equally long.
func Bootstrap(series []Series, resamples int, level float64, seed uint64) []Interval {
	out := make([]Interval, len(series))
	if len(series) == 0 || len(series[0].Num) == 0 || resamples <= 0 {
		return out
	}
	n := len(series[0].Num)
	rng := rand.New(rand.NewPCG(seed, 0x626f6f74))
	drawn := make([]float64, n) // how often each question was drawn
	values := make([][]float64, len(series))
	for range resamples {
		clear(drawn)
		for range n {
			drawn[rng.IntN(n)]++
		}
		for i, s := range series {
			values[i] = append(values[i], s.weighted(drawn))
		}
	}
	for i, v := range values {
		slices.Sort(v)
		out[i] = Interval{Low: quantile(v, (1-level)/2), High: quantile(v, (1+level)/2)}
	}
	return out
}

// BootstrapOf gives the percentile interval of a statistic of n observations that
// is no ratio of sums: statistic is given which observations were drawn.
func BootstrapOf(n, resamples int, level float64, seed uint64, statistic func(drawn []int) float64) Interval {
	if n == 0 || resamples <= 0 {
		return Interval{}
	}
	rng := rand.New(rand.NewPCG(seed, 0x626f6f74))
	drawn, values := make([]int, n), make([]float64, resamples)
	for i := range values {
		for j := range drawn {
			drawn[j] = rng.IntN(n)
		}
		values[i] = statistic(drawn)
	}
	slices.Sort(values)
	return Interval{Low: quantile(values, (1-level)/2), High: quantile(values, (1+level)/2)}
}

// weighted is the measure when question i occurs times[i] times.
func (s Series) weighted(times []float64) float64 {
	num := 0.0
	for i, t := range times {
		num += float64(t * s.Num[i]) // rounded here, so that no CPU fuses the two
	}
	if s.Den == nil {
		return num / float64(len(times))
	}
	den := 0.0
	for i, t := range times {
		den += float64(t * s.Den[i])
	}
	return ratio(num, den)
}

// quantile interpolates linearly in sorted values (type 7 of Hyndman and Fan,
// the default of R and NumPy).
func quantile(sorted []float64, q float64) float64 {
	at := float64(q * float64(len(sorted)-1))
	low := math.Floor(at)
	a := sorted[int(low)]
	b := sorted[min(int(low)+1, len(sorted)-1)]
	return a + float64((b-a)*(at-low))
}

func ratio(num, den float64) float64 {
	if den == 0 {
		return 0
	}
	return num / den
}
