package verify

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

// The articles of this test, in the forms that statutes have.
var (
	arbitration = "劳动争议申请仲裁的时效期间为一年。仲裁时效期间从当事人知道或者应当知道其权利被侵害之日起计算。\n前款规定的仲裁时效，因当事人一方向对方当事人主张权利而中断。\n劳动关系存续期间因拖欠劳动报酬发生争议的，劳动者申请仲裁不受本条第一款规定的仲裁时效期间的限制；但是，劳动关系终止的，应当自劳动关系终止之日起一年内提出。"
	gifts       = "赠与人在赠与财产的权利转移之前可以撤销赠与。\n经过公证的赠与合同或者依法不得撤销的具有救灾、扶贫、助残等公益、道德义务性质的赠与合同，不适用前款规定。"
	ending      = "有下列情形之一的，当事人可以解除合同：\n（一）因不可抗力致使不能实现合同目的；\n（二）在履行期限届满前，当事人一方明确表示或者以自己的行为表明不履行主要债务；\n（三）当事人一方迟延履行主要债务，经催告后在合理期限内仍未履行；\n（四）当事人一方迟延履行债务或者有其他违约行为致使不能实现合同目的；\n（五）法律规定的其他情形。"
	travel      = "因不可抗力影响旅游行程的，按照下列情形处理：\n（一）合同不能继续履行的，旅行社和旅游者均可以解除合同。\n（二）合同解除的，组团社应当将余款退还旅游者；合同变更的，因此增加的费用由旅游者承担，减少的费用退还旅游者。\n（三）危及旅游者人身、财产安全的，旅行社应当采取相应的安全措施，因此支出的费用，由旅行社与旅游者分担。\n（四）造成旅游者滞留的，旅行社应当采取相应的安置措施。因此增加的食宿费用，由旅游者承担；增加的返程费用，由旅行社与旅游者分担。"
	residence   = "居住权不得转让、继承。\n设立居住权的住宅不得出租，但是当事人另有约定的除外。"
	lease       = "融资租赁合同因买卖合同解除、被确认无效或者被撤销而解除，出卖人系由承租人选择的，出租人有权请求承租人赔偿相应损失；但是，因出租人原因致使买卖合同解除、被确认无效或者被撤销的除外。"
	expiry      = "有下列情形之一的，担保物权消灭：\n（一）主债权消灭；\n（二）担保物权实现；\n（三）债权人放弃担保物权；\n（四）法律规定担保物权消灭的其他情形。"
	deposit     = "寄存人未按照约定支付保管费的，保管人对保管物享有留置权，但是当事人另有约定的除外。"
)

// without is a text without its lines that have these words.
func without(text, words string) string {
	var kept []string
	for l := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(l, words) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

func TestWhatADraftLeavesOut(t *testing.T) {
	for _, c := range []struct {
		name, text, article string
		verdict             Verdict // "" = nothing found
		note                string  // of the finding
	}{
		{"a paragraph that lifts the limit of the first", "劳动争议申请仲裁的时效期间为一年。", arbitration, LeftOut, "不受本条第一款规定的仲裁时效期间的限制"},
		{"its paragraph is there", "劳动争议申请仲裁的时效期间为一年。但在劳动关系存续期间因拖欠劳动报酬发生争议的，劳动者申请仲裁不受这一期间的限制。", arbitration, "", ""},
		{"it does not limit the second paragraph", "仲裁时效因当事人一方向对方当事人主张权利而中断。", arbitration, "", ""},
		{"不适用前款规定", "赠与人在赠与财产的权利转移之前可以撤销赠与（《民法典》第六百五十八条）。", gifts, LeftOut, "经过公证的赠与合同"},
		{"the whole article", gifts, gifts, "", ""},
		{"an item that holds 其他", without(ending, "违约行为"), ending, LeftOut, "共列 4 项，这里没有提到（四）"},
		{"the catch-all may be left out", without(ending, "法律规定"), ending, "", ""},
		{"an item among those of several sentences", without(travel, "危及"), travel, LeftOut, "（三）危及旅游者"},
		{"one item that the question is about", "旅行社应当采取相应的安置措施。因此增加的食宿费用，由旅游者承担。", travel, "", ""},
		{"an item of a list of short ones", without(expiry, "放弃"), expiry, LeftOut, "（三）债权人放弃担保物权"},
		{"an exception in the words of its rule", "融资租赁合同因买卖合同解除、被确认无效或者被撤销而解除，出卖人系由承租人选择的，出租人有权请求承租人赔偿相应损失。", lease, LeftOut, "因出租人原因"},
		{"it is there", lease, lease, "", ""},
		{"an exception that another rule has", "保管人对保管物享有留置权，但是当事人另有约定的除外。设立居住权的住宅不得出租（《民法典》第三百六十九条）。", residence, LeftOut, "当事人另有约定的除外"},
		{"its own exception", "设立居住权的住宅不得出租，但是当事人另有约定的除外。", residence, "", ""},
		{"its own exception, in the next sentence", "设立居住权的住宅不得出租。当事人另有约定的除外。", residence, "", ""},
	} {
		evidence := []Evidence{{ID: "甲法@2020-01-01:1", Text: c.article}, {ID: "乙法@2020-01-01:2", Text: deposit}}
		found, err := Meaning{}.Check(context.Background(), c.text, "", evidence, nil)
		if err != nil {
			t.Fatal(err)
		}
		var verdict Verdict
		var note string
		for i := range found {
			if found[i].Verdict != NoSupport {
				verdict, note = found[i].Verdict, found[i].Note
			}
		}
		if verdict != c.verdict || !strings.Contains(note, c.note) {
			t.Errorf("%s: %q (%s), want %q with %q", c.name, verdict, note, c.verdict, c.note)
		}
	}
}

// What a paragraph limits is told by how it refers to others.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		last string // the third paragraph
		of   []int  // the paragraphs that it limits
	}{
		{"因公益捐赠的，不适用前款规定。", []int{2}},
		{"因公益捐赠的，不适用前两款规定。", []int{1, 2}},
		{"紧急情况下，备案时间不受本条第一款规定的限制。", []int{1}},
		{"前款规定不适用于临时会员。", []int{2}},
		{"前款规定的期限不受休息日影响。", []int{2}},
		{"本条第一款和第二款的规定不适用于外国人。", []int{1, 2}},
		{"不适用本条第一款至第九十九款规定。", []int{1, 2}},
		{"不适用本条第九千款规定。", nil},
		{"依照前款规定撤销的，利益不受保护。", nil},
		{"不适用本法第五条第一款规定。", nil},
		{"依照前款规定提出的申请，不予受理。", nil},
		{"违反前款规定的，依法处罚。", nil},
	} {
		got := limits("甲应当登记。\n乙应当备案：\n（一）合同；\n（二）名单。\n" + c.last)
		var of []int
		for i := range got {
			if len(got[i]) > 0 {
				of = append(of, i+1)
			}
		}
		if !reflect.DeepEqual(of, c.of) {
			t.Errorf("%s: limits %v, want %v", c.last, of, c.of)
		}
	}
}

// A duty, a permission or a prohibition is told from another even where it is about one
// word, and where another modal follows.
func TestShortDeeds(t *testing.T) {
	proof := "出借人向人民法院提起民间借贷诉讼时，应当提供借据、收据、欠条等债权凭证以及其他能够证明借贷法律关系存在的证据。"
	permit := "依法取得的行政许可，除法律、法规规定依照法定条件和程序可以转让的外，不得转让。"
	for _, c := range []struct{ text, article, note string }{
		{"设立居住权的住宅可以出租，但是当事人另有约定的除外。", residence, "不得出租"},
		{strings.Replace(proof, "应当", "可以", 1), proof, "应当提供借据"},
		{strings.Replace(permit, "不得", "可以", 1), permit, "不得转让"},
		{proof, proof, ""},
		{permit, permit, ""},
		{"依照法定条件和程序可以转让的，不受此限。", permit, ""},
	} {
		found, err := Meaning{}.Check(context.Background(), c.text, "", []Evidence{{ID: "甲法@2020-01-01:1", Text: c.article}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var note string
		for i := range found {
			if found[i].Verdict == Reversed {
				note = found[i].Note
			}
		}
		if (note == "") != (c.note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%s: %q, want %q", c.text, note, c.note)
		}
	}
}

// Whatever a draft and its evidence hold, findings stand where they say, and cost no more
// than their length.
func FuzzMeaning(f *testing.F) {
	f.Add(without(ending, "违约行为"), ending, "可以解除合同吗")
	f.Add("劳动争议申请仲裁的时效期间为一年。", arbitration, "")
	f.Add("不得转让。（《民法典》第三百六十九条）", residence, "可以转让吗")
	f.Add("（一）甲\n（二）", "（一）\n（二）不适用前款。\n不受本条第九十九款限制。", "\xff")
	f.Fuzz(func(t *testing.T, text, article, question string) {
		if len(text)+len(article) > 20_000 {
			t.Skip()
		}
		found, err := Meaning{}.Check(context.Background(), text, question, []Evidence{{ID: "甲法@2020-01-01:1", Law: "甲法", Text: article}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		runes := []rune(text)
		for i := range found {
			if x := &found[i]; x.Start < 0 || x.End > len(runes) || x.Start >= x.End || string(runes[x.Start:x.End]) != string([]rune(x.Text)) {
				t.Fatalf("%q at %d–%d of %q", x.Text, x.Start, x.End, text)
			}
		}
	})
}
