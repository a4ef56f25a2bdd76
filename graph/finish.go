package graph

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"lexagent/retrieval"
	"lexagent/verify"
)

// settle makes the answer of the best attempt, and tells what was taken out of it and
// what could not be verified.
func settle(_ context.Context, j *job) (*job, error) {
	a := j.best
	out := &Answer{
		Kind: a.kind, Text: a.text, Citations: a.citations, Verification: a.record, Notes: append(j.notes, a.corrected...),
		Evidence: make([]string, len(a.evidence)), LLM: j.usage, Cut: a.cut,
	}
	for i := range a.evidence {
		out.Evidence[i] = a.evidence[i].ID
	}
	if a.kind == Extractive && j.named() == 0 {
		out.Related = related(a)
	}
	out.Verification.Rounds = j.rounds
	out.Verification.Findings = append(list(a.record.Findings), j.fallen...)
	out.Verification.Removed = list(j.removed)
	if note := j.laterLaws(out.Citations); note != "" {
		out.Notes = append(out.Notes, note)
	}
	if a.kind != Abstained {
		out.Notes = append(out.Notes, a.caveats()...)
	}
	j.answer = out
	return j, nil
}

// maxRelated bounds the articles that an extractive answer points to beside its own.
const maxRelated = 3

// related are the articles of the evidence that an extract does not quote.
func related(a *attempt) []Citation {
	var out []Citation
	for i := range a.evidence {
		h := &a.evidence[i]
		if len(out) < maxRelated && !slices.ContainsFunc(a.citations, func(c Citation) bool { return c.ID == h.ID }) {
			out = append(out, Citation{ID: h.ID, Law: h.Law, Label: h.Label, Status: h.Status, Text: h.Text, Spans: [][2]int{}})
		}
	}
	return out
}

// caveats tell the reader what did not pass, or could not be checked.
func (a *attempt) caveats() []string {
	var out []string
	if n := len(a.removed); n > 0 {
		out = append(out, fmt.Sprintf("草稿中有 %d 句的引用未通过核对，已删去。", n))
	}
	if a.cleaned > 0 {
		out = append(out, fmt.Sprintf("草稿中有 %d 处不属于回答的内容（链接、工具名称或系统提示），已删去。", a.cleaned))
	}
	for i := range a.record.Findings {
		if f := &a.record.Findings[i]; f.Bad() && f.End > 0 || f.Verdict == verify.Stitched && f.Severity == verify.Unsupported || f.Verdict == verify.FigureNotFound || f.Kind == verify.Sentence {
			out = append(out, "请自行核对“"+clip(strings.Trim(f.Text, "“”"), 40)+"”："+f.Note+"。")
		}
	}
	if a.cut {
		out = append(out, "回答达到了长度上限，后面的内容没有写完。")
	}
	r := a.record.Review
	if r == nil {
		return out
	}
	undone := 0
	for _, side := range []struct {
		name string
		verify.Judgement
	}{{"依据", r.Evidence}, {"一致", r.Consistency}, {"完整", r.Completeness}} {
		switch side.Outcome {
		case verify.Failed:
			out = append(out, "自检认为回答的"+side.name+"性可能有问题"+strings.TrimSuffix("："+strings.Join(side.Reasons, "；"), "：")+"。")
		case verify.NotDone:
			undone++
		}
	}
	if undone > 0 {
		out = append(out, "语言模型的自检没有完成，回答的依据、一致和完整未经其核对。")
	}
	return out
}

// withNames writes the citations that stand as ids, [民法典:1077], as people read
// them. The longest ids come first: 刑法:133 begins 刑法:133.1 too.
func withNames(text string, evidence []retrieval.Hit, findings []verify.Finding) string {
	names := map[string]string{}
	for _, f := range findings {
		i := slices.IndexFunc(evidence, func(h retrieval.Hit) bool { return h.ID == f.ID })
		if i >= 0 && f.Kind == verify.Reference && strings.Contains(f.Text, ":") && !f.Bad() {
			names[f.Text] = "《" + evidence[i].Law + "》" + evidence[i].Label
		}
	}
	ids := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return len(b) - len(a) })
	for _, id := range ids {
		for _, brackets := range []string{"[%s]", "【%s】", "（%s）", "(%s)"} {
			text = strings.ReplaceAll(text, fmt.Sprintf(brackets, id), "（"+names[id]+"）")
		}
		text = replaceID(text, id, names[id]) // the id alone
	}
	return text
}

// replaceID puts a name in the place of an id, not of one that goes on behind it.
func replaceID(text, id, name string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, id)
		if i < 0 {
			return b.String() + text
		}
		rest := text[i+len(id):]
		b.WriteString(text[:i])
		if goesOn.MatchString(rest) {
			b.WriteString(id)
		} else {
			b.WriteString(name)
		}
		text = rest
	}
}

// goesOn matches what is still of an article's number behind an id.
var goesOn = regexp.MustCompile(`^(?:[0-9~]|\.[0-9])`)

// Gate checks a text that somebody else wrote from evidence as the graph checks its own
// drafts, and makes the answer of what passes. Where nothing that cites the evidence is
// left, the answer is an extract of it, or says that nothing was found.
func (g *Graph) Gate(ctx context.Context, r Request, draft string, evidence []retrieval.Hit) (*Answer, error) {
	j := &job{request: r, query: r.Question, standing: Follow(r.Question, r.History).Standing, emit: func(Event) {}, notes: []string{}, evidence: evidence, draft: clip(draft, maxDraftRunes), kind: Generated, rounds: g.o.Rounds}
	if strings.TrimSpace(draft) == "" || len(evidence) == 0 {
		j.next = "extract"
	} else if _, err := g.verify(ctx, j); err != nil {
		return nil, err
	}
	if j.next == "extract" {
		step := g.quote
		if len(evidence) == 0 {
			step = g.abstain
		}
		if _, err := step(ctx, j); err != nil {
			return nil, err
		}
		if _, err := g.verify(ctx, j); err != nil {
			return nil, err
		}
	}
	if _, err := settle(ctx, j); err != nil {
		return nil, err
	}
	j.answer.Verification.Rounds = 1
	return j.answer, nil
}

// list is s, and never nil: an empty list in JSON, not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// pieceRunes is how much text one event carries, so that a client sees it flow.
const pieceRunes = 24

func pieces(text string) []string {
	var out []string
	for r := []rune(text); len(r) > 0; {
		n := min(pieceRunes, len(r))
		out = append(out, string(r[:n]))
		r = r[n:]
	}
	return out
}
