package verify

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lexagent/book"
	"lexagent/statute"
)

func TestSentences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"甲。乙！丙", "甲。|乙！|丙"},
		{"甲。[民法典:1] 乙。", "甲。[民法典:1] |乙。"},
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
		kept, removed := Gate(text, []Finding{{Start: from, End: to, Verdict: NoSuchArticle}})
		if n := utf8.RuneCountInString(text); from >= 0 && from < to && to <= n && len(removed) == 0 {
			t.Fatalf("a bad finding at %d–%d of %q removed nothing; kept %q", from, to, text, kept)
		}
	})
}

// fixed is a book that knows a few mentions by their text.
type fixed map[string]book.Mention

func (f fixed) Mentions(_ context.Context, _ []string, text string, _ *statute.Context, _ statute.Date) ([]book.Mention, error) {
	var out []book.Mention
	for written, m := range f {
		if i := strings.Index(text, written); i >= 0 {
			m.Text, m.Start, m.End = written, i, i+len(written)
			out = append(out, m)
		}
	}
	return out, nil
}

func TestVerdicts(t *testing.T) {
	law := &statute.Law{ID: "民法典@2020-05-28", Title: "民法典", Effective: 20210101}
	old := &statute.Law{ID: "婚姻法@2001-04-28", Title: "婚姻法", Version: "2001-04-28", Effective: 20010428, Ended: 20210101}
	unit := func(id string) *statute.Unit { return &statute.Unit{ID: id} }
	given := []Evidence{{ID: "民法典@2020-05-28:1077", Text: "依照刑法第一条处理。"}}
	for _, c := range []struct {
		text string
		m    book.Mention
		day  statute.Date
		want Verdict
		note string
	}{
		{"民法典第1077条", book.Mention{Outcome: book.Found, Law: law, Unit: unit("民法典@2020-05-28:1077")}, 20260101, Exists, ""},
		{"民法典第1078条", book.Mention{Outcome: book.Found, Law: law, Unit: unit("民法典@2020-05-28:1078")}, 20260101, NotInEvidence, ""},
		{"婚姻法第31条", book.Mention{Outcome: book.Found, Law: old, Unit: unit("婚姻法@2001-04-28:31")}, 20260101, NotInForce, "2021-01-01"},
		{"婚姻法第31条", book.Mention{Outcome: book.Found, Law: old, Unit: unit("婚姻法@2001-04-28:31")}, 20100101, NotInEvidence, ""},
		{"民法典第1300条", book.Mention{Outcome: book.NoArticle, Law: law, Note: "最后一条是第1260条"}, 20260101, NoSuchArticle, "1260"},
		{"离婚冷静法第3条", book.Mention{Outcome: book.NoLaw, Note: "没有收录"}, 20260101, NoSuchLaw, "没有收录"},
		{"婚姻法", book.Mention{Outcome: book.Found, Law: old}, 20260101, NotInForce, "2021-01-01"},
		{"婚姻法第9条", book.Mention{Outcome: book.NoArticle, Law: old, Successor: "民法典"}, 20260101, NoSuchArticle, ""},
		{"婚姻法第3条", book.Mention{Outcome: book.Found, Law: old, Unit: unit("婚姻法@2001-04-28:3"), Successor: "民法典"}, 20260101, NotInForce, "由《民法典》取代"},
		{"合同法第52条", book.Mention{Outcome: book.Ended, Note: "《合同法》已于 2021-01-01 废止，由《民法典》取代"}, 20260101, NotInForce, "由《民法典》取代"},
		{"民法典", book.Mention{Outcome: book.Found, Law: law}, 20260101, Exists, ""},
		{"前款", book.Mention{Outcome: book.Unclear}, 20260101, NotChecked, ""},
		{"刑法第一条", book.Mention{Outcome: book.NoLaw}, 20260101, Exists, "原文"},
	} {
		ch := Checker{Book: fixed{c.text: c.m}}
		got, err := ch.Citations(context.Background(), Draft{Text: "因为" + c.text + "，所以。", Evidence: given, Day: c.day})
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %v, %v", c.text, got, err)
		}
		f := got[0]
		if f.Verdict != c.want || !strings.Contains(f.Note, c.note) {
			t.Errorf("%s on %s: %s %q, want %s %q", c.text, c.day, f.Verdict, f.Note, c.want, c.note)
		}
		if f.Start != 2 || f.End != 2+utf8.RuneCountInString(c.text) {
			t.Errorf("%s: place %d–%d", c.text, f.Start, f.End)
		}
	}
}

func TestPlacesCountCharacters(t *testing.T) {
	at := places("民法a典")
	if d := cmp.Diff([]int{0, 2, 3, 4, 1}, []int{at(0), at(6), at(7), at(10), at(3)}); d != "" {
		t.Error(d)
	}
}
