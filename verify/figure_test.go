package verify

import (
	"strings"
	"testing"

	"lexagent/statute"
)

func TestFiguresIn(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"三十日内", "30日"},
		{"30天", "30日"},
		{"处五万元以上五十万元以下罚款", "50000元 500000元"},
		{"5万元、1.5亿元、2千元、1,000元、1亿5000万元", "50000元 150000000元 2000元 1000元 150000000元"},
		{"百分之三十，30％，千分之五，5‰", "30% 30% 0.5% 0.5%"},
		{"二倍的工资，两倍，1.5倍", "2倍 2倍 1.5倍"},
		{"三年以上十年以下，3年", "36个月 120个月 36个月"},
		{"六个月、半年、一年、十二个月", "6个月 6个月 12个月 12个月"},
		{"三至五年，3-5倍，10～15日", "36个月 60个月 3倍 5倍 10日 15日"},
		{"满十八周岁，18岁", "18岁 18岁"},
		{"三分之二以上", "2/3"},
		{"10个工作日，十日", "10工作日 10日"},
		{"二十四小时，两周", "24小时 14日"},
		{"2021年1月1日、二〇二一年、3月1日、2021-01-01", ""},
		{"第三十日，第二年，三年级，一元化，十分重要，一般", ""},
		{"一亿二千万元", "120000000元"},
		{"100 万元", "1000000元"},
		{"按日加收万分之五的滞纳金，万分之八，0.05%", "0.05% 0.08% 0.05%"},
		{"百分之一点五，1.5%，百分之一点八", "1.5% 1.5% 1.8%"},
		{"零点五倍，上午九点三十分，九点五十", "0.5倍"},
		{"1/3以上，三分之一，2/3", "1/3 1/3 2/3"},
		{"文号123/456，2021/1/5", ""},
		{"3至5万元，三至五万元，五千至二万元", "30000元 50000元 30000元 50000元 5000元 20000元"},
		{"一年半，两年半，一周，七日", "18个月 30个月 7日 7日"},
		{"200000000000000年", "2400000000000000个月"},
		{"770000000000000年，99999999999999亿元，999999999999999日", ""}, // more than anything is
		{"十万余元", "100000元"},
		{"百分之十%0000022222022222元，日1234567890123456日", "10%"}, // a name of many digits is no number
		{"", ""},
	} {
		var got []string
		for _, f := range figuresIn(c.text) {
			got = append(got, f.key)
			if f.from >= f.to || f.to > len(c.text) {
				t.Errorf("%s: a figure at %d–%d", c.text, f.from, f.to)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, s, c.want)
		}
	}
}

func FuzzFigures(f *testing.F) {
	for _, s := range []string{"三十日", "1.5万元至百分之三十", "99999999999999999999年", "一亿亿万", "半年\xff", "1,000,00元", "万", "百分之", "%0000022222022222"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, g := range figuresIn(text) {
			if g.from < 0 || g.to <= g.from || g.to > len(text) || g.from < end && g.to != end || strings.HasPrefix(g.key, "-") {
				t.Fatalf("%q: %+v behind %d", text, g, end)
			}
			end = g.to
		}
		runes := []rune(text)
		for i := range runes {
			if _, end := number(runes, i); end < i || end > len(runes) {
				t.Fatalf("%q: the number at %d ends at %d", text, i, end)
			}
		}
		if k := fold(text); len(k.tokens) != len(k.from) || k.len() > 0 && k.to[k.len()-1] > len(text) {
			t.Fatalf("%q: places of %d tokens", text, k.len())
		}
	})
}

func TestMissingPlace(t *testing.T) {
	article := "甲的，应当：\n（一）一；\n（二）二；\n（十）十。\n前款规定不适用于乙。\n丙。"
	plain := "甲。"
	old := "甲：\n1、一；\n2、二。"
	for _, c := range []struct {
		text  string
		place statute.Place
		want  string
	}{
		{article, statute.Place{Paragraph: 3}, ""},
		{article, statute.Place{Paragraph: 4}, "第四款（共3款）"},
		{article, statute.Place{Paragraph: 1, Item: 2}, ""},
		{article, statute.Place{Paragraph: 2, Item: 2}, "第二款第二项"},
		{article, statute.Place{Item: 10}, ""},
		{article, statute.Place{Item: 3}, "第三项"},
		{article, statute.Place{Paragraph: 1, ToParagraph: 3}, ""},
		{article, statute.Place{Paragraph: 2, ToParagraph: 5}, "第五款（共3款）"},
		{article, statute.Place{Paragraph: 703}, ""}, // not a paragraph's number
		{plain, statute.Place{Paragraph: 1}, ""},
		{plain, statute.Place{Item: 1}, "第一项"},
		{old, statute.Place{Item: 2}, ""}, // its items are not numbered in brackets
	} {
		if got := missingPlace(c.text, []statute.Place{c.place}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.place, got, c.want)
		}
	}
}
