package verify

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSentences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"甲。乙！丙", "甲。|乙！|丙"},
		{"甲。[民法典:1] 乙。", "甲。[民法典:1] |乙。"},
		{"甲。（《民法典》第一千零七十七条）乙。(见第二条)。丙。", "甲。（《民法典》第一千零七十七条）|乙。(见第二条)。|丙。"},
		{"甲。（一）乙。\n（依据第三条）丙。", "甲。|（一）乙。\n|（依据第三条）丙。"},
		{"《关于甲。乙的解释》规定：“丙。丁。”戊。", "《关于甲。乙的解释》规定：“丙。丁。”戊。"},
		{"未闭合“甲。乙\n丙。丁", "未闭合“甲。乙\n|丙。|丁"},
		{"甲？！\n\n- 乙；\n- 丙", "甲？！\n\n|- 乙；\n|- 丙"},
		{"甲。[未闭合", "甲。|[未闭合"},
		{"", ""},
	} {
		got := sentences(c.text)
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q\ngot  %q\nwant %q", c.text, s, c.want)
		}
	}
}

func TestGate(t *testing.T) {
	text := "甲。乙“丙”。丁。"
	for _, c := range []struct {
		f       Finding
		removed string
	}{
		{Finding{Kind: Reference, Start: 2, End: 3, Verdict: NoSuchArticle, Severity: False}, "乙“丙”。"},
		{Finding{Kind: Quote, Start: 3, End: 6, Verdict: Altered, Severity: False}, "乙“丙”。"},
		{Finding{Kind: Reference, Start: 2, End: 3, Verdict: NoSuchLaw, Severity: Unsupported}, "乙“丙”。"},
		{Finding{Kind: Reference, Start: 2, End: 3, Verdict: NotInEvidence, Severity: Unsupported}, "乙“丙”。"},
		{Finding{Kind: Reference, Start: 2, End: 3, Verdict: NotInForce, Severity: Fine}, ""}, // the text says so itself
		{Finding{Kind: Figure, Start: 2, End: 3, Verdict: FigureNotFound, Severity: Unsupported}, ""},
		{Finding{Kind: Quote, Start: 3, End: 6, Verdict: Stitched, Severity: Unsupported}, ""},
	} {
		kept, removed := Gate(text, []Finding{c.f})
		if got := strings.Join(removed, "|"); got != c.removed || strings.Contains(kept, "乙") != (c.removed == "") {
			t.Errorf("%s %s: kept %q, removed %q", c.f.Verdict, c.f.Severity, kept, got)
		}
	}
}

func FuzzGate(f *testing.F) {
	f.Add("甲。[民法典:1] 乙“丙。”", 2, 4)
	f.Add("《》。\n", 0, 1)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		if got := strings.Join(sentences(text), ""); got != text {
			t.Fatalf("sentences lose text: %q, want %q", got, text)
		}
		kept, removed := Gate(text, []Finding{{Start: from, End: to, Severity: False}})
		if n := utf8.RuneCountInString(text); from >= 0 && from < to && to <= n && len(removed) == 0 {
			t.Fatalf("a bad finding at %d–%d of %q removed nothing; kept %q", from, to, text, kept)
		}
	})
}
