package model

import "testing"

func TestWholeSentences(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"没有写完":           "没有写完",
		"写完了。没有":         "写完了。",
		"写完了。[民法典:1077]": "写完了。[民法典:1077]",
		"写完了。[民法典:1077][民法典:10":   "写完了。[民法典:1077]",
		"写完了。（《民法典》第一千零七十七条）没有写完": "写完了。（《民法典》第一千零七十七条）",
		"- 一项\n- 两项没有写完":          "- 一项",
		"可以吗？可以！但":                "可以吗？可以！",
	} {
		if got := WholeSentences(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSplitReasoning(t *testing.T) {
	for _, c := range []struct {
		reply, said, open string
		unopened          bool
	}{
		{"可以。", "可以。", "", false},
		{"<think>先想", "", "<think>先想", false},
		{"<reasoning>想</reasoning>可以。", "可以。", "", false},
		{"<thought>想</thought>可以。<think>再", "可以。", "<think>再", false},
		{"想过了。</think>可以。", "可以。", "", true},
		{"甲 < 乙。", "甲 < 乙。", "", false},
	} {
		if said, open, unopened := SplitReasoning(c.reply); said != c.said || open != c.open || unopened != c.unopened {
			t.Errorf("%q: %q %q %v", c.reply, said, open, unopened)
		}
	}
}
