package embedded

import "github.com/viterin/vek"

// fastCodes reports whether inner8 is worth calling: without vector instructions the
// floats are as fast.
var fastCodes = vek.Info().Acceleration // AVX2 and FMA

//go:noescape
func inner8AVX2(q *int16, x *int8, n int) int32

// inner8 is the inner product of a question's code and a row's, of equal length, a
// multiple of codeAlign above 0.
func inner8(q []int16, x []int8) int32 {
	if len(x) == 0 || len(q) != len(x) || len(x)%codeAlign != 0 {
		panic("codes of the wrong length")
	}
	return inner8AVX2(&q[0], &x[0], len(x))
}
