package retrieval

import (
	"fmt"
	"math"
)

// Fusion says how the scores of the sparse and the dense path become one. The
// zero value is LexPath's.
type Fusion struct {
	Method Method
	Alpha  *float64 // weight of the sparse path in [0, 1]; nil = 0.4
}

// Method is a way to fuse.
type Method string

// The methods. All of them see every candidate of either path with its exact
// score in both, so a score is never missing.
const (
	Arctan Method = "arctan" // LexPath § 3.4, formulas 2 and 3
	MinMax Method = "minmax" // each path scaled to [0, 1] over the candidates
	RRF    Method = "rrf"    // reciprocal ranks, 1/(60 + rank)
)

// DefaultAlpha is α as tuned in LexPath § 4.1.
const DefaultAlpha = 0.4

// rrfK is the constant of reciprocal rank fusion (Cormack et al., 2009).
const rrfK = 60

func (f Fusion) check() error {
	switch f.Method {
	case "", Arctan, MinMax, RRF:
	default:
		return &InputError{"fusion", fmt.Sprintf("there is no fusion %q: use arctan, minmax or rrf", f.Method)}
	}
	if f.Alpha != nil && !(*f.Alpha >= 0 && *f.Alpha <= 1) {
		return &InputError{"alpha", fmt.Sprintf("alpha is %v; it must be 0 to 1", *f.Alpha)}
	}
	return nil
}

func (f Fusion) alpha() float64 {
	if f.Alpha == nil {
		return DefaultAlpha
	}
	return *f.Alpha
}

// Fuse returns the fused score of each candidate from its raw scores in both
// paths: BM25 and the inner product of unit vectors. The slices are parallel.
func (f Fusion) Fuse(sparse, dense []float64) []float64 {
	s, d := f.scale(sparse), f.scale(dense)
	a := f.alpha()
	fused := make([]float64, len(s))
	for i := range s {
		fused[i] = a*s[i] + (1-a)*d[i]
	}
	return fused
}

func (f Fusion) scale(raw []float64) []float64 {
	out := make([]float64, len(raw))
	switch f.Method {
	case MinMax:
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, r := range raw {
			lo, hi = min(lo, r), max(hi, r)
		}
		for i, r := range raw {
			if hi > lo {
				out[i] = (r - lo) / (hi - lo)
			}
		}
	case RRF:
		for i, rank := range ranks(raw) {
			out[i] = 1 / float64(rrfK+rank)
		}
	default:
		for i, r := range raw {
			out[i] = 0.5 + math.Atan(r)/math.Pi
		}
	}
	return out
}

// ranks returns the rank of each score, from 1; equal scores share the better
// rank, so that the order in which candidates come does not matter.
func ranks(raw []float64) []int {
	out := make([]int, len(raw))
	for i, r := range raw {
		out[i] = 1
		for _, other := range raw {
			if other > r {
				out[i]++
			}
		}
	}
	return out
}
