package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Pearson is the linear correlation of x and y, which must be equally long. It is 0
// where one of them has no spread, which says nothing about agreement.
func Pearson(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	sxy, sxx, syy := 0.0, 0.0, 0.0
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		sxy += dx * dy
		sxx += dx * dx
		syy += dy * dy
	}
	return ratio(sxy, math.Sqrt(sxx*syy))
}

// Spearman is the correlation of the ranks; values that are equal share the mean of
// their ranks.
func Spearman(x, y []float64) float64 { return Pearson(ranks(x), ranks(y)) }

// Kendall is τ-b: of all pairs, those that x and y order alike less those that they
// order contrarily, in relation to the pairs that aren't tied (Kendall 1945).
func Kendall(x, y []float64) float64 {
	alike, tiedX, tiedY, pairs := 0, 0, 0, 0
	for i := range x {
		for j := range i {
			a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
			alike += a * b
			pairs++
			if a == 0 {
				tiedX++
			}
			if b == 0 {
				tiedY++
			}
		}
	}
	return ratio(float64(alike), math.Sqrt(float64(pairs-tiedX)*float64(pairs-tiedY)))
}

// WeightedKappa is Cohen's κ with quadratic weights (Cohen 1968) for two raters who
// gave whole numbers from lowest to highest: 1 is full agreement, 0 what chance
// would give. It is 0 where both gave one number to everything.
func WeightedKappa(x, y []int, lowest, highest int) float64 {
	n := highest - lowest + 1
	px, py := make([]float64, n), make([]float64, n)
	seen, chance := 0.0, 0.0
	for i := range x {
		px[x[i]-lowest]++
		py[y[i]-lowest]++
		d := float64(x[i] - y[i])
		seen += d * d
	}
	for i, a := range px {
		for j, b := range py {
			d := float64(i - j)
			chance += d * d * a * b
		}
	}
	if chance == 0 {
		return 0
	}
	return 1 - seen*float64(len(x))/chance
}

// ranks are the ranks of values from 1, ties sharing their mean.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return ratio(sum, float64(len(x)))
}
