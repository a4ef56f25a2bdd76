// Package metrics holds the measures of retrieval, and how sure one may be of
// them, as pure functions.
//
// A Ranking says at which rank each gold of a question was found; every measure
// follows from it. Usually a hit finds one gold, but it may find several (a
// chunk of three articles, a passage of evidence within another). Then the hit
// counts once where hits are counted (precision, NDCG) and its golds count each
// where golds are counted (recall, average precision), so that every measure
// stays within [0, 1]. A gold counts for the first hit that finds it.
//
// Where each hit finds at most one gold, the values equal those of trec_eval
// (recall_k, P_k, ndcg_cut_k, map_cut_k, recip_rank, success_k) and of ranx
// (recall, precision, ndcg, map, mrr, hit_rate).
//
// Interval is a bootstrap interval (Efron and Tibshirani 1993, ch. 13);
// Randomise is Fisher's paired test (Smucker, Allan and Carterette, CIKM 2007).
package metrics
