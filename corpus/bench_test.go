package corpus

import (
	"path/filepath"
	"testing"
)

// BenchmarkJSONL reads all 148,858 units of the real corpus, gunzip and the join
// of the dates included.
func BenchmarkJSONL(b *testing.B) {
	path := filepath.Join(sharedLaws(b), "articles.jsonl.gz")
	for b.Loop() {
		units, laws := 0, 0
		for doc, err := range Read(b.Context(), path) {
			if err != nil {
				b.Fatal(err)
			}
			units += len(doc.Units)
			laws++
		}
		b.ReportMetric(float64(units), "units")
		b.ReportMetric(float64(laws), "documents")
	}
}
