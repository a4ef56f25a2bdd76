package retrieval

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lexagent/index"
	"lexagent/model"
	"lexagent/prompts"
)

// script is a language model that replies to each prompt by a line; it is
// "down", "none" or "hang"s where the line says so.
type script struct {
	lines map[string]string
	asked []string // prompts, in order
	shown []string // what they told the model
}

func newScript() *script {
	return &script{lines: map[string]string{
		"irac.v1":            `{"issue":"离婚登记申请的撤回","rule":"三十日内可以撤回","application":"已申请","conclusion":"可以撤回"}`,
		"keywords.v1":        "关键词：撤回离婚登记申请、婚姻登记机关",
		"qr.v1":              `{"text":"离婚登记申请的撤回"}`,
		"query2doc.v1":       `{"text":"自收到申请之日起三十日内可以撤回离婚登记申请"}`,
		"hyde.v1":            `{"text":"任何一方不愿意离婚的，可以撤回离婚登记申请"}`,
		"intent.question.v1": `{"intent":"Procedure"}`,
	}}
}

func (s *script) Ask(ctx context.Context, p prompts.Prompt, accept func(string) error) (model.Usage, error) {
	s.asked = append(s.asked, p.Version)
	s.shown = append(s.shown, p.User)
	used := model.Usage{Calls: 1, PromptTokens: 100, CompletionTokens: 10}
	line := s.lines[p.Version]
	switch line {
	case "down":
		return used, model.ErrUnreached
	case "none":
		return model.Usage{}, model.ErrNoModel
	case "hang":
		<-ctx.Done()
		return used, ctx.Err()
	}
	if err := accept(line); err != nil {
		return used, errors.Join(model.ErrRefused, err)
	}
	return used, nil
}

func (s *script) Known(p prompts.Prompt, accept func(string) error) bool {
	line, ok := s.lines[p.Version+" "+p.User[:len("法条：<法条 出处=")]]
	return ok && accept(line) == nil
}

// spy notes what a store is asked for; it has no vectors.
type spy struct {
	index.Store
	queries []string
}

func (s *spy) Query(text string) index.Sparse {
	s.queries = append(s.queries, text)
	return s.Store.Query(text)
}

// watcher notes what an encoder is shown.
type watcher struct {
	bags
	texts []string
}

func (w *watcher) Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error) {
	w.texts = append(w.texts, texts...)
	return w.bags.Encode(ctx, texts, role)
}

func scripted(t *testing.T) (*Engine, *script) {
	t.Helper()
	e, s := newEngine(t, all), newScript()
	e.Expander, e.Intents = Prompted{s}, Prompted{s}
	return e, s
}

const asked = "办了离婚手续还没拿证，反悔了怎么办"

func TestLexPathAsksThreeTimes(t *testing.T) {
	e, _ := scripted(t)
	for _, c := range []struct {
		mode    Mode
		expand  Expansion
		without []Stage
		want    string
	}{
		{LexPath, "", nil, "irac.v1 keywords.v1 intent.question.v1"},
		{LexPath, QR, nil, "qr.v1 intent.question.v1"},
		{LexPath, NoExpansion, nil, "intent.question.v1"},
		{LexPath, "", []Stage{Rerank}, "irac.v1 keywords.v1"},
		{LexPath, "", []Stage{IntentScore}, "irac.v1 keywords.v1"},
		{LexPath, "", []Stage{Expand}, "intent.question.v1"},
		{LexPath, "", []Stage{SparsePath}, "intent.question.v1"},
		{LexPath, "", []Stage{DensePath}, "irac.v1 keywords.v1 intent.question.v1"},
		{LexPath, "", []Stage{StructNeg}, "irac.v1 keywords.v1 intent.question.v1"},
		{BM25, IRAC, nil, "irac.v1 keywords.v1"},
		{BM25, Query2Doc, nil, "query2doc.v1"},
		{Hybrid, HyDE, nil, "hyde.v1"},
		{Fast, "", nil, ""},
		{BM25, "", nil, ""},
	} {
		s := newScript()
		e.Expander, e.Intents = Prompted{s}, Prompted{s}
		res := find(t, e, Query{Text: asked, Mode: c.mode, Expand: c.expand, Without: c.without})
		if got := strings.Join(s.asked, " "); got != c.want || res.Mode != c.mode {
			t.Errorf("%s %s without %v: asked %s, want %s", res.Mode, c.expand, c.without, got, c.want)
		}
		n := len(s.asked)
		if (res.LLM != nil) != (n > 0) || n > 0 && *res.LLM != (LLMUse{Usage: model.Usage{Calls: n, PromptTokens: 100 * n, CompletionTokens: 10 * n}}) {
			t.Errorf("%s %s without %v: %d calls, reported %+v", c.mode, c.expand, c.without, n, res.LLM)
		}
		if !strings.Contains(strings.Join(s.shown, ""), asked) && n > 0 {
			t.Error("the model was not shown the question")
		}
	}
}

// The words are appended to the question, and the dense path sees the question alone.
func TestAnExpansionIsForTheWordPathOnly(t *testing.T) {
	e, _ := scripted(t)
	store, encoder := &spy{Store: e.Store()}, &watcher{}
	e.Encoder = encoder
	for kind, want := range map[Expansion]string{
		IRAC: "撤回离婚登记申请、婚姻登记机关", QR: "离婚登记申请的撤回", Query2Doc: "自收到申请之日起三十日内可以撤回离婚登记申请", HyDE: "任何一方不愿意离婚的，可以撤回离婚登记申请",
	} {
		store.queries = nil
		e.Store = func() index.Store { return store }
		res := find(t, e, Query{Text: asked, Mode: BM25, Expand: kind})
		if d := cmp.Diff([]string{asked, asked + "\n" + want}, store.queries); d != "" {
			t.Errorf("%s: %s", kind, d)
		}
		if res.Expansion.Text != want || res.Expansion.Kind != kind || (res.Expansion.Analysis != nil) != (kind == IRAC) {
			t.Errorf("%s: %+v", kind, res.Expansion)
		}
	}
	e, _ = scripted(t)
	e.Encoder = encoder
	find(t, e, Query{Text: asked, Mode: LexPath})
	if len(encoder.texts) == 0 {
		t.Fatal("the dense path did not run")
	}
	for _, text := range encoder.texts {
		if text != asked {
			t.Errorf("the encoder saw %q", text)
		}
	}
}

// Whatever the model does, the question is searched for, and the result says what it
// went without.
func TestWithoutAReplyTheQuestionIsSearchedFor(t *testing.T) {
	plain := find(t, newEngine(t, all), Query{Text: asked, Mode: BM25})
	for _, c := range []struct {
		name, prompt, line string
		note               string
		failed             int
	}{
		{"nonsense", "irac.v1", "好的，我来分析。", "语言模型的回复不合要求", 0},
		{"half an object", "irac.v1", `{"issue":"离婚`, "语言模型的回复不合要求", 0},
		{"nothing", "irac.v1", "", "语言模型的回复不合要求", 0},
		{"english", "keywords.v1", "关键词：divorce", "语言模型的回复不合要求", 0},
		{"too long", "keywords.v1", "关键词：" + strings.Repeat("长", 10_000), "语言模型的回复不合要求", 0},
		{"away", "irac.v1", "down", "语言模型返回内容无法读取", 1},
		{"not there", "irac.v1", "none", "未配置语言模型", 1},
		{"slow", "keywords.v1", "hang", "语言模型超时", 1},
	} {
		e, s := scripted(t)
		e.LLMDeadline = 30 * time.Millisecond
		s.lines[c.prompt] = c.line
		res := find(t, e, Query{Text: asked, Mode: BM25, Expand: IRAC})
		if !slices.Equal(ids(res.Hits), ids(plain.Hits)) || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], c.note) || res.LLM.Failed != c.failed || res.Expansion != nil {
			t.Errorf("%s: %v, %v, %+v", c.name, ids(res.Hits), res.Notes, res.LLM)
		}
	}
	e, s := scripted(t)
	s.lines["intent.question.v1"] = "程序"
	res := find(t, e, Query{Text: asked, Mode: LexPath, Explain: true})
	if res.QueryIntent != "" || res.Hits[0].Scores.Intent != nil || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "意图") {
		t.Errorf("without an intent: %+v, %v", res.Hits[0].Scores, res.Notes)
	}
	e.Expander, e.Intents = nil, nil
	if res = find(t, e, Query{Text: asked, Mode: LexPath}); res.Mode != Fast || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "未配置语言模型") {
		t.Errorf("without a model: %s, %v", res.Mode, res.Notes)
	}
	if res = find(t, e, Query{Text: asked, Mode: LexPath, Without: []Stage{Expand, IntentScore}}); res.Mode != LexPath || len(res.Notes) != 0 || res.LLM != nil {
		t.Errorf("where no model is asked: %s, %v", res.Mode, res.Notes)
	}
	if res = find(t, e, Query{Text: asked, Mode: BM25, Expand: QR}); len(res.Notes) != 1 || res.LLM.Failed != 1 {
		t.Errorf("an expansion without a model: %v, %+v", res.Notes, res.LLM)
	}
	e, s = scripted(t)
	s.lines["irac.v1"], s.lines["intent.question.v1"] = "hang", "hang"
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if res, err := e.Search(ctx, Query{Text: asked, Mode: LexPath}); err != nil || len(res.Hits) == 0 || res.LLM.Failed != 2 {
		t.Errorf("a model that is slower than the asker waits: %+v, %v", res, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := e.Search(ctx, Query{Text: asked, Mode: LexPath}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
}

// The score is formula 6, from the parts that are shown.
func TestLexPathsFormula(t *testing.T) {
	e, s := scripted(t)
	for _, l := range []*Lambda{nil, {1, 1, 0.3}, {0, 1, 0}, {2, 0.5, 3}} {
		res := find(t, e, Query{Text: asked, Mode: LexPath, Explain: true, K: 10, Lambda: l})
		if l == nil {
			l = &Lambda{1, 1, 1.5}
		}
		matched := 0
		for _, h := range res.Hits {
			sc := h.Scores
			want := l.Rerank**sc.Rerank + l.Fused**sc.Fused
			if l.Intent > 0 {
				same := flag(h.Intent == prompts.Procedure)
				if *sc.Intent != same || h.Intent != ArticleIntent(h.Text) {
					t.Errorf("%s: intent %s, %v", h.ID, h.Intent, *sc.Intent)
				}
				matched += int(same)
				want += l.Intent * same
			}
			if math.Abs(sc.Final-want) > 1e-12 || sc.Final != h.Score || *sc.Rerank <= 0 || *sc.Rerank >= 1 {
				t.Errorf("λ %v, %s: %+v, want %v", l, h.ID, sc, want)
			}
		}
		if l.Intent > 0 && (res.QueryIntent != prompts.Procedure || matched == 0 || matched == len(res.Hits)) {
			t.Errorf("λ %v: intent %q, %d of %d match", l, res.QueryIntent, matched, len(res.Hits))
		}
	}
	s.lines["intent.article.v1 "+"法条：<法条 出处="] = `{"intent":"Others"}`
	for _, h := range find(t, e, Query{Text: asked, Mode: LexPath, Explain: true}).Hits {
		if h.Intent != prompts.Others {
			t.Errorf("%s: %s, though the model labelled it", h.ID, h.Intent)
		}
	}
	e.Ranker = nil
	res := find(t, e, Query{Text: asked, Mode: LexPath, Explain: true})
	if res.Mode != LexPath || res.Hits[0].Scores.Rerank != nil || len(res.Notes) != 1 {
		t.Errorf("without a ranker: %+v, %v", res.Hits[0].Scores, res.Notes)
	}
}

func TestStagesLeftOut(t *testing.T) {
	e, _ := scripted(t)
	scores := func(mode Mode, stage Stage) *Scores {
		return find(t, e, Query{Text: asked, Mode: mode, Explain: true, Without: []Stage{stage}}).Hits[0].Scores
	}
	if sc := scores(LexPath, Rerank); sc.Rerank != nil || sc.Intent != nil || sc.Final != *sc.Fused {
		t.Errorf("rerank: %+v", sc)
	}
	if sc := scores(LexPath, IntentScore); sc.Intent != nil || sc.Rerank == nil {
		t.Errorf("intent: %+v", sc)
	}
	for _, mode := range []Mode{LexPath, Fast, Hybrid} {
		if sc := scores(mode, SparsePath); math.Abs(*sc.Fused-(0.5+math.Atan(*sc.Dense)/math.Pi)) > 1e-12 {
			t.Errorf("%s without sparse: %+v", mode, sc)
		}
		if sc := scores(mode, DensePath); math.Abs(*sc.Fused-(0.5+math.Atan(*sc.Sparse)/math.Pi)) > 1e-12 {
			t.Errorf("%s without dense: %+v", mode, sc)
		}
	}
	for _, c := range []struct {
		mode  Mode
		stage []Stage
	}{
		{BM25, []Stage{Rerank}},
		{BM25, []Stage{StructNeg}},
		{BM25, []Stage{DensePath}},
		{BM25, []Stage{Expand}},
		{Dense, []Stage{SparsePath}},
		{Dense, []Stage{Expand}},
		{Hybrid, []Stage{Rerank}},
		{Fast, []Stage{IntentScore}},
		{LexPath, []Stage{SparsePath, DensePath}},
		{LexPath, []Stage{"magic"}},
	} {
		_, err := e.Search(t.Context(), Query{Text: asked, Mode: c.mode, Without: c.stage})
		var input *InputError
		if !errors.As(err, &input) || input.Param != "without" {
			t.Errorf("%s without %v: %v", c.mode, c.stage, err)
		}
	}
}

// While there are no vectors, words are searched, and none of the two paths can be left out.
func TestTheOnlyPathIsNotLeftOut(t *testing.T) {
	e := newEngine(t, 3)
	for _, stage := range []Stage{SparsePath, DensePath} {
		if res := find(t, e, Query{Text: "离婚登记", Mode: Hybrid, Without: []Stage{stage}}); res.Mode != BM25 || len(res.Hits) == 0 {
			t.Errorf("without %s: %s, %v", stage, res.Mode, ids(res.Hits))
		}
	}
}

func TestPresets(t *testing.T) {
	for name, intent := range map[string]float64{"stard": 1.5, "lexrag": 0.3, "statuterag": 1.5, "coliee": 1.5} {
		p, err := Preset(name)
		if want := (Params{0.4, Lambda{1, 1, intent}, 20}); err != nil || p != want {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if _, err := Preset("magic"); err == nil || !strings.Contains(err.Error(), "coliee, lexrag, stard, statuterag") {
		t.Errorf("%v", err)
	}
}

func TestArticleIntent(t *testing.T) {
	for text, want := range map[string]prompts.Intent{
		"为了规范集市秩序，制定本办法。":                    prompts.Others,
		"本办法自2020年1月1日起施行。":                  prompts.Others,
		"国家鼓励科学研究。":                          prompts.Others,
		"本法所称摊贩，是指没有固定门面的个人。":                prompts.Definition,
		"本条例下列用语的含义：（一）集市，是指……":              prompts.Definition,
		"当事人约定货款期限的，从其约定。前款所称货款，是指买受人应付的价款。": prompts.Procedure,
		"违反前条规定的，由管理机关责令改正，并处二百元以下罚款。":       prompts.Consequence,
		"故意毁坏财物的，处三年以下有期徒刑。":                 prompts.Consequence,
		"保管人保管不善的，应当承担赔偿责任。":                 prompts.Consequence,
		"逾期不申请登记的，处以罚款。":                     prompts.Consequence,
		"申请摊位的，应当提交身份证明。":                    prompts.Procedure,
		"管理机关应当自受理之日起五日内作出决定。":               prompts.Procedure,
		"当事人不服判决的，有权上诉。":                     prompts.Procedure,
		"本办法适用于本县行政区域。":                      prompts.Applicability,
		"有下列情形之一的，可以减免摊位费。":                  prompts.Applicability,
		"摊贩不得占用道路。":                          prompts.Applicability,
		"":                                   prompts.Others,
	} {
		if got := ArticleIntent(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
