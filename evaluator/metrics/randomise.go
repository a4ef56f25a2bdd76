package metrics

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// maxExact is the number of questions up to which all sign patterns are tried:
// 65,536 of them.
const maxExact = 16

// Randomise is the two-sided paired randomisation test. diffs holds, question
// by question, what system A has more than B. If the systems were alike, each
// difference could as well have the other sign; p is the share of sign patterns
// whose sum lies as far from 0 as the real one or further.
//
// Questions without a difference change nothing and are passed over. When at
// most 16 remain, all patterns are tried and exact is true; else permutations
// many are drawn from seed and p = (as far + 1) ÷ (drawn + 1), which is never 0.
func Randomise(diffs []float64, permutations int, seed uint64) (p float64, exact bool) {
	var d []float64
	total, size := 0.0, 0.0
	for _, x := range diffs {
		if x != 0 {
			d = append(d, x)
			total += x
			size += math.Abs(x)
		}
	}
	// The same sum added in another order may differ in its last bits.
	far := math.Abs(total) - 1e-12*size
	if len(d) <= maxExact {
		count, all := 0, 1<<len(d)
		for pattern := range uint64(all) {
			if math.Abs(total-2*flipped(d, pattern)) >= far {
				count++
			}
		}
		return float64(count) / float64(all), true
	}
	rng := rand.New(rand.NewPCG(seed, 0x7369676e))
	count := 0
	for range permutations {
		flip := 0.0
		for i := 0; i < len(d); i += 64 {
			flip += flipped(d[i:min(i+64, len(d))], rng.Uint64())
		}
		if math.Abs(total-2*flip) >= far {
			count++
		}
	}
	return float64(count+1) / float64(permutations+1), false
}

// RandomiseRatios is the same test for two series whose questions weigh otherwise: the
// two systems' parts of a question change places, and p is the share of such exchanges
// after which the measures lie as far apart as they do or further, (as far + 1) ÷
// (drawn + 1).
func RandomiseRatios(a, b Series, permutations int, seed uint64) (p float64) {
	far := math.Abs(b.Value()-a.Value()) - 1e-12
	rng := rand.New(rand.NewPCG(seed, 0x726174696f))
	count := 0
	for range permutations {
		var num, den [2]float64
		for i := range a.Num {
			to := rng.IntN(2)
			num[to] += a.Num[i]
			den[to] += a.den(i)
			num[1-to] += b.Num[i]
			den[1-to] += b.den(i)
		}
		if math.Abs(ratio(num[1], den[1])-ratio(num[0], den[0])) >= far {
			count++
		}
	}
	return float64(count+1) / float64(permutations+1)
}

// flipped sums the differences whose bit is set.
func flipped(d []float64, pattern uint64) float64 {
	if len(d) < 64 {
		pattern &= 1<<len(d) - 1
	}
	sum := 0.0
	for ; pattern != 0; pattern &= pattern - 1 {
		sum += d[bits.TrailingZeros64(pattern)]
	}
	return sum
}
