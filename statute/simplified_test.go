package statute

import (
	"testing"
	"unicode/utf8"
)

func TestSimplified(t *testing.T) {
	for text, want := range map[string]string{
		"公司不簽勞動合同怎麼賠償？":   "公司不签劳动合同怎么赔偿？",
		"離婚冷靜期是多久":        "离婚冷静期是多久",
		"乾隆年間的著作權，頭髮與發展":  "乾隆年间的著作权，头发与发展",
		"中華人民共和國勞動合同法82條": "中华人民共和国劳动合同法82条",
		"對憑藉、瞭解和乾淨的規定":    "对凭借、了解和干净的规定",
		"遺產繼承 abc 😀":      "遗产继承 abc 😀",
	} {
		if got, changed := Simplified(text); got != want || !changed {
			t.Errorf("%s became %s (changed %v), not %s", text, got, changed, want)
		}
	}
	for _, text := range []string{"", "著作权", "乾隆的余额", "了解、凭借、征收、后果、里程", "How long?", "😀", "\xff\xfe", "第八十二条"} {
		if got, changed := Simplified(text); got != text || changed {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// FuzzSimplified holds that any text can be turned, and that what has been turned
// is simplified.
func FuzzSimplified(f *testing.F) {
	for _, text := range []string{"離婚冷靜期", "乾\xff隆離", "麼", "么麼離"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, changed := Simplified(text)
		if !changed && got != text {
			t.Fatalf("%q became %q and is said to be unchanged", text, got)
		}
		if utf8.ValidString(text) != utf8.ValidString(got) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
