package storetest

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"lexagent/index"
	"lexagent/statute"
)

// oracle scores documents by BM25's formula, without any index.
type oracle struct {
	docs  []index.Doc
	terms []map[string]int
	sizes []int
	df    map[string]int // among units
	units int
	avg   map[bool]float64
}

func newOracle(t testing.TB, docs []index.Doc) *oracle {
	t.Helper()
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{docs: docs, df: map[string]int{}, avg: map[bool]float64{}}
	number := map[bool]int{}
	for _, d := range docs {
		counts := map[string]int{}
		terms := a.Terms(d.Text)
		for _, term := range terms {
			counts[term]++
		}
		chunk := d.Kind == statute.Chunk
		if !chunk {
			for term := range counts {
				o.df[term]++
			}
			o.units++
		}
		number[chunk]++
		o.avg[chunk] += float64(len(terms))
		o.terms, o.sizes = append(o.terms, counts), append(o.sizes, len(terms))
	}
	for chunk, n := range number {
		o.avg[chunk] /= float64(n)
	}
	return o
}

func (o *oracle) score(i int, query []string) float64 {
	sum, p := 0.0, index.DefaultBM25
	for _, q := range query {
		tf := float64(o.terms[i][q])
		if tf == 0 {
			continue
		}
		df := float64(o.df[q])
		idf := math.Log(1 + (float64(o.units)-df+0.5)/(df+0.5))
		sum += idf * tf / (tf + p.K1*(1-p.B+p.B*float64(o.sizes[i])/o.avg[o.docs[i].Kind == statute.Chunk]))
	}
	return sum
}

// ids are those of documents, in their order.
func ids(docs []index.Doc) []string {
	list := make([]string, len(docs))
	for i := range docs {
		list[i] = docs[i].ID
	}
	return list
}

// ranked returns the k best of the documents that pass, by their scores, ties in
// their order. Scores that aren't above least are no hits.
func ranked(docs []index.Doc, scores []float64, f index.Filter, k int, least float64) []index.Hit {
	var hits []index.Hit
	for i := range docs {
		if Passes(&docs[i], f) && scores[i] > least {
			hits = append(hits, index.Hit{ID: docs[i].ID, Score: scores[i]})
		}
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(k, len(hits))]
}
