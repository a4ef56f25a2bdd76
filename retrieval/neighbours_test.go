package retrieval

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/book"
)

// An article that only a citation leads to enters the pool, in both directions, if the
// scope lets it in.
func TestNeighboursInTheCitationGraph(t *testing.T) {
	articles := map[int]string{
		2: "养犬人遛犬未束犬绳的，依照本法第十二条处罚。", 12: "警告，并处二百元以下金额。",
		13: "遛犬未束犬绳的，另按《中华人民共和国旧犬法》第三条办理。",
	}
	for n := range 9 {
		articles[n+3] = "养犬人遛犬未束" + strings.Repeat("犬绳的情形", n+1)
	}
	old := testLaw{"中华人民共和国旧犬法", "1999-01-01", "", "public", 1, 19990101, 20200101, map[int]string{3: "没收狗只。"}}
	e := engineOf(t, []testLaw{{"中华人民共和国犬法", "2020-01-01", "", "public", 1, 20200101, 0, articles}, old}, all)
	b, ok := e.Book.(*book.Book)
	if !ok {
		t.Fatal("the engine has no book")
	}
	if err := b.Relate(context.Background(), 20260102, func(int) {}); err != nil {
		t.Fatal(err)
	}
	e.Edges = b
	const citing, cited, also, ended = "犬法@2020-01-01:2", "犬法@2020-01-01:12", "犬法@2020-01-01:13", "旧犬法@1999-01-01:3"
	for _, c := range []struct {
		what string
		q    Query
		want []string
	}{
		{"none asked for", Query{Text: "遛犬未束犬绳的，依照处罚", K: 2}, []string{citing, "犬法@2020-01-01:5"}},
		{"what the best one cites", Query{Text: "遛犬未束犬绳的，依照处罚", K: 2, Neighbours: Neighbours{Of: 1, Share: 1}}, []string{citing, cited}},
		{"by its own score", Query{Text: "遛犬未束犬绳的，依照处罚", K: 2, Neighbours: Neighbours{Of: 1}}, []string{citing, "犬法@2020-01-01:5"}},
		{"what cites the best one", Query{Text: "警告，并处二百元以下金额", K: 2, Neighbours: Neighbours{Of: 1, Share: 1}}, []string{cited, citing}},
		{"not what has ended", Query{Text: "另按旧法第三条办理", K: 1, Neighbours: Neighbours{Of: 1, Share: 1}}, []string{also}},
		{"unless every day is asked for", Query{Text: "另按办理的", K: 2, Scope: Scope{AsOf: AsOf{Any: true}}, Neighbours: Neighbours{Of: 1, Share: 1}}, []string{also, ended}},
	} {
		c.q.Mode, c.q.Pool = Hybrid, c.q.K
		if diff := cmp.Diff(c.want, ids(find(t, e, c.q).Hits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
	if r := find(t, e, Query{Text: "遛犬未束犬绳的，依照处罚", Mode: Fast, K: 20, Neighbours: Neighbours{Of: 3}}); !strings.Contains(strings.Join(ids(r.Hits), " "), cited) {
		t.Errorf("fast does not rank the neighbour: %v", ids(r.Hits))
	}
	if _, err := e.Search(context.Background(), Query{Text: "犬", Mode: Hybrid, Neighbours: Neighbours{Of: 99}}); err == nil {
		t.Error("neighbours of 99 candidates are let in")
	}
}
