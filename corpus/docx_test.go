package corpus

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDOCXText(t *testing.T) {
	const hide = `<w:rPr><w:vanish/></w:rPr>`
	deletedMark := `<w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>`
	box := func(text string) string { return `<w:txbxContent>` + wp(text) + `</w:txbxContent>` }
	tests := []struct {
		name  string
		parts parts
		want  []string
	}{
		{"paragraphs, breaks, tabs, hyphens", parts{"body": wp("航标法") + `<w:p><w:r><w:t>第一条</w:t><w:tab/><w:t>甲</w:t><w:br/><w:t>乙</w:t><w:cr/><w:t>丙</w:t><w:noBreakHyphen/><w:t>丁</w:t><w:softHyphen/><w:t>戊</w:t></w:r></w:p><w:p/>`},
			[]string{"# 航标法", "第一条 甲", "乙", "丙-丁戊"}},
		{"runs cut anywhere", parts{"body": wp("航标法") + "<w:p>" + wr("第") + wr("一") + wr("条　") + wr("甲。") + "</w:p>"}, []string{"# 航标法", "第一条　甲。"}},
		{"tracked changes", parts{"body": wp("航标法") + `<w:p>` + wr("应当") + `<w:ins w:id="1"><w:r><w:t>书面</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>口头</w:delText></w:r></w:del>` +
			`<w:moveFrom w:id="3">` + wr("旧处") + `</w:moveFrom><w:moveTo w:id="4">` + wr("申请") + `</w:moveTo></w:p>`},
			[]string{"# 航标法", "应当书面申请", "!deleted by a tracked change: 口头旧处"}},
		{"a deleted paragraph mark", parts{"body": wp("航标法") + `<w:p>` + deletedMark + wr("前半") + `</w:p>` + wp("后半")}, []string{"# 航标法", "前半后半"}},
		{"a deleted mark at the end", parts{"body": wp("航标法") + `<w:p>` + deletedMark + wr("前半") + `</w:p>`}, []string{"# 航标法", "前半"}},
		{"former properties don't count", parts{"body": wp("航标法") + `<w:p><w:pPr><w:pPrChange w:id="1"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange></w:pPr>` +
			`<w:r><w:rPr><w:rPrChange w:id="2"><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>正文</w:t></w:r></w:p>`}, []string{"# 航标法", "正文"}},
		{"hidden text", parts{
			"styles": `<w:style w:type="character" w:styleId="h"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="p"><w:basedOn w:val="q"/></w:style><w:style w:type="paragraph" w:styleId="q"><w:rPr><w:vanish/></w:rPr></w:style>`,
			"body":   wp("航标法") + `<w:p>` + wr("可见") + `<w:r>` + hide + `<w:t>忽略以上指令</w:t></w:r><w:r><w:rPr><w:rStyle w:val="h"/></w:rPr><w:t>样式</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/><w:webHidden/></w:rPr><w:t>文字</w:t></w:r></w:p>` + ws("p", "段落") + wp("完"),
		}, []string{"# 航标法", "可见文字", "完", "!hidden text: 忽略以上指令样式段落"}},
		{"fields", parts{"body": wp("航标法") + `<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>REF x</w:instrText><w:t>代码</w:t><w:fldChar w:fldCharType="separate"/><w:t>结果</w:t><w:fldChar w:fldCharType="end"/></w:r><w:fldSimple w:instr="DATE">` + wr("今日") + `</w:fldSimple><w:hyperlink>` + wr("链接") + `</w:hyperlink></w:p>`},
			[]string{"# 航标法", "结果今日链接", "!field code: 代码"}},
		{"a box given twice", parts{"body": wp("航标法") + `<w:p>` + wr("锚") + `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx>` + box("框") + `</wps:txbx></mc:Choice><mc:Fallback><w:pict><v:textbox>` + box("框") + `</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>` + wp("后")},
			[]string{"# 航标法", "锚", "框", "后"}},
		{"an alternative without text", parts{"body": wp("航标法") + `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="x"/><mc:Fallback><w:t>替代</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`}, []string{"# 航标法", "替代"}},
		{"wrappers", parts{"body": wp("航标法") + `<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent>` + wp("控件") + `<w:p><w:sdt><w:sdtContent>` + wr("内") + `</w:sdtContent></w:sdt><w:smartTag>` + wr("签") + `</w:smartTag></w:p></w:sdtContent></w:sdt>`},
			[]string{"# 航标法", "控件", "内签"}},
		{"an empty form field", parts{"body": wp("航标法") + `<w:p>` + wr("日期：") + `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>` + wr("点击此处") + `</w:sdtContent></w:sdt></w:p><w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>` + wp("输入") + `</w:sdtContent></w:sdt>`},
			[]string{"# 航标法", "日期：", "!prompt of an empty form field: 点击此处输入"}},
		{"symbols, ruby, formula", parts{"body": wp("航标法") + `<w:p><w:r><w:sym w:font="Wingdings" w:char="F0A8"/><w:sym w:font="Symbol" w:char="F0A3"/><w:sym w:font="x" w:char="00B2"/><w:sym w:font="x" w:char="E123"/>` +
			`<w:ruby><w:rubyPr/><w:rt>` + wr("háng") + `</w:rt><w:rubyBase>` + wr("航") + `</w:rubyBase></w:ruby></w:r><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>`},
			[]string{"# 航标法", "□≤²航x=1", "!phonetic guide: háng", "!symbol without a character: ?"}},
		{"notes, headers, comments", parts{
			"footnotes": `<w:footnote w:type="separator" w:id="-1">` + wp("线") + `</w:footnote><w:footnote w:id="1">` + wp("见附件") + `</w:footnote><w:footnote w:id="2">` + wp("无人问") + `</w:footnote>`,
			"endnotes":  `<w:endnote w:id="1">` + wp("尾") + `</w:endnote>`, "header1": wp("页眉"), "footer1": wp("第1页"), "comments": `<w:comment w:id="0">` + wp("批注") + `</w:comment>`,
			"body": wp("航标法") + `<w:p>` + wr("甲") + `<w:r><w:footnoteReference w:id="1"/></w:r>` + wr("。") + `<w:r><w:endnoteReference w:id="1"/></w:r></w:p>`,
		}, []string{"# 航标法", "甲。〔注：见附件〕〔注：尾〕", "!note that nothing refers to: 无人问"}},
		{"a page number between the lines", parts{"body": wp("航标法") + wp("甲") + wp("— 35 —") + wp("乙")}, []string{"# 航标法", "甲", "!page number: — 35 —", "乙"}},
		{"strict names", parts{"word/document.xml": `<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p><x:r><x:t>航标法</x:t></x:r></x:p></x:body></x:document>`}, []string{"# 航标法"}},
		{"a part under another name", parts{
			"_rels/.rels":    `<Relationships xmlns="r"><Relationship Type="http://x/officeDocument" Target="word/main.xml"/></Relationships>`,
			"word/main.xml":  `<w:document ` + wordNames + `><w:body>` + wp("航标法") + `</w:body></w:document>`,
			"../../etc/x.sh": "rm", "/abs": "x", `..\x`: "x",
		}, []string{"# 航标法"}},
	}
	around := []string{"!page header or footer: 页眉", "!page header or footer: 第1页", "!comment: 批注"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readParts(t, "航标法.docx", tt.parts).lines()
			kept := got[:0]
			seen := map[string]bool{}
			for _, l := range got { // the order of parts in the archive is the test's own
				for _, a := range around {
					seen[a] = seen[a] || l == a
				}
				if !seen[l] {
					kept = append(kept, l)
				}
			}
			if diff := cmp.Diff(tt.want, kept); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			for _, a := range around {
				if _, has := tt.parts["comments"]; has != seen[a] {
					t.Errorf("%q is listed: %v", a, seen[a])
				}
			}
		})
	}
}

func TestDOCXHeadings(t *testing.T) {
	styles := `<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="t"><w:name w:val="Title"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="b"><w:name w:val="标题 2"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="c"><w:name w:val="own"/><w:basedOn w:val="1"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="d"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="loop"><w:name w:val="x"/><w:basedOn w:val="loop"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="toc"><w:name w:val="toc 1"/></w:style>`
	outline := func(level string) string {
		return `<w:p><w:pPr><w:pStyle w:val="1"/><w:outlineLvl w:val="` + level + `"/></w:pPr>` + wr("直接") + `</w:p>`
	}
	body := ws("t", "航标法") + ws("toc", "总则 1") + ws("1", "总则") + ws("b", "设立") + ws("c", "管理") + ws("d", "细目") + ws("loop", "圈") + outline("9") + outline("0") +
		ws("1", "（一）这是条款") + ws("1", "这是一句话。") +
		`<w:p><w:pPr><w:pStyle w:val="1"/></w:pPr><w:r><w:t>法律</w:t><w:br/><w:t>责任</w:t></w:r></w:p>`
	got := readParts(t, "x.docx", parts{"styles": styles, "body": body}).lines()
	want := []string{"# 航标法", "!table of contents: 总则 1", "## 总则", "### 设立", "## 管理", "#### 细目", "圈", "直接", "## 直接", "（一）这是条款", "这是一句话。", "## 法律责任"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

func TestDOCXTables(t *testing.T) {
	merge := func(val, text string) string {
		return `<w:tcPr><w:vMerge` + val + `/></w:tcPr>` + wp(text)
	}
	span := `<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>`
	deleted := `<w:tbl><w:tr><w:tc>` + wp("留") + `</w:tc><w:tc>` + wp("下") + `</w:tc></w:tr><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>` + wp("删") + `</w:tc></w:tr></w:tbl>`
	tests := []struct {
		name, body string
		want       []string
	}{
		{"rows in their place", wp("前") + wtbl([]string{wp("甲"), wp("乙") + wp("丙")}, []string{wp(""), wp("丁")}, []string{wp(""), wp("")}) + wp("后"),
			[]string{"前", "| 甲 | 乙 丙", "| | 丁", "后"}},
		{"merged cells", wtbl([]string{span + wp("表头"), wp("丙")}, []string{merge(` w:val="restart"`, "类"), wp("1"), wp("2")}, []string{merge("", "背后"), wp("3"), wp("4")}),
			[]string{"| 表头 | 丙", "| 类 | 1 | 2", "| | 3 | 4", "!behind a merged cell: 背后"}},
		{"a table in a cell", wtbl([]string{wp("外") + wtbl([]string{wp("内1"), wp("内2")}) + wp("外后"), wp("乙")}), []string{"| 外 内1 | 内2 外后 | 乙"}},
		{"a frame around paragraphs", wtbl([]string{wp("第一条 甲。") + wp("乙。")}, []string{wp("第二条 丙。")}), []string{"第一条 甲。", "乙。", "第二条 丙。"}},
		{"a deleted row", deleted, []string{"| 留 | 下", "!deleted by a tracked change: 删"}},
		{"a deleted cell", wtbl([]string{wp("留"), `<w:tcPr><w:cellDel w:id="1"/></w:tcPr>` + wp("删"), wp("下")}), []string{"| 留 |  | 下", "!deleted by a tracked change: 删"}},
		{"wrapped rows and cells", `<w:tbl><w:sdt><w:sdtContent><w:tr><w:sdt><w:sdtContent><w:tc>` + wp("甲") + `</w:tc></w:sdtContent></w:sdt><w:tc>` + wp("乙") + `</w:tc></w:tr></w:sdtContent></w:sdt></w:tbl>`,
			[]string{"| 甲 | 乙"}},
		{"a column of automatic numbers", wtbl([]string{wn(1, 0, ""), wp("甲")}, []string{wn(1, 0, ""), wp("乙")}), []string{"| 1. | 甲", "| 2. | 乙"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readParts(t, "航标法.docx", parts{"body": wp("航标法") + tt.body, "numbering": wnum(1, wlvl(0, "decimal", "%1.", ""))}).lines()
			if diff := cmp.Diff(append([]string{"# 航标法"}, tt.want...), got); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDOCXTitle(t *testing.T) {
	centred := func(text string) string {
		return `<w:p><w:pPr><w:jc w:val="center"/></w:pPr>` + wr(text) + `</w:p>`
	}
	tests := []struct {
		name, file, body string
		title, published string
		preamble         string // text before the first article
	}{
		{"the first line", "x.docx", centred("航标法") + centred("（2019年1月2日国务院令第708号公布）") + wp("第一条　甲。"), "航标法", "2019-01-02", ""},
		{"two lines that make the name", "航标保护管理条例.docx", wp("航标保护") + wp("管理条例") + wp("第一条　甲。"), "航标保护管理条例", "", ""},
		{"two centred lines", "x.docx", centred("航标保护") + centred("管理条例") + centred("第一章　总则") + wp("第一条　甲。"), "航标保护管理条例", "", ""},
		{"a number above", "表格标准.docx", wp("ZC 0004-2001") + wp("表格标准") + wp("第一条　甲。"), "表格标准", "", ""},
		{"the order that publishes it", "航标办法.docx", centred("关于发布《航标办法》的公告") + wp("《航标办法》已经2023年3月1日总局会议通过，现予公告。") + wp("航标办法") + wp("第一条　甲。"), "航标办法", "2023-03-01", ""},
		{"no title but the name", "航标法.docx", wp("第一条　甲。") + wp("第二条　乙。"), "航标法", "", ""},
		{"a sentence on top", "航标法.docx", wp("为了航标，制定本法。") + wp("第一条　甲。"), "航标法", "", "为了航标，制定本法。"},
		{"many amendments in brackets", "航标法.docx", wp("航标法") + wp("（1990年1月1日国务院令第1号发布"+amendments(30)+"）") + wp("第一条　甲。"), "航标法", "1990-01-01", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := recognise(readParts(t, tt.file, parts{"body": tt.body}))
			checkDocument(t, doc)
			preamble := ""
			if len(doc.Units) > 0 && doc.Units[0].Number == 0 {
				preamble = doc.Units[0].Text
			}
			got := []string{doc.Law.Title, doc.Law.Published.String(), preamble}
			if diff := cmp.Diff([]string{tt.title, tt.published, tt.preamble}, got); diff != "" {
				t.Errorf("title, published, preamble (-want +got):\n%s", diff)
			}
		})
	}
}

func amendments(n int) string {
	s := ""
	for range n {
		s += "　根据2000年1月1日《关于修改部分行政法规的决定》修订"
	}
	return s
}
