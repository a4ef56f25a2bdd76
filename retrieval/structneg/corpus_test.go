package structneg

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/book/booktest"
	"lexagent/statute"
)

// A book as it is: its own citations, laws that came later than the texts that
// cite them, and a collection that is nobody else's.
func TestReadCorpus(t *testing.T) {
	ctx := context.Background()
	var laws []booktest.Law
	for _, x := range []struct {
		title, version, collection string
		level                      statute.Level
		articles                   []string
	}{
		{"示范法", "2020-01-01", "public", 1, []string{"违反本法第二条的，处罚款。", "登记应当在三十日内申请。"}},
		{"示范法", "2001-01-01", "public", 1, []string{"旧的第一条。"}},
		{"示范条例", "2021-01-01", "public", 2, []string{"依照示范法第二条制定本条例。"}},
		{"陈旧条例", "1999-01-01", "public", 2, []string{"依照示范法第二条办理。"}},
		{"内部办法", "2024-01-01", "firm", 6, []string{"依照示范法第二条办理。"}},
	} {
		day, err := statute.ParseDate(x.version)
		if err != nil {
			t.Fatal(err)
		}
		laws = append(laws, booktest.Articles(&statute.Law{
			ID: statute.LawID(x.title, x.version), Title: x.title, Short: x.title, Level: x.level, Version: x.version,
			Published: day, Effective: day, Collection: x.collection,
		}, x.articles...))
	}
	b := booktest.New(t, laws...)
	if err := b.Relate(ctx, 20260101, func(int) {}); err != nil {
		t.Fatal(err)
	}

	c, err := ReadCorpus(ctx, b, "public")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Edges{Used: 2, Stale: 1}, c.Edges()); diff != "" || c.Size() != 5 {
		t.Errorf("%d units, edges %s", c.Size(), diff)
	}
	const gold = "示范法@2020-01-01:2"
	got := miner(t, c, func(s *Settings) { s.M = 0 }).Mine(&Question{ID: "q", Golds: []string{gold}}, c.ids)
	want := []Mined{{Positive: gold, Cited: []string{"示范条例@2021-01-01:1", "示范法@2020-01-01:1"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
