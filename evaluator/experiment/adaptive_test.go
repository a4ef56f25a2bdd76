package experiment

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
)

// replies is a language model that gives these in turn.
type replies struct {
	list  []string
	asked int
}

func (r *replies) Ask(_ context.Context, _ prompts.Prompt, accept func(string) error) (model.Usage, error) {
	reply := r.list[min(r.asked, len(r.list)-1)]
	r.asked++
	if err := accept(reply); err != nil {
		return model.Usage{Calls: 1}, fmt.Errorf("%w: %w", model.ErrRefused, err)
	}
	return model.Usage{Calls: 1}, nil
}

func (r *replies) Known(prompts.Prompt, func(string) error) bool { return false }

func TestSteeredSearches(t *testing.T) {
	lists := map[string][]string{"问": {"a", "b", "c"}, "查明撤回的期限": {"d", "b"}, "离婚登记的撤回": {"e", "a"}, "bm25:撤回 期限": {"d", "b"}, "dense:何时撤回": {"a", "f"}}
	for _, c := range []struct {
		what    string
		steer   func(context.Context, *steered) ([][]retrieval.Hit, error)
		replies []string
		want    []string
		asked   int
	}{
		{"IRCoT concludes at once", ircot, []string{`{"text":"因此可以撤回"}`}, []string{"a", "b", "c"}, 1},
		{"IRCoT searches for a thought", ircot, []string{`{"text":"查明撤回的期限"}`, `{"text":"因此可以撤回"}`}, []string{"b", "a", "d", "c"}, 2},
		{"IRCoT ends", ircot, []string{`{"text":"查明撤回的期限"}`}, []string{"b", "d", "a", "c"}, maxThoughts},
		{"IRCoT with a useless reply", ircot, []string{"嗯"}, []string{"a", "b", "c"}, 1},
		{"CRAG keeps what answers", crag, []string{`{"verdict":"correct"}`}, []string{"a", "b", "c"}, 1},
		{"CRAG replaces what does not", crag, []string{`{"verdict":"incorrect"}`, `{"text":"离婚登记的撤回"}`}, []string{"e", "a"}, 2},
		{"CRAG puts together what may", crag, []string{`{"verdict":"ambiguous"}`, `{"text":"离婚登记的撤回"}`}, []string{"a", "e", "b", "c"}, 2},
		{"CRAG without a rewriting", crag, []string{`{"verdict":"incorrect"}`, "嗯"}, []string{"a", "b", "c"}, 2},
		{"A-RAG names what is of use", arag, []string{`{"action":"keyword","query":"撤回 期限"}`, `{"action":"semantic","query":"何时撤回"}`, `{"action":"read","article":4}`, `{"action":"done","articles":[4,1,4]}`}, []string{"f", "d", "a", "b"}, 4},
		{"A-RAG goes on until its steps are used up", arag, []string{`{"action":"keyword","query":"撤回 期限"}`}, []string{"d", "b"}, maxSteps},
		{"A-RAG with a number that is not there", arag, []string{`{"action":"read","article":1}`}, []string{"a", "b", "c"}, 1},
		{"A-RAG that is done at once", arag, []string{`{"action":"done"}`}, []string{"a", "b", "c"}, 1},
	} {
		llm := &replies{list: c.replies}
		s := &steered{llm: llm, question: "问", line: &Line{LLM: &retrieval.LLMUse{}}}
		s.find = func(_ context.Context, text string) ([]retrieval.Hit, error) {
			var hits []retrieval.Hit
			for _, id := range lists[text] {
				hits = append(hits, retrieval.Hit{ID: id})
			}
			return hits, nil
		}
		s.by = func(ctx context.Context, mode retrieval.Mode, text string) ([]retrieval.Hit, error) {
			return s.find(ctx, string(mode)+":"+text)
		}
		found, err := c.steer(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range merged(found, 10) {
			ids = append(ids, h.ID)
		}
		if d := cmp.Diff(c.want, ids); d != "" || llm.asked != c.asked || s.line.LLM.Calls != c.asked {
			t.Errorf("%s: asked %d times, counted %d: %s", c.what, llm.asked, s.line.LLM.Calls, d)
		}
		if n := len(merged(found, 1)); n != 1 || slices.Contains(ids, "") {
			t.Errorf("%s: %d hits of one", c.what, n)
		}
	}
}
