package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"lexagent/statute"
)

var twoLaws = []Law{
	{ID: "甲法@2020-01-01", Title: "甲法", Level: 1, Units: []statute.Unit{
		{ID: "甲法@2020-01-01:1", Kind: statute.Article, Label: "第一条", Number: 1, Text: "订立合同，应当采用书面形式；没有的，不得解除。"},
		{ID: "甲法@2020-01-01:2", Kind: statute.Article, Label: "第二条", Number: 2, Text: "有下列情形之一的：\n（一）违约。\n（二）其他情形"},
	}},
	{ID: "乙条例@2021-01-01", Title: "乙条例", Level: 2, Units: []statute.Unit{{ID: "乙条例@2021-01-01:1", Kind: statute.Article, Label: "第一条", Number: 1, Text: "本条例所称口岸，是指港口。"}}},
}

func TestWriteVaried(t *testing.T) {
	var one, two bytes.Buffer
	for _, b := range []*bytes.Buffer{&one, &two} {
		if err := WriteVaried(t.Context(), b, twoLaws, 100); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same laws gave two corpora")
	}
	seen, texts := map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(&one)
	n := 0
	for ; lines.Scan(); n++ {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if seen[r.LawID+r.Label] || r.Text == "" {
			t.Errorf("%s is there twice, or empty", r.ID)
		}
		seen[r.LawID+r.Label], texts[r.Text] = true, true
		if n < 3 && (r.LawTitle != "甲法" && r.LawTitle != "乙条例" || !strings.Contains(twoLaws[0].Units[0].Text+twoLaws[0].Units[1].Text+twoLaws[1].Units[0].Text, r.Text)) {
			t.Errorf("the laws themselves come first, and not %+v", r)
		}
	}
	if n != 100 || len(texts) < 60 {
		t.Errorf("%d articles, %d texts", n, len(texts))
	}
	if err := WriteVaried(t.Context(), &one, nil, 5); err == nil || !strings.Contains(err.Error(), "--from") {
		t.Errorf("without articles: %v", err)
	}
}

func TestClauses(t *testing.T) {
	text := "有下列情形之一的：\n（一）违约，赔偿；\n\n（二）其他。尾"
	got := clausesOf(text)
	if strings.Join(got, "") != text || !slices.Equal(got, []string{"有下列情形之一的：", "\n", "（一）违约，", "赔偿；", "\n", "\n", "（二）其他。", "尾"}) {
		t.Errorf("%q", got)
	}
}

func TestMadeUpVectors(t *testing.T) {
	list := madeUp(64)
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	mean := 0.0
	for i := range list {
		if math.Abs(dot(list[i], list[i])-1) > 1e-5 {
			t.Fatalf("vector %d has another length than 1", i)
		}
		mean += dot(list[i], list[0]) / float64(len(list))
	}
	if mean < 0.3 || mean > 0.7 {
		t.Errorf("they lie %.2f apart in the mean, and encoders' 0.3 to 0.7", mean)
	}
}
