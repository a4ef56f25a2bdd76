package index

import (
	"cmp"
	"math"
	"slices"
)

// BM25 is the Lucene variant without the constant factor k1+1, the same as
// method="lucene" of the Python library bm25s (Kamphuis et al., "Which BM25 Do You
// Mean?", 2020):
//
//	score(q, d) = Σ over t in q of qtf · idf(t) · tf / (tf + K1·(1 − B + B·dl/avgdl))
//	idf(t)      = ln(1 + (N − df + 0.5)/(df + 0.5))
//
// The last fraction is the document's side, qtf · idf(t) the query's.
type BM25 struct {
	K1 float64 `json:"k1"` // how slowly repeated terms saturate; > 0
	B  float64 `json:"b"`  // how much length counts, 0–1
}

// DefaultBM25 is what measured best on questions to statutes.
var DefaultBM25 = BM25{K1: 1.5, B: 0.75}

// DocWeight is the document's side for a term that occurs tf times in a document
// of length terms, where documents have average terms on average.
func (p BM25) DocWeight(tf, length, average float64) float32 {
	if average <= 0 {
		average = 1
	}
	return float32(tf / (tf + p.K1*(1-p.B+p.B*length/average)))
}

// IDF is the inverse document frequency of a term that df of n documents hold.
func IDF(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}

// Sparse is a query or a document as term weights. Terms ascend and don't repeat;
// Weights run parallel. Term ids belong to one generation of one store.
type Sparse struct {
	Terms   []uint32
	Weights []float32
}

// Len is the number of terms.
func (s Sparse) Len() int { return len(s.Terms) }

// Dot is the inner product, summed in the order of term ids in double precision.
// With a query's weights and a document's it is the BM25 score.
func (s Sparse) Dot(t Sparse) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(s.Terms) && j < len(t.Terms); {
		switch {
		case s.Terms[i] < t.Terms[j]:
			i++
		case s.Terms[i] > t.Terms[j]:
			j++
		default:
			sum += float64(s.Weights[i]) * float64(t.Weights[j])
			i++
			j++
		}
	}
	return sum
}

// Vocabulary knows the terms of a generation.
type Vocabulary interface {
	// Term returns a term's id and how many units hold it; false = never seen.
	Term(term string) (id uint32, df int, ok bool)
}

// Statistics are frozen when a generation is built, so that vectors made then
// stay right when documents are added later.
type Statistics struct {
	Units        int     `json:"units"`         // N of the IDF: documents that are no chunks
	Chunks       int     `json:"chunks"`        // documents that are
	UnitAverage  float64 `json:"unit_average"`  // average length of units, in terms
	ChunkAverage float64 `json:"chunk_average"` // average length of chunks
}

// Encoder makes sparse vectors for one generation, whatever store holds it.
type Encoder struct {
	Analyzer   *Analyzer
	Vocabulary Vocabulary
	BM25       BM25
	Statistics Statistics
}

// Query returns the query's side of BM25: qtf · idf of each known term.
func (e *Encoder) Query(text string) Sparse {
	return e.encode(text, func(tf, _ float64, df int) float32 {
		return float32(tf * IDF(e.Statistics.population(), df))
	})
}

// Term returns a term's id and IDF; false = no document has it.
func (e *Encoder) Term(term string) (id uint32, idf float64, ok bool) {
	id, df, ok := e.Vocabulary.Term(term)
	if !ok {
		return 0, 0, false
	}
	return id, IDF(e.Statistics.population(), df), true
}

// Document returns the document's side of BM25 for the terms that the generation
// knows; new terms have no id before the next one.
func (e *Encoder) Document(text string, chunk bool) Sparse {
	average := e.Statistics.Average(chunk)
	return e.encode(text, func(tf, length float64, _ int) float32 {
		return e.BM25.DocWeight(tf, length, average)
	})
}

// Average is the frozen average length of units, or of chunks.
func (s Statistics) Average(chunk bool) float64 {
	if chunk {
		return s.ChunkAverage
	}
	return s.UnitAverage
}

// population is the N that document frequencies are counted in: units, or chunks
// where there is nothing else.
func (s Statistics) population() int {
	if s.Units == 0 {
		return s.Chunks
	}
	return s.Units
}

// encode counts the known terms of text and weighs each.
func (e *Encoder) encode(text string, weigh func(tf, length float64, df int) float32) Sparse {
	type known struct {
		id uint32
		df int
	}
	terms := e.Analyzer.Terms(text)
	found := make([]known, 0, len(terms))
	for _, t := range terms {
		if id, df, ok := e.Vocabulary.Term(t); ok {
			found = append(found, known{id, df})
		}
	}
	slices.SortFunc(found, func(a, b known) int { return cmp.Compare(a.id, b.id) })
	var s Sparse
	for i := 0; i < len(found); {
		j := i + 1
		for j < len(found) && found[j].id == found[i].id {
			j++
		}
		s.Terms = append(s.Terms, found[i].id)
		s.Weights = append(s.Weights, weigh(float64(j-i), float64(len(terms)), found[i].df))
		i = j
	}
	return s
}
