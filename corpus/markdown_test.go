package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/statute"
)

// show prints a unit in one line: kind key [path] text, with / between lines.
func show(u statute.Unit) string {
	id, err := statute.ParseID(u.ID)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s %s %v %s", u.Kind, id.Key, u.Label, u.Path, strings.ReplaceAll(u.Text, "\n", "/"))
}

func shown(doc *Document) []string {
	out := []string{}
	for _, u := range doc.Units {
		out = append(out, show(u))
	}
	return out
}

func TestMarkdownShapes(t *testing.T) {
	const info = "\n\n<!-- INFO END -->\n\n"
	tests := []struct {
		name, text string
		want       []string
		notes      int
	}{
		{"chapters and sections", "# 中华人民共和国灯塔法\n\n2020年5月1日 某会通过" + info +
			"## 第一章　总　则\n\n第一条 为了灯塔，制定本法。\n\n## 第二章 管理\n\n### 第一节 建造\n\n第二条 建造灯塔，应当申请。\n\n申请用书面。\n\n（一）图纸；\n\n## 第三章 附则\n\n第三条 本法自2020年6月1日起施行。",
			[]string{
				"article 1 第一条 [第一章 总 则] 为了灯塔，制定本法。",
				"article 2 第二条 [第二章 管理 第一节 建造] 建造灯塔，应当申请。/申请用书面。/（一）图纸；",
				"article 3 第三条 [第三章 附则] 本法自2020年6月1日起施行。",
			}, 0},
		{"parts of one depth", "# 航标法" + info + "## 第一编 通则\n\n## 第一分编 一般\n\n## 第一章 甲\n\n第一条 一。\n\n## 第二章 乙\n\n第二条 二。\n\n## 第二分编 特别\n\n第三条 三。",
			[]string{
				"article 1 第一条 [第一编 通则 第一分编 一般 第一章 甲] 一。",
				"article 2 第二条 [第一编 通则 第一分编 一般 第二章 乙] 二。",
				"article 3 第三条 [第一编 通则 第二分编 特别] 三。",
			}, 0},
		{"a law kept in several files", "# 中华人民共和国航标法典\n\n# 合同编\n\n2020年5月28日 通过" + info + "## 第一章 一般规定\n\n第一千零七十七条 自登记之日起三十日内。",
			[]string{"article 1077 第一千零七十七条 [合同编 第一章 一般规定] 自登记之日起三十日内。"}, 0},
		{"sub-numbers", "# 罚法" + info + "第一百二十条 甲。\n\n第一百二十条之一 乙。\n\n第一百二十条之二 丙。\n\n第一百二十一条 丁。",
			[]string{"article 120 第一百二十条 [] 甲。", "article 120.1 第一百二十条之一 [] 乙。", "article 120.2 第一百二十条之二 [] 丙。", "article 121 第一百二十一条 [] 丁。"}, 0},
		{"a line that begins with a reference", "# 航标法" + info + "第一条 甲。\n\n第九条规定的情形，从其规定。\n\n第三条、第四条不适用。\n\n第五条 第二款不适用。\n\n第二条 乙。",
			[]string{"article 1 第一条 [] 甲。/第九条规定的情形，从其规定。/第三条、第四条不适用。/第五条 第二款不适用。", "article 2 第二条 [] 乙。"}, 0},
		{"labels without a space", "# 航标法" + info + "第一条为了航标，制定本法。\n\n第二条本法适用于航标。",
			[]string{"article 1 第一条 [] 为了航标，制定本法。", "article 2 第二条 [] 本法适用于航标。"}, 0},
		{"broken order and a gap", "# 航标法" + info + "第一条 甲。\n\n第三条 丙。\n\n第二条 乙。\n\n第五条 戊。",
			[]string{"article 1 第一条 [] 甲。", "article 3 第三条 [] 丙。", "article 2 第二条 [] 乙。", "article 5 第五条 [] 戊。"}, 2},
		{"the same label twice", "# 航标法" + info + "第一条 甲。\n\n第二条 乙。\n\n第二条 丙。\n\n第二条 乙。",
			[]string{"article 1 第一条 [] 甲。", "article 2 第二条 [] 乙。", "article 2~2 第二条 [] 丙。"}, 2},
		{"preamble with a heading", "# 宪章" + info + "## 序　言\n\n我们的国家。\n\n历史悠久。\n\n## 第一章 总纲\n\n第一条 甲。",
			[]string{"preamble 序言 序言 [] 我们的国家。/历史悠久。", "article 1 第一条 [第一章 总纲] 甲。"}, 0},
		{"preamble without a heading", "# 关于航标的解释" + info + "为了航标，作如下解释：\n\n第一条 甲。",
			[]string{"preamble 前言 前言 [] 为了航标，作如下解释：", "article 1 第一条 [] 甲。"}, 0},
		{"attachments", "# 航标税法" + info + "## 第一章 总则\n\n第一条 税率见附表。\n\n第二条 本法自公布之日起施行。\n\n附件一：税目表\n\n一、灯塔\n\n第一条 表中的条。\n\n附件2 税率\n\n浮标 5%\n\n附：\n\n说明",
			[]string{
				"article 1 第一条 [第一章 总则] 税率见附表。", "article 2 第二条 [第一章 总则] 本法自公布之日起施行。",
				"attachment 附件一 附件一 [] 税目表/一、灯塔/第一条 表中的条。", "attachment 附件2 附件2 [] 税率/浮标 5%", "attachment 附 附 [] 说明",
			}, 0},
		{"a sentence about an attachment", "# 航标税法" + info + "第一条 甲。\n\n附件一所列税目，适用本法。\n\n第二条 乙。",
			[]string{"article 1 第一条 [] 甲。/附件一所列税目，适用本法。", "article 2 第二条 [] 乙。"}, 0},
		{"numbered items without articles", "# 关于航标的决定" + info + "会议决定：\n\n一、设立航标局。\n\n局长一人。\n\n二、本决定自2019年1月1日起施行。",
			[]string{"preamble 前言 前言 [] 会议决定：", "item 项1 一、 [] 设立航标局。/局长一人。", "item 项2 二、 [] 本决定自2019年1月1日起施行。"}, 0},
		{"items as headings, one without its mark", "# 关于航标的通知" + info + "各局：\n\n## 一、计算\n\n按日。\n\n## 二\n\n按月。",
			[]string{"preamble 前言 前言 [] 各局：", "item 项1 一、 [] 计算/按日。", "item 项2 二、 [] 按月。"}, 0},
		{"an amending decision that quotes articles", "# 航标法修正案" + info + "一、将第五条修改为：\n\n第五条 新的条文。\n\n二、删去第六条。",
			[]string{"item 项1 一、 [] 将第五条修改为：/第五条 新的条文。", "item 项2 二、 [] 删去第六条。"}, 0},
		{"a decision with the amended text", "# 关于航标的规定" + info + "一、删去第二条。\n\n附：\n\n关于航标的规定\n\n第一条 甲。\n\n第二条 乙。",
			[]string{"item 项1 一、 [] 删去第二条。", "attachment 附 附 [] 关于航标的规定", "article 1 第一条 [] 甲。", "article 2 第二条 [] 乙。"}, 0},
		{"sections", "# 航标标准" + info + "## 范围\n\n本标准适用于航标。\n\n## 分级\n\n### 5.1 一级\n\na)高。\n\n### 5.2 二级\n\nb)低。",
			[]string{"section 范围 范围 [] 本标准适用于航标。", "section 5.1一级 5.1 一级 [分级] a)高。", "section 5.2二级 5.2 二级 [分级] b)低。"}, 0},
		{"a short text as a whole", "# 关于航标的批复" + info + "某局：\n\n同意。", []string{"whole 全文 全文 [] 某局：/同意。"}, 0},
		{"a title and nothing else", "# 航标法\n\n2020年1月1日 通过" + info, []string{}, 1},
		{"title again, contents, broken heading", "# 航标保护管理条例" + info + "航标保护\n\n管理条例\n\n目　录\n\n第一章 总则\n\n第二章 附则\n\n## 第一章 总则\n\n第一条 甲。\n\n## 第二章 没有划入保护区的\n\n航标的保护\n\n第二条 乙。",
			[]string{"article 1 第一条 [第一章 总则] 甲。", "article 2 第二条 [第二章 没有划入保护区的航标的保护] 乙。"}, 0},
		{"headings that are not marked", "航标法\n（2020年1月1日通过）\n第一章　总则\n第一条　甲。\n附则\n第二条　乙。",
			[]string{"article 1 第一条 [第一章 总则] 甲。", "article 2 第二条 [附则] 乙。"}, 0},
		{"articles on one line", "# 航标法" + info + "第一条 甲。 第二条 乙，依照第三条 规定。 丙。 第三条 丁。",
			[]string{"article 1 第一条 [] 甲。", "article 2 第二条 [] 乙，依照第三条 规定。 丙。", "article 3 第三条 [] 丁。"}, 0},
		{"bold labels, a comment over lines, front matter, CRLF", "---\r\nid: 1\r\n---\r\n# 航标法\r\n<!-- a\r\nb -->\r\n**第一条** 甲。\r\n\r\n\u200b\r\n**第二条** 乙。",
			[]string{"article 1 第一条 [] 甲。", "article 2 第二条 [] 乙。"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := recognise(markdownBlocks("航标.md", tt.text))
			checkDocument(t, doc)
			if diff := cmp.Diff(tt.want, shown(doc)); diff != "" {
				t.Errorf("units (-want +got):\n%s", diff)
			}
			if len(doc.Notes) != tt.notes {
				t.Errorf("%d notes, want %d: %q", len(doc.Notes), tt.notes, doc.Notes)
			}
			if c := doc.Coverage; c.Chars != chars(tt.text) {
				t.Errorf("%d characters counted, the text has %d", c.Chars, chars(tt.text))
			}
		})
	}
}

func TestHeaderDates(t *testing.T) {
	tests := []struct {
		name, file, header, body              string
		version, published, effective, issuer string
	}{
		{"adopted and amended", "劳动法.md", "1994年7月5日 第八届全国人民代表大会常务委员会第八次会议通过\n\n2018年12月29日 第十三届全国人民代表大会常务委员会第七次会议《关于修改〈甲法〉的决定》第二次修正",
			"第一条 本法自1995年1月1日起施行。", "2018-12-29", "1994-07-05", "2018-12-29", "全国人民代表大会常务委员会"},
		{"the name knows a later amendment", "应急条例(2011-01-08).md", "2003年5月9日 国务院令第376号公布", "第一条 甲。", "2011-01-08", "2003-05-09", "", "国务院"},
		{"a name's day before the adoption is none", "甲法(2001-01-01).md", "2003年5月9日 国务院令第376号公布", "第一条 甲。", "2003-05-09", "2003-05-09", "", "国务院"},
		{"effective day in the header", "甲法.md", "2020年5月28日 第十三届全国人民代表大会第三次会议通过\n\n2021年1月1日 施行", "第一条 甲。", "2020-05-28", "2020-05-28", "2021-01-01", "全国人民代表大会"},
		{"adopted, approved, published", "甲条例.md", "2020年5月29日 丽水市第四届人民代表大会常务委员会第二十五次会议通过\n\n2020年7月31日 浙江省第十三届人民代表大会常务委员会第二十二次会议批准",
			"第一条 本条例自2020年11月1日起施行。", "2020-05-29", "2020-05-29", "2020-11-01", "丽水市人民代表大会常务委员会"},
		{"two adopting bodies", "解释.md", "2020年8月31日 最高人民法院审判委员会第1811次会议、\n\n2020年8月21日 最高人民检察院第十三届检察委员会第四十八次会议通过", "第一条 甲。", "2020-08-31", "2020-08-31", "", "最高人民法院"},
		{"Chinese numerals, from publication", "甲法(1990-04-04).md", "", "第一条 本法自一九九七年七月一日起施行。", "1990-04-04", "1990-04-04", "1997-07-01", ""},
		{"from the day of publication", "甲法.md", "2001年8月31日 第九届全国人民代表大会常务委员会第二十三次会议通过", "第一条 本法自公布之日起施行。", "2001-08-31", "2001-08-31", "2001-08-31", "全国人民代表大会常务委员会"},
		{"only the effective day is known", "甲法.md", "", "第一条 本法自2011年12月1日起施行。", "2011-12-01", "", "2011-12-01", ""},
		{"no such day", "甲法.md", "2001年13月41日 某会议通过", "第一条 甲。", "x", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := recognise(markdownBlocks(tt.file, "# 甲法\n\n"+tt.header+"\n\n<!-- INFO END -->\n\n"+tt.body))
			law := doc.Law
			if tt.version == "x" {
				tt.version = statute.ContentVersion("第一条\n甲。\n")
			}
			got := []string{law.Version, law.Published.String(), law.Effective.String(), law.Issuer}
			if diff := cmp.Diff([]string{tt.version, tt.published, tt.effective, tt.issuer}, got); diff != "" {
				t.Errorf("version, published, effective, issuer (-want +got):\n%s", diff)
			}
			if want := "甲法@" + tt.version; law.ID != want {
				t.Errorf("id %s, want %s", law.ID, want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	large := file("large.md", nil)
	if err := os.Truncate(large, 1<<30); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none.md"), "there is no such file"},
		{"empty", file("empty.md", nil), "the file is empty"},
		{"only white space", file("blank.md", []byte(" \n\n")), "the file is empty"},
		{"folder", dir, "this is a folder"},
		{"unknown format", file("a.xyz", []byte("a")), "the format is not known"},
		{"binary", file("binary.md", []byte("# 法\n\x00\x01\x02")), "binary"},
		{"broken UTF-16", file("utf16.md", []byte("\xff\xfe\x00\xd8\x00\xd8")), "UTF-16"},
		{"neither encoding", file("latin.md", []byte("caf\xe9 \xff\xff na\xefve")), "neither UTF-8 nor GB18030"},
		{"1 GB", large, "larger than 64 MB"},
		{"not SQLite", file("a.db", []byte("hello")), "not a SQLite 3 file"},
		{"not gzip", file("a.jsonl.gz", []byte("{}")), "not a gzip file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			for doc, err := range Read(t.Context(), tt.path) {
				n++
				if doc != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, %v; want an error with %q", doc, err, tt.want)
				}
			}
			if n != 1 {
				t.Errorf("%d results, want one error", n)
			}
		})
	}
}

func TestGB18030(t *testing.T) {
	// "# 法\n\n第一条 甲。" in GB18030
	path := filepath.Join(t.TempDir(), "gb.md")
	gb := "# \xb7\xa8\n\n\xb5\xda\xd2\xbb\xcc\xf5 \xbc\xd7\xa1\xa3"
	if err := os.WriteFile(path, []byte(gb), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := readOne(t, path)
	if diff := cmp.Diff([]string{"article 1 第一条 [] 甲。"}, shown(doc)); diff != "" {
		t.Error(diff)
	}
}

func TestSupported(t *testing.T) {
	for name, want := range map[string]bool{
		"a.md": true, "A.MD": true, "a.txt": true, "a.jsonl": true, "a.jsonl.gz": true, "a.db": true,
		"a.sqlite": true, "a.gz": false, "a.docx": true, "a.pdf": true, "a.html": true, "a.HTM": true, "a.xhtml": true, "a.doc": true, "README": false, ".md": true,
	} {
		if got := Supported(name); got != want {
			t.Errorf("Supported(%q) = %v", name, got)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# 法\n\n2020年1月1日 通过\n\n<!-- INFO END -->\n\n## 第一章 总则\n\n第一条 甲。\n\n第一条之一 乙。\n\n附件一：表\n\n一、x",
		"一、甲\n二、乙\n\n一、丙", "目录\n第一章 甲\n第一章 甲\n第一条 甲 第二条 乙", "# a\n# b\n<!--\n\n-->\n---\n***", "第一条\n第一条\n第一条 甲\n第一条 甲",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		valid, reason := decode([]byte(text))
		if reason != "" {
			return
		}
		doc := recognise(markdownBlocks("x.md", valid))
		checkDocument(t, doc)
		if doc.Coverage.Chars != chars(valid) {
			t.Errorf("%d characters counted, the text has %d", doc.Coverage.Chars, chars(valid))
		}
	})
}
