package model

import "context"

// Comparer compares texts by the vectors of an encoder.
type Comparer struct {
	Encoder interface {
		Encode(ctx context.Context, texts []string, role Role) ([][]float32, error)
	}
}

// Similar returns for each a of as its cosine with each b of bs, [len(as)][len(bs)].
// Both are taken as passages: what is compared are statements, not questions.
func (c Comparer) Similar(ctx context.Context, as, bs []string) ([][]float64, error) {
	v, err := c.Encoder.Encode(ctx, append(append(make([]string, 0, len(as)+len(bs)), as...), bs...), Passage)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(as))
	for i, a := range v[:len(as)] {
		out[i] = make([]float64, len(bs))
		for j, b := range v[len(as):] {
			for k := range a {
				out[i][j] += float64(a[k]) * float64(b[k])
			}
		}
	}
	return out, nil
}
