package retrieval

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"lexagent/statute"
)

// Chunks give way to the whole articles that they hold, each once; what left the
// book is passed over, and the number of articles is bounded.
func TestChunksGiveWayToWholeArticles(t *testing.T) {
	e := newEngine(t, all)
	s := e.search(Query{Scope: Scope{Collections: []string{"public"}}})
	chunk := func(units ...string) Hit { return Hit{ID: "chunk", Kind: statute.Chunk, Units: units, Score: 0.5} }
	const a, b, c = "民法典@2020-05-28:1076", "民法典@2020-05-28:1077", "民法典@2020-05-28:1079"
	for name, test := range map[string]struct {
		hits []Hit
		want []string
	}{
		"an article stays":      {[]Hit{{ID: c}}, []string{c}},
		"in the text's order":   {[]Hit{chunk(a, b), {ID: c}}, []string{a, b, c}},
		"each once":             {[]Hit{{ID: b}, chunk(a, b), chunk(b, c)}, []string{b, a, c}},
		"a piece is made whole": {[]Hit{chunk(b)}, []string{b}},
		"gone since":            {[]Hit{chunk(a, "民法典@2020-05-28:9999")}, []string{a}},
	} {
		got, err := s.whole(context.Background(), test.hits)
		if err != nil || !slices.Equal(ids(got), test.want) {
			t.Errorf("%s: %v, %v", name, ids(got), err)
		}
		for _, h := range got {
			if h.ID != test.hits[0].ID && h.Text == "" && h.Kind != "" {
				t.Errorf("%s: %s has no text", name, h.ID)
			}
		}
	}
	var many []Hit
	for i := range 3 * maxWhole {
		many = append(many, Hit{ID: fmt.Sprint(i)})
	}
	if got, err := s.whole(context.Background(), many); err != nil || len(got) != maxWhole {
		t.Errorf("%d hits, %v", len(got), err)
	}
}
