package server_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lexagent/graph"
	"lexagent/server"
	"lexagent/server/access"
	"lexagent/server/journal"
)

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always is JSON
	}
	return string(b)
}

func TestPageAnswersAndShowsArticles(t *testing.T) {
	s := serve(t)
	s.script.pause = 150 * time.Millisecond
	b := look(t, s.url)
	b.until(".examples", "三十日内能撤回申请吗")
	b.until("#banner", "向量索引构建中 41 %")
	b.shot("home.png")

	b.typed("textarea", "登记离婚后反悔了可以撤回吗？")
	b.click(".ask .primary")
	b.until(".steps .draft.running", "起草回答")
	b.shot("progress.png")
	b.until(".answer-text strong", "可以。") // before the end
	b.until(".sources", "依据", "第一千零七十七条", "现行有效")
	b.until(".steps", "理解问题", "2 ms", "找到 3 条", "起草回答", "2.3 s", "核验引用")
	b.until(".checks", "已核验 3 处引用", "移除了 1 段", "引用已核验")
	b.until(".answer-text", "可以。依《中华人民共和国民法典》第一千零七十七条，自", "向量索引尚未建成")
	if got := b.eval(`document.querySelector(".answer-text").innerText`); strings.Contains(got, "依据：") || strings.Contains(got, "**") {
		t.Errorf("the answer shows its plain list of sources or its marks: %s", got)
	}
	b.eval(`(window.scrollTo(0, 0), "")`)
	b.shot("answer.png")

	b.click(".answer-text .cite")
	b.until("#panel", "中华人民共和国民法典", "第五编 婚姻家庭 › 第四章 离婚", "第一千零七十七条", "现行有效",
		"2020-05-28 版本", "2021-01-01 起施行", "类别（自动判断）：适用条件", "前款规定期限届满后", "上一条", "下一条")
	if got := b.eval(`document.querySelectorAll("#panel .statute p").length + " " + decodeURIComponent(location.hash)`); got != "2 #/article/民法典@2020-05-28:1077" {
		t.Errorf("paragraphs and place: %s", got)
	}
	b.shot("article.png")

	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until("#panel h2", "第一千零七十八条")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.gone("#panel")
	b.until(".sources", "依据") // the answer is still there

	b.typed("textarea", "那财产呢？"+kb.Enter)
	b.until(".turn:nth-child(2) .sources", "依据")
}

func TestPageStopsAnAnswer(t *testing.T) {
	s := serve(t)
	stopped := make(chan struct{})
	s.script.hook = func(ctx context.Context, _ graph.Request) error {
		<-ctx.Done()
		close(stopped)
		return ctx.Err()
	}
	b := look(t, s.url)
	b.click(".example")
	b.until(".steps .understand.running", "理解问题")
	b.click(".ask .primary")
	b.until(".answer-foot .notice", "已停止")
	select {
	case <-stopped:
	case <-time.After(5 * time.Second): // less than a lost reader is waited for
		t.Error("the server did not notice")
	}
}

func TestPageSearchesAndBrowses(t *testing.T) {
	s := serve(t)
	b := look(t, s.url+"/#/search")
	b.typed("input[type=search]", "离婚"+kb.Enter)
	b.until(".results", "第一千零七十六条", "已废止", "向量索引尚未建成")
	b.shot("search.png")
	b.eval(`(document.querySelector("input[type=search]").value = "", "")`)
	b.typed("input[type=search]", "民法典1077"+kb.Enter)
	b.until("#panel", "第一千零七十七条", "前款规定")

	b.open(s.url + "/#/laws")
	b.until(".laws", "中华人民共和国劳动合同法", "2001-04-28 版本", "2021-01-01 起失效")
	b.shot("laws.png")
	b.typed(".find input", "民法")
	b.gone(".laws li:nth-child(2)")
	b.click(".law")
	b.until(".law-columns", "第四章 离婚", "第一千零七十九条", "如果感情确已破裂")
	b.shot("law.png")
	b.open(s.url + "/#/article/%E5%A9%9A%E5%A7%BB%E6%B3%95:31")
	b.until("#panel", "已废止", "民法典@2020-05-28", "第三十一条")
	b.shot("repealed.png")
	b.open(s.url + "/#/article/nothing:1")
	b.until("#panel", "没有收录此条文或法律")
}

func TestPageOnAPhoneInTheDarkInEnglish(t *testing.T) {
	s := serve(t)
	b := look(t, "about:blank", chromedp.Flag("lang", "en-US"), chromedp.Flag("accept-lang", "en-US"), chromedp.Flag("blink-settings", "preferredColorScheme=0"))
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateScale(2)))
	b.open(s.url)
	b.until("body", "Ask the statutes", "Building the vector index: 41 %")
	b.shot("phone-home.png")
	b.click(".example")
	b.until(".sources", "Sources")
	b.shot("phone-answer.png")
	b.click(".source")
	b.until("#panel", "In force", "前款规定")
	b.shot("phone-article.png")
	if got := b.eval(`document.documentElement.scrollWidth + " of " + innerWidth`); got != "390 of 390" {
		t.Errorf("the page is wider than the phone: %s", got)
	}
}

// Whatever an answer says, it stays text; citations link exactly what they name.
func TestPageMarkdown(t *testing.T) {
	s := serve(t)
	b := look(t, s.url)
	for _, tt := range []struct{ text, links, want string }{
		{"a <b>x</b> <img src=x onerror=alert(1)>", "", "<p>a &lt;b&gt;x&lt;/b&gt; &lt;img src=x onerror=alert(1)&gt;</p>"},
		{"[x](javascript:alert(1))", "", "<p>[x](javascript:alert(1))</p>"},
		{"# 一\n\n二**三**四\n五", "", "<h3>一</h3><p>二<strong>三</strong>四<br>五</p>"},
		{"- 甲\n- 乙 *丙*\n\n3. 丁\n4. 戊", "", `<ul><li>甲</li><li>乙 <em>丙</em></li></ul><ol start="3"><li>丁</li><li>戊</li></ol>`},
		{"> 引\n> 文\n\n---\n`a**b**`", "", "<blockquote>引<br>文</blockquote><hr><p><code>a**b**</code></p>"},
		{"2 * 3 ** 4 *", "", "<p>2 * 3 ** 4 *</p>"},
		{"𠮷见《法》第一条。", `{"from":2,"to":8,"id":"法@x1a2b3c4d:1","title":"《法》第一条"}`,
			`<p>𠮷见<a class="cite" href="#/article/%E6%B3%95%40x1a2b3c4d%3A1" title="《法》第一条">《法》第一条</a>。</p>`},
		{"**见《法》**第一条", `{"from":3,"to":11,"id":"a:1","title":""}`,
			`<p><strong>见<a class="cite" href="#/article/a%3A1" title="">《法》</a></strong><a class="cite" href="#/article/a%3A1" title="">第一条</a></p>`},
	} {
		got := b.eval(`import("/assets/markdown.js").then((m) => m.render(` + quote(tt.text) + `, [` + tt.links + `]).map((e) => e.outerHTML).join(""))`)
		if got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestPageTellsWhatFailed(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Answerer = failing{} })
	s.health.r = server.Readiness{}
	b := look(t, s.url)
	b.until("#banner", "正在启动")
	b.click(".example")
	b.until(".answer-foot .notice", "所需的服务暂时不可用")
}

// An article shows why an answer may cite it, its versions and their difference, and
// the citations around it, which can be walked.
func TestPageShowsWhatBelongsToAnArticle(t *testing.T) {
	s := serve(t)
	b := look(t, s.url)
	b.click(".example")
	b.until(".sources", "依据")
	b.eval(`(window.scrollTo(0, 0), "")`)
	b.click(".answer-text .cite")
	b.until("#panel .reasons", "已在法律汇编中查到此条", "所问之日：现行有效", "在本次检索到的条文之中")
	b.until("#panel .versions", "2019-12-16 版本", "2020-05-28 版本")
	b.click("#panel .compare")
	b.until("#panel .diff", "2019-12-16 → 2020-05-28", "一个月三十日内")
	if got := b.eval(`[...document.querySelectorAll("#panel .diff del, #panel .diff ins")].map((e) => e.tagName + e.textContent).join(" ").slice(0, 13)`); got != "DEL一个月 INS三十日" {
		t.Errorf("the difference: %q", got)
	}
	b.until("#panel .citations", "被 1 处引用", "引用 2 处")
	b.eval(`(document.querySelector("#panel .graph").scrollIntoView(), "")`)
	b.shot("relations.png")
	b.click(`#panel .graph a[aria-label*="第一千零七十八条"]`)
	b.until("#panel h2", "第一千零七十八条")
	b.click("#panel .tools .button") // to its place in the law
	b.until(".law-text .unit.at", "第一千零七十八条")
	b.typed(".go-to input", "1076"+kb.Enter)
	b.until(".law-text .unit.at", "第一千零七十六条")
}

// The conversation is there after the page was loaded again, until a new one is begun.
func TestPageKeepsTheConversation(t *testing.T) {
	s := serve(t)
	b := look(t, s.url)
	b.click(".example")
	b.until(".sources", "依据")
	b.do(chromedp.Reload())
	b.until(".turn .question", "书面劳动合同")
	b.until(".turn .sources", "第一千零七十七条")
	b.click(".form-foot > .plain")
	b.gone(".turn")
	b.do(chromedp.Reload())
	b.until(".examples", "三十日内")
	b.gone(".turn")
}

func TestPageTakesDocuments(t *testing.T) {
	s := serve(t, takesDocuments(t))
	file := filepath.Join(t.TempDir(), "考勤办法.md")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	b := look(t, s.url+"/#/upload")
	b.until(".upload", "资料集")
	b.do(chromedp.SetUploadFiles(chromedp.CSS(".upload input[type=file]"), []string{file}))
	b.click(".upload .primary")
	b.until(".job.done", "考勤办法.md", "完成，已可检索", "2 条", "覆盖 100.0 %")
	b.shot("upload.png")
	if err := os.WriteFile(file, []byte{0xff, 0xfe, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS(".upload input[type=file]"), []string{file}))
	b.click(".upload .primary")
	b.until(".job.failed", "考勤办法.md")

	// A document is removed when its reader says so twice.
	b.open(s.url + "/#/")
	b.open(s.url + "/#/upload")
	b.until("ul.jobs", "考勤办法.md")
	b.click("ul.jobs button")
	b.until("ul.jobs button", "再按一次即删除")
	b.shot("remove.png")
	b.click("ul.jobs button")
	b.until(".job.done", "已删除，不再检索")
	b.gone("ul.jobs")

	// What was brought is searched from now on.
	asked := make(chan graph.Request, 1)
	s.script.asked = asked
	b.open(s.url + "/#/")
	b.click(".options summary")
	b.until(".own", "uploads")
	b.click(".example")
	if r := <-asked; !slices.Contains(r.Scope.Collections, "uploads") || !slices.Contains(r.Scope.Collections, "public") {
		t.Errorf("the question is asked of %v", r.Scope.Collections)
	}
	b.until(".sources", "依据")
}

// The reader chooses who answers.
func TestPageChoosesHowToAnswer(t *testing.T) {
	asked := make(chan string, 1)
	s := serve(t, func(o *server.Options) { o.Agent = telling{o.Answerer, asked} })
	b := look(t, s.url)
	b.click(".options summary")
	b.until("select[name=model]", "由语言模型自行查找", "只摘录原文")
	b.eval(`(document.querySelector("select[name=model]").value = "lexagent-agent", "")`)
	b.click(".example")
	b.until(".sources", "依据")
	if q := <-asked; !strings.Contains(q, "劳动合同") {
		t.Errorf("the agent was asked %q", q)
	}
}

// telling tells what it is asked.
type telling struct {
	server.Answerer
	asked chan string
}

func (a telling) Answer(ctx context.Context, r graph.Request, emit func(graph.Event)) (*graph.Answer, error) {
	a.asked <- r.Question
	return a.Answerer.Answer(ctx, r, emit)
}

// A connection that breaks in the middle of an answer is taken up again.
func TestPageComesBackToAnAnswer(t *testing.T) {
	s := serve(t)
	s.script.pause = 150 * time.Millisecond
	proxy := newBreaking(t, s.url)
	b := look(t, proxy.url)
	b.click(".example")
	b.until(".steps .draft.running", "起草回答")
	proxy.drop()
	b.until(".sources", "依据", "第一千零七十七条")
	if got := b.eval(`document.querySelector(".answer-text").innerText`); strings.Count(got, "需要注意") != 1 {
		t.Errorf("the answer in two parts: %s", got)
	}
	if proxy.drops() == 0 {
		t.Error("no connection broke")
	}
}

// Each view is without serious barriers for people who use the keyboard or a screen
// reader, by axe-core, in light and in dark.
func TestPageIsAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(modules(t), "axe-core", "axe.min.js"))
	if err != nil {
		missing(t, "axe-core")
	}
	s := serve(t, takesDocuments(t))
	for _, scheme := range []string{"1", "0"} { // light, dark
		b := look(t, s.url, chromedp.Flag("blink-settings", "preferredColorScheme="+scheme))
		check := func(view string) {
			t.Helper()
			b.eval(`new Promise((r) => setTimeout(r, 400)).then(() => "")`) // what appears softly
			got := b.eval(`(window.axe ? Promise.resolve() : Promise.resolve(eval(` + quote(string(axe)) + `)))
				.then(() => axe.run({ resultTypes: ["violations"] }))
				.then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("; ")).join("\n"))`)
			if got != "" {
				t.Errorf("%s, scheme %s: %s", view, scheme, got)
			}
		}
		b.until(".examples", "三十日内")
		check("home")
		b.click(".example")
		b.until(".sources", "依据")
		check("answer")
		b.eval(`(window.scrollTo(0, 0), "")`)
		b.click(".answer-text .cite")
		b.until("#panel .citations", "引用关系")
		check("article")
		for _, view := range []string{"search?q=离婚", "laws", "upload", "law/" + "民法典"} {
			b.open(s.url + "/#/" + view)
			b.until("main h1", "")
			check(view)
		}
	}
}

// Everything can be done with the keyboard alone.
func TestPageByKeyboard(t *testing.T) {
	s := serve(t)
	b := look(t, s.url)
	b.until(".examples", "三十日内")
	b.typed("textarea", "登记离婚后反悔了可以撤回吗？"+kb.Enter)
	b.until(".sources", "依据")
	tab := func(want string) {
		t.Helper()
		for range 40 {
			b.do(chromedp.KeyEvent(kb.Tab))
			if b.eval(`String(document.activeElement.matches(`+quote(want)+`))`) == "true" {
				return
			}
		}
		t.Fatalf("the keyboard does not reach %s", want)
	}
	b.eval(`(document.querySelector(".brand").focus(), "")`)
	tab(".answer-text .cite")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("#panel .citations", "引用关系")
	tab("#panel .compare")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("#panel .diff", "一个月")
	tab(`#panel .graph a`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("#panel h2", "第一千零七十八条")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.gone("#panel")
}

// Readers say what an answer was worth, where the server keeps it.
func TestPageTakesFeedback(t *testing.T) {
	path := filepath.Join(t.TempDir(), "feedback.jsonl")
	s := serve(t, func(o *server.Options) { o.Feedback = journal.Open(path, 0) })
	b := look(t, s.url)
	b.click(".example")
	b.until(".sources", "依据")
	b.until(".feedback", "👍")
	b.click(`.feedback button[aria-label="有问题"]`)
	b.typed(".reason input", "条号不对"+kb.Enter)
	b.until(".feedback", "谢谢")
	var last string
	for range 200 {
		kept, err := os.ReadFile(path)
		if last = string(kept); err == nil && strings.Contains(last, "条号不对") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("what is kept: %s", last)
}

// Where keys are needed the page asks its reader for one, and goes on with it.
func TestPageAsksForAKey(t *testing.T) {
	s := lock(t)
	secret := strings.TrimPrefix(s.key(t, access.Key{Name: "reader", Scopes: []access.Scope{access.Ask, access.Search}, Collections: []string{"public"}}), "Authorization: Bearer ")
	b := look(t, s.url+"/#/laws")
	b.until("main [role=status]", "需要 API 密钥")
	b.typed("#key input", secret+kb.Enter)
	b.until(".laws", "中华人民共和国劳动合同法")
	b.gone("#key")
	b.open(s.url + "/#/")
	b.click(".example")
	b.until(".sources", "依据")
}
