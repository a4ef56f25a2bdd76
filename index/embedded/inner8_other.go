//go:build !amd64

package embedded

// fastCodes is false where inner8 has no vector instructions: then the floats are
// compared at once.
var fastCodes = false

// inner8 is the inner product of a question's code and a row's.
func inner8(q []int16, x []int8) int32 {
	sum := int32(0)
	for i, y := range x {
		sum += int32(q[i]) * int32(y)
	}
	return sum
}
