package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// pageOf puts a body into a page as collections of laws have it.
func pageOf(title, body string) string {
	return "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" + title + "</title><style>p{color:red}</style><script>var a = '第九条';</script></head>\n<body>" + body + "</body></html>"
}

func TestHTMLShapes(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		rest       string // the reasons, joined
		added      int    // characters of list numbers and cell marks
	}{
		{"headings and paragraphs", pageOf("航标法", "<h1>航标法</h1><p>（2020年5月1日某会通过）</p><h2>第一章　总　则</h2><p>　　<strong>第一条</strong>　为了航标&nbsp;&mdash;&#x4E00;，制定本法。</p>\n<p>&emsp;第二款。</p><h2>第二章 附则</h2><p>第二条 乙。</p>"),
			[]string{"article 1 第一条 [第一章 总 则] 为了航标\u00a0—一，制定本法。/第二款。", "article 2 第二条 [第二章 附则] 乙。"}, "header", 0},
		{"label and text in paragraphs of their own; br", pageOf("", "<h1>航标法</h1><div><p>第一条</p><p>甲。<br>（一）子；<br/>（二）丑。</p></div><div>第二条<span>　</span>乙<b>丙</b>。</div>"),
			[]string{"article 1 第一条 [] 甲。/（一）子；/（二）丑。", "article 2 第二条 [] 乙丙。"}, "", 0},
		{"hidden, struck out, commented", pageOf("", "<h1>航标法</h1><p>第一条 甲<del>旧</del><s>旧</s><ins>新</ins>。</p><p style=\"display: none\">第二条 隐。</p><p style='VISIBILITY:hidden'>隐</p><p hidden>隐</p><!-- 第三条 隐。 --><template>隐</template><noscript>隐</noscript><span style='font-size:0'>隐</span><p>第二条 乙。</p>"),
			[]string{"article 1 第一条 [] 甲新。", "article 2 第二条 [] 乙。"}, "hidden or struck out", 0},
		{"a page of a ministry", pageOf("航标条例_某部门户网站", `<div class="header"><a href="/">某部</a></div><ul class="nav"><li><a>首页</a></li><li><a>政策</a></li></ul><div class="crumb">当前位置：首页 &gt; 法规</div><div class="article"><div class="tit">航标条例</div><div>来源：新华社</div><div>发布时间：2020-05-28 10:00</div><div>字体：大 中 小</div><div class="TRS_Editor"><p>（2020年5月1日国务院令第7号公布）</p><p>第一条　甲。</p><p>第二条　乙。</p></div><div>【打印】</div><div>责任编辑：某</div></div><div><a>相关文章一</a></div><footer>版权所有 某部</footer>`),
			[]string{"article 1 第一条 [] 甲。", "article 2 第二条 [] 乙。"}, "header page frame", 0},
		{"numbers of lists", pageOf("", `<h1>航标法</h1><p>第一条 表：</p><ol start="3"><li>甲</li><li value=7>乙</li><li><p>丙</p></li></ol><ol type=a><li>子</li></ol><ol type=I reversed><li>丑</li><li>寅</li></ol><ul><li>卯</li></ul><ol style="list-style-type:cjk-ideographic"><li>辰</li></ol><ol style="list-style:none"><li>1、巳</li></ol>`),
			[]string{"article 1 第一条 [] 表：/3. 甲/7. 乙/8. 丙/a. 子/II. 丑/I. 寅/卯/一、辰/1、巳"}, "", 15},
		{"tables", pageOf("", `<h1>航标税法</h1><p>第一条 税率见附表。</p><p>附件：税目表</p><table><caption>单位：元</caption><tr><th rowspan=2>税目</th><th colspan=2>税率</th></tr><tr><td>一档</td><td>二档</td></tr><tr><td>灯塔<br>浮标</td><td></td><td><p>5%</p></td></tr></table>`),
			[]string{"article 1 第一条 [] 税率见附表。", "attachment 附件 附件 [] 税目表/单位：元/税目 | 税率/一档 | 二档/灯塔 浮标 |  | 5%"}, "", 4},
		{"tables that lay out the page", pageOf("", `<table><tr><td>菜单</td><td><table><tr><td><h1>航标法</h1></td></tr><tr><td><p>第一条 甲。</p><p>第二条 乙。</p></td></tr></table></td></tr></table>`),
			[]string{"article 1 第一条 [] 甲。", "article 2 第二条 [] 乙。"}, "page frame", 0},
		{"preformatted, broken lines of the source", pageOf("", "<h1>航标法</h1><pre>第一条 甲。\n第二条 乙。</pre><p>第三条 丙\n  丁 A\nB。</p>"),
			[]string{"article 1 第一条 [] 甲。", "article 2 第二条 [] 乙。", "article 3 第三条 [] 丙丁 A B。"}, "", 0},
		{"headings that begin at h3, a title over two lines, contents", pageOf("", "<h3>中华人民共和国<br>航标法</h3><h4>目录</h4><p>第一章 总则</p><p>第二章 附则</p><h4>第一章 总则</h4><p>第一条 甲。</p><h4>第二章 附则</h4><p>第二条 乙。</p>"),
			[]string{"article 1 第一条 [第一章 总则] 甲。", "article 2 第二条 [第二章 附则] 乙。"}, "table of contents", 0},
		{"sections", pageOf("", "<h1>航标标准</h1><h2>范围</h2><p>本标准适用于航标。</p><h2>分级</h2><h3>5.1 一级</h3><p>高。</p>"),
			[]string{"section 范围 范围 [] 本标准适用于航标。", "section 5.1一级 5.1 一级 [分级] 高。"}, "", 0},
		{"the title stands in the head alone", pageOf("航标法", "<p>第一条 甲。</p>"), []string{"article 1 第一条 [] 甲。"}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src, reason := htmlBlocks("航标.html", tt.text)
			if reason != "" {
				t.Fatal(reason)
			}
			doc := recognise(src)
			checkDocument(t, doc)
			if diff := cmp.Diff(tt.want, shown(doc)); diff != "" {
				t.Errorf("units (-want +got):\n%s", diff)
			}
			seen := 0 // all text of the page; cell marks and list numbers are added to it
			root, err := html.Parse(strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			for n := range root.Descendants() {
				if n.DataAtom == atom.Body {
					seen = chars(anyText(n))
				}
			}
			if added := doc.Coverage.Chars - seen; added != tt.added {
				t.Errorf("%d characters counted, the page has %d", doc.Coverage.Chars, seen)
			}
			if !strings.Contains(doc.Law.Title, "航标") || len(doc.Law.Title) > len("中华人民共和国 航标法") {
				t.Errorf("title %q", doc.Law.Title)
			}
			reasons := []string{}
			for _, s := range doc.Coverage.Rest {
				if len(reasons) == 0 || reasons[len(reasons)-1] != s.Why {
					reasons = append(reasons, s.Why)
				}
			}
			for _, r := range reasons {
				if !strings.Contains(tt.rest, r) {
					t.Errorf("rest: %s, want %q", r, tt.rest)
				}
			}
		})
	}
}

func TestHTMLEncodings(t *testing.T) {
	text := "<html><head><meta http-equiv=Content-Type content='text/html; charset=%'></head><body><h1>航標法</h1><p>第一條 甲，第一条。</p></body></html>"
	gb, err := simplifiedchinese.GB18030.NewEncoder().String(strings.Replace(text, "%", "gb2312", 1))
	if err != nil {
		t.Fatal(err)
	}
	undeclared, err := simplifiedchinese.GBK.NewEncoder().String("<p>航标法</p><p>第一条 甲。</p>")
	if err != nil {
		t.Fatal(err)
	}
	big5, err := traditionalchinese.Big5.NewEncoder().String("<meta charset=big5><h1>航標法</h1><p>第一章 甲。</p>")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"declared GB2312": gb, "undeclared GBK": undeclared, "Big5": big5,
		"UTF-8 that says it is GBK": strings.Replace(text, "%", "gbk", 1), "UTF-8 with its mark": "\ufeff" + text,
		"UTF-16": "\xff\xfe<\x00p\x00>\x00\x2a\x82\x07\x68\xd5\x6c",
	} {
		got, reason := decodeHTML([]byte(content))
		if reason != "" || !strings.Contains(got, "航標") && !strings.Contains(got, "航标") {
			t.Errorf("%s: %q, %s", name, got, reason)
		}
	}
}

func TestHTMLLimits(t *testing.T) {
	for name, text := range map[string]string{
		"deep":      "<p>a" + strings.Repeat("<div>", 100_000),
		"no text":   "<html><script>x</script></html>",
		"deep list": strings.Repeat("<ul><li>", 3000) + "a",
	} {
		start := time.Now()
		src, reason := htmlBlocks("a.html", text)
		if src != nil && reason != "" || src == nil && reason == "" {
			t.Errorf("%s: %v %q", name, src, reason)
		}
		t.Logf("%s: %q after %v", name, reason, time.Since(start))
	}
}

func TestMisnamed(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ content, want string }{
		"a.html": {"%PDF-1.7\n", "PDF"}, "a.txt": {"PK\x03\x04rest", "ZIP"}, "b.txt": {"\n<!DOCTYPE HTML><p>", "HTML"},
		"a.md": {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old or encrypted"}, "a.pdf": {"PK\x03\x04", "ZIP"}, "b.html": {"{\\rtf1", "RTF"},
		"b.md": {"<html><p>", "HTML"}, "d.txt": {"MIME-Version: 1.0", "MHTML"},
		"c.txt": {"\x89PNG\r\n\x1a\n", "PNG"}, "a.db": {"%PDF-1.7", "PDF"}, "a.jsonl": {"SQLite format 3\x00", "SQLite"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		for doc, err := range Read(t.Context(), path) {
			if doc != nil || err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "the name ends in") {
				t.Errorf("%s: %v, %v", name, doc, err)
			}
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"<h1>法</h1><p>第一条 甲。<br>乙<ol type=i start=3><li>丙</ol><table><tr><td rowspan=2>a<td>b</table>",
		"<title>法_网</title><nav>a</nav><pre>x\ny</pre><p hidden>h", "<table><table><tr><td>", "<h6>a<h1>b<li>c", "<svg><p>a<math><mi>b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		valid, reason := decodeHTML([]byte(text))
		if reason != "" {
			return
		}
		src, reason := htmlBlocks("x.html", valid)
		if reason != "" {
			return
		}
		checkDocument(t, recognise(src))
	})
}
