package statuterag

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/book"
	"lexagent/book/booktest"
	"lexagent/statute"
)

// shelf is a book with two laws of market supervision.
func shelf(t *testing.T) *book.Book {
	t.Helper()
	law := func(title, short string, texts ...string) booktest.Law {
		return booktest.Articles(&statute.Law{ID: statute.LawID(short, "2021-04-29"), Title: title, Short: short, Level: 1, Version: "2021-04-29", Effective: 20210429, Collection: "public"}, texts...)
	}
	return booktest.New(t, law("中华人民共和国广告法", "广告法",
		"广告主应当对广告内容的真实性负责，并保存证明材料三年以上。",
		"前款规定的广告主不得委托未成年人作广告代言人并签订合同。",
		"广告经营者违反规定的，由市场监督管理部门处十万元以上五十万元以下的罚款。"),
		law("中华人民共和国价格法", "价格法", "经营者销售商品应当明码标价，违反本法规定的，责令改正。", "短句。"))
}

func items(t *testing.T, lines ...string) []Item {
	t.Helper()
	out, err := ReadItems(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestQuestionsBecomeStatements(t *testing.T) {
	built, err := Build(context.Background(), items(t,
		`{"id":1,"stem":"广告主保存证明材料的期限为（　）。","options":{"A":"三年以上","B":"一年以上"},"answer":"A","references":"《广告法》第一条"}`,
		`{"id":"2","stem":"关于明码标价，下列说法错误的是（ ）","options":["经营者可以不明码标价","经营者应当明码标价"],"answer":"A","explanation":"A项，见《价格法》第一条。B项，见《广告法》第三条和《价格法》第一条。"}`,
		`{"id":"3","stem":"违反价格法的经营者，由主管部门","options":[{"key":"A","text":"责令改正","references":["价格法第一条"]},{"key":"B","text":"以上都对"}],"answer":"A"}`,
	), shelf(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		ID, Text string
		Label    bool
		Gold     string
	}
	var got []row
	for _, s := range built.Statements {
		var ids []string
		for _, g := range s.Gold {
			ids = append(ids, g.ID)
		}
		got = append(got, row{s.ID, s.Question.Question, *s.Label, strings.Join(ids, " ")})
	}
	ad, price := "广告法@2021-04-29:", "价格法@2021-04-29:"
	if d := cmp.Diff([]row{
		{"1-A", "广告主保存证明材料的期限为三年以上。", true, ad + "1"},
		{"1-B", "广告主保存证明材料的期限为一年以上。", false, ad + "1"},
		{"2-A", "关于明码标价，经营者可以不明码标价。", false, price + "1"}, // the answer to "which is wrong"
		{"2-B", "关于明码标价，经营者应当明码标价。", true, ad + "3 " + price + "1"},
		{"3-A", "违反价格法的经营者，由主管部门责令改正。", true, price + "1"},
	}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Exclusion{{"3-B", OtherOption, "以上都对"}}, built.Excluded); d != "" {
		t.Error(d)
	}
	s := built.Statistics(5)
	if s.Seeds != 3 || s.Statements != 5 || s.True != 3 || s.Annotations != 6 || s.Excluded[OtherOption] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestExclusionsHaveReasons(t *testing.T) {
	for _, c := range []struct{ what, line, reason string }{
		{"no stem", `{"id":"x","stem":" ","options":["甲","乙"],"answer":"A"}`, NoStem},
		{"no answer", `{"id":"x","stem":"广告主保存证明材料的期限为","options":["三年以上"],"references":"广告法第一条"}`, NoAnswer},
		{"two answers", `{"id":"x","stem":"广告主保存证明材料的期限为","options":["三年","两年"],"answer":"AB"}`, Several},
		{"a figure", `{"id":"x","stem":"如图所示，广告主的期限为","options":["三年"],"answer":"A"}`, InContext},
		{"what it isn't", `{"id":"x","stem":"下列不属于广告主义务的是","options":["保存"],"answer":"A"}`, Negated},
		{"except", `{"id":"x","stem":"除外情形有","options":["保存"],"answer":"A"}`, Negated},
		{"too short", `{"id":"x","stem":"期限","options":["三年"],"answer":"A","references":"广告法第一条"}`, Trivial},
		{"an article that isn't there", `{"id":"x","stem":"广告主保存证明材料的期限为","options":["三年以上"],"answer":"A","references":"广告法第九十九条"}`, NoArticle},
	} {
		built, err := Build(context.Background(), items(t, c.line), shelf(t), Options{})
		if err == nil || len(built.Excluded) == 0 || built.Excluded[0].Reason != c.reason {
			t.Errorf("%s: %v, %+v", c.what, err, built.Excluded)
		}
	}
	for _, line := range []string{`{"stem":"a"}`, `{"id":"1","stem":"a"}`, `{"id":`, "{\"id\":\"1\",\"options\":[\"a\"]}\n{\"id\":\"1\",\"options\":[\"a\"]}"} {
		if _, err := ReadItems(strings.NewReader(line)); err == nil {
			t.Errorf("%s was read", line)
		}
	}
}

func TestArticlesBecomePairs(t *testing.T) {
	ctx, b := context.Background(), shelf(t)
	built, err := Generate(ctx, b, GenerateOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Statement{}
	for _, s := range built.Statements {
		by[s.ID] = s
	}
	if len(by) != 6 { // the second article of 广告法 needs the paragraph before, the second of 价格法 is too short
		t.Errorf("%d statements: %+v", len(by), built.Statements)
	}
	for _, s := range built.Statements {
		other := by[s.Group+"-T"]
		if *s.Label != strings.HasSuffix(s.ID, "-T") || s.Gold[0].ID != s.Group || s.Group != other.Group {
			t.Errorf("%+v", s)
		}
		if from, to, changed := strings.Cut(s.How, " → "); changed && (strings.Replace(other.Question.Question, from, to, 1) == "" || s.Question.Question == other.Question.Question || !strings.Contains(s.Question.Question, to)) {
			t.Errorf("%s: %q of %q", s.How, s.Question.Question, other.Question.Question)
		}
	}
	if s := by["价格法@2021-04-29:1-T"]; !strings.Contains(s.Question.Question, "违反《价格法》规定") {
		t.Errorf("本法 stayed: %q", s.Question.Question)
	}
	again, err := Generate(ctx, b, GenerateOptions{Seed: 1})
	if err != nil || !cmp.Equal(built, again) {
		t.Error("the same seed makes other statements")
	}
	if _, err := Generate(ctx, b, GenerateOptions{Laws: []string{"月球法"}}); err == nil {
		t.Error("a law that isn't there was asked about")
	}
}

func TestReviewTakesOut(t *testing.T) {
	built, err := Generate(context.Background(), shelf(t), GenerateOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var sheet bytes.Buffer
	if err := built.WriteReview(&sheet); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&sheet).ReadAll()
	if err != nil || len(rows) != 1+len(built.Statements) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	rows[1][7], rows[2][8], rows[3][7] = "否", "不通顺", "yes"
	var filled bytes.Buffer
	if err := csv.NewWriter(&filled).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	n := len(built.Statements)
	if err := built.Apply(&filled); err != nil {
		t.Fatal(err)
	}
	if len(built.Statements) != n-2 || len(built.Excluded) != 2 || built.Excluded[1].Reason != Reviewed+": 不通顺" || built.Statistics(0).Excluded[Reviewed] != 2 {
		t.Errorf("%d of %d, %+v", len(built.Statements), n, built.Excluded)
	}
	for _, bad := range []string{"", "id,keep\n", "\"a"} {
		if err := built.Apply(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken for a review", bad)
		}
	}
}
