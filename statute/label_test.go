package statute

import "testing"

func TestLabel(t *testing.T) {
	tests := []struct {
		number, sub int
		want        string
	}{
		{5, 0, "第五条"}, {10, 0, "第十条"}, {120, 1, "第一百二十条之一"}, {291, 12, "第二百九十一条之十二"},
		{1077, 0, "第一千零七十七条"}, {10001, 0, "第10001条"},
	}
	for _, tt := range tests {
		if got := Label(tt.number, tt.sub); got != tt.want {
			t.Errorf("Label(%d, %d) = %q, want %q", tt.number, tt.sub, got, tt.want)
		}
	}
}

func TestParseLabel(t *testing.T) {
	good := []struct {
		in          string
		number, sub int
	}{
		{"第一百二十条之一", 120, 1}, {"第120条之一", 120, 1}, {"第１２０条", 120, 0}, {"第一千零七十七条", 1077, 0},
		{"第 五 条", 5, 0}, {"第　五　条", 5, 0}, {" 第五条 ", 5, 0}, {"第七十五 条", 75, 0}, {"第120条之1", 120, 1},
		{"第两百条", 200, 0}, {"第一二〇条", 120, 0}, {"第二百八十七条之二", 287, 2},
	}
	for _, tt := range good {
		if n, sub, err := ParseLabel(tt.in); err != nil || n != tt.number || sub != tt.sub {
			t.Errorf("ParseLabel(%q) = %d, %d, %v, want %d, %d", tt.in, n, sub, err, tt.number, tt.sub)
		}
	}
	for _, s := range []string{"", "第条", "五条", "第五", "第五章", "第五条之", "第五条规定", "第零条", "第XX条", "第一万条"} {
		if n, sub, err := ParseLabel(s); err == nil {
			t.Errorf("ParseLabel(%q) = %d, %d, want an error", s, n, sub)
		}
	}
}

// Heads of articles, and sentences that begin with a reference.
func TestLeadingLabel(t *testing.T) {
	tests := []struct {
		line, label, rest string
		heads             bool
	}{
		{"第一条 为了规范", "第一条", " 为了规范", true},
		{"第一条　为了规范", "第一条", "　为了规范", true},
		{"　　第九条\u00a0\u00a0市场监督管理部门", "第九条", "\u00a0\u00a0市场监督管理部门", true},
		{"\ufeff第一条", "第一条", "", true},
		{"## 第一条", "第一条", "", true},
		{"**第一条** 为了", "第一条", " 为了", true},
		{"第七十五 条体育运动船艇的安全管理由体育行政部门负责", "第七十五条", "体育运动船艇的安全管理由体育行政部门负责", true},
		{"第五十八条出现下列情况之一的", "第五十八条", "出现下列情况之一的", true},
		{"第一百二十条之一 帮助恐怖活动", "第一百二十条之一", " 帮助恐怖活动", true},
		{"第八条和解协议应当", "第八条", "和解协议应当", true},
		{"第四条有关部门应当", "第四条", "有关部门应当", true},
		{"第五条第三人对", "第五条", "第三人对", true},
		{"第二条中华人民共和国公民", "第二条", "中华人民共和国公民", true},
		{"第九条所有权人", "第九条", "所有权人", true},
		{"第六条：国家", "第六条", "：国家", true},
		{"第五条规定的行为，由公安机关处罚。", "第五条", "规定的行为，由公安机关处罚。", false},
		{"第五条、第六条所列情形", "第五条", "、第六条所列情形", false},
		{"第五条第二款规定", "第五条", "第二款规定", false},
		{"第五条第（三）项所列", "第五条", "第（三）项所列", false},
		{"第五条至第八条", "第五条", "至第八条", false},
		{"第五条的规定", "第五条", "的规定", false},
		{"第三百零七条之一前三款行为", "第三百零七条之一", "前三款行为", false},
		{"第五条之规定", "第五条", "之规定", false},
	}
	for _, tt := range tests {
		l, ok := LeadingLabel(tt.line)
		if !ok || l.Label != tt.label || l.Rest != tt.rest || l.Heads() != tt.heads {
			t.Errorf("LeadingLabel(%q) = %+v, %t, heads %t, want %q, %q, heads %t", tt.line, l, ok, l.Heads(), tt.label, tt.rest, tt.heads)
		}
	}
	for _, line := range []string{"", "本法第五条", "第一章 总则", "第一款", "条", "一、总则", "依照第五条"} {
		if l, ok := LeadingLabel(line); ok {
			t.Errorf("LeadingLabel(%q) = %+v, want none", line, l)
		}
	}
}

func FuzzLeadingLabel(f *testing.F) {
	for _, s := range []string{"第一条 为了", "## 第 120 条之一", "第五条第（三）项", "第\xff条", "**第一条**"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l, ok := LeadingLabel(line)
		if !ok {
			return
		}
		l.Heads()
		if n, sub, err := ParseLabel(l.Label); err != nil || n != l.Number || sub != l.Sub {
			t.Fatalf("LeadingLabel(%q) = %+v, whose label reads %d, %d, %v", line, l, n, sub, err)
		}
		if n, sub, err := ParseLabel(Label(l.Number, l.Sub)); err != nil || n != l.Number || sub != l.Sub {
			t.Fatalf("Label(%d, %d) reads %d, %d, %v", l.Number, l.Sub, n, sub, err)
		}
	})
}
