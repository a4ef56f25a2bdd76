// Package evaluator says how good a search is: it holds what was found (package
// run) against what should have been found (package dataset), computes the
// measures (package metrics) with bootstrap intervals, and tests whether two
// runs really differ.
//
//	found, err := run.ReadFile("bm25.jsonl")
//	gold, err := dataset.ReadFile("dev.jsonl")
//	report, err := evaluator.Evaluate(found, gold, evaluator.Options{})
//	err = report.WriteTable(os.Stdout)     // or json.NewEncoder(os.Stdout).Encode(report)
//
// # What counts as found
//
// By article: a hit finds a gold article when its id, its source_id, one of its
// source_ids or, of a chunk, one of its articles is the gold's article_id. A gold
// without an id is found by its law's title and its label, in any version of the
// law; so is every gold by name. By evidence: a hit finds a passage when, white
// space dropped, its text contains it. The text of an article is taken with its
// label before it, as the law prints it (第三条 …), since passages of evidence
// often begin with it.
//
// recall, ndcg, mrr, map, precision: see package metrics. recall is the mean over
// questions (macro), recall_micro the share of all golds of all questions. hit,
// all and first are the shares of questions of which any gold, every gold, or the
// gold named first is found. legal_dc_recall and legal_dc_mrr are what Legal-DC's
// own scripts compute by evidence; the latter may exceed 1.
//
// # Conventions
//
// Tools disagree where runs are untidy, so this is what happens here:
//
//   - Rank is the order printed in the run; scores are not looked at. trec_eval
//     sorts anew by score and breaks ties by descending id, ranx by an order of
//     its own, so tied scores would let the names of articles decide. The report
//     counts the lines on which scores rise, where those tools see another order.
//   - A question that the run lacks counts as 0 (ranx does so with
//     make_comparable; pytrec_eval leaves it out, which flatters a run that
//     skips hard questions).
//   - A question without gold has no recall; it's left out of every mean.
//   - Of hits with the same id on one line the first counts; the others are
//     taken out, so that later hits move up.
//   - Of run lines, or gold lines, with the same question id the first counts.
//   - Run lines for questions that the gold lacks are ignored.
//
// Each of these is counted and listed in Report.Problems.
package evaluator
