package verify

import "testing"

func TestAttribute(t *testing.T) {
	const (
		contract = "劳动合同法@2012-12-28:19"
		civil    = "民法典@2020-05-28:1077"
	)
	evidence := []Evidence{
		{contract, "中华人民共和国劳动合同法", "劳动合同期限三个月以上不满一年的，试用期不得超过一个月；劳动合同期限一年以上不满三年的，试用期不得超过二个月。"},
		{civil, "中华人民共和国民法典", "自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。"},
		{"民法典@2020-05-28:块9", "中华人民共和国民法典", "自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。"},
	}
	for _, c := range []struct{ what, text, want string }{
		{"an article's words", "劳动合同期限一年以上不满三年的，试用期不得超过二个月。", "劳动合同期限一年以上不满三年的，试用期不得超过二个月。[" + contract + "]"},
		{"each sentence its own, the article before the chunk", "试用期不得超过一个月，合同期限三个月以上不满一年的。三十日内任何一方不愿意离婚的，可以撤回离婚登记申请。",
			"试用期不得超过一个月，合同期限三个月以上不满一年的。[" + contract + "]三十日内任何一方不愿意离婚的，可以撤回离婚登记申请。[" + civil + "]"},
		{"words of no article", "用人单位应当为劳动者缴纳住房公积金和社会保险费用。", "用人单位应当为劳动者缴纳住房公积金和社会保险费用。"},
		{"too short to tell", "试用期不得超过一个月。", "试用期不得超过一个月。"},
		{"nothing", "", ""},
	} {
		if got, n := Attribute(c.text, evidence); got != c.want || (n > 0) != (c.text != c.want) {
			t.Errorf("%s: %q, %d given; want %q", c.what, got, n, c.want)
		}
	}
	same := append(evidence[:1:1], Evidence{"示范合同条例@2001-01-01:3", "示范合同条例", evidence[0].Text})
	if got, n := Attribute("劳动合同期限一年以上不满三年的，试用期不得超过二个月。", same); n != 0 {
		t.Errorf("two articles say it, one was named: %s", got)
	}
}

// Two articles may say nearly the same with other consequences; the words of one under the
// number of the other are misplaced.
func TestTheWordsOfANeighbour(t *testing.T) {
	const fraud, contractFraud = "刑法@2023-12-29:266", "刑法@2023-12-29:224"
	evidence := []Evidence{
		{fraud, "中华人民共和国刑法", "诈骗公私财物，数额较大的，处三年以下有期徒刑、拘役或者管制，并处或者单处罚金。"},
		{contractFraud, "中华人民共和国刑法", "以非法占有为目的，在签订合同中骗取对方当事人财物，数额较大的，处三年以下有期徒刑或者拘役，并处或者单处罚金。"},
	}
	text := "根据《中华人民共和国刑法》第二百二十四条，诈骗公私财物，数额较大的，处三年以下有期徒刑、拘役或者管制，并处或者单处罚金。"
	for id, want := range map[string]int{contractFraud: 1, fraud: 0} {
		got, err := (Meaning{}).Check(t.Context(), text, "诈骗怎么判？", evidence, []Finding{{Kind: Reference, Verdict: Exists, ID: id, Start: 2, End: 19}})
		if err != nil || len(got) != want || want == 1 && (got[0].Verdict != Misplaced || got[0].ID != fraud) {
			t.Errorf("cited %s: %+v, %v", id, got, err)
		}
	}
}
