package index

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func newAnalyzer(t testing.TB) *Analyzer {
	t.Helper()
	a, err := NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWords holds how real sentences are cut. | parts the words.
func TestWords(t *testing.T) {
	a := newAnalyzer(t)
	tests := []struct{ name, text, want string }{
		{"a statute", "用人单位自用工之日起超过一个月不满一年未与劳动者订立书面劳动合同的，应当向劳动者每月支付二倍的工资。",
			"用人单位|自|用工|之日起|超过|一个月|不满|一年|未|与|劳动者|订立|书面|劳动合同|的|应当|向|劳动者|每月|支付|二倍|的|工资"},
		{"lay words", "公司不给双倍工资怎么办？", "公司|不|给|双倍|工资|怎么办"},
		{"compound", "经济补偿金", "经济|补偿金"},
		{"sub-numbered article", "第一百二十条之一", "第120条之1"},
		{"article in digits", "第120条之一", "第120条之1"},
		{"article in full width", "第１２０条", "第120条"},
		{"article with spaces", "第 一百二十 条", "第120条"},
		{"article in a sentence", "依照刑法第一百七十五条之一处罚", "依照|刑法|第175条之1|处罚"},
		{"两", "第两百条", "第200条"},
		{"no article", "第三人和第一审", "第三|人|和|第一审"},
		{"之 that begins a word", "第五条之规定", "第5条|之|规定"},
		{"too large a number", "第九九九九九条", "第九|九|九|九|九|条"},
		{"two articles", "第五条第六条", "第5条|第6条"},
		{"mixed digits and letters", "2020年GDP增长3.5%，Ａ股", "2020|年|gdp|增长|3.5|a|股"},
		{"printer's zero", "二○二○年", "二|〇|二|〇|年"},
		{"Latin words", "Hello World，WTO", "hello|world|wto"},
		{"white space inside Chinese", "总　则 合\n同", "总则|合同"},
		{"traditional stays", "勞動合同", "勞|動|合同"},
		{"emoji", "合同👍🏽违约", "合同|违约"},
		{"invalid UTF-8", "合同\xff\xfe违约\xe4\xb8", "合同|违约"},
		{"marks only", "，。！《》 \t…", ""},
		{"empty", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(a.Words(test.text), "|"); got != test.want {
				t.Errorf("%q\n got %s\nwant %s", test.text, got, test.want)
			}
		})
	}
}

func TestTerms(t *testing.T) {
	a := newAnalyzer(t)
	tests := []struct {
		text string
		want []string
	}{
		{"劳动合同，WTO", []string{"劳动合同", "劳动", "动合", "合同", "wto"}},
		{"违约", []string{"违约", "违约"}},
		{"刑法第5条", []string{"刑法", "刑法", "第5条"}},
		{"的", []string{"的"}},
		{"", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, a.Terms(test.text), cmp.Transformer("empty", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestLexicon(t *testing.T) {
	l, err := DefaultLexicon()
	if err != nil {
		t.Fatal(err)
	}
	if l.Words() < 30000 {
		t.Errorf("the embedded lexicon has %d words", l.Words())
	}
	for _, bad := range []string{"没有数", "合同\tx\n", "合同\t0\n", "\t5\n", strings.Repeat("长", 17) + "\t5\n"} {
		if _, err := parseLexicon(bad, ""); err == nil {
			t.Errorf("%q was read without an error", bad)
		}
	}
	if _, err := ReadLexicon([]byte("合同\t5\n")); err == nil {
		t.Error("a lexicon that isn't gzipped was read without an error")
	}
	if small, err := parseLexicon("合同\t5\n合\t1\n同\t1\n", ""); err != nil || strings.Join(NewSegmenter(small).Cut(nil, "合同合"), "|") != "合同|合" {
		t.Errorf("a lexicon of three words: %v", err)
	}
}

// FuzzWords holds that any text is cut without loss: the words together are the
// folded text, every word is UTF-8 and none is empty, and folding twice is folding
// once.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"用人单位自用工之日起", "第一百二十条之一", "第１２０条第", "a1 b2，合同", "\xff第\xff条", "第9999999999999999999条", "〇○。3.5.6", "ǅİ"} {
		f.Add(s)
	}
	a := newAnalyzer(f)
	f.Fuzz(func(t *testing.T, text string) {
		folded := Fold(text)
		words := a.Words(text)
		if got, want := strings.Join(words, ""), strings.ReplaceAll(folded, string(stop), ""); got != want {
			t.Errorf("words of %q are %q of folded %q", text, words, folded)
		}
		for _, w := range append(words, a.Terms(text)...) {
			if w == "" || !utf8.ValidString(w) || strings.ContainsRune(w, stop) {
				t.Errorf("%q gave the word %q", text, w)
			}
		}
	})
}

// BenchmarkLexicon is the time to load the lexicon and what stays on the heap.
func BenchmarkLexicon(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadLexicon(embedded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTerms(b *testing.B) {
	a := newAnalyzer(b)
	text := strings.Repeat("用人单位自用工之日起超过一个月不满一年未与劳动者订立书面劳动合同的，应当向劳动者每月支付二倍的工资。", 4)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		a.Terms(text)
	}
}
