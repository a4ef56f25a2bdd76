package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lexagent/retrieval"
	"lexagent/verify"
)

// decide chooses what follows a checked draft: accept it, search for what is missing
// (supplement), write it again with what is wrong (regenerate), or, where rounds,
// tokens or time are used up, take the best there is.
func (g *Graph) decide(ctx context.Context, j *job, a *attempt) (string, error) {
	j.objections, j.missing = nil, nil
	r := a.record.Review
	if r == nil {
		return "", nil
	}
	passed := r.OK() && !slices.ContainsFunc(a.doubtful, func(f verify.Finding) bool { return f.Verdict == verify.Reversed })
	if !g.another(ctx, j) {
		if passed {
			return "", nil
		}
		return "自检未通过", nil
	}
	if err := g.look(ctx, j); err != nil {
		return "", err
	}
	if !passed {
		j.objections = objections(a, a.removed)
	}
	switch {
	case r.Completeness.Outcome == verify.Failed:
		j.missing, j.next = r.Missing, "supplement"
		return "补充检索：" + strings.Join(r.Missing, "；"), nil
	case len(j.overlooked) > 0:
		j.next = "supplement"
		return lookedAgain, nil
	case passed:
		return "", nil
	}
	j.next = "draft"
	return "重写", nil
}

// another reports whether there are rounds, tokens and time for another draft.
func (g *Graph) another(ctx context.Context, j *job) bool {
	if j.request.OnePass || g.o.Review == nil || j.rounds >= g.o.Rounds || j.usage.PromptTokens+j.usage.CompletionTokens >= g.o.Budget {
		return false
	}
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > max(j.lasted, time.Since(j.began))+reserve
}

// objections are what is told to the model that writes again. a may be nil.
func objections(a *attempt, removed []string) []string {
	var out []string
	for _, s := range removed {
		out = append(out, "这一句的引用未通过核对，不要再写："+clip(s, 80))
	}
	if a == nil {
		return out
	}
	for i := range a.doubtful {
		f := &a.doubtful[i]
		out = append(out, "“"+clip(f.Text, 60)+"”："+f.Note)
	}
	if r := a.record.Review; r != nil {
		for _, side := range []verify.Judgement{r.Evidence, r.Consistency, r.Completeness} {
			out = append(out, side.Reasons...)
		}
	}
	const most = 6
	return out[:min(len(out), most)]
}

// supplementHits is how many new units a search for what is missing may bring.
const supplementHits = 2

// supplement searches for what the draft lacked and merges it with the evidence: what
// the draft cites stays, what is new comes next, and the whole stays small.
func (g *Graph) supplement(ctx context.Context, j *job) (string, error) {
	var found [][]retrieval.Hit
	for _, q := range j.missing {
		hits, err := g.find(ctx, j, q)
		if err != nil {
			return "", fmt.Errorf("search for what is missing: %w", err)
		}
		found = append(found, hits)
	}
	merged, fresh := merge(cited(j), append(found, j.overlooked), j.evidence)
	j.overlooked = nil
	j.next = "draft"
	if fresh == 0 { // so nothing was overlooked, and it was a review that missed something
		r := j.best.record.Review
		if r.Evidence.Outcome != verify.Failed && r.Consistency.Outcome != verify.Failed {
			j.next = "settle" // another draft would be written from the same articles
		}
		return "没有新的法条", nil
	}
	j.evidence, j.passages = merged, nil
	j.emit(Evidence{Hits: j.evidence})
	return fmt.Sprintf("新增 %d 条", fresh), nil
}

// cited returns the evidence that the best draft rests on.
func cited(j *job) []retrieval.Hit {
	var out []retrieval.Hit
	if j.best == nil {
		return nil
	}
	for i := range j.best.citations {
		for _, h := range j.best.evidence {
			if h.ID == j.best.citations[i].ID {
				out = append(out, h)
			}
		}
	}
	return out
}

// merge puts the evidence of the next round together: kept, then what each search
// found in turn, then what there was. fresh is the number of units that are new.
func merge(kept []retrieval.Hit, found [][]retrieval.Hit, before []retrieval.Hit) (merged []retrieval.Hit, fresh int) {
	has := func(in []retrieval.Hit, id string) bool {
		return slices.ContainsFunc(in, func(h retrieval.Hit) bool { return h.ID == id })
	}
	merged = append(merged, kept[:min(len(kept), maxEvidence-1)]...) // one seat at least is for what is missing
	taken := make([]int, len(found))
	for rank := 0; ; rank++ {
		more := false
		for q, hits := range found {
			if rank >= len(hits) {
				continue
			}
			more = true
			if len(merged) < maxEvidence && taken[q] < supplementHits && !has(merged, hits[rank].ID) && !has(before, hits[rank].ID) {
				merged = append(merged, hits[rank])
				taken[q]++
				fresh++
			}
		}
		if !more {
			break
		}
	}
	for _, h := range before {
		if len(merged) < maxEvidence && !has(merged, h.ID) {
			merged = append(merged, h)
		}
	}
	return merged, fresh
}
