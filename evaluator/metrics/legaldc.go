package metrics

// Passages says where the passages of evidence of one question were found, for the
// measures that Legal-DC's scripts compute (github.com/legal-dc/Legal-DC,
// evaluate/evaluate_for_retrivel.py, with k = 5). Their names promise other things
// than recall and MRR elsewhere, so they have names of their own. White space is
// dropped here everywhere; the scripts drop blanks for the first measure only.
type Passages struct {
	Ranks  [][]int // of each passage: the ranks of all hits that hold it whole, ascending
	Joined []int   // of each passage: how many hits, put together, first hold it; 0 = none do
}

// Recall is 1 when the first k hits, put together in their order, hold every
// passage, else 0. A passage may begin in one hit and end in the next.
func (p Passages) Recall(k int) float64 {
	for _, n := range p.Joined {
		if !within(n, k) {
			return 0
		}
	}
	if len(p.Joined) == 0 {
		return 0
	}
	return 1
}

// MRR is the sum of 1 ÷ rank over every hit among the first k that holds a
// passage, divided by the number of passages. Where several hits hold the same
// passage it exceeds 1.
func (p Passages) MRR(k int) float64 {
	if len(p.Ranks) == 0 {
		return 0
	}
	sum := 0.0
	for _, ranks := range p.Ranks {
		for _, rank := range ranks {
			if within(rank, k) {
				sum += 1 / float64(rank)
			}
		}
	}
	return sum / float64(len(p.Ranks))
}
