package prompts

import "slices"

// Odds are the probabilities that a text has each of the Intents, in their order.
// Zeros = not known.
type Odds [5]float64

// Certain are the odds of a label.
func Certain(i Intent) (p Odds) {
	if at := slices.Index(Intents, i); at >= 0 {
		p[at] = 1
	}
	return p
}

// Best is the likeliest intent, "" when none is known.
func (p *Odds) Best() Intent {
	at := 0
	for i := range p {
		if p[i] > p[at] {
			at = i
		}
	}
	if p[at] == 0 {
		return ""
	}
	return Intents[at]
}

// Agree is the probability that two texts have one intent, Σ p·q: 1 or 0 where both
// are certain, which is LexPath's formula 5.
func (p *Odds) Agree(q *Odds) float64 {
	sum := 0.0
	for i := range p {
		sum += p[i] * q[i]
	}
	return sum
}
