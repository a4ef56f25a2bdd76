package book

import (
	"context"
	"errors"
	"testing"

	"lexagent/statute"
)

const today = statute.Date(20251201)

func relate(t *testing.T, b *Book) {
	t.Helper()
	if err := b.Relate(context.Background(), today, func(int) {}); err != nil {
		t.Fatal(err)
	}
}

// made is a law with its day of publication.
func made(short, version string, published, effective statute.Date) *statute.Law {
	l := law(short, version, effective, 0)
	l.Published, l.Declared = published, statute.InForce
	return l
}

func TestAClauseEndsALaw(t *testing.T) {
	b := create(t, t.TempDir())
	old := made("学位条例", "2004-08-28", 19800212, 19810101)
	tax := made("增值税暂行条例", "2017-11-19", 19931213, 19940101)
	degree := made("学位法", "2024-04-26", 20240426, 20250101)
	vat := made("增值税法", "2024-12-25", 20241225, 20260101)
	put(t, b, old, article(old, 1, 0, "", "旧"))
	put(t, b, tax, article(tax, 1, 0, "", "旧"))
	put(t, b, degree, article(degree, 45, 0, "", "本法自2025年1月1日起施行。《中华人民共和国学位条例》同时废止。"))
	put(t, b, vat, article(vat, 38, 0, "", "本法自2026年1月1日起施行。《中华人民共和国增值税暂行条例》同时废止。"))
	relate(t, b)
	for _, c := range []struct {
		id   string
		day  statute.Date
		want statute.Status
	}{
		{old.ID, 20241231, statute.InForce},
		{old.ID, 20250101, statute.Repealed},
		{tax.ID, 20251231, statute.InForce},
		{tax.ID, 20260101, statute.Repealed},
		{degree.ID, 20250101, statute.InForce},
	} {
		l, err := b.Law(public, c.id, c.day)
		if err != nil || l.StatusOn(c.day) != c.want {
			t.Errorf("%s on %s is %s, want %s (%v)", c.id, c.day, l.StatusOn(c.day), c.want, err)
		}
	}
	l, err := b.Law(public, old.ID, today)
	if err != nil || b.EndedBy(l) == nil || b.EndedBy(l).ID != degree.ID {
		t.Errorf("%+v, %v", l, err)
	}
}

// A law is made again under the name of one that ended, laws end one another in
// turn, and a repeal is as old as the text's first version. Days decide.
func TestTheSameTitleIsNotTheSameText(t *testing.T) {
	b := create(t, t.TempDir())
	union := made("工会法", "2021-12-24", 19920403, 19920403)
	security := made("国家安全法", "2015-07-01", 20150701, 20150701)
	spies := made("反间谍法", "2023-04-26", 20141101, 20141101)
	rules := made("某市动物防疫条例", "2019-07-26", 20140523, 20141001)
	method := made("某市实施动物防疫法办法", "2024-07-26", 20240726, 20250101)
	put(t, b, union, article(union, 58, 0, "", "本法自公布之日起施行。1950年6月29日中央人民政府颁布的《中华人民共和国工会法》同时废止。"))
	put(t, b, security, article(security, 1, 0, "", "新"))
	put(t, b, spies, article(spies, 40, 0, "", "本法自公布之日起施行。1993年2月22日通过的《中华人民共和国国家安全法》同时废止。"))
	put(t, b, rules, article(rules, 60, 0, "", "本条例自2014年10月1日起施行，《某市实施动物防疫法办法》同时废止。"))
	put(t, b, method, article(method, 27, 0, "", "本办法自2025年1月1日起施行。《某市动物防疫条例》同时废止。"))
	relate(t, b)
	for id, want := range map[string]statute.Status{
		union.ID: statute.InForce, security.ID: statute.InForce, spies.ID: statute.InForce, method.ID: statute.InForce,
		rules.ID: statute.Repealed,
	} {
		l, err := b.Law(public, id, today)
		if err != nil || l.StatusOn(today) != want {
			t.Errorf("%s is %s, want %s (%v)", id, l.StatusOn(today), want, err)
		}
	}
}

// What the source says and what a clause says: the earlier day counts.
func TestTheEarlierEndCounts(t *testing.T) {
	b := create(t, t.TempDir())
	early, late, undated := made("甲法", "2000-01-01", 20000101, 20000101), made("乙法", "2000-01-01", 20000101, 20000101), made("丙法", "2000-01-01", 20000101, 20000101)
	early.Ended, early.Declared = 20050101, statute.Repealed
	late.Ended, late.Declared = 20200101, statute.Repealed
	undated.Declared = statute.Repealed
	by := made("丁法", "2010-01-01", 20100101, 20100601)
	for _, l := range []*statute.Law{early, late, undated} {
		put(t, b, l, article(l, 1, 0, "", "文"))
	}
	put(t, b, by, article(by, 9, 0, "", "本法自2010年6月1日起施行，《甲法》、《乙法》、《丙法》同时废止。"))
	relate(t, b)
	for id, want := range map[string]statute.Date{early.ID: 20050101, late.ID: 20100601, undated.ID: 20100601} {
		if l, err := b.Law(public, id, today); err != nil || l.Ended != want {
			t.Errorf("%s ended on %s, want %s (%v)", id, l.Ended, want, err)
		}
	}
}

func TestALawThatIsKnownOnlyAsRepealed(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	civil := made("民法典", "2020-05-28", 20200528, 20210101)
	put(t, b, civil, article(civil, 1260, 0, "", "本法自2021年1月1日起施行。《中华人民共和国合同法》同时废止。"))
	own := made("某公司管理条例", "2024-01-01", 20240101, 20240101)
	own.Collection = "firm"
	put(t, b, own, article(own, 1, 0, "", "《某公司旧条例》同时废止。"))
	relate(t, b)
	const want = "《合同法》已于 2021-01-01 废止，由《中华人民共和国民法典》取代"
	for _, text := range []string{"合同法第52条", "《中华人民共和国合同法》还有效吗", "合同法规定的违约金"} {
		ms, err := b.Mentions(ctx, public, text, nil, today)
		if err != nil || len(ms) != 1 || ms[0].Outcome != Ended || ms[0].Note != want {
			t.Errorf("%s: %+v, %v", text, ms, err)
		}
	}
	if ms, err := b.Mentions(ctx, public, "合同法第52条", nil, 20200101); err != nil || len(ms) != 1 || ms[0].Outcome != NoLaw {
		t.Errorf("before its end the law was there, and is not in the book: %+v, %v", ms, err)
	}
	if f := b.Former(public, "某公司旧条例"); f != nil {
		t.Errorf("a private clause leaks: %s", f)
	}
	if f := b.Former([]string{"firm"}, "某公司旧条例"); f == nil {
		t.Error("the clause is not known in its own collection")
	}
}

// A run that dies leaves what was known, and the next one knows that it must be
// done again.
func TestAnInterruptedRelateIsDoneAgain(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	l := made("甲法", "2020-01-01", 20200101, 20200101)
	put(t, b, l, article(l, 1, 0, "", "一"), article(l, 2, 0, "", "依照本法第一条"))
	relate(t, b)
	if ok, err := b.Related(ctx); !ok || err != nil {
		t.Fatalf("%t, %v", ok, err)
	}
	put(t, b, l, article(l, 3, 0, "", "依照本法第一条、第二条"))
	if ok, _ := b.Related(ctx); ok {
		t.Error("a new article was not noticed")
	}
	dying, die := context.WithCancel(ctx)
	if err := b.Relate(dying, today, func(int) { die() }); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if n, err := b.CountCitations(ctx); err != nil || n.Cites != 1 {
		t.Errorf("what was known must stay: %+v, %v", n, err)
	}
	relate(t, b)
	if n, err := b.CountCitations(ctx); err != nil || n.Cites != 3 {
		t.Errorf("%+v, %v", n, err)
	}
	if ok, err := b.Related(ctx); !ok || err != nil {
		t.Errorf("%t, %v", ok, err)
	}
}
