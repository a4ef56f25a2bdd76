package faults

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lexagent/book"
	"lexagent/book/booktest"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// The book of this test: a law on letting that is made up, and one that it repealed.
var (
	letting = &statute.Law{ID: "房屋租赁法@2021-05-01", Title: "中华人民共和国房屋租赁法", Short: "房屋租赁法", Level: 1, Version: "2021-05-01", Effective: 20210901, Collection: "public"}
	before  = &statute.Law{ID: "房屋出租条例@1995-05-01", Title: "房屋出租条例", Short: "房屋出租条例", Level: 2, Version: "1995-05-01", Effective: 19950601, Ended: 20210901, Collection: "public"}
	texts   = []string{
		"出租人应当在合同成立后三十日以内向房屋所在地的主管部门办理登记备案，并对登记材料的真实性负责。",
		"承租人不得擅自改变房屋的用途和主体结构，因使用不当造成损坏的，应当承担修复责任。",
		"承租人逾期支付租金超过六十日，经出租人书面催告后在合理期限内仍不支付的，出租人可以解除合同，但是当事人已经约定了分期支付补救办法的除外。",
		"出租人出卖租赁房屋的，应当提前十五日通知承租人，承租人在同等条件下有权优先购买。",
		"有下列情形之一的，承租人可以解除合同：\n（一）房屋危及承租人的人身安全或者健康的；\n（二）出租人拒绝履行维修义务达到三十日的；\n（三）房屋被依法查封或者征收的；\n（四）房屋的权属发生争议致使无法使用的。",
		"押金不得超过二个月的租金，合同终止后出租人应当在七日以内退还，不得无故克扣。\n承租人拖欠租金或者损坏房屋的，退还押金不受前款规定期限的限制。",
		"主管部门对提供虚假登记材料的当事人，处五千元以上二万元以下的罚款，情节严重的，可以公开通报。",
		"当事人因租赁发生争议的，可以向人民法院提起诉讼，也可以申请房屋所在地的调解组织进行调解。",
	}
)

func testBook(t *testing.T) *book.Book {
	t.Helper()
	return booktest.New(t, booktest.Articles(letting, texts...), booktest.Articles(before, slices.Repeat([]string{"房屋出租应当向公安机关登记。"}, 9)...))
}

// turning finds five articles, beginning with another one each time.
type turning struct{ at int }

func (s *turning) Search(context.Context, retrieval.Query) (*retrieval.Result, error) {
	all := booktest.Articles(letting, texts...).Units
	res := &retrieval.Result{Notes: []string{}}
	for i := range 5 {
		u := all[(s.at+i)%len(all)]
		res.Hits = append(res.Hits, retrieval.Hit{ID: u.ID, Kind: u.Kind, Law: letting.Title, LawID: letting.ID, Label: u.Label, Text: u.Text, Status: statute.InForce})
	}
	s.at++
	return res, nil
}

func TestNoLieLeavesAndTheTruthDoes(t *testing.T) {
	ctx := context.Background()
	b := testBook(t)
	var questions []string
	for i := range 400 {
		questions = append(questions, fmt.Sprintf("租房问题%d", i))
	}
	o := Options{Search: &turning{}, Check: &verify.Checker{Book: b}, Meaning: verify.Meaning{}, Book: b, Day: 20260101, Questions: questions, Seed: 7}
	o.Kinds, o.Each = slices.DeleteFunc(slices.Clone(Lies), func(k Kind) bool { return k == SubDropped }), 6 // no article here is a 之一
	all, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Kind]int{}
	for i := range all {
		d := &all[i]
		seen[d.Kind]++
		if !d.Caught() || d.False > 0 {
			t.Errorf("%s left: %s\n%s\n%q", d.Kind, d.Text, d.Answer.Text, d.Answer.Notes)
		}
	}
	for _, k := range o.Kinds {
		if seen[k] == 0 {
			t.Errorf("no draft with %s was made", k)
		}
	}
	o.Kinds, o.Each = []Kind{True}, 40
	if all, err = Run(ctx, o); err != nil || len(all) != 40 {
		t.Fatal(len(all), err)
	}
	for i := range all {
		if d := &all[i]; d.Changed {
			t.Errorf("a true draft was changed: %s\n%s\n%q", d.Text, d.Answer.Text, d.Answer.Notes)
		}
	}
	o.Kinds, o.Each = slices.Concat(Meanings, Omissions), 4
	if all, err = Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if d := &all[i]; !d.Caught() {
			t.Errorf("%s left: %s\n%s\n%q", d.Kind, d.Text, d.Answer.Text, d.Answer.Notes)
		}
	}
	var table bytes.Buffer
	if err := WriteTable(&table, all); err != nil || !strings.Contains(table.String(), "| modal flipped | 4 | 4 | 0 | 0 | 4 | 0 | 0 | 4 | 0 | 0 |") {
		t.Errorf("%s, %v", table.String(), err)
	}
}
