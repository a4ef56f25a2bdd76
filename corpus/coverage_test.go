package corpus

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Text that the recogniser loses is found, with its place, though the counts add up.
func TestAuditFindsWhatIsLost(t *testing.T) {
	const text = "# 示范条例\n\n2019年1月2日公布\n\n<!-- INFO END -->\n\n## 第一章 总则\n\n第一条 为了规范登记，制定本条例。\n\n" +
		"第二条 申请应当提出：\n\n（一）姓名；\n\n（二）住址。\n\n附件1：样表\n\n姓名 | 住址\n"
	tests := []struct {
		name string
		lose func(w *writer)
		want []Span
	}{
		{"nothing", func(*writer) {}, nil},
		{"a unit", func(w *writer) { w.doc.Units = w.doc.Units[1:] }, []Span{{9, 16, "第一条 为了规范登记，制定本条例。"}}},
		{"a paragraph", func(w *writer) { w.doc.Units[1].Text = "申请应当提出：\n（二）住址。" }, []Span{{13, 6, "（一）姓名；"}}},
		{"the end of a line", func(w *writer) { w.doc.Units[0].Text = "为了规范登记" }, []Span{{9, 16, "第一条 为了规范登记，制定本条例。"}}},
		{"a heading", func(w *writer) { w.heads = nil }, []Span{{7, 5, "第一章 总则"}}},
		{"the whole", func(w *writer) { w.doc.Units, w.heads = nil, nil }, []Span{
			{7, 5, "第一章 总则"}, {9, 16, "第一条 为了规范登记，制定本条例。"}, {11, 10, "第二条 申请应当提出："}, {13, 6, "（一）姓名；"},
			{15, 6, "（二）住址。"}, {17, 6, "附件1：样表"}, {19, 5, "姓名 | 住址"},
		}},
		{"a count", func(w *writer) { w.doc.Coverage.InUnits -= 3 }, []Span{{0, 3, "characters that nobody counted"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := &Document{}
			src := markdownBlocks("条例.md", text)
			head := splitHead(src)
			for _, b := range src.blocks {
				doc.Coverage.Chars += chars(b.text)
			}
			doc.Coverage.Chars += src.markup
			doc.Coverage.InHeadings = head.titleChars
			doc.Coverage.Rest = append(head.rest, Span{Chars: src.markup, Why: "markup"})
			for _, b := range src.blocks {
				if b.rest != "" {
					doc.Coverage.Rest = append(doc.Coverage.Rest, Span{b.line, chars(b.text), b.rest})
				}
			}
			w := &writer{doc: doc, form: formOf(head.body), title: squeeze(head.title)}
			w.body(head.body)
			test.lose(w)
			w.audit(head.body)
			if diff := cmp.Diff(test.want, doc.Coverage.Missed); diff != "" {
				t.Errorf("missed (-want +got)\n%s", diff)
			}
		})
	}
}

// A corpus of units counts its texts; a line that can't be read counts as lost.
func TestCoverageOfUnits(t *testing.T) {
	dir := write(t, map[string]string{"units.jsonl": `{"law_title":"示范办法","kind":"article","label":"第一条","text":"甲乙 丙"}` + "\n{broken\n" +
		`{"law_title":"示范办法","kind":"article","label":"第二条","text":"丁"}` + "\n"})
	var got Coverage
	lost := 0
	for doc, err := range Read(t.Context(), filepath.Join(dir, "units.jsonl")) {
		var broken *ReadError
		if errors.As(err, &broken) {
			lost += broken.Chars
			continue
		}
		got = doc.Coverage
	}
	if got.Chars != 10 || got.InUnits != 10 || lost != len("{broken") {
		t.Errorf("%+v, %d lost", got, lost)
	}
}
