package index

import (
	"cmp"
	"math"
	"slices"
)

// Likelihood ranks documents by the likelihood of the query in a language model of
// each, with Dirichlet smoothing (Zhai and Lafferty, 2001):
//
//	score(q, d) = Σ over t in q of qtf · ln(1 + tf/(μ·p(t))) + |q| · ln(μ/(dl + μ))
//
// where p(t) is the term's share of all terms of the collection and |q| counts the
// query's terms that the collection has. It is made of what a store holds for BM25,
// whose document side can be undone: with w = tf/(tf + c), c = K1·(1 − B + B·dl/avgdl)
// and Σ tf = dl, both dl and every tf follow from the weights. So both rankings see
// the same terms of the same texts.
type Likelihood struct {
	Mu float64 // how much smoothing; 0 = 1,000

	bm25       BM25
	statistics Statistics
	ids        []string
	lengths    []float64
	postings   map[uint32][]posting
	counts     map[uint32]float64 // of each term in the collection
	total      float64
}

type posting struct {
	doc int32
	tf  float32
}

const defaultMu = 1000

// NewLikelihood makes one without documents, for a generation with these settings.
func NewLikelihood(m *Manifest, mu float64) *Likelihood {
	if mu == 0 {
		mu = defaultMu
	}
	return &Likelihood{Mu: mu, bm25: m.BM25, statistics: m.Statistics, postings: map[uint32][]posting{}, counts: map[uint32]float64{}}
}

// Add adds a unit by its document's side of BM25.
func (l *Likelihood) Add(id string, d Sparse) {
	doc := int32(len(l.ids))
	average := l.statistics.Average(false)
	odds := 0.0 // Σ w/(1−w) = dl/c
	for _, w := range d.Weights {
		odds += float64(w) / (1 - float64(w))
	}
	k, b := l.bm25.K1, l.bm25.B
	length := odds * k * (1 - b) / (1 - odds*k*b/average)
	c := k * (1 - b + b*length/average)
	exact := 0.0
	for i, t := range d.Terms {
		w := float64(d.Weights[i])
		tf := max(math.Round(c*w/(1-w)), 1)
		exact += tf
		l.postings[t] = append(l.postings[t], posting{doc, float32(tf)})
		l.counts[t] += tf
	}
	l.ids = append(l.ids, id)
	l.lengths = append(l.lengths, exact)
	l.total += exact
}

// Search returns the k best documents for a query's side of BM25, ties in the order
// in which they were added. Documents without any of the query's terms are no hits.
func (l *Likelihood) Search(q Sparse, k int) []Hit {
	gains, terms := make([]float64, len(l.ids)), 0.0
	for i, t := range q.Terms {
		list := l.postings[t]
		if len(list) == 0 {
			continue
		}
		qtf := math.Round(float64(q.Weights[i]) / IDF(l.statistics.population(), len(list)))
		terms += qtf
		p := l.counts[t] / l.total
		for _, at := range list {
			gains[at.doc] += qtf * math.Log1p(float64(at.tf)/(l.Mu*p))
		}
	}
	var found []int
	for doc, gain := range gains {
		if gain > 0 {
			found = append(found, doc)
			gains[doc] = gain + terms*math.Log(l.Mu/(l.lengths[doc]+l.Mu))
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(gains[b], gains[a]) })
	hits := make([]Hit, min(k, len(found)))
	for i := range hits {
		hits[i] = Hit{ID: l.ids[found[i]], Score: gains[found[i]]}
	}
	return hits
}
