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
	ByArticle  By = "article"
	ByEvidence By = "evidence"
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

	// Groups maps question ids to names of groups, each of which is also
	// reported on its own; see SeenGroups. A question that the map lacks is in
	// the group "other". nil = no groups.
	Groups map[string]string
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
	case o.By != "" && o.By != ByArticle && o.By != ByEvidence:
		return o, fmt.Errorf("hits are matched by article or by evidence, not by %q", o.By)
	case o.Bootstrap < 1 || o.Bootstrap > maxResamples:
		return o, fmt.Errorf("the number of resamples must be between 1 and %d, not %d", maxResamples, o.Bootstrap)
	case o.Permutations < 1 || o.Permutations > maxResamples:
		return o, fmt.Errorf("the number of permutations must be between 1 and %d, not %d", maxResamples, o.Permutations)
	case !(o.Level > 0 && o.Level < 1):
		return o, fmt.Errorf("the level of an interval must lie between 0 and 1, not %v", o.Level)
	}
	return o, nil
}
