package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"lexagent/book"
	"lexagent/book/booktest"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// The book of these tests: two articles of the Civil Code and a repealed law.
var (
	civil    = &statute.Law{ID: "民法典@2020-05-28", Title: "中华人民共和国民法典", Short: "民法典", Level: 1, Version: "2020-05-28", Effective: 20210101, Collection: "public"}
	marriage = &statute.Law{ID: "婚姻法@2001-04-28", Title: "中华人民共和国婚姻法", Short: "婚姻法", Level: 1, Version: "2001-04-28", Effective: 20010428, Ended: 20210101, Collection: "public"}
	a1076    = booktest.Article(civil, 1076, "夫妻双方自愿离婚的，应当签订书面离婚协议，并亲自到婚姻登记机关申请离婚登记。")
	a1077    = booktest.Article(civil, 1077, "自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。")
	a1078    = booktest.Article(civil, 1078, "婚姻登记机关查明双方确实是自愿离婚的，予以登记，发给离婚证。")
	m31      = booktest.Article(marriage, 31, "男女双方自愿离婚的，准予离婚。")
)

func testBook(t *testing.T) *book.Book {
	t.Helper()
	return booktest.New(t, booktest.Law{Law: civil, Units: []statute.Unit{a1076, a1077, a1078}}, booktest.Law{Law: marriage, Units: []statute.Unit{m31}})
}

// found is a searcher that finds these units for every question.
type found []statute.Unit

func (f found) Search(_ context.Context, q retrieval.Query) (*retrieval.Result, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, &retrieval.InputError{Param: "question", Problem: "the question is empty"}
	}
	res := &retrieval.Result{Mode: retrieval.Hybrid, Notes: []string{}, Hits: []retrieval.Hit{}}
	for i, u := range f {
		dense := 0.7
		res.Hits = append(res.Hits, retrieval.Hit{
			ID: u.ID, Kind: u.Kind, Law: civil.Title, LawID: civil.ID, Label: u.Label, Text: u.Text, Status: statute.InForce,
			Level: 1, Score: 1 / float64(i+1), Scores: &retrieval.Scores{Dense: &dense, Plain: &dense},
		})
	}
	return res, nil
}

// scripted is a language model that says what it is told to.
type scripted struct {
	say  string
	err  error
	wait time.Duration
	got  []*schema.Message
}

func (s *scripted) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	s.got = in
	select {
	case <-time.After(s.wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.err != nil {
		return nil, s.err
	}
	m := schema.AssistantMessage(s.say, nil)
	m.ResponseMeta = &schema.ResponseMeta{Usage: &schema.TokenUsage{PromptTokens: 10, CompletionTokens: 5}}
	return m, nil
}

func (s *scripted) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, errors.New("not used")
}

var now = func() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) }

func newGraph(t *testing.T, search Searcher, llm model.BaseChatModel) *Graph {
	t.Helper()
	g, err := New(context.Background(), Options{Search: search, Check: &verify.Checker{Book: testBook(t)}, LLM: llm, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func answer(t *testing.T, g *Graph, r Request) (*Answer, []Event) {
	t.Helper()
	var events []Event
	a, err := g.Answer(context.Background(), r, func(e Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	return a, events
}

func TestADraftIsCheckedBeforeItLeaves(t *testing.T) {
	name := "《中华人民共和国民法典》第一千零七十七条"
	for _, c := range []struct {
		what, say string
		kind      Kind
		text      string   // what leaves; "" = only that nothing false does
		cited     []string // ids
		removed   int
	}{
		{"ids become names", "三十日内可以撤回。[民法典:1077]", Generated, "三十日内可以撤回。（" + name + "）", []string{a1077.ID}, 0},
		{"full ids too", "三十日内可以撤回[民法典@2020-05-28:1077]。", Generated, "三十日内可以撤回（" + name + "）。", []string{a1077.ID}, 0},
		{"an id without brackets", "根据<法条>民法典:1077，可以撤回。", Generated, "根据" + name + "，可以撤回。", []string{a1077.ID}, 0},
		{"names stay", "依照《民法典》第1077条，可以撤回。", Generated, "依照《民法典》第1077条，可以撤回。", []string{a1077.ID}, 0},
		{"a false sentence goes, a true one stays", "可以撤回。[民法典:1077]还可以要求赔偿（《民法典》第一千三百条）。", Generated, "可以撤回。（" + name + "）", []string{a1077.ID}, 1},
		{"an article that was not given", "可以撤回。[民法典:1077]另见《民法典》第一千零七十八条。", Generated, "可以撤回。（" + name + "）", []string{a1077.ID}, 1},
		{"an invented law", "可以撤回。[民法典:1077]《离婚冷静法》第三条也这样规定。", Generated, "可以撤回。（" + name + "）", []string{a1077.ID}, 1},
		{"a repealed law", "可以撤回。[民法典:1077]婚姻法第三十一条也这样规定。", Generated, "可以撤回。（" + name + "）", []string{a1077.ID}, 1},
		{"nothing true left", "依照《民法典》第一千三百条，不能撤回。", Extractive, "", []string{a1076.ID, a1077.ID}, 1},
		{"no citation at all", "可以撤回。", Extractive, "", []string{a1076.ID, a1077.ID}, 0},
		{"an empty draft", "  \n", Extractive, "", []string{a1076.ID, a1077.ID}, 0},
		{"the model does not know", prompts.NoAnswer + "。", Abstained, notFound, []string{}, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			a, events := answer(t, newGraph(t, found{a1076, a1077}, &scripted{say: c.say}), Request{Question: "离婚登记可以撤回吗？"})
			if a.Kind != c.kind || c.text != "" && a.Text != c.text {
				t.Errorf("%s: %q, want %s: %q", a.Kind, a.Text, c.kind, c.text)
			}
			ids := []string{}
			for _, ct := range a.Citations {
				ids = append(ids, ct.ID)
				for _, s := range ct.Spans {
					if at := string([]rune(a.Text)[s[0]:s[1]]); !strings.Contains(at, "条") {
						t.Errorf("the span of %s is %q", ct.ID, at)
					}
				}
			}
			if d := cmp.Diff(c.cited, ids); d != "" {
				t.Errorf("citations: %s", d)
			}
			if len(a.Verification.Removed) != c.removed {
				t.Errorf("removed: %q", a.Verification.Removed)
			}
			for _, f := range a.Verification.Findings {
				if f.End > 0 && f.Bad() {
					t.Errorf("a reference that did not pass left: %+v", f)
				}
			}
			checkEvents(t, events, a)
		})
	}
}

// checkEvents holds the promises about the order of events: the text comes after
// the last step and adds up to the answer; the last event is Done.
func checkEvents(t *testing.T, events []Event, a *Answer) {
	t.Helper()
	var text strings.Builder
	open := 0
	for i, e := range events {
		switch e := e.(type) {
		case StepStarted:
			open++
			if text.Len() > 0 {
				t.Error("a step began after text had left")
			}
		case StepDone:
			open--
		case Text:
			if open != 0 {
				t.Error("text left before the verdict")
			}
			text.WriteString(e.Text)
		case Done:
			if i != len(events)-1 || e.Answer != a {
				t.Error("Done must come last and carry the answer")
			}
		}
	}
	if text.String() != a.Text {
		t.Errorf("the pieces give %q, the answer is %q", text.String(), a.Text)
	}
}

func TestAFailingModelMeansAnExtract(t *testing.T) {
	a, _ := answer(t, newGraph(t, found{a1077}, &scripted{err: errors.New("boom at http://10.0.0.1 with key abc")}), Request{Question: "离婚登记可以撤回吗？"})
	if a.Kind != Extractive || len(a.Citations) != 1 || len(a.Notes) != 1 {
		t.Errorf("%+v", a)
	}
	if strings.Contains(a.Full(), "10.0.0.1") || strings.Contains(a.Full(), "abc") {
		t.Error("the reader is shown the error's own text")
	}
}

func TestWithoutAModel(t *testing.T) {
	a, events := answer(t, newGraph(t, found{a1077, a1076}, nil), Request{Question: "离婚登记可以撤回吗？"})
	if a.Kind != Extractive || a.LLM.Calls != 0 || !strings.Contains(a.Text, "> "+a1077.Text) || a.Verification.Citations != verify.Passed {
		t.Errorf("%+v", a)
	}
	checkEvents(t, events, a)
}

func TestNothingFoundIsSaid(t *testing.T) {
	a, events := answer(t, newGraph(t, found{}, &scripted{say: "随便说说 [民法典:1077]"}), Request{Question: "怎么做红烧肉？"})
	if a.Kind != Abstained || a.Text != notFound || len(a.Citations) != 0 || a.LLM.Calls != 0 {
		t.Errorf("%+v", a)
	}
	checkEvents(t, events, a)
}

func TestDistantHitsAnswerNothing(t *testing.T) {
	near, far := 0.7, 0.4
	hit := func(dense *float64) *retrieval.Result {
		return &retrieval.Result{Hits: []retrieval.Hit{{ID: "a:1", Scores: &retrieval.Scores{Plain: dense}}}}
	}
	named := hit(&far)
	named.Direct, named.Named = true, 1
	named.Hits = append(named.Hits, retrieval.Hit{ID: "b:1", Scores: &retrieval.Scores{Plain: &far}}, retrieval.Hit{ID: "c:1", Scores: &retrieval.Scores{Plain: &near}})
	absent := hit(&near)
	absent.Absent = true
	for _, c := range []struct {
		question string
		res      *retrieval.Result
		want     int
	}{
		{"离婚冷静期多久", hit(&near), 1}, {"怎么做红烧肉", hit(&far), 0}, {"民法典第1077条", named, 2}, {"民法典第2000条是什么", absent, 0}, {"没有编码器", hit(nil), 1},
		{"德国民法典第823条怎么规定的", hit(&near), 0}, {"美国的法律怎么说", hit(&near), 0}, {"在美国登记的婚姻有效吗", hit(&near), 1},
	} {
		if got := relevant(c.question, c.res, 0.55); len(got) != c.want {
			t.Errorf("%s: %d hits, want %d", c.question, len(got), c.want)
		}
	}
}

func TestErrorsReachTheCaller(t *testing.T) {
	var input *retrieval.InputError
	if _, err := newGraph(t, found{}, nil).Answer(context.Background(), Request{}, nil); !errors.As(err, &input) {
		t.Errorf("an empty question: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	start := time.Now()
	_, err := newGraph(t, found{a1077}, &scripted{wait: time.Minute}).Answer(ctx, Request{Question: "离婚登记可以撤回吗？"}, nil)
	if !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Errorf("the asker left: %v after %s", err, time.Since(start))
	}
}

// A model that is too slow for the deadline still leaves time for an answer.
func TestASlowModelMeansAnExtractInTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second) // half of it is left for what follows, also on a machine that is busy
	defer cancel()
	a, err := newGraph(t, found{a1077}, &scripted{wait: time.Minute}).Answer(ctx, Request{Question: "离婚登记可以撤回吗？"}, nil)
	if err != nil || a.Kind != Extractive || len(a.Notes) == 0 || !strings.Contains(a.Notes[0], "超时") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAFollowUpIsSearchedForWithItsQuestion(t *testing.T) {
	for _, c := range []struct{ before, question, want string }{
		{"试用期最长多久？", "那如果合同只签一年呢？", "试用期最长多久？\n那如果合同只签一年呢？"},
		{"", "如果合同只签一年，试用期多久？", "如果合同只签一年，试用期多久？"},
		{"试用期最长多久？", "民法典第1077条规定了什么？", "民法典第1077条规定了什么？"},
	} {
		r := Request{Question: c.question}
		if c.before != "" {
			r.History = []Turn{{"user", c.before}, {"assistant", "六个月。"}}
		}
		j := &job{request: r}
		if _, err := (&Graph{o: Options{Now: now}}).understand(context.Background(), j); err != nil || j.query != c.want {
			t.Errorf("%q after %q: %q, %v", c.question, c.before, j.query, err)
		}
	}
}

// A question that points to what nobody has said is asked back, once.
func TestWhatPointsNowhereIsAskedBack(t *testing.T) {
	g := newGraph(t, found{a1077}, &scripted{say: "可以。[民法典:1077]"})
	a, _ := answer(t, g, Request{Question: "这样合法吗？"})
	if a.Kind != Abstained || a.Text != AskBack || len(a.Citations) != 0 || a.LLM.Calls != 0 {
		t.Errorf("%+v", a)
	}
	a, _ = answer(t, g, Request{Question: "登记后反悔了", History: []Turn{{"user", "这样合法吗？"}, {"assistant", a.Full()}}})
	if a.Kind == Abstained {
		t.Errorf("asked back twice: %+v", a)
	}
}

func TestMoreIsWhatWasNotSaid(t *testing.T) {
	a, _ := answer(t, newGraph(t, found{a1077, a1078}, nil), Request{Question: "还有别的吗", History: []Turn{{"user", "离婚登记可以撤回吗？"}, {"assistant", "可以（《中华人民共和国民法典》第一千零七十七条）。"}}})
	if len(a.Citations) != 1 || a.Citations[0].ID != a1078.ID {
		t.Errorf("%+v", a)
	}
}

func TestLongArticlesAreQuotedInPart(t *testing.T) {
	lines := []string{"有下列情形之一的，劳动者可以解除劳动合同："}
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("（%d）第%d种与此无关的情形，写得相当长，以便超过长度的界限；", i, i))
	}
	lines[20] = "（二十）未及时足额支付劳动报酬的；"
	got := quoted("公司不足额支付劳动报酬怎么办", strings.Join(lines, "\n"), 120)
	all := strings.Join(got, "\n")
	if got[0] != lines[0] || !strings.Contains(all, lines[20]) || !strings.Contains(all, omission) || len([]rune(all)) > 180 {
		t.Errorf("%q", got)
	}
}

// A model that says the articles do not answer is believed where they are far from the
// question. Where they are near, they are shown with its word about them.
func TestAModelThatDeclines(t *testing.T) {
	for floor, want := range map[float64]Kind{.5: Extractive, .65: Abstained} { // what is found has .7
		for _, say := range []string{prompts.NoAnswer, prompts.NoAnswer + "。[民法典:1077]"} {
			g, err := New(t.Context(), Options{Search: found{a1077}, Check: &verify.Checker{Book: testBook(t)}, LLM: &scripted{say: say}, Now: now, Floor: floor})
			if err != nil {
				t.Fatal(err)
			}
			a, _ := answer(t, g, Request{Question: "离婚冷静期是多久？"})
			told := slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "语言模型认为所给法条没有直接回答") })
			if a.Kind != want || told != (want == Extractive) || (len(a.Citations) > 0) != (want == Extractive) {
				t.Errorf("floor %.2f, %q: %s, %q", floor, say, a.Kind, a.Notes)
			}
		}
	}
}

// A draft that repeats an article and forgets to say which gets its citation; one that
// repeats none does not pass.
func TestADraftWithoutCitations(t *testing.T) {
	for say, want := range map[string]Kind{
		"自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。": Generated,
		"离婚应当向人民法院提起诉讼，由人民法院在六个月以内审理终结。":                       Extractive,
	} {
		a, _ := answer(t, newGraph(t, found{a1077}, &scripted{say: say}), Request{Question: "离婚冷静期是多久？"})
		if a.Kind != want || len(a.Citations) != 1 || a.Citations[0].ID != a1077.ID {
			t.Errorf("%q: %s, %q, %q", say, a.Kind, a.Text, a.Notes)
		}
		if want == Generated && (!strings.HasPrefix(a.Text, say) || !strings.Contains(a.Text, "《中华人民共和国民法典》第一千零七十七条") || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "按其内容补上") })) {
			t.Errorf("%q, %q", a.Text, a.Notes)
		}
	}
}

// everyday finds what found finds, for a question that is none of law.
type everyday struct{ found }

func (e everyday) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	res, err := e.found.Search(ctx, q)
	if err == nil {
		res.Everyday = true
	}
	return res, err
}

// A question of everyday life is turned away unless an article is quite near it.
func TestAnEverydayQuestion(t *testing.T) {
	for floor, want := range map[float64]Kind{.65: Abstained, .55: Extractive} { // what is found has .7
		g, err := New(t.Context(), Options{Search: everyday{found{a1077}}, Check: &verify.Checker{Book: testBook(t)}, Now: now, Floor: floor})
		if err != nil {
			t.Fatal(err)
		}
		if a, _ := answer(t, g, Request{Question: "怎么做红烧肉？"}); a.Kind != want {
			t.Errorf("floor %.2f: %s", floor, a.Kind)
		}
	}
}
