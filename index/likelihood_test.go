package index

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A ranking by likelihood made from BM25's weights is that of the formula over the
// texts themselves.
func TestLikelihoodUndoesBM25(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	letters := strings.Split("abcdefghijkl", "")
	docs := make([]map[uint32]float64, 40)
	m := &Manifest{BM25: DefaultBM25, Statistics: Statistics{Units: len(docs)}}
	counts, df, total := map[uint32]float64{}, map[uint32]int{}, 0.0
	for i := range docs {
		docs[i] = map[uint32]float64{}
		for range 1 + rng.IntN(60) {
			docs[i][uint32(rng.IntN(len(letters)))]++
		}
		for term, n := range docs[i] {
			counts[term] += n
			df[term]++
			total += n
		}
	}
	m.Statistics.UnitAverage = total / float64(len(docs))
	l := NewLikelihood(m, 50)
	for i, d := range docs {
		length := 0.0
		for _, n := range d {
			length += n
		}
		var s Sparse
		for term := range uint32(len(letters)) {
			if n := d[term]; n > 0 {
				s.Terms, s.Weights = append(s.Terms, term), append(s.Weights, m.BM25.DocWeight(n, length, m.Statistics.UnitAverage))
			}
		}
		l.Add(string(rune('A'+i)), s)
	}
	asked := map[uint32]float64{1: 2, 4: 1, 7: 1} // term 1 twice
	var q Sparse
	for term := range uint32(len(letters)) {
		if n := asked[term]; n > 0 {
			q.Terms, q.Weights = append(q.Terms, term), append(q.Weights, float32(n*IDF(len(docs), df[term])))
		}
	}
	want := map[string]float64{}
	for i, d := range docs {
		length, score, any := 0.0, 0.0, false
		for _, n := range d {
			length += n
		}
		for term, n := range asked {
			score += n * math.Log((d[term]+50*counts[term]/total)/(length+50)/(counts[term]/total))
			any = any || d[term] > 0
		}
		if any {
			want[string(rune('A'+i))] = score
		}
	}
	hits := l.Search(q, 100)
	if len(hits) != len(want) {
		t.Fatalf("%d hits, want %d", len(hits), len(want))
	}
	for i, h := range hits {
		if math.Abs(h.Score-want[h.ID]) > 1e-9 {
			t.Errorf("%s: %v, want %v", h.ID, h.Score, want[h.ID])
		}
		if i > 0 && h.Score > hits[i-1].Score {
			t.Errorf("%s is behind a worse one", h.ID)
		}
	}
	if got := l.Search(Sparse{Terms: []uint32{99}, Weights: []float32{1}}, 5); len(got) != 0 {
		t.Errorf("a term that no document has found %v", got)
	}
}
