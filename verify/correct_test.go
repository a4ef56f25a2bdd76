package verify

import (
	"strings"
	"testing"
)

// A wrong number is put right as people read it, however the draft wrote it.
func TestCorrect(t *testing.T) {
	const right = "《中华人民共和国劳动合同法》第三十七条"
	for text, want := range map[string]string{
		"三十日前书面通知即可解除。[劳动合同法:19]":     "三十日前书面通知即可解除。（" + right + "）",
		"根据《劳动合同法》第十九条，三十日前书面通知即可解除。": "根据" + right + "，三十日前书面通知即可解除。",
	} {
		from := strings.Index(text, "劳动合同法:19")
		end := from + len("劳动合同法:19")
		if from < 0 {
			from = strings.Index(text, "《")
			end = strings.Index(text, "，")
		}
		at := func(i int) int { return len([]rune(text[:i])) }
		got, notes := Correct(text, []Finding{
			{Kind: Reference, Verdict: Exists, Text: text[from:end], Start: at(from), End: at(end), Law: "中华人民共和国劳动合同法", Label: "第十九条"},
			{Kind: Sentence, Verdict: Misplaced, Text: "三十日前书面通知即可解除", Start: 0, End: at(len(text)), Law: "中华人民共和国劳动合同法", Label: "第三十七条"},
		})
		if got != want || len(notes) != 1 || strings.Contains(notes[0], ":") {
			t.Errorf("%q, %q; want %q", got, notes, want)
		}
	}
}
