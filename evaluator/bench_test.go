package evaluator

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

// BenchmarkReadAndEvaluate reads and evaluates one run of the size of all of
// STARD: 1,543 questions with 100 hits, each with an article's text.
func BenchmarkReadAndEvaluate(b *testing.B) {
	text := strings.Repeat("夫妻双方自愿离婚的，应当签订书面离婚协议。", 6)
	var file bytes.Buffer
	gold := make([]dataset.Question, 1543)
	for i := range gold {
		line := run.Line{ID: fmt.Sprint("q", i)}
		for j := range 100 {
			id := fmt.Sprintf("L%d:%d", i%97, j)
			line.Hits = append(line.Hits, run.Hit{ID: "民法典@2020-05-28:" + id, SourceID: id, Kind: "article",
				Law: "中华人民共和国民法典", Label: "第一千零七十六条", Text: text, Score: 1 / float64(j+1)})
		}
		if err := line.Write(&file); err != nil {
			b.Fatal(err)
		}
		gold[i] = articles(line.ID, fmt.Sprintf("L%d:%d", i%97, i%131), "none")
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		found, err := run.Read(bytes.NewReader(file.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Evaluate(found, gold, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
