package index

import "unicode/utf8"

// Segmenter cuts Chinese into the sequence of words with the highest probability
// under a unigram model, by dynamic programming over the graph of all words of its
// lexicon. It is safe for concurrent use.
type Segmenter struct{ lexicon *Lexicon }

// NewSegmenter returns a segmenter over a lexicon.
func NewSegmenter(l *Lexicon) *Segmenter { return &Segmenter{lexicon: l} }

// step is the best way on from one character.
type step struct {
	score float32
	next  int32 // character after the word that starts here
	at    int32 // byte offset of the character
}

// Cut appends the words of run, a text of Chinese characters without marks, to
// words. They are substrings of run and cover it.
func (s *Segmenter) Cut(words []string, run string) []string {
	steps := make([]step, 0, 64)
	for i := range run {
		steps = append(steps, step{at: int32(i)})
	}
	n := len(steps)
	steps = append(steps, step{at: int32(len(run))})
	for i := n - 1; i >= 0; i-- {
		s.best(steps, run, i)
	}
	for i := 0; i < n; {
		next := int(steps[i].next)
		words = append(words, run[steps[i].at:steps[next].at])
		i = next
	}
	return words
}

// best fills steps[i], given those after it. A single character is always a way
// on. Equal scores go to the longer word.
func (s *Segmenter) best(steps []step, run string, i int) {
	l := s.lexicon
	steps[i].score = l.unknown + steps[i+1].score
	steps[i].next = int32(i + 1)
	node := uint32(0)
	for j := i; j < len(steps)-1; j++ {
		r, _ := utf8.DecodeRuneInString(run[steps[j].at:])
		if node = l.child(node, r); node == 0 {
			return
		}
		if p := l.logProb[node]; p != 0 && p+steps[j+1].score >= steps[i].score {
			steps[i].score = p + steps[j+1].score
			steps[i].next = int32(j + 1)
		}
	}
}
