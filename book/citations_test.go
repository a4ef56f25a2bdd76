package book

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/statute"
)

// edges prints what a unit cites: kind, target or reason.
func edges(t *testing.T, b *Book, collection, unit string) string {
	t.Helper()
	cs, err := b.CitationsFrom(context.Background(), collection, unit)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range cs {
		to := c.To
		if to == "" {
			to = fmt.Sprintf("%s %s:%d", c.Reason, c.ToLaw, c.Number)
		}
		if c.Stale {
			to += " stale"
		}
		out = append(out, string(c.Kind)+" "+to)
	}
	return strings.Join(out, "; ")
}

func TestCitations(t *testing.T) {
	b := create(t, t.TempDir())
	criminal := made("刑法", "2020-12-26", 19970314, 19971001)
	var arts []statute.Unit
	for n := 140; n <= 143; n++ {
		arts = append(arts, article(criminal, n, 0, "", "文"))
	}
	arts = append(arts, article(criminal, 142, 1, "", "依照前条的规定"), article(criminal, 150, 0, "", "单位犯本节第一百四十条至第一百四十三条之罪的，依照本条处罚"),
		article(criminal, 151, 0, "", "依照本法第一百五十一条和第九百条"))
	put(t, b, criminal, arts...)
	rules := made("某某案件解释", "2010-01-01", 20100101, 20100101)
	rules.Title = "最高人民法院关于审理某某案件的解释"
	put(t, b, rules,
		article(rules, 1, 0, "", "根据《中华人民共和国刑法》（以下简称大刑法）的规定，制定本解释。"),
		article(rules, 2, 0, "", "依照大刑法第一百四十条、第一百四十一条第二款处罚，但《火星法》第五条另有规定的除外"),
		article(rules, 3, 0, "", "实施前两条规定的行为，除第二条以外，依照刑法第一百四十条处罚"))
	amendment := made("刑法修正案（六）", "2006-06-29", 20060629, 20060629)
	item := statute.Unit{ID: amendment.ID + ":项14", LawID: amendment.ID, Kind: statute.Item, Label: "十四、", Number: 14,
		Text: "将刑法第一百四十条修改为：“生产伪劣产品的，依照本法第一百四十一条处罚。”"}
	put(t, b, amendment, item)
	names := made("确定罪名的规定", "2007-01-01", 20070101, 20070101)
	names.Title = "最高人民法院关于执行《中华人民共和国刑法》确定罪名的规定"
	put(t, b, names, statute.Unit{ID: names.ID + ":全文", LawID: names.ID, Kind: statute.Whole, Label: "全文",
		Text: "|刑法条文|罪名|\n|第140条（《刑法修正案（六）》第14条）|甲罪|\n|第141条|乙罪|"})
	relate(t, b)
	for unit, want := range map[string]string{
		criminal.ID + ":142.1": "cites 刑法@2020-12-26:142",
		criminal.ID + ":150":   "cites 刑法@2020-12-26:140; cites 刑法@2020-12-26:141; cites 刑法@2020-12-26:142; cites 刑法@2020-12-26:142.1; cites 刑法@2020-12-26:143",
		criminal.ID + ":151":   "cites no_article 刑法@2020-12-26:900",
		rules.ID + ":2":        "cites 刑法@2020-12-26:140 stale; cites 刑法@2020-12-26:141 stale; cites no_law 火星法:5",
		rules.ID + ":3":        "cites 某某案件解释@2010-01-01:1; cites 某某案件解释@2010-01-01:2; cites 刑法@2020-12-26:140 stale",
		item.ID:                "amends 刑法@2020-12-26:140 stale; cites 刑法@2020-12-26:141 stale",
		names.ID + ":全文":       "cites 刑法@2020-12-26:140 stale; cites 刑法修正案（六）@2006-06-29:项14; cites 刑法@2020-12-26:141 stale",
	} {
		if got := edges(t, b, "public", unit); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", unit, got, want)
		}
	}
	to, err := b.CitationsTo(context.Background(), public, "public", criminal.ID+":142.1")
	if err != nil || len(to) != 1 || to[0].From != criminal.ID+":150" {
		t.Errorf("%+v, %v", to, err)
	}
	n, err := b.CountCitations(context.Background())
	want := CitationCounts{Cites: 17, Amends: 1, Resolved: 16, Unresolved: map[Reason]int{ReasonNoLaw: 1, ReasonNoArticle: 1}, Stale: 7}
	if err != nil || !cmp.Equal(n, want) {
		t.Errorf("%s, %v", cmp.Diff(want, n), err)
	}
}

// A private text may cite public law; public readers don't see that it does.
func TestCitationsOfAPrivateText(t *testing.T) {
	b := create(t, t.TempDir())
	civil := made("民法典", "2020-05-28", 20200528, 20210101)
	put(t, b, civil, article(civil, 1, 0, "", "文"))
	own := made("内部办法", "2022-01-01", 20220101, 20220101)
	own.Collection = "firm"
	put(t, b, own, article(own, 1, 0, "", "依照民法典第一条"))
	relate(t, b)
	if got := edges(t, b, "firm", own.ID+":1"); got != "cites 民法典@2020-05-28:1" {
		t.Error(got)
	}
	for _, c := range []struct {
		readable []string
		want     int
	}{{public, 0}, {[]string{"public", "firm"}, 1}} {
		if to, err := b.CitationsTo(context.Background(), c.readable, "public", civil.ID+":1"); err != nil || len(to) != c.want {
			t.Errorf("%v: %+v, %v", c.readable, to, err)
		}
	}
}
