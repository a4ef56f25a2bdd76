package retrieval

import (
	"fmt"
	"slices"
)

// Stage names a stage that a search can be run without, to see what it is worth.
type Stage string

// The stages. Those from StructNeg on are LexPath's ablations (§ 4.3).
const (
	Direct      Stage = "direct"    // look-up of the articles that the question names
	Place       Stage = "place"     // national law and that of the places that the question names: all local law is searched
	StructNeg   Stage = "structneg" // training of the encoder: the question is encoded as passages are
	Rerank      Stage = "rerank"    // the reranker: candidates keep the order of the fused scores
	IntentScore Stage = "intent"    // the intent's part of LexPath's formula
	Expand      Stage = "expand"    // the expansion: words of the question alone
	SparsePath  Stage = "sparse"    // the word path: candidates come from the dense path, and α is 0
	Memory      Stage = "memory"    // what the questions of training add to a search by vectors
	DensePath   Stage = "dense"     // the dense path: candidates come from the word path, and α is 1
)

// Stages lists the stages in the order in which help texts name them.
var Stages = []Stage{Direct, Place, StructNeg, Rerank, IntentScore, Expand, Memory, SparsePath, DensePath}

// stageModes are the modes that have a stage; one that isn't named is in all.
var stageModes = map[Stage][]Mode{
	StructNeg:   {Dense, Hybrid, Fast, LexPath},
	Rerank:      {Fast, LexPath},
	IntentScore: {LexPath},
	Expand:      {LexPath},
	Memory:      {Dense},
	SparsePath:  {Hybrid, Fast, LexPath},
	DensePath:   {Hybrid, Fast, LexPath},
}

// without reports whether a stage is left out.
func (q *Query) without(s Stage) bool { return slices.Contains(q.Without, s) }

// checkWithout refuses to leave out what is not there.
func (q *Query) checkWithout() error {
	for _, stage := range q.Without {
		if !slices.Contains(Stages, stage) {
			return &InputError{"without", fmt.Sprintf("there is no stage %q to leave out: use %s", stage, list(Stages))}
		}
		if modes, some := stageModes[stage]; some && !slices.Contains(modes, q.Mode) {
			return &InputError{"without", fmt.Sprintf("a search in mode %s has no stage %q to leave out: it belongs to %s", q.Mode, stage, list(modes))}
		}
	}
	if q.without(SparsePath) && q.without(DensePath) {
		return &InputError{"without", "a search needs one of its two paths: leave out sparse or dense, not both"}
	}
	return nil
}

// checkExpand fills in the expansion of the mode and refuses one that can't be.
func (q *Query) checkExpand() error {
	asked := q.Expand
	if q.Expand == "" {
		q.Expand = NoExpansion
		if q.Mode == LexPath {
			q.Expand = IRAC
		}
	}
	if !slices.Contains(Expansions, q.Expand) {
		return &InputError{"expand", fmt.Sprintf("there is no expansion %q: use %s", q.Expand, list(Expansions))}
	}
	if asked == "" || asked == NoExpansion {
		if q.without(Expand) || q.without(SparsePath) {
			q.Expand = NoExpansion
		}
		return nil
	}
	switch {
	case q.Mode == Dense, q.without(SparsePath):
		return &InputError{"expand", "an expansion is for the word path, and this search has none"}
	case q.without(Expand):
		return &InputError{"expand", "an expansion can't be both asked for and left out"}
	}
	return nil
}
