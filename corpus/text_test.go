package corpus

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/simplifiedchinese"
)

func TestPlainShapes(t *testing.T) {
	law := func(lines ...string) string { return strings.Join(lines, "\n") }
	tests := []struct {
		name, text string
		want       []string
		rest       string
	}{
		{"a paragraph a line", law("航标法", "（2020年5月1日某会通过）", "第一章　总则", "第一条　甲。", "第二条　乙。"),
			[]string{"article 1 第一条 [第一章 总则] 甲。", "article 2 第二条 [第一章 总则] 乙。"}, "header"},
		{"wrapped with indents, pages and their numbers", law(
			"              航标法", "", "　　第一条　一二三四五六七八九十一二", "三四五六七八九十一二三四五六七八九十", "一二三。",
			"　　第二条　一二三四五六七八九十一二", "              — 1 —", "\f航标法汇编", "三四五六七八九十一二三四五六七八九十", "第九条规定的除外。", "              — 2 —",
			"\f航标法汇编", "　　前款所称一二三四五六七八九十一二", "三。", "第3页 共3页"),
			[]string{"article 1 第一条 [] 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三。",
				"article 2 第二条 [] 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十第九条规定的除外。/前款所称一二三四五六七八九十一二三。"},
			"page number running head"},
		{"wrapped with blank lines", law(
			"航标法", "", "第一条 一二三四五六七八九十一二三四", "五六七八九十一二三四五六七八九十一二", "三。", "", "第二条 一二三四五六七八九十一二三四",
			"五六七八九十一二三四五六七八九十一二", "三四五六七八九十一二三四五六七八九十", "一。", "", "（一）子；", "", "（二）丑。"),
			[]string{"article 1 第一条 [] 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三。",
				"article 2 第二条 [] 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一。/（一）子；/（二）丑。"}, ""},
		{"lines of one length are not wrapped", law("航标法", "第一条　一二三四五六七八九十一二三。", "第二条　一二三四五六七八九十一二三。", "第三条　一二三四五六七八九十一二三。", "第四条　一二三四五六七八九十一二三。"),
			[]string{"article 1 第一条 [] 一二三四五六七八九十一二三。", "article 2 第二条 [] 一二三四五六七八九十一二三。",
				"article 3 第三条 [] 一二三四五六七八九十一二三。", "article 4 第四条 [] 一二三四五六七八九十一二三。"}, ""},
		{"headings 一、 above articles", law("关于航标的解释", "一、管辖", "第一条 甲。", "二、证据", "第二条 乙。"),
			[]string{"article 1 第一条 [一、管辖] 甲。", "article 2 第二条 [二、证据] 乙。"}, ""},
		{"a part of a law", law("航标法典", "合同编", "2020年5月28日 某会通过", "第一章\u2002一般规定", "第一条 甲。"),
			[]string{"article 1 第一条 [合同编 第一章 一般规定] 甲。"}, "header"},
		{"document number and a sentence as header", law("关于航标的规定", "法释〔2020〕17号", "2020年1月1日某部令第1号公布，2021年2月2日修订。", "第一条 甲。"),
			[]string{"article 1 第一条 [] 甲。"}, "header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := recognise(plainBlocks("航标.txt", tt.text))
			checkDocument(t, doc)
			if diff := cmp.Diff(tt.want, shown(doc)); diff != "" {
				t.Errorf("units (-want +got):\n%s", diff)
			}
			if c := doc.Coverage; c.Chars != chars(tt.text) {
				t.Errorf("%d characters counted, the text has %d", c.Chars, chars(tt.text))
			}
			for _, s := range doc.Coverage.Rest {
				if !strings.Contains(tt.rest, s.Why) {
					t.Errorf("rest: %s, want %q", s.Why, tt.rest)
				}
			}
		})
	}
}

func TestTextEncodings(t *testing.T) {
	const text = "航标法\n第一条　为了𠮷，制定本法。"
	gb, err := simplifiedchinese.GB18030.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	little, big := "\xff\xfe", "\xfe\xff"
	for _, u := range utf16.Encode([]rune(text)) {
		little += string([]byte{byte(u), byte(u >> 8)})
		big += string([]byte{byte(u >> 8), byte(u)})
	}
	for name, content := range map[string]string{"UTF-8": text, "UTF-8 with mark": "\ufeff" + text, "GB18030": gb, "UTF-16 LE": little, "UTF-16 BE": big} {
		if got, reason := decode([]byte(content)); got != text {
			t.Errorf("%s: %q %s", name, got, reason)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		asWrapped("# 法\n\n第一条 一二三四五六七八九十一二三四五六七八九十。\n\n第二条 一二三四五六七八九十一二三四五六七八九十。", 14),
		"法\n\f— 1 —\n第一条\n\f— 2 —\n\t a | b\n c | d\n1/3", "一二三四五六七八九十一二\n一二三四五六七八九十一二\n一二三四五六七八九十一二\n一。",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		valid, reason := decode([]byte(text))
		if reason != "" {
			return
		}
		doc := recognise(plainBlocks("x.txt", valid))
		checkDocument(t, doc)
		if doc.Coverage.Chars != chars(valid) {
			t.Errorf("%d characters counted, the text has %d", doc.Coverage.Chars, chars(valid))
		}
	})
}
