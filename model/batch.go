package model

import (
	"cmp"
	"slices"
)

// batch is texts of one length that one run computes.
type batch struct {
	ids [][]int64   // equal length
	out [][]float32 // where each text's vector goes
}

// plan sorts the texts by their number of tokens and puts those of equal length
// together, at most limit tokens a batch (a longer text goes alone). The longest
// come first: the last batches are then short, and the cores end together.
func plan(ids [][]int64, out [][]float32, limit int) []batch {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[b]), len(ids[a])) })
	var batches []batch
	for _, i := range order {
		last := len(batches) - 1
		if last < 0 || len(batches[last].ids[0]) != len(ids[i]) || (len(batches[last].ids)+1)*len(ids[i]) > limit {
			batches = append(batches, batch{})
			last++
		}
		batches[last].ids = append(batches[last].ids, ids[i])
		batches[last].out = append(batches[last].out, out[i])
	}
	return batches
}

// run computes the batch's vectors.
func (b batch) run(s *session) error {
	width := len(b.ids[0])
	flat := slices.Concat(b.ids...)
	vectors := make([]float32, len(b.out)*s.dim)
	if err := s.vectors(flat, len(b.ids), width, vectors); err != nil {
		return err
	}
	for i, v := range b.out {
		copy(v, vectors[i*s.dim:])
	}
	return nil
}
