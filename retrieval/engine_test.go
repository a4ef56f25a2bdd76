package retrieval

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lexagent/book"
	"lexagent/book/booktest"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/model"
	"lexagent/statute"
)

// bags is an encoder for tests: the bag of characters, hashed into 64 dimensions.
type bags struct{}

func (bags) Encode(_ context.Context, texts []string, _ model.Role) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, 64)
		for _, r := range t {
			h := fnv.New32a()
			fmt.Fprint(h, r)
			v[h.Sum32()%64]++
		}
		norm := 0.0
		for _, x := range v {
			norm += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(max(norm, 1e-9)))
		}
		out[i] = v
	}
	return out, nil
}

func (bags) Digest() string { return "bags" }

// others is another encoder of the same size.
type others struct{ bags }

func (others) Digest() string { return "others" }

type testLaw struct {
	title, version, region, collection string
	level                              statute.Level
	effective, ended                   statute.Date
	articles                           map[int]string
}

var testLaws = []testLaw{
	{"中华人民共和国民法典", "2020-05-28", "", "public", 1, 20210101, 0, map[int]string{
		1076: "夫妻双方自愿离婚的，应当签订书面离婚协议，并亲自到婚姻登记机关申请离婚登记。",
		1077: "自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。",
		1079: "夫妻一方要求离婚的，可以由有关组织进行调解或者直接向人民法院提起离婚诉讼。",
	}},
	{"中华人民共和国婚姻法", "2001-04-28", "", "public", 1, 20010428, 20210101, map[int]string{31: "男女双方自愿离婚的，准予离婚。双方必须到婚姻登记机关申请离婚。"}},
	{"中华人民共和国劳动合同法", "2012-12-28", "", "public", 1, 20130701, 0, map[int]string{82: "用人单位自用工之日起超过一个月不满一年未与劳动者订立书面劳动合同的，应当向劳动者每月支付二倍的工资。"}},
	{"上海市婚姻登记规定", "2019-01-01", "上海", "public", 3, 20190101, 0, map[int]string{5: "本市居民申请离婚登记的，应当向户籍所在地的婚姻登记机关申请。"}},
	{"广东省婚姻登记规定", "2019-01-01", "广东", "public", 3, 20190101, 0, map[int]string{6: "本省居民申请离婚登记的，可以向省内任一婚姻登记机关申请。"}},
	{"律所内部离婚指引", "2024-01-01", "", "firm", 6, 20240101, 0, map[int]string{1: "离婚登记申请的内部办理流程。"}},
}

// newEngine builds a real book and a real index of testLaws; withVectors says how
// many of the documents get their vector.
func newEngine(t *testing.T, withVectors int) *Engine {
	t.Helper()
	return engineOf(t, testLaws, withVectors)
}

// engineOf is newEngine of other laws.
func engineOf(t *testing.T, laws []testLaw, withVectors int) *Engine {
	t.Helper()
	dir := t.TempDir()
	var written []booktest.Law
	for _, tl := range laws {
		l := booktest.Law{Law: &statute.Law{
			ID: statute.LawID(statute.ShortTitle(tl.title), tl.version), Title: tl.title, Short: statute.ShortTitle(tl.title), Level: tl.level,
			Region: tl.region, Version: tl.version, Effective: tl.effective, Ended: tl.ended, Collection: tl.collection,
		}}
		for n, text := range tl.articles {
			l.Units = append(l.Units, booktest.Article(l.Law, n, text))
		}
		written = append(written, l)
	}
	b := booktest.In(t, dir, written...)
	store := buildStore(t, dir, b, withVectors)
	return &Engine{
		Ranker: testRanker(t), Expander: Prompted{newScript()}, Intents: Prompted{newScript()},
		Book: b, Store: func() index.Store { return store }, Encoder: bags{},
		Now: func() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) },
	}
}

func buildStore(t *testing.T, dir string, b *book.Book, withVectors int) *embedded.Store {
	t.Helper()
	ctx := context.Background()
	a, err := index.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	builder, err := embedded.NewBuilder(dir+"/index", a, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	err = b.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		text := index.Compose(l.Title, u.Path, u.Label, u.Text)
		texts = append(texts, text)
		return builder.Add(ctx, index.Doc{
			ID: book.DocID(l.Collection, u.ID), Law: l.ID, Collection: l.Collection, Region: l.Region, Kind: u.Kind, Level: l.Level,
			From: l.Effective, Until: l.Ended, Hash: index.TextHash(text), Text: text,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	name, err := builder.Finish(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w, err := embedded.OpenVectors(dir+"/index", name, "bags", 64)
	if err != nil {
		t.Fatal(err)
	}
	vs, _ := bags{}.Encode(ctx, texts, model.Passage)
	if err := errors.Join(w.Append(vs[:min(withVectors, len(vs))]...), w.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := embedded.OpenGeneration(dir+"/index", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

const all = 1 << 20

func ids(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func find(t *testing.T, e *Engine, q Query) *Result {
	t.Helper()
	res, err := e.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestModesFindAndExplain(t *testing.T) {
	e := newEngine(t, all)
	for _, m := range Modes {
		res := find(t, e, Query{Text: "离婚登记申请可以撤回吗", Mode: m, Explain: true})
		if res.Mode != m || len(res.Hits) == 0 || res.Hits[0].ID != "民法典@2020-05-28:1077" {
			t.Errorf("%s: ran as %s, found %v", m, res.Mode, ids(res.Hits))
			continue
		}
		sc := res.Hits[0].Scores
		if (sc.Sparse != nil) != (m != Dense) || (sc.Dense != nil) != (m != BM25) || sc.Plain == nil || (sc.Fused != nil) != (m == Hybrid || m.ranked()) || (sc.Rerank != nil) != m.ranked() || (sc.Intent != nil) != (m == LexPath) || sc.Final != res.Hits[0].Score {
			t.Errorf("%s: scores %+v", m, sc)
		}
		for i := 1; i < len(res.Hits); i++ {
			if res.Hits[i].Score > res.Hits[i-1].Score {
				t.Errorf("%s: not sorted", m)
			}
		}
	}
}

func TestTheDayDecidesWhatIsFound(t *testing.T) {
	e := newEngine(t, all)
	has := func(as AsOf) bool {
		res := find(t, e, Query{Text: "男女双方自愿离婚", K: 20, Scope: Scope{AsOf: as}})
		return strings.Contains(strings.Join(ids(res.Hits), " "), "婚姻法@2001-04-28:31")
	}
	if has(AsOf{}) || !has(AsOf{Day: 20201231}) || has(AsOf{Day: 20210101}) || !has(AsOf{Any: true}) {
		t.Error("the repealed law is found on the wrong days")
	}
}

func TestScopes(t *testing.T) {
	e := newEngine(t, all)
	for _, c := range []struct {
		what     string
		scope    Scope
		in, out  string // id that must and must not be there
		question string
	}{
		{"other collections stay apart", Scope{}, "民法典@2020-05-28:1077", "律所内部离婚指引@2024-01-01:1", "离婚登记申请"},
		{"a named collection", Scope{Collections: []string{"firm"}}, "律所内部离婚指引@2024-01-01:1", "民法典@2020-05-28:1077", "离婚登记申请"},
		{"levels", Scope{Levels: []statute.Level{3}}, "上海市婚姻登记规定@2019-01-01:5", "民法典@2020-05-28:1077", "离婚登记申请"},
		{"a region and the nation", Scope{Region: "上海"}, "上海市婚姻登记规定@2019-01-01:5", "广东省婚姻登记规定@2019-01-01:6", "离婚登记申请"},
		{"the nation with a region", Scope{Region: "上海"}, "民法典@2020-05-28:1077", "广东省婚姻登记规定@2019-01-01:6", "离婚登记申请"},
		{"one law", Scope{Laws: []string{"民法典@2020-05-28"}}, "民法典@2020-05-28:1077", "上海市婚姻登记规定@2019-01-01:5", "离婚登记申请"},
		{"a look-up keeps to the scope", Scope{Levels: []statute.Level{3}}, "上海市婚姻登记规定@2019-01-01:5", "民法典@2020-05-28:1077", "民法典第1077条 离婚登记"},
	} {
		got := strings.Join(ids(find(t, e, Query{Text: c.question, K: 20, Scope: c.scope}).Hits), " ")
		if !strings.Contains(got, c.in) || strings.Contains(got, c.out) {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}

func TestDirectLookUp(t *testing.T) {
	e := newEngine(t, all)
	for _, c := range []struct{ question, first, note string }{
		{"民法典第1077条", "民法典@2020-05-28:1077", ""},
		{"《民法典》第一千零七十九条说了什么？", "民法典@2020-05-28:1079", ""},
		{"劳动合同法82条怎么赔", "劳动合同法@2012-12-28:82", ""},
		{"婚姻法第三十一条还有用吗", "婚姻法@2001-04-28:31", "《中华人民共和国婚姻法》已于 2021-01-01 废止。"},
		{"民法典第1300条", "", "没有第一千三百条"},
		{"离婚冷静法第三条", "", "没有收录《离婚冷静法》"},
	} {
		for _, m := range Modes {
			res := find(t, e, Query{Text: c.question, Mode: m, K: 3})
			if res.Direct != (c.first != "") || c.first != "" && res.Hits[0].ID != c.first {
				t.Errorf("%s in %s: %v", c.question, m, ids(res.Hits))
			}
			if notes := strings.Join(res.Notes, " "); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("%s: notes %q", c.question, notes)
			}
		}
	}
	for text, absent := range map[string]bool{"民法典第1300条": true, "离婚冷静法第三条": true, "离婚冷静法怎么说": false, "民法典第1077条": false} {
		if res := find(t, e, Query{Text: text}); res.Absent != absent {
			t.Errorf("%s: absent %v", text, res.Absent)
		}
	}
	res := find(t, e, Query{Text: "民法典第1077条", Without: []Stage{Direct}})
	if res.Direct {
		t.Error("the look-up ran though it was switched off")
	}
}

func TestHalfTheVectorsAreNotUsed(t *testing.T) {
	e := newEngine(t, 3)
	for _, m := range []Mode{Dense, Hybrid} {
		res := find(t, e, Query{Text: "离婚登记", Mode: m})
		if res.Mode != BM25 || len(res.Hits) == 0 || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "%") {
			t.Errorf("%s: %+v", m, res)
		}
	}
	e = newEngine(t, all)
	e.Encoder = others{}
	if res := find(t, e, Query{Text: "离婚登记"}); res.Mode != BM25 || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "另一个编码器") {
		t.Errorf("vectors of another encoder: %+v", res)
	}
	e.Building = func() (int, int) { return 41, 100 }
	if res := find(t, e, Query{Text: "离婚登记"}); res.Mode != BM25 || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "正在建立（41 %）") {
		t.Errorf("while vectors of this encoder are made: %+v", res)
	}
	e.Encoder = nil
	if res := find(t, e, Query{Text: "离婚登记"}); res.Mode != BM25 || len(res.Hits) == 0 {
		t.Errorf("without an encoder: %+v", res)
	}
}

// elsewhere is an encoder behind an endpoint: not known before it has answered, and
// sometimes away.
type elsewhere struct {
	bags
	is    string
	away  bool
	asked int
}

func (e *elsewhere) Digest() string {
	if e.asked == 0 {
		return ""
	}
	return e.is
}

func (e *elsewhere) Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error) {
	if e.away {
		return nil, errors.New("away")
	}
	e.asked++
	return e.bags.Encode(ctx, texts, role)
}

// TestAnEncoderElsewhere holds that one that is away costs the vectors and not the
// answer, and that its vectors aren't compared with another encoder's.
func TestAnEncoderElsewhere(t *testing.T) {
	e := newEngine(t, all)
	for _, test := range []struct {
		encoder *elsewhere
		mode    Mode
		note    string
	}{
		{&elsewhere{is: "bags"}, Hybrid, ""},
		{&elsewhere{is: "others"}, BM25, "另一个编码器"},
		{&elsewhere{is: "bags", away: true}, BM25, "没有给出向量"},
	} {
		e.Encoder = test.encoder
		res := find(t, e, Query{Text: "离婚登记", Mode: Hybrid, Explain: true})
		if notes := strings.Join(res.Notes, " "); res.Mode != test.mode || len(res.Hits) == 0 || !strings.Contains(notes, test.note) || test.note == "" && notes != "" || len(res.Notes) > 1 {
			t.Errorf("%+v: %s, %v", test.encoder, res.Mode, res.Notes)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res, err := e.Search(ctx, Query{Text: "离婚登记", Mode: Hybrid}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gave %+v, %v", res, err)
	}
}

func TestQueriesThatCanNotBeMeant(t *testing.T) {
	e := newEngine(t, all)
	for _, c := range []struct {
		q     Query
		param string
	}{
		{Query{}, "question"},
		{Query{Text: " \n\t　"}, "question"},
		{Query{Text: strings.Repeat("长", MaxQuestion+1)}, "question"},
		{Query{Text: "问", Mode: "magic"}, "mode"},
		{Query{Text: "问", K: -1}, "k"},
		{Query{Text: "问", K: MaxHits + 1}, "k"},
		{Query{Text: "问", Pool: -1}, "pool"},
		{Query{Text: "问", Scope: Scope{Levels: []statute.Level{7}}}, "levels"},
		{Query{Text: "问", Fusion: Fusion{Method: "sum"}}, "fusion"},
		{Query{Text: "问", Lambda: &Lambda{1, 1, -1}}, "lambda"},
		{Query{Text: "问", Lambda: &Lambda{1, math.NaN(), 1}}, "lambda"},
		{Query{Text: "问", Expand: "magic"}, "expand"},
		{Query{Text: "问", Mode: Dense, Expand: IRAC}, "expand"},
		{Query{Text: "问", Mode: LexPath, Expand: IRAC, Without: []Stage{Expand}}, "expand"},
		{Query{Text: "问", Mode: LexPath, Expand: HyDE, Without: []Stage{SparsePath}}, "expand"},
	} {
		_, err := e.Search(context.Background(), c.q)
		var input *InputError
		if !errors.As(err, &input) || input.Param != c.param {
			t.Errorf("%+v: %v", c.q, err)
		}
	}
	for _, text := range []string{"a", "😀", "\xff\xfe", "[SEP][CLS]", strings.Repeat("离婚", 5000), "第条第条《》《", "\x00"} {
		if _, err := e.Search(context.Background(), Query{Text: text}); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Search(ctx, Query{Text: "离婚"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
}

func TestAsOfIsReadFromText(t *testing.T) {
	for in, want := range map[string]AsOf{"": {}, "any": {Any: true}, "2021-01-01": {Day: 20210101}} {
		if got, err := ParseAsOf(in); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"2021-13-01", "yesterday", "2021/01/01", "-1"} {
		if _, err := ParseAsOf(in); err == nil {
			t.Errorf("%q was taken", in)
		}
	}
}
