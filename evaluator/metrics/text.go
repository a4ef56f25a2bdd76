package metrics

// F1 is the harmonic mean of precision and recall of the tokens of an answer
// against those of a reference, repeats counted: the measure of SQuAD, of whatever
// tokens. It is 0 when either has none.
func F1(answer, reference []string) float64 {
	left := map[string]int{}
	for _, t := range reference {
		left[t]++
	}
	same := 0
	for _, t := range answer {
		if left[t] > 0 {
			left[t]--
			same++
		}
	}
	return harmonic(same, len(answer), len(reference))
}

// RougeL is ROUGE-L's F1 (Lin 2004): precision and recall of the longest common
// subsequence of the two token lists. It is 0 when either has none. It equals the
// "rouge-l" f of Python's rouge-chinese but for the 1e-8 which that adds to a
// denominator, less than 5e-9 of difference.
func RougeL(answer, reference []string) float64 {
	return harmonic(common(answer, reference), len(answer), len(reference))
}

func harmonic(same, a, b int) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return 2 * float64(same) / float64(a+b)
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1) // of a's tokens so far with the first j of b
	for _, t := range a {
		diagonal := 0
		for j, u := range b {
			above := row[j+1]
			if t == u {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
