package verify

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// words are what is quoted, one line each.
func (q *quote) words(text string) string {
	lines := make([]string, len(q.lines))
	for i, l := range q.lines {
		lines[i] = text[l.from:l.to]
	}
	return strings.Join(lines, "\n")
}

func TestQuotes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"甲“乙”丙", "乙"},
		{"「乙」『丙』\"丁\"", "乙|丙|丁"},
		{"“甲“乙”丙”丁", "甲“乙”丙"},
		{"“甲‘乙’丙”", "甲‘乙’丙"},
		{"没有收尾“甲。\n乙", ""},
		{"没有收尾“甲。“乙”", "乙"},
		{"“第一款\n第二款”", "第一款+第二款"},
		{"\"甲\n乙 \"丙\"", "丙"}, // straight marks end with the paragraph
		{"“甲\"与“乙”", "甲|乙"},   // typed with another mark
		{"“他说\"甲\"了”", "他说\"甲\"了"},
		{"> 甲\n> 乙\n\n> 丙\n丁", "甲+乙|丙"},
		{"  > > 甲\n>\n> “乙”", "甲+“乙”"},
		{"“甲\n> 乙\n”", "乙"},
		{"“”> “ ”", ""},
		{"", ""},
	} {
		var got []string
		for _, q := range quotes(c.text) {
			got = append(got, strings.ReplaceAll(q.words(c.text), "\n", "+"))
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q\ngot  %q\nwant %q", c.text, s, c.want)
		}
	}
}

func FuzzQuotes(f *testing.F) {
	for _, s := range []string{"甲“乙”丙", "“甲“乙”\"丙”", "> 甲\n> “乙\n”", "「『」』", "\"\"\n\"", "“\xff”"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, q := range quotes(text) {
			if q.open < end || q.close <= q.open || q.close > len(text) || len(q.lines) == 0 {
				t.Fatalf("%q: a quotation at %d–%d behind %d with %d lines", text, q.open, q.close, end, len(q.lines))
			}
			end = q.close
			for _, l := range q.lines {
				if l.from < q.open || l.to > q.close || l.from >= l.to {
					t.Fatalf("%q: a line at %d–%d of the quotation at %d–%d", text, l.from, l.to, q.open, q.close)
				}
			}
			if utf8.ValidString(text) && !utf8.ValidString(q.words(text)) {
				t.Fatalf("%q: %q is cut inside a character", text, q.words(text))
			}
		}
	})
}

func TestCompare(t *testing.T) {
	article := "用人单位应当自用工之日起三十日内，为其职工办理登记；职工可以查询。\n（一）未登记的，处一千元罚款；\n（二）虚报的，处二千元罚款。"
	for _, c := range []struct{ quote, want string }{
		{"用人单位可以自用工之日起三十日内", "应当→可以"},
		{"自用工之日起六十日内，为职工办理登记", "三十→六十 其→"},
		{"职工不得查询", "可以→不得"},
		{"用人单位应当自用工之日起三十日内，为其职工办理登记；虚报的，处二千元罚款", "clauses"},
		{"未登记的，处一千元罚款；虚报的，处两千元罚款", "clauses"},
		{"未登记并且拒绝的，处一千元罚款", "→并且拒绝"},
	} {
		work := budget(maxCompare)
		got, ok := compare(fold(c.quote), fold(article), &work)
		if !ok {
			t.Fatalf("%s: no time", c.quote)
		}
		var edits []string
		for _, e := range got.edits {
			edits = append(edits, e.A+"→"+e.B)
		}
		s := strings.Join(edits, " ")
		if got.clauses {
			s = "clauses"
		}
		if s != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.quote, s, c.want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("甲应当在三十日内，支付百分之三十", "甲可以在六十日内，支付30%；乙除外")
	f.Add("百分之百分之一", "（一）一；（二）百分之一")
	f.Add("\xff一二三", "三二一\xff")
	f.Fuzz(func(t *testing.T, quote, article string) {
		q, a := fold(quote), fold(article)
		work := budget(100_000)
		c, ok := compare(q, a, &work)
		if !ok {
			return
		}
		if c.likeness < 0 || c.likeness > 1 || c.from < 0 || c.from > c.to || c.to > a.len() {
			t.Fatalf("%q in %q: %+v", quote, article, c)
		}
		if from, to, ok := a.find(q); ok && q.key != a.key[a.at[from]:][:len(q.key)] {
			t.Fatalf("%q is found in %q at %d–%d", quote, article, from, to)
		}
	})
}

func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{"三十日内，可以", "30日内,可以", "３０ 日内\n可以", "**三十**日内 可以"},
		{"《民法典》", "〈民法典〉", "<民法典>", "民法典"},
		{"百分之二十", "20%", "２０％"},
		{"一万二千元", "12000元", "1.2万元", "12,000元"},
		{"二〇二一年", "2021年"},
		{"（一）甲；（二）乙", "1. 甲 2. 乙"},
		{"ABC", "ａｂｃ"},
	} {
		for _, s := range same[1:] {
			if a, b := fold(same[0]), fold(s); a.key != b.key {
				t.Errorf("%q is %q, %q is %q", same[0], a.key, s, b.key)
			}
		}
	}
	for _, pair := range [][2]string{{"应当", "可以"}, {"三十日", "三日"}, {"30%", "30‰"}, {"其他", "其它"}, {"不得", "得"}} {
		if fold(pair[0]).key == fold(pair[1]).key {
			t.Errorf("%q and %q are told apart by nobody", pair[0], pair[1])
		}
	}
	if _, _, ok := fold("处一百三十日").find(fold("三十日")); ok {
		t.Error("三十 is found inside 一百三十")
	}
}
