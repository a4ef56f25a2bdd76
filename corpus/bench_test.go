package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lexagent/statute"
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

// BenchmarkFormats reads a law as long as 民法典 as a text, a wrapped text and a
// page, and a PDF file of four pages. B/s counts the file.
func BenchmarkFormats(b *testing.B) {
	var md strings.Builder
	md.WriteString("# 灯塔法典\n\n2020年5月28日 某会通过\n\n<!-- INFO END -->\n\n")
	for n := 1; n <= 1260; n++ {
		md.WriteString(statute.Label(n, 0) + "　" + strings.Repeat("建造、维护、使用灯塔以及与灯塔有关的活动，适用本法。", 4) + "\n\n")
	}
	dir := b.TempDir()
	files := map[string][]byte{"a.txt": []byte(asText(md.String())), "wrapped.txt": []byte(asWrapped(md.String(), 38)), "a.html": []byte(asPage(md.String(), true)),
		"a.pdf": pdfFile(b, "same/chapters.chromium.pdf")}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			readOne(b, path) // starts the engine of PDF files
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				readOne(b, path)
			}
		})
	}
}
