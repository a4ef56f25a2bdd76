package index

import (
	"math"
	"slices"
	"testing"

	"lexagent/statute"
)

// words is a vocabulary in memory: its words by their id, with frequencies.
type words struct {
	list []string
	df   []int
}

func (w words) Term(term string) (id uint32, df int, ok bool) {
	i := slices.Index(w.list, term)
	if i < 0 {
		return 0, 0, false
	}
	return uint32(i), w.df[i], true
}

// TestInnerProductIsBM25 holds that the query's and the document's side together
// are the formula, worked out here by hand.
func TestInnerProductIsBM25(t *testing.T) {
	e := &Encoder{Analyzer: newAnalyzer(t), Vocabulary: words{[]string{"wto", "gdp", "abc"}, []int{3, 9, 1}},
		BM25: DefaultBM25, Statistics: Statistics{Units: 10, UnitAverage: 4, ChunkAverage: 8}}
	query := e.Query("GDP wto, gdp; unknown")
	if !slices.Equal(query.Terms, []uint32{0, 1}) {
		t.Fatalf("the query's terms are %v", query.Terms)
	}
	for _, test := range []struct {
		chunk   bool
		average float64
	}{{false, 4}, {true, 8}} {
		got := query.Dot(e.Document("wto wto gdp other", test.chunk))
		norm := 1.5 * (1 - 0.75 + 0.75*4/test.average)
		want := math.Log(1+(10-3+0.5)/(3+0.5))*2/(2+norm) + 2*math.Log(1+(10-9+0.5)/(9+0.5))*1/(1+norm)
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("chunk %v: the score is %g and should be %g", test.chunk, got, want)
		}
	}
	if s := e.Query("，。"); s.Len() != 0 || s.Dot(query) != 0 {
		t.Errorf("a query without words is %v", s)
	}
}

func TestIDFIsPositive(t *testing.T) {
	for _, df := range []int{0, 1, 50, 100} {
		if IDF(100, df) <= 0 {
			t.Errorf("a term in %d of 100 documents weighs %g", df, IDF(100, df))
		}
	}
}

func TestInForce(t *testing.T) {
	tests := []struct {
		from, until, day statute.Date
		want             bool
	}{
		{20200101, 20210101, 20200101, true},
		{20200101, 20210101, 20201231, true},
		{20200101, 20210101, 20210101, false},
		{20200101, 0, 20191231, false},
		{0, 0, 20191231, true},
		{20200101, 20210101, 0, true},
	}
	for _, test := range tests {
		if got := InForce(test.from, test.until, test.day); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
