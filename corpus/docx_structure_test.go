package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDOCXStructure(t *testing.T) {
	row := []string{wp("甲" + strings.Repeat("某", 60)), wp("乙")}
	large := wtbl(row, row, row, row, row, row, row, row, row, row, row, row, row, row, row, row, row)
	small := wtbl([]string{wp("级数"), wp("税率")}, []string{wp("1"), wp("3%")})
	rows := strings.TrimSuffix(strings.Repeat("甲"+strings.Repeat("某", 60)+" | 乙/", 17), "/")
	long := wp(strings.Repeat("标准的正文。", 300))
	tests := []struct {
		name, body string
		want       []string
	}{
		{"a small table stays in its article", wp("第一条　税率：") + small + wp("第二款。") + wp("第二条　乙。"),
			[]string{"article 1 第一条 [] 税率：/级数 | 税率/1 | 3%/第二款。", "article 2 第二条 [] 乙。"}},
		{"a large table is its own unit, with caption and note", wp("第一条　见表1。") + wp("表1　税目") + large + wp("注：示例。") + wp("第二款。") + wp("第二条　乙。"),
			[]string{"article 1 第一条 [] 见表1。/第二款。", "attachment 表1 表1 [第一条] 税目/" + rows + "/注：示例。", "article 2 第二条 [] 乙。"}},
		{"large tables without a caption", wp("第一条　见下：") + large + wp("又：") + wtbl(append(row, wp("丙")), append(row, wp("丁"))) + large,
			[]string{"article 1 第一条 [] 见下：/又：/" + "甲" + strings.Repeat("某", 60) + " | 乙 | 丙/甲" + strings.Repeat("某", 60) + " | 乙 | 丁",
				"attachment 第一条附表 第一条附表 [第一条] " + rows, "attachment 第一条附表2 第一条附表2 [第一条] " + rows}},
		{"a table is what an attachment is", wp("第一条　甲。") + wp("附件1-1") + wp("税目表") + large + wp("附件1-2") + wp("另一表") + small,
			[]string{"article 1 第一条 [] 甲。", "attachment 附件1-1 附件1-1 [] 税目表/" + rows, "attachment 附件1-2 附件1-2 [] 另一表/级数 | 税率/1 | 3%"}},
		{"rows that look like heads", wp("第一条　甲。") + wtbl([]string{wp("第二条　假"), wp("x")}, []string{wp("附件1"), wp("")}, []string{wp("第一章"), wp("")}) + wp("第二条　真。"),
			[]string{"article 1 第一条 [] 甲。/第二条　假 | x/附件1 |/第一章 |", "article 2 第二条 [] 真。"}},
		{"numbered headings of a standard", wp("前　言") + wp("说明。") + wp("1 范围") + long + wp("2 规则") + wp("2.1 通则") + wp("甲。") + wp("2.2 细则") + wp("2.2.1 编码。这是一句话。") + wp("3 附则") + wp("乙。"),
			[]string{"preamble 前言 前言 [] 说明。", "section 1范围 1 范围 [] " + strings.Repeat("标准的正文。", 300), "section 2.1通则 2.1 通则 [2 规则] 甲。",
				"section 2.2细则 2.2 细则 [2 规则] 2.2.1 编码。这是一句话。", "section 3附则 3 附则 [] 乙。"}},
		{"a short list is no standard", wp("各局：") + wp("1 甲") + wp("2 乙") + wp("3 丙"), []string{"whole 全文 全文 [] 各局：/1 甲/2 乙/3 丙"}},
		{"an article behind the end of another's sentence", wp("第一条　甲。") + wp("续（见附件）。第二条　乙，依照第三条　规定。第三条　丙。") + wp("照第四条办。第四条第二款不适用。"),
			[]string{"article 1 第一条 [] 甲。/续（见附件）。", "article 2 第二条 [] 乙，依照第三条　规定。", "article 3 第三条 [] 丙。/照第四条办。第四条第二款不适用。"}},
		{"a header line broken in two", wp("（2019年3月15日第十三届全国人民代表大会第二次") + wp("会议通过）") + wp("第一条　甲。"), []string{"article 1 第一条 [] 甲。"}},
		{"a bracket that isn't closed", wp("（2019年3月15日第十三届全国人民代表大会第二次会议通过") + wp("为了航标：") + wp("第一条　甲。"), []string{"preamble 前言 前言 [] 为了航标：", "article 1 第一条 [] 甲。"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := recognise(readParts(t, "航标法.docx", parts{"body": wp("航标法") + tt.body}))
			checkDocument(t, doc)
			if diff := cmp.Diff(tt.want, shown(doc)); diff != "" {
				t.Errorf("units (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDOCXBrokenHeading holds that a chapter's heading over two paragraphs of one
// style is one heading.
func TestDOCXBrokenHeading(t *testing.T) {
	styles := `<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>`
	doc := recognise(readParts(t, "航标法.docx", parts{"styles": styles,
		"body": wp("航标法") + ws("1", "第一章　外商投资经营") + ws("1", "及其特别规定") + wp("第一条　甲。") + ws("1", "附则") + wp("第二条　乙。")}))
	want := []string{"article 1 第一条 [第一章 外商投资经营及其特别规定] 甲。", "article 2 第二条 [附则] 乙。"}
	if diff := cmp.Diff(want, shown(doc)); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
}
