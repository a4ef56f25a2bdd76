package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lexagent/book/booktest"
	"lexagent/evaluator/dataset"
	"lexagent/graph"
	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// The hidden article is not in what the first draft sees, and counts as found only where
// the search for what is missing brings it: the reviewer's, or that in the words of statutes.
func TestHidden(t *testing.T) {
	all := booktest.Articles(letting, texts...).Units
	deposit := slices.IndexFunc(all, func(u statute.Unit) bool { return strings.Contains(u.Text, "押金") })
	dispute := slices.IndexFunc(all, func(u statute.Unit) bool { return strings.Contains(u.Text, "调解") })
	gold := func(at ...int) (out []dataset.Article) {
		for _, i := range at {
			out = append(out, dataset.Article{ID: "source:" + all[i].ID})
		}
		return out
	}
	for _, c := range []struct {
		missing      string
		terms, found bool
	}{{"押金 调解", false, true}, {"登记", false, false}, {"登记", true, true}} {
		got, err := RunHidden(t.Context(), HiddenOptions{
			Graph: graph.Options{
				Search: byWord{terms: c.terms}, Check: &verify.Checker{Book: testBook(t)}, Review: lacking(c.missing),
				LLM: reply(texts[0] + "[" + all[0].ID + "]"),
			},
			ID:        func(gold string) string { return strings.TrimPrefix(gold, "source:") },
			Questions: []dataset.Question{{Question: "租金？", Gold: gold(0)}, {Question: "租赁 押金 调解？", Gold: gold(deposit, dispute)}},
			Count:     10, Seed: 1,
		})
		if err != nil || len(got) != 1 {
			t.Fatalf("%d questions, %v; one has several golds", len(got), err)
		}
		if h := got[0]; h.Review == nil || h.Found != c.found || !h.Again {
			t.Errorf("%+v: %+v", c, h)
		}
		var table strings.Builder
		if err := WriteHidden(&table, got); err != nil || !strings.Contains(table.String(), "| 1 | 1 | 1 | 1 |") {
			t.Errorf("%v\n%s", err, table.String())
		}
	}
	// Without a language model, the search in the words of statutes is all there is.
	for terms, table := range map[bool]string{true: "| 1 | 1 | 0 | 0 | 1 |", false: "| 1 | 1 | 0 | 0 | 0 |"} {
		got, err := RunHidden(t.Context(), HiddenOptions{
			Graph: graph.Options{Search: byWord{terms: terms}, Check: &verify.Checker{Book: testBook(t)}}, ID: func(gold string) string { return gold },
			Questions: []dataset.Question{{Question: "租赁 押金 调解？", Gold: []dataset.Article{{ID: all[deposit].ID}, {ID: all[dispute].ID}}}}, Count: 1,
		})
		var written strings.Builder
		if err := errors.Join(err, WriteHidden(&written, got)); err != nil || !strings.Contains(written.String(), table) {
			t.Errorf("%v\n%s", err, written.String())
		}
	}
}

// byWord finds the first article, and those with a word of the question; in the words of
// statutes too, where it has any.
type byWord struct{ terms bool }

func (b byWord) Search(_ context.Context, q retrieval.Query) (*retrieval.Result, error) {
	res := &retrieval.Result{Notes: []string{}}
	for i, u := range booktest.Articles(letting, texts...).Units {
		if i == 0 || (b.terms || q.Expand != retrieval.Distilled) && slices.ContainsFunc(strings.Fields(strings.Trim(q.Text, "？")), func(w string) bool { return strings.Contains(u.Text, w) }) {
			res.Hits = append(res.Hits, retrieval.Hit{ID: u.ID, Kind: u.Kind, Law: letting.Title, LawID: letting.ID, Label: u.Label, Text: u.Text, Status: statute.InForce})
		}
	}
	return res, nil
}

// lacking is a reviewer that always misses this.
type lacking string

func (l lacking) Review(context.Context, prompts.ReviewInput) (verify.Review, llm.Usage, error) {
	ok := verify.Judgement{Outcome: verify.Passed}
	return verify.Review{Evidence: ok, Consistency: ok, Completeness: verify.Judgement{Outcome: verify.Failed}, Missing: []string{string(l)}}, llm.Usage{Calls: 1}, nil
}
