package graph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/verify"
)

// attempt is a draft after its checks, ready to leave.
type attempt struct {
	kind      Kind
	text      string
	evidence  []retrieval.Hit
	citations []Citation
	record    verify.Record
	removed   []string // passages that did not pass
	corrected []string // what was put right, for the reader
	doubtful  []verify.Finding
	cut       bool // the draft had no more room
	cleaned   int  // clauses of the draft that no answer has
}

// penalty is how much is wrong with an attempt; the least is the best.
func (a *attempt) penalty() int {
	p := len(a.removed) + len(a.doubtful)
	if r := a.record.Review; r != nil {
		for _, of := range []struct {
			outcome verify.Outcome
			weight  int
		}{{r.Evidence.Outcome, 4}, {r.Consistency.Outcome, 4}, {r.Completeness.Outcome, 2}} {
			switch of.outcome {
			case verify.Failed:
				p += of.weight
			case verify.NotDone:
				p++
			}
		}
	}
	return p
}

// verify checks the draft: its citations and quotations, what its sentences say, and,
// where there is a language model, its evidence, consistency and completeness. Then it
// decides what follows.
func (g *Graph) verify(ctx context.Context, j *job) (string, error) {
	if j.inline != nil {
		return g.finishInline(ctx, j)
	}
	j.next = "settle"
	if j.kind == Abstained {
		j.best = &attempt{kind: Abstained, text: j.draft, evidence: j.evidence, citations: []Citation{}, record: verify.Record{Citations: verify.NotDone, Support: verify.NotDone}}
		return "", nil
	}
	a, checked, err := g.attempt(ctx, j)
	if err != nil {
		return "", err
	}
	j.removed = append(j.removed, a.removed...)
	if j.kind == Extractive {
		j.best = a
		return fmt.Sprintf("核对 %d 处", checked), nil
	}
	defer func() { j.lasted = max(j.lasted, time.Since(j.began)) }()
	if len(a.citations) == 0 {
		return g.ungrounded(ctx, j)
	}
	if err := g.review(ctx, j, a); err != nil {
		return "", err
	}
	if j.best == nil || a.penalty() <= j.best.penalty() {
		j.best = a
	}
	note := fmt.Sprintf("核对 %d 处", checked)
	verdict, err := g.decide(ctx, j, a)
	if verdict != "" {
		note += "，" + verdict
	}
	return note, err
}

// ungrounded is what follows a draft of which nothing that cites the evidence is left.
func (g *Graph) ungrounded(ctx context.Context, j *job) (string, error) {
	const why = "语言模型的回答没有可核实的法条依据"
	if !g.another(ctx, j) {
		return j.giveUp(why), nil
	}
	if err := g.look(ctx, j); err != nil {
		return "", err
	}
	j.objections = append([]string{"没有任何结论写明所给法条的编号，或者所写的编号不在所给法条之中"}, objections(nil, j.removed)...)
	if len(j.overlooked) > 0 {
		j.next = "supplement"
		return why + "，" + lookedAgain, nil
	}
	j.next = "draft"
	return why + "，重写", nil
}

// maxGates bounds how often what is left of a draft is checked again; it gets shorter each
// time.
const maxGates = 4

// attempt holds a draft against the book: what does not pass is put right where the
// book says how, else taken out. checked is the number of things looked at.
func (g *Graph) attempt(ctx context.Context, j *job) (a *attempt, checked int, err error) {
	a = &attempt{kind: j.kind, evidence: j.evidence, cut: j.cut && j.kind == Generated}
	if j.kind == Generated {
		a.cleaned = j.cleaned
	}
	draft := j.draft
	findings, doubts, err := g.examine(ctx, j, draft)
	if err != nil {
		return nil, 0, err
	}
	checked = len(findings)
	if better, notes := verify.Correct(draft, slices.Concat(findings, doubts)); len(notes) > 0 {
		f, d, err := g.examine(ctx, j, better)
		if err != nil {
			return nil, 0, err
		}
		if bad(f)+bad(d) < bad(findings)+bad(doubts) {
			draft, findings, doubts, a.corrected = better, f, d, notes
		}
	}
	for n := 0; ; n++ { // a number may be of another law once the sentence before it is gone
		kept, removed := verify.Gate(draft, slices.Concat(findings, doubts))
		a.removed = append(a.removed, removed...)
		a.text = withNames(kept, j.evidence, findings)
		j.fallen = append(j.fallen, fallen(slices.Concat(findings, doubts))...)
		if a.text == draft { // the same text against the same evidence
			break
		}
		if n == maxGates {
			a.text = ""
		}
		if findings, doubts, err = g.examine(ctx, j, a.text); err != nil {
			return nil, 0, err
		}
		draft = a.text
	}
	if a.citations = citations(findings, j.evidence); len(a.citations) == 0 && a.kind == Generated {
		if better, given := verify.Attribute(a.text, evidenceOf(j.evidence)); given > 0 {
			if findings, err = g.check(ctx, j, better); err != nil {
				return nil, 0, err
			}
			a.text = withNames(better, j.evidence, findings)
			if findings, doubts, err = g.examine(ctx, j, a.text); err != nil {
				return nil, 0, err
			}
			a.citations = citations(findings, j.evidence)
			a.corrected = append(a.corrected, fmt.Sprintf("草稿没有写明依据，其中 %d 句的条号是按其内容补上的。", given))
		}
	}
	a.doubtful = doubts
	a.record = g.record(j, a.kind, findings, doubts)
	return a, checked, nil
}

// record is what the checks of a text that is to leave came to.
func (g *Graph) record(j *job, kind Kind, findings, doubts []verify.Finding) verify.Record {
	r := verify.Record{Citations: outcome(findings), Support: verify.Passed, Findings: slices.Concat(findings, doubts)}
	if kind == Extractive && r.Citations == verify.NotDone { // 前款, 本条例第六条: the articles' own references
		r.Citations = verify.Passed
	}
	switch {
	case len(doubts) > 0:
		r.Support = verify.Failed
	case (g.o.Meaning == nil || j.uncompared) && kind != Extractive:
		r.Support = verify.NotDone
	}
	return r
}

// examine holds a text against the book and, sentence by sentence, against its
// evidence. An extract is the articles' own words.
func (g *Graph) examine(ctx context.Context, j *job, text string) (findings, doubts []verify.Finding, err error) {
	if findings, err = g.check(ctx, j, text); err != nil {
		return nil, nil, err
	}
	doubts, err = g.doubts(ctx, j, text, findings)
	return findings, doubts, err
}

// doubts are about what the sentences of a text say.
func (g *Graph) doubts(ctx context.Context, j *job, text string, findings []verify.Finding) ([]verify.Finding, error) {
	if g.o.Meaning == nil || j.kind == Extractive {
		return nil, nil
	}
	within, cancel := share(ctx, compareShare)
	defer cancel()
	found, err := g.o.Meaning.Check(within, text, j.asked(), evidenceOf(j.evidence), findings)
	if err != nil && ctx.Err() == nil { // the encoder can't be had, or not in time
		j.uncompared = true
		return found, nil
	}
	return found, err
}

// compareShare is the part of an answer's time in which an encoder compares a text with
// its evidence.
const compareShare = .2

// bad counts the findings that must not leave.
func bad(findings []verify.Finding) int {
	n := 0
	for i := range findings {
		if findings[i].Bad() {
			n++
		}
	}
	return n
}

// review has the language model review what is left of a draft.
func (g *Graph) review(ctx context.Context, j *job, a *attempt) error {
	if g.o.Review == nil || j.request.OnePass {
		return nil
	}
	within, cancel := withReserve(ctx)
	defer cancel()
	seen := *j
	seen.evidence = reviewed(j.evidence, a.citations)
	shown := draftInput(&seen)
	in := prompts.ReviewInput{Question: shown.Question, Articles: shown.Articles, History: shown.History, Answer: a.text}
	r, used, err := g.o.Review.Review(within, in)
	j.usage.Add(Usage{Calls: used.Calls, PromptTokens: used.PromptTokens, CompletionTokens: used.CompletionTokens})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && within.Err() == nil:
		return fmt.Errorf("review the draft: %w", err)
	}
	for _, side := range []*verify.Judgement{&r.Evidence, &r.Consistency, &r.Completeness} {
		if side.Reasons, err = g.sound(ctx, j, side.Reasons); err != nil {
			return err
		}
	}
	a.record.Review = &r // where time ran out: not checked
	return nil
}

// reviewed is the evidence that a review reads: all of it where a draft was written from
// it, and what the text cites first where tools have shown more.
func reviewed(evidence []retrieval.Hit, cited []Citation) []retrieval.Hit {
	if len(evidence) <= maxEvidence {
		return evidence
	}
	isCited := func(h retrieval.Hit) bool {
		return slices.ContainsFunc(cited, func(c Citation) bool { return c.ID == h.ID })
	}
	out := slices.Clone(evidence)
	slices.SortStableFunc(out, func(a, b retrieval.Hit) int {
		switch first, second := isCited(a), isCited(b); {
		case first == second:
			return 0
		case first:
			return -1
		}
		return 1
	})
	return out[:maxEvidence]
}

// sound keeps the reasons of a review that may be shown: they are a language model's words
// too, without links, and cite only what the articles bear out.
func (g *Graph) sound(ctx context.Context, j *job, reasons []string) ([]string, error) {
	var out []string
	for _, r := range reasons {
		clean, removed := prompts.Clean(r, j.told, j.shown())
		findings, err := g.check(ctx, j, clean)
		if err != nil {
			return nil, err
		}
		if len(removed) == 0 && bad(findings) == 0 {
			out = append(out, clean)
		}
	}
	return out, nil
}

func (g *Graph) check(ctx context.Context, j *job, text string) ([]verify.Finding, error) {
	d := verify.Draft{Text: text, Question: j.asked(), Evidence: evidenceOf(j.evidence), Day: j.request.Scope.AsOf.On(g.o.Now()), AnyDay: j.request.Scope.AsOf.Any, Collections: j.request.Scope.Visible()}
	report, err := g.o.Check.Check(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("check the draft: %w", err)
	}
	return report.Findings, nil
}

func evidenceOf(hits []retrieval.Hit) []verify.Evidence {
	out := make([]verify.Evidence, len(hits))
	for i := range hits {
		out[i] = verify.Evidence{ID: hits[i].ID, Law: hits[i].Law, Text: hits[i].Text}
	}
	return out
}

// outcome sums up the findings of a text that is to leave.
func outcome(findings []verify.Finding) verify.Outcome {
	o := verify.Passed
	for i := range findings {
		f := &findings[i]
		if f.Bad() {
			return verify.Failed
		}
		if f.Kind == verify.Reference && f.Verdict == verify.NotChecked {
			o = verify.NotDone
		}
	}
	return o
}

// fallen returns the findings that did not pass, without a place: what they stood
// in has been removed.
func fallen(findings []verify.Finding) []verify.Finding {
	var out []verify.Finding
	for _, f := range findings {
		if f.Bad() {
			f.Start, f.End = 0, 0
			out = append(out, f)
		}
	}
	return out
}

// citations lists the evidence that the text names, in the order in which it
// first does, with every place.
func citations(findings []verify.Finding, evidence []retrieval.Hit) []Citation {
	out := []Citation{}
	for _, f := range findings {
		i := slices.IndexFunc(evidence, func(h retrieval.Hit) bool { return h.ID == f.ID })
		if f.Kind != verify.Reference || f.Verdict != verify.Exists || i < 0 {
			continue
		}
		h := &evidence[i]
		at := slices.IndexFunc(out, func(c Citation) bool { return c.ID == f.ID })
		if at < 0 {
			at = len(out)
			out = append(out, Citation{ID: h.ID, Law: h.Law, Label: h.Label, Status: h.Status, Text: h.Text})
		}
		out[at].Spans = append(out[at].Spans, [2]int{f.Start, f.End})
	}
	return out
}
