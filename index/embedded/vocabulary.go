package embedded

import (
	"fmt"

	"lexagent/index"
)

// vocabulary is the terms of a generation and how many units hold each.
type vocabulary struct {
	terms       *table
	frequencies []uint32
}

func readVocabulary(s [][]byte) (*vocabulary, error) {
	t, err := readTable(s)
	if err != nil {
		return nil, err
	}
	v := &vocabulary{terms: t, frequencies: view[uint32](s[tableSections])}
	if len(v.frequencies) != t.len() {
		return nil, fmt.Errorf("%w: terms and their frequencies differ in number", ErrDamaged)
	}
	return v, nil
}

// Term implements index.Vocabulary.
func (v *vocabulary) Term(term string) (id uint32, df int, ok bool) {
	n, ok := v.terms.find(term)
	if !ok {
		return 0, 0, false
	}
	return uint32(n), int(v.frequencies[n]), true
}

var _ index.Vocabulary = (*vocabulary)(nil)
