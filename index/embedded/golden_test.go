package embedded_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lexagent/index"
	"lexagent/statute"
)

var update = flag.Bool("update", false, "write testdata/terms.json anew; run testdata/golden.py after it")

// golden is what testdata/golden.py scores with bm25s.
type golden struct {
	K1        float64    `json:"k1"`
	B         float64    `json:"b"`
	Documents [][]string `json:"documents"`
	Queries   [][]string `json:"queries"`
}

// sentences makes n texts in the manner of statutes, from few parts, so that terms
// repeat within and across texts.
func sentences(r *rand.Rand, n, longest int) []string {
	subjects := []string{"用人单位", "劳动者", "出租人", "承租人", "未成年人的监护人", "经营者", "消费者", "人民法院", "债务人", "股东"}
	verbs := []string{"应当支付", "可以解除", "不得拒绝履行", "有权要求赔偿", "必须书面通知", "依法承担", "请求返还"}
	objects := []string{"经济补偿", "租赁合同", "二倍的工资", "侵权责任", "违约金", "定金", "抵押财产", "借款利息", "押金", "工伤保险待遇"}
	conditions := []string{"超过三十日的", "造成损失的", "依照本法第三十八条", "没有约定的", "有下列情形之一的", "依照第120条之一的规定"}
	list := make([]string, n)
	for i := range list {
		var text strings.Builder
		for range 1 + r.IntN(longest) {
			fmt.Fprintf(&text, "%s%s，%s%s。", subjects[r.IntN(len(subjects))], conditions[r.IntN(len(conditions))],
				verbs[r.IntN(len(verbs))], objects[r.IntN(len(objects))])
		}
		list[i] = text.String()
	}
	return list
}

func terms(t *testing.T, texts []string) [][]string {
	t.Helper()
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	list := make([][]string, len(texts))
	for i, text := range texts {
		list[i] = a.Terms(text)
	}
	return list
}

// TestBM25EqualsBm25s holds that scores are those of the Python library bm25s
// (method "lucene") for the same terms.
func TestBM25EqualsBm25s(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 120))
	documents, queries := sentences(r, 240, 5), sentences(r, 60, 2)
	queries = append(queries, "押金押金押金不退怎么办", "全不在其中：宇宙飞船", "的")
	given := golden{index.DefaultBM25.K1, index.DefaultBM25.B, terms(t, documents), terms(t, queries)}
	path := filepath.Join("testdata", "terms.json")
	now, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, now, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if before, err := os.ReadFile(path); err != nil || string(before) != string(now) {
		t.Fatalf("the analyzer gives other terms than those scored (%v): go test -update, then testdata/golden.py", err)
	}
	b, err := os.ReadFile(filepath.Join("testdata", "bm25s.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want [][]float64
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	docs := make([]index.Doc, len(documents))
	ids := make([]string, len(documents))
	for i, text := range documents {
		ids[i] = fmt.Sprintf("d%d", i)
		docs[i] = index.Doc{ID: ids[i], Kind: statute.Article, Text: text}
	}
	s, _ := open(t, docs)
	for i, q := range queries {
		got, _, err := s.Scores(context.Background(), ids, s.Query(q), nil)
		if err != nil {
			t.Fatal(err)
		}
		for d := range docs {
			if math.Abs(got[d]-want[i][d]) > 1e-4 {
				t.Fatalf("query %d, document %d: %g, bm25s says %g", i, d, got[d], want[i][d])
			}
		}
		hits, err := s.SearchSparse(context.Background(), s.Query(q), index.Filter{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if best := slices.Max(want[i]); len(hits) > 0 && math.Abs(hits[0].Score-best) > 1e-4 || len(hits) == 0 && best > 0 {
			t.Errorf("query %d: best hit %v, bm25s says %g", i, hits, best)
		}
	}
}
