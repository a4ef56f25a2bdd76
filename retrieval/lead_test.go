package retrieval

import (
	"strings"
	"testing"
)

// An item is quoted with the lead of its list, which may be a prohibition; not with that of
// another article.
func TestAnItemKeepsItsLead(t *testing.T) {
	hits := []Hit{
		{Text: "本条例下列用语的含义："},
		{Text: "收购应当登记。\n禁止收购下列生鲜乳。违者处罚，有下列情形的：\n（一）未经检疫的；\n（二）初乳。另有规定的除外。\n（三）停药期内的。"},
		{Text: "（一）没有导语的项。"},
	}
	all := sentencesOf(hits)
	for _, c := range []struct{ begins, want string }{
		{"（二）", "禁止收购下列生鲜乳。违者处罚，有下列情形的：\n（二）初乳。"},
		{"（三）", "禁止收购下列生鲜乳。违者处罚，有下列情形的：\n（三）停药期内的。"},
		{"另有规定", "另有规定的除外。"},
		{"（一）没有", "（一）没有导语的项。"},
		{"收购应当", "收购应当登记。"},
	} {
		for i := range all {
			if strings.HasPrefix(all[i].text, c.begins) {
				if got := textOf(all, withLead(all, []int{i})); got != c.want {
					t.Errorf("%s: %q, want %q", c.begins, got, c.want)
				}
			}
		}
	}
}
