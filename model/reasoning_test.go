package model

import "testing"

func TestWithoutReasoning(t *testing.T) {
	for reply, want := range map[string]string{
		"可以撤回。": "可以撤回。",
		"<think>先看第1077条</think>\n\n可以撤回。": "可以撤回。",
		"先看第1077条</think>可以撤回。":            "可以撤回。",
		"<think>还没想完":                      "",
		"<Thinking>a</Thinking>{\"a\":1}":  "{\"a\":1}",
		"a<b 且 c>d":                        "a<b 且 c>d",
	} {
		if got := WithoutReasoning(reply); got != want {
			t.Errorf("%q: %q, want %q", reply, got, want)
		}
	}
}
