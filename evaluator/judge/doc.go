// Package judge scores answers with a language model, and tells how far its scores
// may be trusted.
//
// A judge gives an answer whole numbers from 1 to 5 for relevance, accuracy,
// completeness and fluency, the dimensions of LegRAG's evaluator, seeing the
// question, the reference answer and the texts of the gold articles. Score puts
// them together by weights (30, 40, 20 and 10 % there) on a scale from 0 to 1.
//
//	j := &judge.Judge{Model: llm, Name: "qwen3"}
//	v, err := j.Judge(ctx, judge.Item{Question: q, Reference: r, Answer: a})
//	score := judge.DefaultWeights.Score(v.Scores)
//
// What can't be judged, because the model fails or never replies with a verdict, is
// "not judged": it's counted, and is never a score.
//
// Batch judges many answers into a file and goes on where it was: a line counts
// when its hash, of the prompt's wording and of the model's name, is that of the
// question, reference and answer at hand.
//
// Agreement compares the judge with people who rated the same answers on a form
// (Sheet), blind: the form shows answers in random order under codes made of their
// content, and no names of systems.
package judge
