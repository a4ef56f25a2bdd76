package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lexagent/retrieval"
	"lexagent/verify"
)

// verify checks the draft, takes out what does not pass, and makes the answer of
// the rest. A generated draft of which nothing grounded is left is rejected.
func (g *Graph) verify(ctx context.Context, j *job) (string, error) {
	a := j.answer
	a.Citations = []Citation{}
	if a.Kind == Abstained {
		a.Text = j.draft
		a.Verification = verify.Record{Citations: verify.NotDone, Findings: []verify.Finding{}, Removed: list(a.Verification.Removed)}
		return "", nil
	}
	findings, err := g.check(ctx, j, j.draft)
	if err != nil {
		return "", err
	}
	kept, removed := verify.Gate(j.draft, findings)
	text := withNames(kept, j.evidence, findings)
	final := findings
	if text != j.draft { // else the same text against the same evidence
		if final, err = g.check(ctx, j, text); err != nil {
			return "", err
		}
	}
	cited := citations(final, j.evidence)
	a.Verification.Removed = append(list(a.Verification.Removed), removed...)
	a.Verification.Findings = append(list(a.Verification.Findings), fallen(findings)...)
	if len(cited) == 0 && a.Kind == Generated {
		return giveUp(j, "语言模型的回答没有可核实的法条依据"), nil
	}
	a.Text, a.Citations = text, cited
	a.Verification.Findings = append(final, a.Verification.Findings...)
	a.Verification.Citations = outcome(final)
	if n := len(removed); n > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("草稿中有 %d 句的引用未通过核对，已删去。", n))
	}
	return fmt.Sprintf("核对 %d 处", len(findings)), nil
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

func (g *Graph) check(ctx context.Context, j *job, text string) ([]verify.Finding, error) {
	d := verify.Draft{Text: text, Question: j.request.Question, Evidence: []verify.Evidence{}, Day: j.request.Scope.AsOf.On(g.o.Now()), Collections: j.request.Scope.Visible()}
	for i := range j.evidence {
		d.Evidence = append(d.Evidence, verify.Evidence{ID: j.evidence[i].ID, Law: j.evidence[i].Law, Text: j.evidence[i].Text})
	}
	report, err := g.o.Check.Check(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("check the draft: %w", err)
	}
	return report.Findings, nil
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

// withNames writes the citations that stand as ids, [民法典:1077], as people read
// them.
func withNames(text string, evidence []retrieval.Hit, findings []verify.Finding) string {
	for _, f := range findings {
		i := slices.IndexFunc(evidence, func(h retrieval.Hit) bool { return h.ID == f.ID })
		if i < 0 || f.Kind != verify.Reference || !strings.Contains(f.Text, ":") || f.Bad() {
			continue
		}
		name := "《" + evidence[i].Law + "》" + evidence[i].Label
		for _, brackets := range []string{"[%s]", "【%s】", "（%s）", "(%s)"} {
			text = strings.ReplaceAll(text, fmt.Sprintf(brackets, f.Text), "（"+name+"）")
		}
		text = strings.ReplaceAll(text, f.Text, name) // the id alone
	}
	return text
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
