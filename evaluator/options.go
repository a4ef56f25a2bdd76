package evaluator

import (
	"fmt"
	"slices"
)

// By says what a hit is matched with.
type By string

// The ways to match. The zero By takes articles where any question has some,
// else evidence.
const (
	ByArticle  By = "article"  // by id; a gold without one by its law and label
	ByName     By = "name"     // by law and label, whatever the ids and the version
	ByEvidence By = "evidence" // a passage, by its text
)

// Options of an evaluation. The zero value is a good one.
type Options struct {
	K         []int   // cutoffs; nil = 1, 5, 10, 20, 100
	By        By      // "" = what the gold has
	Bootstrap int     // resamples for the intervals; 0 = 1,000
	Level     float64 // width of the intervals; 0 = 0.95
	Seed      uint64  // of the resamples and permutations: same seed, same values

	// Permutations is how many sign patterns Compare draws; 0 = 10,000.
	Permutations int

	Groups []Grouping // groups of questions that are also reported on their own
}

// Grouping parts the questions into groups.
type Grouping struct {
	Name string            // seen, type, level …
	Of   map[string]string // group by question id; a question that it lacks is in "other"
}

// maxResamples bounds resamples and permutations, which are a time limit in
// disguise.
const maxResamples = 1_000_000

// withDefaults fills in zero values and refuses what makes no sense.
func (o Options) withDefaults() (Options, error) {
	if len(o.K) == 0 {
		o.K = []int{1, 5, 10, 20, 100}
	}
	o.K = slices.Clone(o.K)
	slices.Sort(o.K)
	o.K = slices.Compact(o.K)
	if o.Bootstrap == 0 {
		o.Bootstrap = 1000
	}
	if o.Permutations == 0 {
		o.Permutations = 10_000
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	switch {
	case o.K[0] < 1:
		return o, fmt.Errorf("a cutoff k must be at least 1, not %d", o.K[0])
	case o.By != "" && o.By != ByArticle && o.By != ByName && o.By != ByEvidence:
		return o, fmt.Errorf("hits are matched by article, by name or by evidence, not by %q", o.By)
	case o.Bootstrap < 1 || o.Bootstrap > maxResamples:
		return o, fmt.Errorf("the number of resamples must be between 1 and %d, not %d", maxResamples, o.Bootstrap)
	case o.Permutations < 1 || o.Permutations > maxResamples:
		return o, fmt.Errorf("the number of permutations must be between 1 and %d, not %d", maxResamples, o.Permutations)
	case !(o.Level > 0 && o.Level < 1):
		return o, fmt.Errorf("the level of an interval must lie between 0 and 1, not %v", o.Level)
	}
	return o, nil
}
