package embedded

import "math"

// A row's code is its vector in 8 bits a dimension, a quarter of the memory that a
// search has to read. Codes are for a first look: with the length of what a code
// leaves out, an inner product of codes bounds the one of the vectors, so that the
// few rows that can be among the best are known, and only these are compared exactly.
//
// With x = s·c + e for a row (c its code) and v = t·d + f for the question (d of 14
// bits), the inner product is v·x = s·t·(c·d) + v·e + f·s·c, and by Cauchy and
// Schwarz the two last terms are at most |v|·|e| + |f|·|s·c|.
const (
	codeAlign = 32        // bytes a code's length is rounded up to; what is added is 0
	codeMost  = 127       // largest number in a row's code
	askMost   = 1<<14 - 1 // largest number in a question's, if the sums still fit into 32 bits
)

// codeWidth is the length of the codes of vectors with dim dimensions.
func codeWidth(dim int) int { return (dim + codeAlign - 1) / codeAlign * codeAlign }

// metaSize is the bytes of a codeMeta in the file.
const metaSize = 8

// codeMeta is what belongs to a code.
type codeMeta struct {
	scale float32 // s
	left  float32 // |e|, rounded up
}

// encodeRow makes the code of a row, which is finite. code has codeWidth bytes, all 0.
func encodeRow(row []float32, code []int8) codeMeta {
	most := float32(0)
	for _, x := range row {
		most = max(most, x, -x)
	}
	scale := most / codeMost
	if scale == 0 || math.IsInf(1/float64(scale), 0) {
		return codeMeta{left: roundUp(norm(row))} // nothing is in the code
	}
	left := 0.0
	for i, x := range row {
		c := math.RoundToEven(float64(x) / float64(scale))
		c = min(max(c, -codeMost), codeMost)
		code[i] = int8(c)
		e := float64(x) - float64(scale)*c
		left += e * e
	}
	return codeMeta{scale: scale, left: roundUp(math.Sqrt(left))}
}

// roundUp is a float32 that isn't below x, with something to spare for the roundings
// in x.
func roundUp(x float64) float32 {
	return math.Nextafter32(float32(x*(1+1e-9)), math.MaxFloat32)
}

func norm(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// asked is a question's code, with what bounds need.
type asked struct {
	code  []int16
	scale float64 // t
	// The bound of a row's error is left·perLeft + scale·perScale.
	perLeft, perScale float64
}

// ask makes the code of a question; false when it has none that is of use: it is not
// finite, or so small or large that bounds would be.
func ask(v []float32) (*asked, bool) {
	most, length := 0.0, norm(v)
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	if !(length > 1e-15 && length < 1e15) {
		return nil, false
	}
	width := codeWidth(len(v))
	a := &asked{code: make([]int16, width)}
	a.scale = most / float64(min(askMost, math.MaxInt32/(codeMost*width)))
	left := 0.0
	for i, x := range v {
		d := math.RoundToEven(float64(x) / a.scale)
		a.code[i] = int16(d)
		e := float64(x) - a.scale*d
		left += e * e
	}
	// The exact score is summed in single precision, whose error is a share of |v|·|x|.
	dim := float64(len(v))
	rounding := length * (dim + 8) * 0x1p-22
	rowMost := codeMost * math.Sqrt(dim) // |s·c| ≤ s·rowMost, |x| ≤ s·rowMost + left
	a.perLeft = length*(1+1e-9) + rounding
	a.perScale = rowMost * (math.Sqrt(left)*(1+1e-9) + rounding)
	return a, true
}

// bounds returns what a row's score is between.
func (a *asked) bounds(code []int8, m codeMeta) (low, high float64) {
	about := a.scale * float64(m.scale) * float64(inner8(a.code, code))
	within := float64(m.left)*a.perLeft + float64(m.scale)*a.perScale
	return about - within, about + within
}
