package graph

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// writer is a language model that writes one draft after another.
type writer struct {
	drafts []string
	wait   time.Duration
	asked  []string // the user messages
	finish string   // why it ends; "" = stop
	breaks bool     // its streams end without one
}

func (w *writer) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	w.asked = append(w.asked, in[len(in)-1].Content)
	select {
	case <-time.After(w.wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if len(w.drafts) == 0 {
		return nil, errors.New("nothing more to say")
	}
	d := w.drafts[0]
	w.drafts = w.drafts[1:]
	m := schema.AssistantMessage(d, nil)
	m.ResponseMeta = &schema.ResponseMeta{FinishReason: w.finish, Usage: &schema.TokenUsage{PromptTokens: 100, CompletionTokens: 50}}
	return m, nil
}

// Stream writes a draft in small pieces.
func (w *writer) Stream(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := w.Generate(ctx, in)
	if err != nil {
		return nil, err
	}
	var parts []*schema.Message
	for r := []rune(m.Content); len(r) > 0; r = r[min(3, len(r)):] {
		parts = append(parts, schema.AssistantMessage(string(r[:min(3, len(r))]), nil))
	}
	if w.breaks {
		return schema.StreamReaderFromArray(parts), nil
	}
	why := w.finish
	if why == "" {
		why = "stop"
	}
	end := schema.AssistantMessage("", nil)
	end.ResponseMeta = &schema.ResponseMeta{FinishReason: why}
	return schema.StreamReaderFromArray(append(parts, end)), nil
}

// reviewer gives one review after another, then passes everything.
type reviewer struct {
	reviews []verify.Review
	got     []prompts.ReviewInput
}

var passed = verify.Review{Evidence: verify.Judgement{Outcome: verify.Passed}, Consistency: verify.Judgement{Outcome: verify.Passed}, Completeness: verify.Judgement{Outcome: verify.Passed}}

func (r *reviewer) Review(_ context.Context, in prompts.ReviewInput) (verify.Review, llm.Usage, error) {
	r.got = append(r.got, in)
	if len(r.reviews) == 0 {
		return passed, llm.Usage{Calls: 1}, nil
	}
	v := r.reviews[0]
	r.reviews = r.reviews[1:]
	return v, llm.Usage{Calls: 1}, nil
}

func inconsistent(why string) verify.Review {
	r := passed
	r.Consistency = verify.Judgement{Outcome: verify.Failed, Reasons: []string{why}}
	return r
}

func incomplete(why string, queries ...string) verify.Review {
	r := passed
	r.Completeness, r.Missing = verify.Judgement{Outcome: verify.Failed, Reasons: []string{why}}, queries
	return r
}

// byQuery finds other units for some queries.
type byQuery struct {
	found
	more map[string][]statute.Unit
}

func (b byQuery) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	if units, ok := b.more[q.Text]; ok {
		return found(units).Search(ctx, q)
	}
	return b.found.Search(ctx, q)
}

func reflecting(t *testing.T, search Searcher, w *writer, r *reviewer, change func(*Options)) *Graph {
	t.Helper()
	o := Options{Search: search, Check: &verify.Checker{Book: testBook(t)}, LLM: w, Review: r, Meaning: verify.Meaning{}, Now: now}
	if change != nil {
		change(&o)
	}
	g, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const (
	goodDraft  = "自收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回离婚登记申请。[民法典:1077]"
	worseDraft = "自收到离婚登记申请之日起三十日内，任何一方不得撤回离婚登记申请。[民法典:1077]"
	wholeDraft = goodDraft + "婚姻登记机关查明双方确实是自愿离婚的，予以登记，发给离婚证。[民法典:1078]"
)

func steps(events []Event) []Step {
	var out []Step
	for _, e := range events {
		if s, ok := e.(StepStarted); ok {
			out = append(out, s.Step)
		}
	}
	return out
}

var question = Request{Question: "离婚登记申请能撤回吗？什么时候发离婚证？"}

func TestADraftThatPassesIsAccepted(t *testing.T) {
	r := &reviewer{}
	a, events := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{goodDraft}}, r, nil), question)
	if a.Kind != Generated || a.LLM.Calls != 2 || a.Verification.Rounds != 1 || len(a.Notes) != 0 || !a.Verification.Review.OK() {
		t.Errorf("%+v", a)
	}
	if d := cmp.Diff([]Step{Understand, Retrieve, Draft, Verify}, steps(events)); d != "" {
		t.Error(d)
	}
	if len(r.got) != 1 || !strings.Contains(r.got[0].Answer, "三十日") || len(r.got[0].Articles) != 2 {
		t.Errorf("reviewed: %+v", r.got)
	}
	checkEvents(t, events, a)
}

func TestAnInconsistentDraftIsWrittenAgain(t *testing.T) {
	w := &writer{drafts: []string{worseDraft, goodDraft}}
	a, events := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{reviews: []verify.Review{inconsistent("条文是可以撤回")}}, nil), question)
	if !strings.Contains(a.Text, "可以撤回") || a.Verification.Rounds != 2 || a.LLM.Calls != 4 {
		t.Errorf("%+v", a)
	}
	if d := cmp.Diff([]Step{Understand, Retrieve, Draft, Verify, Draft, Verify}, steps(events)); d != "" {
		t.Error(d)
	}
	if again := w.asked[1]; !strings.Contains(again, "条文是可以撤回") || !strings.Contains(again, "不得撤回") {
		t.Errorf("the model was not told what was wrong: %s", again)
	}
	checkEvents(t, events, a)
}

// What turns 可以 into 不得 is seen without a language model's review too.
func TestAReversedDutyIsSeenThoughTheReviewPasses(t *testing.T) {
	w := &writer{drafts: []string{worseDraft, goodDraft}}
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{}, nil), question)
	if !strings.Contains(a.Text, "可以撤回") || a.Verification.Rounds != 2 {
		t.Errorf("%+v", a)
	}
}

func TestWhatIsMissingIsSearchedFor(t *testing.T) {
	w := &writer{drafts: []string{goodDraft, wholeDraft}}
	search := byQuery{found{a1076, a1077}, map[string][]statute.Unit{"发给离婚证的条件": {a1078}}}
	a, events := answer(t, reflecting(t, search, w, &reviewer{reviews: []verify.Review{incomplete("没有回答何时发离婚证", "发给离婚证的条件")}}, nil), question)
	if len(a.Citations) != 2 || a.Citations[1].ID != a1078.ID || a.Verification.Rounds != 2 {
		t.Errorf("%+v", a)
	}
	if d := cmp.Diff([]Step{Understand, Retrieve, Draft, Verify, Supplement, Draft, Verify}, steps(events)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{a1077.ID, a1078.ID, a1076.ID}, a.Evidence); d != "" {
		t.Errorf("cited units stay and come first, new ones follow: %s", d)
	}
	checkEvents(t, events, a)
}

// byTerms finds another unit where the words of statutes are searched for too.
type byTerms struct {
	found
	more   statute.Unit
	looked int
}

func (b *byTerms) Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error) {
	if q.Expand != retrieval.Distilled {
		return b.found.Search(ctx, q)
	}
	b.looked++
	return append(slices.Clone(b.found), b.more).Search(ctx, q)
}

// What the first search overlooked is searched for once, whatever came of the first
// draft and whatever a reviewer that passes everything says of it.
func TestWhatWasOverlookedIsFound(t *testing.T) {
	once := Request{Question: "离婚登记申请后什么时候发离婚证？"}
	for _, c := range []struct {
		what   string
		first  string
		ask    func(*Request)
		review []verify.Review
		steps  []Step
		looked int
	}{
		{"a draft that passes", goodDraft, nil, nil, []Step{Understand, Retrieve, Draft, Verify, Supplement, Draft, Verify}, 1},
		{"one that is inconsistent", worseDraft, nil, []verify.Review{inconsistent("条文是可以撤回")}, []Step{Understand, Retrieve, Draft, Verify, Supplement, Draft, Verify}, 1},
		{"one that is incomplete, with a query that finds nothing", goodDraft, nil, []verify.Review{incomplete("没有回答何时发离婚证", "无")}, []Step{Understand, Retrieve, Draft, Verify, Supplement, Draft, Verify}, 1},
		{"none that cites", "三十日以后发证。", nil, nil, []Step{Understand, Retrieve, Draft, Verify, Supplement, Draft, Verify}, 1},
		{"the model declines", prompts.NoAnswer, nil, nil, []Step{Understand, Retrieve, Draft, Supplement, Draft, Verify}, 1},
		{"one pass is asked for", goodDraft, func(r *Request) { r.OnePass = true }, nil, []Step{Understand, Retrieve, Draft, Verify}, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := once
			if c.ask != nil {
				c.ask(&r)
			}
			search := &byTerms{found: found{a1076, a1077}, more: a1078}
			a, events := answer(t, reflecting(t, search, &writer{drafts: []string{c.first, wholeDraft}}, &reviewer{reviews: c.review}, nil), r)
			if d := cmp.Diff(c.steps, steps(events)); d != "" {
				t.Error(d)
			}
			if whole := slices.ContainsFunc(a.Citations, func(c Citation) bool { return c.ID == a1078.ID }); whole != (c.looked > 0) || search.looked != c.looked {
				t.Errorf("looked %d times: %+v", search.looked, a)
			}
			checkEvents(t, events, a)
		})
	}
}

func TestNothingNewIsFoundSoTheDraftStays(t *testing.T) {
	w := &writer{drafts: []string{goodDraft}}
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{reviews: []verify.Review{incomplete("没有回答何时发离婚证", "发给离婚证的条件")}}, nil), question)
	if a.Kind != Generated || a.Verification.Rounds != 1 || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "没有回答何时发离婚证") }) {
		t.Errorf("what is not answered must be said: %+v", a)
	}
}

func TestTheBestDraftWinsWhenRoundsAreUsedUp(t *testing.T) {
	w := &writer{drafts: []string{goodDraft, worseDraft}}
	r := &reviewer{reviews: []verify.Review{incomplete("缺发证时间", "离婚证"), inconsistent("反了")}}
	search := byQuery{found{a1076, a1077}, map[string][]statute.Unit{"离婚证": {a1078}}}
	a, _ := answer(t, reflecting(t, search, w, r, nil), question)
	if !strings.Contains(a.Text, "可以撤回") || a.Verification.Rounds != 2 || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "缺发证时间") }) {
		t.Errorf("%+v", a)
	}
}

func TestBoundsOfReflection(t *testing.T) {
	always := func() *reviewer {
		return &reviewer{reviews: slices.Repeat([]verify.Review{inconsistent("总有问题")}, 20)}
	}
	drafts := slices.Repeat([]string{goodDraft}, 20)
	for _, c := range []struct {
		what   string
		change func(*Options)
		wait   time.Duration
		limit  time.Duration
		ask    func(*Request)
		rounds int
	}{
		{"two rounds by default", nil, 0, time.Minute, nil, 2},
		{"as many as are configured", func(o *Options) { o.Rounds = 4 }, 0, time.Minute, nil, 4},
		{"no tokens left", func(o *Options) { o.Rounds, o.Budget = 4, 140 }, 0, time.Minute, nil, 1},
		{"no time left", func(o *Options) { o.Rounds = 4 }, 300 * time.Millisecond, 2 * time.Second, nil, 1},
		{"one pass is asked for", nil, 0, time.Minute, func(r *Request) { r.OnePass = true }, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := question
			if c.ask != nil {
				c.ask(&r)
			}
			ctx, cancel := context.WithTimeout(context.Background(), c.limit)
			defer cancel()
			a, err := reflecting(t, found{a1076, a1077}, &writer{drafts: slices.Clone(drafts), wait: c.wait}, always(), c.change).Answer(ctx, r, nil)
			if err != nil || a.Kind != Generated || a.Verification.Rounds != c.rounds {
				t.Fatalf("%+v, %v", a, err)
			}
			if marked := len(a.Notes) > 0; marked == r.OnePass {
				t.Errorf("notes: %q", a.Notes)
			}
		})
	}
}

// A second draft that fails leaves the first one, marked.
func TestTheFirstDraftStaysWhenTheSecondFails(t *testing.T) {
	for _, second := range [][]string{{}, {""}, {prompts.NoAnswer}, {"没有编号的回答。"}, {"见《民法典》第九千条。"}} {
		w := &writer{drafts: append([]string{goodDraft}, second...)}
		a, _ := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{reviews: []verify.Review{inconsistent("有疑问")}}, nil), question)
		if a.Kind != Generated || !strings.Contains(a.Text, "可以撤回") || len(a.Citations) != 1 {
			t.Errorf("%q: %+v", second, a)
		}
	}
}

// A review that could not be had is no pass: the answer says that it was not made.
func TestAnUndoneReviewIsSaid(t *testing.T) {
	undone := verify.Review{Evidence: verify.Judgement{Outcome: verify.NotDone}, Consistency: verify.Judgement{Outcome: verify.NotDone}, Completeness: verify.Judgement{Outcome: verify.NotDone}}
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{goodDraft}}, &reviewer{reviews: []verify.Review{undone}}, nil), question)
	if a.Verification.Review.Evidence.Outcome != verify.NotDone || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "自检没有完成") }) {
		t.Errorf("%+v", a)
	}
}

// A verbatim quotation of an article, given under another one's number, gets its own.
func TestAWrongNumberOfAVerbatimQuotationIsPutRight(t *testing.T) {
	w := &writer{drafts: []string{"《民法典》第一千零七十六条规定：“自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。”"}}
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{}, nil), question)
	if len(a.Citations) != 1 || a.Citations[0].ID != a1077.ID || len(a.Verification.Removed) != 0 || !strings.Contains(a.Text, "第一千零七十七条规定：“自婚姻") {
		t.Errorf("%+v", a)
	}
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "已改为") {
		t.Errorf("the correction must be told: %q", a.Notes)
	}
}

// So does what an article says, given in other marks under another one's number.
func TestAWrongNumberOfTheRightContentIsPutRight(t *testing.T) {
	w := &writer{drafts: []string{"自收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回离婚登记申请。[民法典:1076]"}}
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{}, nil), question)
	if len(a.Citations) != 1 || a.Citations[0].ID != a1077.ID || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "已改为") {
		t.Errorf("%+v", a)
	}
}

func TestASentenceThatNothingBearsOutIsMarked(t *testing.T) {
	w := &writer{drafts: []string{goodDraft + "此外还应当向法院缴纳五百元押金并提交两份担保书。"}}
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{}, nil), question)
	if a.Verification.Support != verify.Failed || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "押金") }) {
		t.Errorf("%+v", a)
	}
}

func TestGate(t *testing.T) {
	g := reflecting(t, found{}, &writer{}, &reviewer{}, nil)
	hits, err := found{a1076, a1077}.Search(context.Background(), retrieval.Query{Text: "离婚"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, draft string
		evidence    []retrieval.Hit
		kind        Kind
		cited       int
	}{
		{"a true text", goodDraft, hits.Hits, Generated, 1},
		{"half of it is false", goodDraft + "见《民法典》第九千条。", hits.Hits, Generated, 1},
		{"nothing true", "见《民法典》第九千条。", hits.Hits, Extractive, 2},
		{"nothing at all", " ", hits.Hits, Extractive, 2},
		{"no evidence", goodDraft, nil, Abstained, 0},
	} {
		a, err := g.Gate(context.Background(), question, c.draft, c.evidence)
		if err != nil || a.Kind != c.kind || len(a.Citations) != c.cited {
			t.Errorf("%s: %+v, %v", c.what, a, err)
			continue
		}
		for _, f := range a.Verification.Findings {
			if f.End > 0 && f.Bad() {
				t.Errorf("%s: left with %+v", c.what, f)
			}
		}
	}
}

// Half a sentence does not leave, and what is not whole says so.
func TestACutDraft(t *testing.T) {
	half := goodDraft + "此外，当事人应当在离婚冷静期届满后"
	for _, inline := range []bool{false, true} {
		for _, c := range []struct {
			writer writer
			cut    bool
			note   string
		}{
			{writer{drafts: []string{half}, finish: "length"}, true, "长度上限"},
			{writer{drafts: []string{goodDraft}}, false, ""},
		} {
			r := question
			r.Inline = inline
			a, _ := answer(t, reflecting(t, found{a1076, a1077}, &c.writer, &reviewer{}, nil), r)
			if a.Kind != Generated || a.Cut != c.cut || strings.Contains(a.Text, "此外") || !strings.Contains(strings.Join(a.Notes, "\n"), c.note) {
				t.Errorf("inline %v: %+v", inline, a)
			}
		}
	}
	r := question
	r.Inline = true
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{goodDraft}, breaks: true}, &reviewer{}, nil), r)
	if a.Kind != Generated || !strings.Contains(strings.Join(a.Notes, "\n"), "中途断开") {
		t.Errorf("a stream that breaks off: %+v", a)
	}
}

// A review is a language model's words: what it says of articles that are not there, and
// links, does not leave with it.
func TestReasonsOfAReviewAreChecked(t *testing.T) {
	review := verify.Review{
		Evidence:     verify.Judgement{Outcome: verify.Failed, Reasons: []string{"应当依据《中华人民共和国民法典》第九千条", "没有写明条号"}},
		Consistency:  verify.Judgement{Outcome: verify.Failed, Reasons: []string{"详见 https://evil.example/pay"}},
		Completeness: verify.Judgement{Outcome: verify.Passed},
	}
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{goodDraft, goodDraft}}, &reviewer{reviews: []verify.Review{review, review}}, nil), question)
	all, err := json.Marshal(a)
	if err != nil || strings.Contains(string(all), "九千条") || strings.Contains(string(all), "evil") || !strings.Contains(string(all), "没有写明条号") || !strings.Contains(strings.Join(a.Notes, "\n"), "一致性可能有问题。") {
		t.Errorf("%s, %v", all, err)
	}
}

// What the user said in the turns that a question builds on is known: a draft may repeat
// its figures.
func TestFiguresOfEarlierTurnsAreKnown(t *testing.T) {
	r := question
	r.History = []Turn{{"user", "我们每月收入8000元，离婚冷静期多久？"}, {"assistant", "三十日。"}}
	r.Question = "那如果一方反悔呢？"
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{"您每月收入8000元不影响。" + goodDraft}}, &reviewer{}, nil), r)
	for i := range a.Verification.Findings {
		if f := &a.Verification.Findings[i]; f.Verdict == verify.FigureNotFound {
			t.Errorf("%+v", f)
		}
	}
}

func TestInline(t *testing.T) {
	name := "（《中华人民共和国民法典》第一千零七十七条）"
	for _, c := range []struct {
		what, draft string
		kind        Kind
		text        string
		notes       int
	}{
		{"true sentences leave", goodDraft, Generated, "自收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回离婚登记申请。" + name, 0},
		{"a false one does not", goodDraft + "另见《民法典》第九千条。", Generated, "自收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回离婚登记申请。" + name, 1},
		{"words before the first citation wait for it", "可以。\n" + goodDraft, Generated, "可以。\n自收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回离婚登记申请。" + name, 0},
		{"reasoning does not leave", "<think>先看第1077条。是三十日。</think>" + goodDraft, Generated, "自收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回离婚登记申请。" + name, 0},
		{"nothing cites", "可以撤回。", Extractive, "", 1},
		{"nothing true", "依照《民法典》第九千条可以撤回。", Extractive, "", 1},
		{"the model does not know", prompts.NoAnswer, Abstained, notFound, 1},
		{"the model fails", "", Extractive, "", 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := &writer{drafts: []string{c.draft}}
			if c.draft == "" {
				w.drafts = nil
			}
			r := question
			r.Inline = true
			a, events := answer(t, reflecting(t, found{a1076, a1077}, w, &reviewer{}, nil), r)
			if a.Kind != c.kind || c.text != "" && a.Text != c.text || len(a.Notes) != c.notes {
				t.Errorf("%+v", a)
			}
			var sent strings.Builder
			early := false
			verifying := false
			for _, e := range events {
				switch e := e.(type) {
				case StepStarted:
					verifying = verifying || e.Step == Verify
				case Text:
					early = early || !verifying
					sent.WriteString(e.Text)
				}
			}
			if sent.String() != a.Text {
				t.Errorf("sent %q, the answer is %q", sent.String(), a.Text)
			}
			if early != (c.kind == Generated) {
				t.Errorf("text before the verdict: %v", early)
			}
			if c.kind == Generated && a.Verification.Review == nil {
				t.Error("the review must follow")
			}
		})
	}
}

func TestAQuestionIsAskedWithoutItsFalsePremise(t *testing.T) {
	for _, c := range []struct{ question, rest string }{
		{"根据民法典第2000条，离婚冷静期是60天吗？", "离婚冷静期是60天吗？"},
		{"《离婚冷静法》第三条规定的离婚冷静期是多久？", "离婚冷静期是多久？"},
		{"民法典第2000条是什么", ""},
		{"民法典第2000条规定了什么？", ""},
		{"《不存在法》", ""},
		{"刑法第九百条之一第二款，盗窃三万元判几年", "盗窃三万元判几年"},
	} {
		if got := withoutPremise(c.question); got != c.rest {
			t.Errorf("%s: %q, want %q", c.question, got, c.rest)
		}
	}
}

// An id that begins another one is not written into it: 刑法:133 and 刑法:133.1.
func TestIdsThatBeginOthers(t *testing.T) {
	hit := func(id, law, label string) retrieval.Hit {
		return retrieval.Hit{ID: id, Law: law, Label: label}
	}
	evidence := []retrieval.Hit{hit("刑法@2020-12-26:133", "中华人民共和国刑法", "第一百三十三条"), hit("刑法@2020-12-26:133.1", "中华人民共和国刑法", "第一百三十三条之一"), hit("劳动合同法@2012-12-28:4", "中华人民共和国劳动合同法", "第四条"), hit("劳动合同法@2012-12-28:46", "中华人民共和国劳动合同法", "第四十六条")}
	var findings []verify.Finding
	for i, text := range []string{"刑法:133", "刑法:133.1", "劳动合同法:4", "劳动合同法:46"} {
		findings = append(findings, verify.Finding{Kind: verify.Reference, Text: text, ID: evidence[i].ID, Verdict: verify.Exists, Severity: verify.Fine})
	}
	got := withNames("肇事的有罪。[刑法:133]醉驾的拘役。[刑法:133.1]见[劳动合同法:4, 劳动合同法:46]。依照刑法:133.", evidence, findings)
	want := "肇事的有罪。（《中华人民共和国刑法》第一百三十三条）醉驾的拘役。（《中华人民共和国刑法》第一百三十三条之一）见[《中华人民共和国劳动合同法》第四条, 《中华人民共和国劳动合同法》第四十六条]。依照《中华人民共和国刑法》第一百三十三条."
	if got != want {
		t.Errorf("%s", got)
	}
}

// What leaves inline is whole, checked as what follows the sentences before it, and no
// thought.
func TestWhatLeavesInline(t *testing.T) {
	for _, c := range []struct {
		what   string
		writer writer
		not    string // what does not leave
		has    string // what does
	}{
		{"a number of the law named before", writer{drafts: []string{goodDraft + "第一千三百条同时规定，任何一方不愿意离婚的，可以撤回离婚登记申请。"}}, "一千三百", "第一千零七十七条"},
		{"half a sentence of a stream that breaks off", writer{drafts: []string{goodDraft + "夫妻双方自愿离婚的，应当签订离婚协议，但"}, breaks: true}, "但", "第一千零七十七条"},
		{"a thought without a begin", writer{drafts: []string{"先看条文。再想三十日。</think>" + goodDraft}}, "再想", "第一千零七十七条"},
		{"a thought in another tag", writer{drafts: []string{"<reasoning>先看《民法典》第一千零七十七条。再想三十日。</reasoning>" + goodDraft}}, "再想", "第一千零七十七条"},
		{"a second thought", writer{drafts: []string{goodDraft + "<think>再想《民法典》第一千零七十六条。</think>"}}, "再想", "第一千零七十七条"},
	} {
		r := question
		r.Inline = true
		a, events := answer(t, reflecting(t, found{a1076, a1077}, &c.writer, &reviewer{}, nil), r)
		sent := ""
		for _, e := range events {
			if e, ok := e.(Text); ok {
				sent += e.Text
			}
		}
		if a.Kind != Generated || strings.Contains(sent, c.not) || !strings.Contains(sent, c.has) {
			t.Errorf("%s: %q %+v", c.what, sent, a)
		}
	}
}

// A number whose law was named in a sentence that is gone is not taken for another law's.
func TestWhatIsLeftIsCheckedAgain(t *testing.T) {
	draft := goodDraft + "《中华人民共和国收养法》第九百条另有规定。第二十条也有规定。"
	a, _ := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{draft, draft}}, &reviewer{}, nil), question)
	if a.Kind != Generated || strings.Contains(a.Text, "收养法") {
		t.Errorf("%+v", a)
	}
	for i := range a.Verification.Findings {
		if f := &a.Verification.Findings[i]; f.End > 0 && f.Bad() {
			t.Errorf("left with %+v", f)
		}
	}
}

// What is answered beside "the articles do not answer the rest" is not thrown away.
func TestAPartialAnswerLeaves(t *testing.T) {
	for draft, kind := range map[string]Kind{
		goodDraft + "关于第二问，" + prompts.NoAnswer + "。": Generated,
		"关于这个问题，" + prompts.NoAnswer + "。":            Extractive,
		"需要更多信息。关于第二问，" + prompts.NoAnswer + "。请补充。":  Extractive,
	} {
		a, _ := answer(t, reflecting(t, found{a1076, a1077}, &writer{drafts: []string{draft, draft}}, &reviewer{}, nil), question)
		if (a.Kind == Generated) != (kind == Generated) || strings.Contains(a.Text, prompts.NoAnswer) {
			t.Errorf("%s: %+v", draft, a)
		}
	}
}
