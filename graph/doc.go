// Package graph is the answer graph, in Eino: LegRAG's dual-path self-reflection.
// A draft is written from the articles found, checked, and then accepted, written
// again with what was wrong, written again from more articles, or given up.
//
//	understand ─▶ retrieve ─┬─▶ draft ─▶ verify ─┬─▶ settle
//	                        │    ▲ ▲              ├─▶ draft: with the objections
//	                        │    │ └─ supplement ◀┤   what is missing is searched for
//	                        ├─▶ extract ◀─────────┘   nothing grounded was left
//	                        └─▶ abstain
//
// Where there is no language model, or it fails, the answer is extractive; where the
// book does not answer, it says so. Rounds, tokens and time are bounded: when they are
// used up the best checked draft is the answer, with what is not verified marked.
//
// The package owns Answer, Citation and the sealed set of Events. While an answer
// is made only progress is sent; its text follows after the verdict, so nothing
// unchecked leaves.
package graph
