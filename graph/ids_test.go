package graph

import (
	"testing"

	"lexagent/statute"
)

// Ids that others have stored must stay what they are.
func TestIDsStay(t *testing.T) {
	for _, c := range []struct {
		short, version string
		kind           statute.Kind
		label          string
		number, sub    int
		want           string
	}{
		{"民法典", "2020-05-28", statute.Article, "第一千零七十七条", 1077, 0, "民法典@2020-05-28:1077"},
		{"刑法", "2020-12-26", statute.Article, "第一百七十五条之一", 175, 1, "刑法@2020-12-26:175.1"},
		{"宪法", "2018-03-11", statute.Preamble, "序言", 0, 0, "宪法@2018-03-11:序言"},
		{"某办法(试行)", "x1a2b3c4d", statute.Item, "三、", 3, 0, "某办法（试行）@x1a2b3c4d:项3"},
		{"A 级 规定/细则", "2001-01-01", statute.Attachment, "附件1", 0, 0, "A级规定／细则@2001-01-01:附件1"},
	} {
		got := statute.UnitID(statute.LawID(c.short, c.version), c.kind, c.label, c.number, c.sub)
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
