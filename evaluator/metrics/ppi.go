package metrics

import "math"

// PredictionPowered estimates the mean of what people would score, where people
// scored only some of the items and a judge all: judge is the judge's scores of the
// items that people scored, people theirs, rest the judge's scores of the others
// (Angelopoulos et al., "PPI++", 2023). The judge's bias is taken out by the items
// scored by both, and it is used only as far as it follows people. The interval is
// normal, 95 %. ok is false below ten items scored by people, where it would mean
// nothing.
func PredictionPowered(judge, people, rest []float64) (value, low, high float64, ok bool) {
	n, m := float64(len(people)), float64(len(rest))
	if len(people) < minLabelled || len(judge) != len(people) || len(rest) == 0 {
		return 0, 0, 0, false
	}
	mj, mp := mean(judge), mean(people)
	all := append(append([]float64(nil), judge...), rest...)
	covariance := 0.0
	for i := range judge {
		covariance += (judge[i] - mj) * (people[i] - mp) / (n - 1)
	}
	power := 0.0 // how far the judge is used, 0 to 1
	if v := variance(all); v > 0 {
		power = min(max(covariance/((1+n/m)*v), 0), 1)
	}
	value = mp + power*(mean(rest)-mj)
	left := make([]float64, len(people))
	for i := range left {
		left[i] = people[i] - power*judge[i]
	}
	spread := 1.959964 * math.Sqrt(power*power*variance(rest)/m+variance(left)/n)
	return value, value - spread, value + spread, true
}

const minLabelled = 10

// variance is the sample variance, 0 of fewer than two.
func variance(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return sum / float64(len(x)-1)
}

// Krippendorff is Krippendorff's α for interval data: units are the ratings that each
// item got, of any number of raters. Items with one rating say nothing. 1 is full
// agreement, 0 what chance would give; it is 0 where nothing differs.
func Krippendorff(units [][]float64) float64 {
	var pooled []float64
	observed := 0.0
	for _, u := range units {
		if len(u) < 2 {
			continue
		}
		pooled = append(pooled, u...)
		for i := range u {
			for j := range i {
				observed += 2 * (u[i] - u[j]) * (u[i] - u[j]) / float64(len(u)-1)
			}
		}
	}
	n := float64(len(pooled))
	if n < 2 {
		return 0
	}
	// Over all pairs Σ(a−b)² is 2n·Σ(a−mean)², which the variance has.
	expected := 2 * variance(pooled) // of two different ones, drawn by chance
	if expected == 0 {
		return 0
	}
	return 1 - observed/n/expected
}

// Deviation is the sample standard deviation, 0 of fewer than two.
func Deviation(x []float64) float64 { return math.Sqrt(variance(x)) }
