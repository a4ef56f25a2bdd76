package metrics

import (
	"math"
	"slices"
)

// Ranking says how one question went. Each function takes a cutoff k: only the
// first k hits count, and k = 0 means all. Without gold every value is 0.
type Ranking struct {
	// Ranks has for each gold the rank, from 1, of the first hit that finds it,
	// and 0 when none does.
	Ranks []int
	// Grades has for each gold how relevant it is, ≥ 1; nil means 1 for all.
	Grades []int
}

// Found counts the golds that the first k hits find.
func (r Ranking) Found(k int) int {
	n := 0
	for _, rank := range r.Ranks {
		if within(rank, k) {
			n++
		}
	}
	return n
}

// Recall is the share of the golds that the first k hits find.
func (r Ranking) Recall(k int) float64 {
	if len(r.Ranks) == 0 {
		return 0
	}
	return float64(r.Found(k)) / float64(len(r.Ranks))
}

// Hit is 1 when the first k hits find any gold, else 0.
func (r Ranking) Hit(k int) float64 {
	if r.Found(k) > 0 {
		return 1
	}
	return 0
}

// ReciprocalRank is 1 ÷ the rank of the first hit that finds a gold, and 0 when
// none of the first k does. Its mean over questions is MRR@k.
func (r Ranking) ReciprocalRank(k int) float64 {
	if ranks := r.relevant(k); len(ranks) > 0 {
		return 1 / float64(ranks[0])
	}
	return 0
}

// Precision is the number of relevant hits among the first k, divided by k even
// where fewer than k were returned. It is 0 for k = 0, where it has no meaning.
func (r Ranking) Precision(k int) float64 {
	if k <= 0 {
		return 0
	}
	return float64(len(r.relevant(k))) / float64(k)
}

// AveragePrecision is the mean over all golds of the precision at the rank
// where each is found, 0 for those not found within k. Its mean over questions
// is MAP@k.
func (r Ranking) AveragePrecision(k int) float64 {
	if len(r.Ranks) == 0 {
		return 0
	}
	golds := map[int]int{} // rank → golds found there
	for _, rank := range r.Ranks {
		golds[rank]++
	}
	sum := 0.0
	for i, rank := range r.relevant(k) {
		sum += float64(golds[rank]) * float64(i+1) / float64(rank)
	}
	return sum / float64(len(r.Ranks))
}

// NDCG is the discounted gain of the first k hits, Σ gain ÷ log2(rank + 1),
// divided by that of the best possible order of all golds cut at k (Järvelin
// and Kekäläinen 2002; linear gains, as in trec_eval). The gain of a hit is the
// grade of the gold it finds, the highest where it finds several.
func (r Ranking) NDCG(k int) float64 {
	gain := map[int]int{} // rank → gain
	ideal := make([]int, len(r.Ranks))
	for i, rank := range r.Ranks {
		ideal[i] = r.grade(i)
		gain[rank] = max(gain[rank], ideal[i])
	}
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	dcg, best := 0.0, 0.0
	for _, rank := range r.relevant(k) {
		dcg += discounted(gain[rank], rank)
	}
	for i, grade := range ideal {
		if within(i+1, k) {
			best += discounted(grade, i+1)
		}
	}
	if best == 0 {
		return 0
	}
	return min(dcg/best, 1) // rounding may reach past 1 by a last bit
}

// relevant lists the ranks within k at which something new is found, ascending,
// each once.
func (r Ranking) relevant(k int) []int {
	var ranks []int
	for _, rank := range r.Ranks {
		if within(rank, k) {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

func (r Ranking) grade(i int) int {
	if r.Grades == nil {
		return 1
	}
	return r.Grades[i]
}

func within(rank, k int) bool { return rank > 0 && (k <= 0 || rank <= k) }

func discounted(gain, rank int) float64 { return float64(gain) / math.Log2(float64(rank)+1) }

// All is 1 when the first k hits find every gold, else 0.
func (r Ranking) All(k int) float64 {
	if len(r.Ranks) > 0 && r.Found(k) == len(r.Ranks) {
		return 1
	}
	return 0
}

// First is 1 when the first k hits find the gold that is named first, else 0.
func (r Ranking) First(k int) float64 {
	if len(r.Ranks) > 0 && within(r.Ranks[0], k) {
		return 1
	}
	return 0
}
