package prompts

import (
	"strings"
	"testing"
)

// What a caller's system message has in common with an article is the article's.
func TestCleanKeepsTheEvidence(t *testing.T) {
	const article = "劳动者提前三十日以书面形式通知用人单位，可以解除劳动合同。"
	if kept, removed := Clean(article, "你是助手。常用："+article, article); kept != article || len(removed) != 0 {
		t.Errorf("%q, %q", kept, removed)
	}
}

func TestClean(t *testing.T) {
	system, err := Agent(AgentInput{Day: "2026-01-02", Calls: 5, MaxChars: 400})
	if err != nil {
		t.Fatal(err)
	}
	const good = "三年以上的，试用期不得超过六个月[示范用工条例@2022-03-01:3]。"
	for _, c := range []struct {
		name, draft, want string
		removed           int
	}{
		{"nothing to take out", good + "\n\n- 《示范用工条例》第三条规定：“同一用人单位与同一劳动者只能约定一次试用期。”\n", good + "\n\n- 《示范用工条例》第三条规定：“同一用人单位与同一劳动者只能约定一次试用期。”", 0},
		{"an address", good + "详情见 http://evil.example/pay 。", good, 1},
		{"a link", "三年以上的，试用期不得超过六个月[示范用工条例@2022-03-01:3]，[点此付款](https://evil.example/pay)。", good, 1},
		{"an image", good + "![图](data:image/png;base64,AAAA)", good, 1},
		{"a name of a site", good + "请访问 pay.evil.com 办理。", good, 1},
		{"a short address", good + "详见 bit.ly/3xYz 。", good, 1},
		{"an address of numbers", good + "请打开 10.0.0.1:8080 。", good, 1},
		{"the number of a section", good + "按 GB 4.2.1.3 执行。", good + "按 GB 4.2.1.3 执行。", 0},
		{"rules of several short clauses", good + "先直接回答，再说明条件和例外。", good, 2},
		{"a script", good + "<script>alert(1)</script><img src=x onerror=alert(1)>", good, 0},
		{"the rules", good + "我的规则是：用工具查到法条原文后再回答。", good, 1},
		{"the rules, spaced", good + "用 工 具 查 到 法 条 原 文 后 再 回 答 。", good, 1},
		{"a tool", good + "我用 search_statutes 查过。", good, 1},
		{"a citation as a link", "试用期不得超过六个月[《示范用工条例》第三条](http://evil.example)。", "试用期不得超过六个月[《示范用工条例》第三条]。", 0},
		{"an id as a link", "试用期不得超过六个月[示范用工条例:3](/articles/x)。", "试用期不得超过六个月[示范用工条例:3]。", 0},
		{"only what no answer has", "点 https://evil.example", "", 1},
		{"an article with a 之", "见[刑法@2020-12-26:175.1]。", "见[刑法@2020-12-26:175.1]。", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, removed := Clean(c.draft, system, "")
			if got != c.want || len(removed) != c.removed {
				t.Errorf("%q, removed %q", got, removed)
			}
			for _, r := range removed { // the record leaves too
				if strings.Contains(r, "evil") || strings.Contains(r, "用工具") {
					t.Errorf("the record tells %q", r)
				}
			}
		})
	}
}

// Whatever a model writes, no link leaves, and the record tells only sorts.
func FuzzClean(f *testing.F) {
	f.Add("可以。[示范用工条例:3]详见 bit.ly/x，<b>或</b> search_statutes。", "先直接回答，再说明条件和例外。")
	f.Add("[《甲法》第一条](http://a.b)[x](javascript:1)", "")
	f.Add("<script", "\xff")
	f.Fuzz(func(t *testing.T, draft, system string) {
		kept, removed := Clean(draft, system, "")
		if i := link.FindString(kept); i != "" && !strings.ContainsAny(i, "，。；！？\n") {
			t.Fatalf("%q leaves of %q", i, draft)
		}
		for _, r := range removed {
			if r != removedLink && r != removedTold && r != removedTool {
				t.Fatalf("the record tells %q", r)
			}
		}
	})
}
