package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrintNumber(t *testing.T) {
	for format, want := range map[string]string{
		"decimal": "1 9 10 21 105", "decimalZero": "01 09 10 21 105", "decimalFullWidth": "１ ９ １０ ２１ １０５",
		"upperRoman": "I IX X XXI CV", "lowerRoman": "i ix x xxi cv", "upperLetter": "A I J U AAAAA", "lowerLetter": "a i j u aaaaa",
		"chineseCounting": "一 九 十 二十一 一○五", "taiwaneseCounting": "一 九 十 二十一 一○五",
		"chineseCountingThousand": "一 九 十 二十一 一百零五", "japaneseCounting": "一 九 十 二十一 一百零五",
		"ideographDigital": "一 九 一〇 二一 一〇五", "ideographTraditional": "甲 壬 癸 21 105", "ideographZodiac": "子 申 酉 21 105",
		"chineseLegalSimplified": "壹 玖 拾 贰拾壹 壹佰零伍", "decimalEnclosedCircle": "① ⑨ ⑩ 21 105", "decimalEnclosedCircleChinese": "① ⑨ ⑩ 21 105",
		"decimalEnclosedParen": "⑴ ⑼ ⑽ 21 105", "numberInDash": "- 1 - - 9 - - 10 - - 21 - - 105 -", "hebrew1": "1 9 10 21 105", "none": "    ", "bullet": "    ",
	} {
		var got []string
		for _, n := range []int{1, 9, 10, 21, 105} {
			got = append(got, printNumber(n, format))
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: %q, want %q", format, g, want)
		}
	}
	for _, n := range []int{0, -1, 1 << 40} { // numbers that no list has must not fail
		for _, format := range []string{"lowerLetter", "upperRoman", "chineseCounting", "decimalZero", "decimalFullWidth", "ideographTraditional"} {
			if printNumber(n, format) == "" {
				t.Errorf("%d in %s is empty", n, format)
			}
		}
	}
}

func TestDOCXNumbering(t *testing.T) {
	law := wnum(1, wlvl(0, "chineseCountingThousand", "第%1章", ""), wlvl(1, "chineseCountingThousand", "第%2条", `<w:lvlRestart w:val="0"/>`),
		wlvl(2, "chineseCounting", "（%3）", `<w:suff w:val="nothing"/>`), wlvl(3, "decimal", "%4．", ""))
	plain := wnum(1, wlvl(0, "decimal", "%1", ""), wlvl(1, "decimal", "%1.%2", ""), wlvl(2, "lowerLetter", "%3)", ""))
	restart := func(id int, override string) string {
		return `<w:num w:numId="` + string(rune('0'+id)) + `"><w:abstractNumId w:val="1"/>` + override + `</w:num>`
	}
	tests := []struct {
		name, numbering, styles, body string
		want                          []string
	}{
		{"chapters, articles that count on, items that begin anew", law, "",
			wn(1, 0, "总则") + wn(1, 1, "甲：") + wn(1, 2, "子；") + wn(1, 2, "丑。") + wn(1, 3, "细") + wn(1, 1, "乙：") + wn(1, 2, "寅。") + wn(1, 0, "附则") + wn(1, 1, "丙。"),
			[]string{"第一章 总则", "第一条 甲：", "（一）子；", "（二）丑。", "1．细", "第二条 乙：", "（一）寅。", "第二章 附则", "第三条 丙。"}},
		{"levels in one number", plain, "", wn(1, 0, "甲") + wn(1, 1, "乙") + wn(1, 1, "丙") + wn(1, 2, "丁") + wn(1, 0, "戊") + wn(1, 1, "己"),
			[]string{"1 甲", "1.1 乙", "1.2 丙", "a) 丁", "2 戊", "2.1 己"}},
		{"two lists of one scheme count on; one with a start of its own doesn't", plain + restart(2, "") + restart(3, `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>`), "",
			wn(1, 0, "甲") + wn(2, 0, "乙") + wn(3, 0, "丙") + wn(3, 0, "丁") + wn(1, 0, "戊"), []string{"1 甲", "2 乙", "5 丙", "6 丁", "7 戊"}},
		{"a level overridden", plain + restart(2, `<w:lvlOverride w:ilvl="0">`+wlvl(0, "upperRoman", "%1、", "")+`</w:lvlOverride>`), "", wn(2, 0, "甲") + wn(2, 0, "乙"), []string{"I、甲", "II、乙"}},
		{"digits in a legal number", wnum(1, wlvl(0, "chineseCounting", "%1", ""), wlvl(1, "chineseCounting", "%1.%2", `<w:isLgl/>`)), "", wn(1, 0, "甲") + wn(1, 1, "乙"), []string{"一 甲", "1.1 乙"}},
		{"bullets, hidden and empty numbers", wnum(1, wlvl(0, "bullet", "\uf0b7", ""), wlvl(1, "decimal", "%2.", `<w:rPr><w:vanish/></w:rPr>`), wlvl(2, "none", "", "")), "", wn(1, 0, "甲") + wn(1, 1, "乙") + wn(1, 2, "丙") + wn(9, 0, "丁") + wn(1, 42, "戊"),
			[]string{"甲", "乙", "丙", "丁", "戊"}},
		{"a list by style, with its level, switched off", wnum(1, wlvl(0, "chineseCounting", "第%1章", `<w:pStyle w:val="c"/>`), wlvl(1, "chineseCounting", "第%2条", `<w:pStyle w:val="a"/>`)),
			`<w:style w:type="paragraph" w:styleId="c"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="a"><w:basedOn w:val="c"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`,
			ws("c", "总则") + ws("a", "甲。") + `<w:p><w:pPr><w:pStyle w:val="a"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>` + wr("续。") + `</w:p>` + ws("a", "乙。"),
			[]string{"第一章 总则", "第一条 甲。", "续。", "第二条 乙。"}},
		{"a scheme that a numbering style defines", `<w:abstractNum w:abstractNumId="7"><w:numStyleLink w:val="n"/></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="7"/></w:num>` + plain,
			`<w:style w:type="numbering" w:styleId="n"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`, wn(7, 0, "甲") + wn(7, 1, "乙"), []string{"1 甲", "1.1 乙"}},
		{"a format for newer programs", wnum(1, `<w:lvl w:ilvl="0"><w:start w:val="1"/><mc:AlternateContent><mc:Choice Requires="w14"><w:numFmt w:val="custom" w:format="001"/></mc:Choice><mc:Fallback><w:numFmt w:val="decimalZero"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="%1"/></w:lvl>`), "",
			wn(1, 0, "甲"), []string{"01 甲"}},
		{"deleted paragraphs don't count", plain, "", wn(1, 0, "甲") + `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:del w:id="2"><w:r><w:delText>删</w:delText></w:r></w:del></w:p>` + wn(1, 0, "乙"),
			[]string{"1 甲", "2 乙", "!deleted by a tracked change: 删"}},
		{"empty paragraphs count unseen", plain, "", wn(1, 0, "甲") + wn(1, 0, "") + wn(1, 0, "丙"), []string{"1 甲", "3 丙"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readParts(t, "航标法.docx", parts{"body": wp("航标法") + tt.body, "numbering": tt.numbering, "styles": tt.styles}).lines()
			if diff := cmp.Diff(append([]string{"# 航标法"}, tt.want...), got); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDOCXArticles reads a law whose every label is an automatic number.
func TestDOCXArticles(t *testing.T) {
	doc := recognise(readParts(t, "航标办法.docx", parts{
		"numbering": wnum(1, wlvl(0, "chineseCounting", "第%1章", ""), wlvl(1, "chineseCounting", "第%2条", `<w:suff w:val="nothing"/><w:lvlRestart w:val="0"/>`), wlvl(2, "chineseCounting", "（%3）", "")),
		"body":      wp("航标办法") + wn(1, 0, "总则") + wn(1, 1, "为了航标，制定本办法。") + wp("第二款。") + wn(1, 0, "管理") + wn(1, 1, "应当：") + wn(1, 2, "甲；") + wn(1, 2, "乙。"),
	}))
	checkDocument(t, doc)
	want := []string{"article 1 第一条 [第一章 总则] 为了航标，制定本办法。/第二款。", "article 2 第二条 [第二章 管理] 应当：/（一）甲；/（二）乙。"}
	if diff := cmp.Diff(want, shown(doc)); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
}
