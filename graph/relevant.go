package graph

import "lexagent/retrieval"

// relevant returns the hits that bear on the question.
func relevant(res *retrieval.Result) []retrieval.Hit { return res.Hits }
