package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"lexagent/index"
	"lexagent/statute"
)

// Docs makes n documents out of few characters, so that terms and scores repeat;
// the last quarter are chunks.
func Docs(r *rand.Rand, n int) []index.Doc {
	chars := []rune("用人单位与劳动者订立合同支付工资经济补偿的")
	docs := make([]index.Doc, n)
	for i := range docs {
		var text strings.Builder
		for range 1 + r.IntN(30) {
			text.WriteRune(chars[r.IntN(len(chars))])
			if r.IntN(9) == 0 {
				text.WriteString("，")
			}
		}
		d := index.Doc{ID: fmt.Sprintf("法%d@2020-01-01:%d", i%7, i), Law: fmt.Sprintf("法%d@2020-01-01", i%7),
			Collection: []string{"public", "firm"}[r.IntN(2)], Region: []string{"", "上海", "青岛"}[r.IntN(3)],
			Kind: statute.Article, Level: statute.Level(r.IntN(7)), Text: text.String(), Hash: index.TextHash(text.String())}
		if i >= n*3/4 {
			d.Kind = statute.Chunk
		}
		if r.IntN(2) == 0 {
			d.From = statute.Date(20100101 + 10000*r.IntN(10))
		}
		if r.IntN(3) == 0 {
			d.Until = statute.Date(20200101)
		}
		docs[i] = d
	}
	return docs
}

// Filter makes a filter over such documents.
func Filter(r *rand.Rand) index.Filter {
	var f index.Filter
	if r.IntN(2) == 0 {
		f.Collections = []string{"public"}
	}
	if r.IntN(3) == 0 {
		f.Levels = []statute.Level{1, 2, 5}
	}
	if r.IntN(3) == 0 {
		f.Laws = []string{"法3@2020-01-01", "法5@2020-01-01", "没有的法@2020-01-01"}
	}
	if r.IntN(3) == 0 {
		f.Regions = []string{"", "上海"}
	}
	if r.IntN(2) == 0 {
		f.Kinds = []statute.Kind{[]statute.Kind{statute.Article, statute.Chunk}[r.IntN(2)]}
	}
	if r.IntN(2) == 0 {
		f.AsOf = statute.Date(20150601)
	}
	return f
}

// Passes says what a filter means.
func Passes(d *index.Doc, f index.Filter) bool {
	in := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return in(f.Collections, d.Collection) && in(f.Laws, d.Law) && in(f.Regions, d.Region) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, d.Kind)) &&
		(len(f.Levels) == 0 || slices.Contains(f.Levels, d.Level)) &&
		(f.AsOf == 0 || (d.From == 0 || d.From <= f.AsOf) && (d.Until == 0 || f.AsOf < d.Until))
}

// Vectors makes vectors on a coarse grid, so that scores tie and every order of
// summing gives the same.
func Vectors(r *rand.Rand, n, dim int) [][]float32 {
	list := make([][]float32, n)
	for i := range list {
		list[i] = make([]float32, dim)
		for j := range list[i] {
			list[i][j] = float32(r.IntN(5)-2) / 4
		}
	}
	return list
}
