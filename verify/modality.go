package verify

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// modality is what a rule does to whom it addresses.
type modality int

const (
	none   modality = iota
	must            // 应当, 必须
	may             // 可以, 有权
	forbid          // 不得, 禁止
	exempt          // 不需要, 无需
)

// modals are the words of each, the longest first: 不可以 is no 可以.
var modals = []struct {
	word string
	is   modality
}{
	{"不应当", forbid}, {"不可以", forbid}, {"不得", forbid}, {"禁止", forbid}, {"严禁", forbid}, {"不准", forbid}, {"不能", forbid}, {"不许", forbid}, {"无权", forbid},
	{"不是必须", exempt}, {"不必", exempt}, {"无需", exempt}, {"无须", exempt}, {"不需要", exempt}, {"不用", exempt}, {"免予", exempt}, {"可以不", exempt},
	{"应当", must}, {"必须", must}, {"需要", must}, {"须", must}, {"应", must},
	{"有权", may}, {"可以", may}, {"允许", may}, {"准许", may}, {"能够", may}, {"可", may},
}

// notModal are words that hold a modal's letters and are none.
var notModal = []string{"许可", "认可", "可能", "可靠", "可行", "相应", "供应", "反应", "适应", "响应", "应用", "应急", "必须品", "不可抗力", "可持续", "可追溯", "应诉", "对应", "可燃", "可再生", "应收", "应付", "应税", "应纳", "可见", "不可撤销"}

// act is a modal and what it is about: the words right behind it.
type act struct {
	is   modality
	word string
	what []rune // to the end of the clause, or the next modal
}

// Bounds in characters of what is compared of an act.
const (
	actRunes = 40
	sameAct  = 4 // letters that the words behind one modal begin with and those behind the other hold
)

// modalBegins are the characters that modals begin with.
var modalBegins = func() string {
	var b strings.Builder
	for _, m := range modals {
		r, _ := utf8.DecodeRuneInString(m.word)
		b.WriteRune(r)
	}
	return b.String()
}()

// acts finds the modals of a sentence.
func acts(s string) []act {
	runes := []rune(s)
	var out []act
	from := 0 // of the last one's words
next:
	for i := 0; i < len(runes); i++ {
		if !strings.ContainsRune(modalBegins, runes[i]) {
			continue
		}
		rest := string(runes[i:min(len(runes), i+4)])
		around := string(runes[max(0, i-1):min(len(runes), i+3)])
		for _, w := range notModal {
			if strings.HasPrefix(rest, w) || strings.Contains(around, w) && strings.Index(around, w) <= 1 {
				continue next
			}
		}
		for _, m := range modals {
			if !strings.HasPrefix(rest, m.word) {
				continue
			}
			if last := len(out) - 1; last >= 0 {
				out[last].what = out[last].what[:min(len(out[last].what), i-from)]
			}
			n := len([]rune(m.word))
			from = i + n
			var what []rune
			for _, r := range runes[from:] {
				if strings.ContainsRune("，。；：！？（）\n", r) || len(what) == actRunes {
					break
				}
				what = append(what, r)
			}
			if m.is == forbid && m.word == "不能" && strings.HasPrefix(string(what), "够") {
				continue
			}
			out = append(out, act{m.is, m.word, what})
			i += n - 1
			continue next
		}
	}
	return out
}

// reversed finds an act of the statement that the line it repeats most has with another
// modality: 不得解除 repeated as 可以解除.
func (c *statement) reversed(lines []evidenceLine) (Finding, bool) {
	if strings.HasSuffix(c.plain, "？") || strings.Contains(c.plain, "是否") {
		return Finding{}, false
	}
	for _, a := range acts(c.plain) {
		var other act
		at, best := -1, 0.0 // the line nearest to the statement that has the act otherwise
		same := 0.0         // how near the nearest line is that has it as the statement does
		for i := range lines {
			near := c.nearness(lines[i])
			for _, b := range lines[i].acts {
				switch {
				case !sameDeed(a, b):
				case a.is == b.is:
					same = max(same, near)
				case near > best && c.repeats(lines[i]):
					other, at, best = b, i, near
				}
			}
		}
		if at >= 0 && best > same {
			return Finding{
				Kind: Sentence, Text: c.text, Start: c.start, End: c.end, Verdict: Reversed, Severity: Unsupported, ID: lines[at].id,
				Note: "条文写的是“" + other.word + short(string(other.what)) + "”，这里写成“" + a.word + short(string(a.what)) + "”",
			}, true
		}
	}
	return Finding{}, false
}

// repeats reports whether a statement says much of what a line says.
func (c *statement) repeats(l evidenceLine) bool {
	n := c.shared(l)
	return 2*n >= len(c.pairs) || 2*n >= len(l.pairs)
}

// sameDeed reports whether two acts are about one deed: 撤回离婚登记申请 and
// 向婚姻登记机关撤回离婚登记申请. One of few letters (转让) must be the same.
func sameDeed(a, b act) bool {
	if len(a.what) < sameAct || len(b.what) < sameAct {
		return len(a.what) > 1 && slices.Equal(a.what, b.what)
	}
	return strings.Contains(string(b.what), string(a.what[:sameAct])) || strings.Contains(string(a.what), string(b.what[:sameAct]))
}

// title, label and references find what stands in a sentence as a reference, with its
// brackets. A title may hold another one, and brackets.
const (
	title = `《(?:[^《》]|《[^《》]*》)+》`
	label = `第[零〇一二三四五六七八九十百千0-9０-９]{1,9}条(?:之[一二三四五六七八九十]+)?(?:第[一二三四五六七八九十]+[款项]|第（[一二三四五六七八九十]+）项)*`
)

var references = regexp.MustCompile(`[（(\[【](?:参见|详见|见|依据|根据|法律依据)?[：:]?(?:(?:、|，|和|及)?(?:` + title + `)?(?:` + label + `)?(?:[^\s\[\]（）()《》]{1,40}[:：][0-9]+(?:\.[0-9]+)?)?)+[）)\]】](?:\([^()\s]{1,80}\))?` +
	`|(?:根据|依据|依照|按照)?` + title + `(?:` + label + `)?(?:的?规定)?[，,：:]?`)

func withoutReferences(s string) string {
	return strings.TrimSpace(strings.TrimLeft(references.ReplaceAllString(s, ""), "-*> 　0123456789.、"))
}
