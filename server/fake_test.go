package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/graph"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/server"
	"lexagent/statute"
	"lexagent/verify"
)

var (
	errNotFound = errors.New("fake: not there")
	errDown     = errors.New("fake: the model is down")
)

// shelf is a tiny statute book.
type shelf struct {
	laws  []*statute.Law
	units map[string][]statute.Unit // by law id, in order
	older *statute.Law              // a former version, which the list of laws does not show
}

func newShelf() *shelf {
	s := &shelf{units: map[string][]statute.Unit{}}
	s.put(statute.Law{Title: "中华人民共和国民法典", Short: "民法典", Level: 1, Issuer: "全国人民代表大会", Version: "2020-05-28", Published: 20200528, Effective: 20210101},
		[]string{"第五编 婚姻家庭", "第四章 离婚"}, 1076, []string{
			"夫妻双方自愿离婚的，应当签订书面离婚协议，并亲自到婚姻登记机关申请离婚登记。\n离婚协议应当载明双方自愿离婚的意思表示和对子女抚养、财产以及债务处理等事项协商一致的意见。",
			"自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。\n前款规定期限届满后三十日内，双方应当亲自到婚姻登记机关申请发给离婚证；未申请的，视为撤回离婚登记申请。",
			"婚姻登记机关查明双方确实是自愿离婚，并已经对子女抚养、财产以及债务处理等事项协商一致的，予以登记，发给离婚证。",
			"夫妻一方要求离婚的，可以由有关组织进行调解或者直接向人民法院提起离婚诉讼。\n人民法院审理离婚案件，应当进行调解；如果感情确已破裂，调解无效的，应当准予离婚。",
		})
	s.put(statute.Law{Title: "中华人民共和国劳动合同法", Short: "劳动合同法", Level: 1, Version: "2012-12-28", Published: 20121228, Effective: 20130701},
		[]string{"第七章 法律责任"}, 82, []string{
			"用人单位自用工之日起超过一个月不满一年未与劳动者订立书面劳动合同的，应当向劳动者每月支付二倍的工资。\n用人单位违反本法规定不与劳动者订立无固定期限劳动合同的，自应当订立无固定期限劳动合同之日起向劳动者每月支付二倍的工资。",
		})
	s.put(statute.Law{Title: "中华人民共和国民法典", Short: "民法典", Level: 1, Version: "2019-12-16", Effective: 20200101, Ended: 20210101},
		[]string{"草案"}, 1077, []string{"自婚姻登记机关收到离婚登记申请之日起一个月内，任何一方不愿意离婚的，可以撤回离婚登记申请。"})
	s.older, s.laws = s.laws[2], s.laws[:2]
	s.put(statute.Law{Title: "中华人民共和国婚姻法", Short: "婚姻法", Level: 1, Version: "2001-04-28", Published: 20010428, Effective: 20010428, Ended: 20210101, EndedBy: "民法典@2020-05-28"},
		[]string{"第四章 离婚"}, 31, []string{
			"男女双方自愿离婚的，准予离婚。双方必须到婚姻登记机关申请离婚。婚姻登记机关查明双方确实是自愿并对子女和财产问题已有适当处理时，发给离婚证。",
		})
	return s
}

func (s *shelf) put(l statute.Law, path []string, first int, texts []string) {
	l.ID, l.Collection = statute.LawID(l.Short, l.Version), "public"
	s.laws = append(s.laws, &l)
	for i, text := range texts {
		n := first + i
		label := "第" + numeral[n] + "条"
		s.units[l.ID] = append(s.units[l.ID], statute.Unit{
			ID: statute.UnitID(l.ID, statute.Article, label, n, 0), LawID: l.ID, Kind: statute.Article,
			Label: label, Number: n, Path: path, Text: text, Order: i,
		})
	}
}

var numeral = map[int]string{
	31: "三十一", 82: "八十二", 1076: "一千零七十六", 1077: "一千零七十七", 1078: "一千零七十八", 1079: "一千零七十九",
}

func (s *shelf) Law(collections []string, id string, _ statute.Date) (*statute.Law, error) {
	for _, l := range s.laws {
		if slices.Contains(collections, l.Collection) && (l.ID == id || l.Short == id) {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", errNotFound, id)
}

func (s *shelf) Laws(collections []string) []*statute.Law {
	if !slices.Contains(collections, "public") {
		return nil
	}
	return s.laws
}

func (s *shelf) Unit(_ context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error) {
	parsed, err := statute.ParseID(id)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotFound, err)
	}
	l, err := s.Law(collections, parsed.LawID(), day)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range s.units[l.ID] {
		if u.ID == l.ID+":"+parsed.Key {
			return &u, l, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: %s", errNotFound, id)
}

func (s *shelf) Units(_ context.Context, l *statute.Law) ([]statute.Unit, error) {
	return s.units[l.ID], nil
}

// Intents are all for the same.
func (*shelf) Intents(context.Context, string, string, string) (prompts.Odds, error) {
	return prompts.Certain(prompts.Applicability), nil
}

// Versions are the laws of the same name.
func (s *shelf) Versions(l *statute.Law) (versions []*statute.Law) {
	for _, other := range append([]*statute.Law{s.older}, s.laws...) {
		if other.Short == l.Short {
			versions = append(versions, other)
		}
	}
	return versions
}

func (s *shelf) CitationsFrom(_ context.Context, _, unit string) ([]book.Citation, error) {
	return s.cited(func(c *book.Citation) bool { return c.From == unit }), nil
}

func (s *shelf) CitationsTo(_ context.Context, _ []string, _, id string) ([]book.Citation, error) {
	return s.cited(func(c *book.Citation) bool { return c.To == id }), nil
}

func (s *shelf) cited(want func(*book.Citation) bool) (out []book.Citation) {
	for _, c := range []book.Citation{
		{From: "民法典@2020-05-28:1078", FromLaw: "民法典@2020-05-28", To: "民法典@2020-05-28:1077", ToIn: "public", ToLaw: "民法典@2020-05-28", Kind: book.Cites, Text: "前条"},
		{From: "民法典@2020-05-28:1077", FromLaw: "民法典@2020-05-28", To: "民法典@2020-05-28:1076", ToIn: "public", ToLaw: "民法典@2020-05-28", Kind: book.Cites, Text: "第一千零七十六条"},
		{From: "民法典@2020-05-28:1077", FromLaw: "民法典@2020-05-28", ToLaw: "婚姻登记条例", Kind: book.Cites, Text: "《婚姻登记条例》第五条", Reason: book.ReasonNoLaw},
	} {
		if c.Collection = "public"; want(&c) {
			out = append(out, c)
		}
	}
	return out
}

// hit is a unit as a search finds it.
func (s *shelf) hit(id string, score float64) retrieval.Hit {
	u, l, err := s.Unit(context.Background(), []string{"public"}, id, 0)
	if err != nil {
		panic(err)
	}
	return retrieval.Hit{ID: u.ID, Kind: u.Kind, Law: l.Title, Label: u.Label, Text: u.Text, Score: score,
		LawID: l.ID, Path: u.Path, Status: l.StatusOn(20260101), Level: l.Level}
}

// Search finds 民法典 1077 by its number, and the articles on divorce otherwise.
func (s *shelf) Search(_ context.Context, q retrieval.Query) (*retrieval.Result, error) {
	switch {
	case strings.Contains(q.Text, "down"):
		return nil, fmt.Errorf("encode the question: %w", errDown)
	case q.K > retrieval.MaxHits:
		return nil, &retrieval.InputError{Param: "k", Problem: "k is too large"}
	case strings.Contains(q.Text, "1077"):
		return &retrieval.Result{Hits: []retrieval.Hit{s.hit("民法典:1077", 1)}, Mode: retrieval.BM25, Direct: true}, nil
	}
	return &retrieval.Result{
		Hits: []retrieval.Hit{s.hit("民法典:1077", .92), s.hit("民法典:1076", .88), s.hit("民法典:1079", .71), s.hit("婚姻法:31", .64)},
		Mode: retrieval.BM25, Notes: []string{"向量索引尚未建成，本次只按词语检索。"},
	}, nil
}

// script answers every question in the same way, at a pace.
type script struct {
	shelf *shelf
	pause time.Duration
	asked chan graph.Request                         // what was asked, when not nil
	hook  func(context.Context, graph.Request) error // runs after the first step
}

const answerText = "**可以。**依《中华人民共和国民法典》第一千零七十七条，自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回申请。\n\n" +
	"需要注意：\n\n" +
	"- 期限届满后三十日内，双方应当**亲自**申请发给离婚证；未申请的，视为撤回（《中华人民共和国民法典》第一千零七十七条）。\n" +
	"- 协议应当写明子女抚养、财产以及债务处理，见《中华人民共和国民法典》第一千零七十六条。"

func (s *script) Answer(ctx context.Context, r graph.Request, emit func(graph.Event)) (*graph.Answer, error) {
	if s.asked != nil {
		s.asked <- r
	}
	hits := []retrieval.Hit{s.shelf.hit("民法典:1077", .92), s.shelf.hit("民法典:1076", .88), s.shelf.hit("民法典:1079", .71)}
	steps := []struct {
		step graph.Step
		ms   float64
		note string
	}{{graph.Understand, 2.1, "问题未点名条文"}, {graph.Retrieve, 14.8, "3 条"}, {graph.Draft, 2310, "草稿 120 字"}, {graph.Verify, 3.2, "引用 3 处，均存在"}}
	for i, st := range steps {
		emit(graph.StepStarted{Step: st.step})
		if i == 0 && s.hook != nil {
			if err := s.hook(ctx, r); err != nil {
				return nil, err
			}
		}
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
		emit(graph.StepDone{Step: st.step, MS: st.ms, Note: st.note})
		if st.step == graph.Retrieve {
			emit(graph.Evidence{Hits: hits})
		}
	}
	for _, piece := range strings.SplitAfter(answerText, "。") {
		emit(graph.Text{Text: piece})
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
	a := s.answer()
	emit(graph.Done{Answer: a})
	return a, nil
}

func (s *script) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("draft: %w", ctx.Err())
	case <-time.After(s.pause):
		return nil
	}
}

func (s *script) answer() *graph.Answer {
	a := &graph.Answer{
		Kind: graph.Generated, Text: answerText,
		Evidence: []string{"民法典@2020-05-28:1077", "民法典@2020-05-28:1076", "民法典@2020-05-28:1079"},
		Notes:    []string{"向量索引尚未建成，本次只按词语检索。"},
		LLM:      graph.Usage{Calls: 1, PromptTokens: 812, CompletionTokens: 143},
	}
	for _, id := range a.Evidence[:2] {
		h := s.shelf.hit(id, 1)
		c := graph.Citation{ID: h.ID, Law: h.Law, Label: h.Label, Status: h.Status, Text: h.Text}
		c.Spans = spansOf(answerText, c.Name())
		for _, sp := range c.Spans {
			a.Verification.Findings = append(a.Verification.Findings, verify.Finding{
				Kind: verify.Reference, Text: c.Name(), Start: sp[0], End: sp[1], ID: h.ID, Law: h.Law, Label: h.Label, Verdict: verify.Exists, Severity: verify.Fine,
			})
		}
		a.Citations = append(a.Citations, c)
	}
	a.Verification.Citations = verify.Passed
	a.Verification.Removed = []string{"另见《中华人民共和国民法典》第一千九百条。"}
	return a
}

// spansOf finds every place of name in text, in characters.
func spansOf(text, name string) (spans [][2]int) {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return spans
		}
		from := utf8.RuneCountInString(text[:at+i])
		spans = append(spans, [2]int{from, from + utf8.RuneCountInString(name)})
		at += i + len(name)
	}
}

// health reports what it is told to.
type health struct{ r server.Readiness }

func (h *health) Ready(context.Context) server.Readiness { return h.r }

// Interface guards.
var (
	_ server.Statutes  = (*shelf)(nil)
	_ server.Relations = (*shelf)(nil)
	_ server.Searcher  = (*shelf)(nil)
	_ server.Answerer  = (*script)(nil)
	_ server.Health    = (*health)(nil)
)
