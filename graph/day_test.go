package graph

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lexagent/retrieval"
	"lexagent/statute"
)

func TestDayOf(t *testing.T) {
	for question, want := range map[string]struct {
		day statute.Date
		law bool
	}{
		"我2019年签的合同，试用期最长多久？":     {20191231, false},
		"2019年2月入职，没签合同怎么办":       {20190228, false},
		"2020-06-05 被辞退，能要赔偿吗":    {20200605, false},
		"2019年结婚，按当时的法律冷静期多久？":    {20191231, true},
		"依照2018年施行的规定，公司注册要多少资金？": {20181231, true},
		"2018年修正的公司法第二十六条是什么":     {0, false},
		"《公司法》（2018年）第二十六条":       {20181231, false},
		"2015年借的钱，2018年到期，时效多久？":  {0, false}, // several
		"2099年的事":      {0, false},
		"2019年13月的事":   {0, false},
		"试用期最长多久？":     {0, false},
		"民法典第1077条说什么": {0, false},
	} {
		day, law, ok := dayOf(question, 20260102)
		if day != want.day || law != want.law && ok || ok != (want.day != 0) {
			t.Errorf("%s: %v %v %v, want %+v", question, day, law, ok, want)
		}
	}
}

// What happened before a law was made is answered by the law of today, with a word about
// it; the law of then is searched where it is asked for.
func TestThePast(t *testing.T) {
	r := question
	r.Question = "我们2019年申请离婚登记后，还能撤回吗？"
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{goodDraft}}, &reviewer{}, nil), r)
	if a.Kind != Generated || !strings.Contains(strings.Join(a.Notes, "\n"), "2020-05-28）在您所说的时间（2019-12-31）之后") {
		t.Errorf("%+v", a)
	}
	s := &asOf{found: found{a1076, a1077}}
	r.Question = "2019年申请离婚登记，按当时的法律还能撤回吗？"
	a, _ = answer(t, reflecting(t, s, &writer{drafts: []string{goodDraft}}, &reviewer{}, nil), r)
	if s.day != 20191231 || !strings.Contains(strings.Join(a.Notes, "\n"), "按 2019-12-31 有效的法律") {
		t.Errorf("searched as of %v; %+v", s.day, a)
	}
}

// asOf remembers the day that it is asked about.
type asOf struct {
	found
	day statute.Date
}

func (s *asOf) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	s.day = q.Scope.AsOf.Day
	return s.found.Search(ctx, q)
}

func TestPartsOf(t *testing.T) {
	for question, want := range map[string][]string{
		"试用期最长多久？工资可以少给吗？":       {"试用期最长多久？", "工资可以少给吗？"},
		"公司违法辞退我，能赔多少，怎么申请劳动仲裁？": {"公司违法辞退我，能赔多少？", "怎么申请劳动仲裁？"},
		"试用期最长多久，工资能不能少给":        {"试用期最长多久？", "工资能不能少给？"},
		"公司拖欠工资，辞职了，怎么要回来？":      nil,
		"如果合同只签一年，试用期最长多久？":      nil,
		"怎么办？":       nil,
		"什么是定金，订金呢？": nil,
		"A是什么公司？B是什么公司？C是什么？D是什么呢？": {"A是什么公司？", "B是什么公司？"},
	} {
		if got := partsOf(question); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
