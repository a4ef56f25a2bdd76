package graph

import (
	"strings"
	"testing"
)

// Of a long article an item is quoted with the line that it belongs to.
func TestAnItemIsQuotedWithItsLead(t *testing.T) {
	long := strings.Repeat("本条的其他内容，与此无关。", 12)
	text := long + "\n禁止收购下列生鲜乳：\n（一）未经检疫合格的奶畜产的；\n（二）奶畜产犊七日内的初乳；\n" + long
	got := strings.Join(quoted("初乳可以收购吗", text, 220), "\n")
	if !strings.Contains(got, "禁止收购下列生鲜乳：") || !strings.Contains(got, "初乳；") {
		t.Errorf("%s", got)
	}
}
