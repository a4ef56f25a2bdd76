package agent

import (
	"encoding/json"
	"testing"
)

// However a model writes its calls, they are few, and none is a tool's that only looks
// like one.
func FuzzWritten(f *testing.F) {
	call := `{"name":"get_article","arguments":{"article":"甲法:1"}}`
	for _, s := range []string{"<tool_call>" + call, "[TOOL_CALLS] [" + call + "]", "见[甲法:1]：" + call, "```json\n[" + call + "]\n```", "<function=get_article><parameter=article>甲法:1</parameter>", `{'name': 'x'}`, "{[{[", "\xff{"} {
		f.Add(s)
	}
	known := map[string]bool{"get_article": true}
	f.Fuzz(func(t *testing.T, text string) {
		_, calls := written(text, known)
		if len(calls) > maxWritten {
			t.Fatalf("%d calls", len(calls))
		}
		for _, c := range calls {
			if c.name == "" && c.problem == "" {
				t.Fatalf("a call of nothing in %q", text)
			}
			if _, err := json.Marshal(c.arguments); err != nil {
				t.Fatal(err)
			}
		}
	})
}
