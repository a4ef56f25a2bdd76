// Package graph is the answer graph, in Eino: understand → retrieve → draft →
// verify, with an extractive answer where there is no language model or its draft
// does not hold, and an honest "not found here" where the book does not answer.
//
//	understand ─▶ retrieve ─┬─▶ draft ──┬─▶ verify ─┬─▶ done
//	                        ├─▶ extract ┘     ▲      │
//	                        │      ▲──────────┼──────┘ the draft did not hold
//	                        └─▶ abstain ──────┘
//
// The package owns Answer, Citation and the sealed set of Events. While an answer
// is made only progress is sent; its text follows after the verdict, so nothing
// unchecked leaves.
package graph
