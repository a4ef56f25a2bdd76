package verify

import (
	"context"
	"strings"
	"testing"
)

var labour = []Evidence{
	{ID: "劳动合同法@2012-12-28:19", Text: "劳动合同期限三个月以上不满一年的，试用期不得超过一个月；劳动合同期限一年以上不满三年的，试用期不得超过二个月；三年以上固定期限和无固定期限的劳动合同，试用期不得超过六个月。\n同一用人单位与同一劳动者只能约定一次试用期。"},
	{ID: "劳动合同法@2012-12-28:37", Text: "劳动者提前三十日以书面形式通知用人单位，可以解除劳动合同。劳动者在试用期内提前三日通知用人单位，可以解除劳动合同。"},
	{ID: "劳动合同法@2012-12-28:42", Text: "劳动者有下列情形之一的，用人单位不得依照本法第四十条、第四十一条的规定解除劳动合同：\n（一）从事接触职业病危害作业的劳动者未进行离岗前职业健康检查；\n（二）女职工在孕期、产期、哺乳期的。"},
	{ID: "劳动合同法@2012-12-28:82", Text: "用人单位自用工之日起超过一个月不满一年未与劳动者订立书面劳动合同的，应当向劳动者每月支付二倍的工资。"},
}

func TestMeaning(t *testing.T) {
	for _, c := range []struct {
		text    string
		verdict Verdict // "" = nothing found
	}{
		{"劳动者提前三十日以书面形式通知用人单位，可以解除劳动合同。", ""},
		{"你可以提前三十日书面通知单位，解除劳动合同（《劳动合同法》第三十七条）。", ""},
		{"试用期内，劳动者提前三日通知用人单位就可以解除劳动合同。", ""},
		{"用人单位应当向劳动者每月支付二倍的工资。", ""},
		{"以下是相关规定：", ""},
		{"是的。", ""},
		{"《劳动合同法》第三十七条", ""},
		{"劳动者可以要求用人单位赔偿精神损失费并公开登报道歉。", NoSupport},
		{"公司必须为员工购买商业意外保险和重大疾病保险。", NoSupport},
		{"女职工在孕期的，用人单位可以依照本法第四十条、第四十一条的规定解除劳动合同。", Reversed},
		{"用人单位可以向劳动者每月支付二倍的工资。", Reversed},
		{"劳动者提前三十日以书面形式通知用人单位，不得解除劳动合同。", Reversed},
		{"用人单位不需要向劳动者每月支付二倍的工资。", Reversed},
		{"用人单位不得解除劳动合同吗？", ""},
	} {
		got, err := (Meaning{}).Check(context.Background(), c.text, "怀孕了公司能辞退我吗？", labour, nil)
		if err != nil {
			t.Fatal(err)
		}
		var verdict Verdict
		if len(got) > 0 {
			verdict = got[0].Verdict
			if f := got[0]; string([]rune(c.text)[f.Start:f.End]) != f.Text || f.Severity != Unsupported || f.Note == "" {
				t.Errorf("%s: %+v", c.text, f)
			}
		}
		if len(got) > 1 || verdict != c.verdict {
			t.Errorf("%s: %+v, want %q", c.text, got, c.verdict)
		}
	}
}

// Sentences are found at their places in a longer text, in its order.
func TestMeaningOfAText(t *testing.T) {
	text := "结论如下：\n\n1. 劳动者提前三十日以书面形式通知用人单位，可以解除劳动合同。[劳动合同法:37]\n2. 另外要交纳培训违约押金三千元整才行。"
	got, err := (Meaning{}).Check(context.Background(), text, "怎么辞职？", labour, nil)
	if err != nil || len(got) != 1 || !strings.Contains(got[0].Text, "押金") {
		t.Fatalf("%+v, %v", got, err)
	}
	if at := string([]rune(text)[got[0].Start:got[0].End]); at != got[0].Text {
		t.Errorf("%q is at the place of %q", at, got[0].Text)
	}
}

// near says that every pair of texts is as near as it is.
type near float64

func (n near) Similar(_ context.Context, as, bs []string) ([][]float64, error) {
	out := make([][]float64, len(as))
	for i := range out {
		for range bs {
			out[i] = append(out[i], float64(n))
		}
	}
	return out, nil
}

// An encoder saves what says the same in other words; it is not believed where hardly
// a word is the same.
func TestAnEncoderSavesOtherWords(t *testing.T) {
	for _, c := range []struct {
		text  string
		cos   float64
		found int
	}{
		{"员工提前一个月书面告知单位后，可以解除合同关系。", .9, 0},
		{"员工提前一个月书面告知单位后，可以解除合同关系。", .5, 1},
		{"火星上种植土豆需要大量氧气和水分。", .99, 1},
	} {
		got, err := (Meaning{Similarity: near(c.cos)}).Check(context.Background(), c.text, "怎么辞职？", labour, nil)
		if err != nil || len(got) != c.found {
			t.Errorf("%s at %v: %+v, %v", c.text, c.cos, got, err)
		}
	}
}
