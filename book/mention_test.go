package book

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/statute"
)

func TestMentions(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	civil := law("民法典", "2020-05-28", 20210101, 0)
	put(t, b, civil, article(civil, 1076, 0, "", "甲"), article(civil, 1077, 0, "", "乙"), article(civil, 1078, 0, "", "丙"), article(civil, 1260, 0, "", "丁"))
	old := law("刑法", "2017-11-04", 20171104, 0)
	criminal := law("刑法", "2020-12-26", 20210301, 0)
	put(t, b, old, article(old, 175, 0, "", "旧"))
	put(t, b, criminal, article(criminal, 175, 0, "", "戊"), article(criminal, 175, 1, "", "己"))
	labour := law("劳动合同法", "2012-12-28", 20130701, 0)
	put(t, b, labour, article(labour, 82, 0, "", "庚"))
	contract := law("合同法", "1999-03-15", 19991001, 20210101)
	put(t, b, contract, article(contract, 52, 0, "", "辛"))

	for _, c := range []struct{ text, want string }{
		{"民法典第1077条", "found 民法典@2020-05-28:1077"},
		{"《中华人民共和国民法典》第一千零七十七条第二款", "found 民法典@2020-05-28:1077"},
		{"《民法典》第１０７７条", "found 民法典@2020-05-28:1077"},
		{"刑法一百七十五条之一", "found 刑法@2020-12-26:175.1"},
		{"劳动合同法82条怎么算", "found 劳动合同法@2012-12-28:82"},
		{"合同法第52条", "found 合同法@1999-03-15:52"},
		{"[民法典:1077]", "found 民法典@2020-05-28:1077"},
		{"[民法典@2020-05-28:1078]", "found 民法典@2020-05-28:1078"},
		{"[中华人民共和国民法典:1078]", "found 民法典@2020-05-28:1078"},
		{"民法典第1076条至第1078条", "found 民法典@2020-05-28:1076; found 民法典@2020-05-28:1077; found 民法典@2020-05-28:1078"},
		{"民法典第1076条、第1078条", "found 民法典@2020-05-28:1076; found 民法典@2020-05-28:1078"},
		{"《民法典》第一千三百条", "no_article 民法典@2020-05-28 《中华人民共和国民法典》没有第一千三百条，最后一条是第一千二百六十条"},
		{"刑法第一百七十五条之三", "no_article 刑法@2020-12-26 《中华人民共和国刑法》没有第一百七十五条之三"},
		{"[民法典:1300]", "no_article 民法典@2020-05-28 《中华人民共和国民法典》没有第一千三百条，最后一条是第一千二百六十条"},
		{"《住房租赁法》第五条", "no_law"},
		{"[住房租赁法:5]", "no_law"},
		{"根据《离婚协议书》", ""},
		{"根据《住房租赁法》", "no_law"},
		{"民法典的规定", "found 民法典@2020-05-28"},
		{"2017年修正的刑法第175条", "found 刑法@2017-11-04:175"},
	} {
		ms, err := b.Mentions(ctx, public, c.text, nil, 20260101)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range ms {
			s := string(m.Outcome)
			if m.Unit != nil {
				s += " " + m.Unit.ID
			} else if m.Law != nil {
				s += " " + m.Law.ID
			}
			if m.Outcome == NoArticle {
				s += " " + m.Note
			}
			if m.Text != c.text[m.Start:m.End] {
				t.Errorf("%s: the place of %q is wrong", c.text, m.Text)
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, s, c.want)
		}
	}
	more, err := b.Mentions(ctx, public, "民法典第1077条第二款规定；该条第一款。民法典第1300条", nil, 20260101)
	if err != nil || len(more) != 3 {
		t.Fatal(more, err)
	}
	for i, want := range []int{2, 1} {
		if m := more[i]; m.Unit == nil || m.Number != 1077 || len(m.Places) != 1 || m.Places[0].Paragraph != want || m.Carried != (i == 1) {
			t.Errorf("%s: %+v", m.Text, m)
		}
	}
	if m := more[2]; m.Outcome != NoArticle || m.Number != 1300 || m.Last != 1260 {
		t.Errorf("%s: %+v", m.Text, m)
	}
	own, err := b.Mentions(ctx, public, "依照本法第一千零七十六条", &statute.Context{Law: civil.Title}, 20260101)
	if err != nil || len(own) != 1 || own[0].Unit == nil || own[0].Unit.Number != 1076 {
		t.Errorf("本法: %v, %v", cmp.Diff(nil, own), err)
	}
}

func ExampleDocID() {
	fmt.Println(DocID("public", "民法典@2020-05-28:1"), DocID("firm", "民法典@2020-05-28:1"))
	// Output: 民法典@2020-05-28:1 firm|民法典@2020-05-28:1
}
