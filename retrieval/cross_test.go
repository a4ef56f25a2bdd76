package retrieval

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// reader is a cross-encoder that likes one word.
type reader struct {
	word string
	err  error
	read []string
}

func (r *reader) Score(_ context.Context, _ string, passages []string) ([]float64, error) {
	r.read = passages
	out := make([]float64, len(passages))
	for i, p := range passages {
		if strings.Contains(p, r.word) {
			out[i] = 1
		}
	}
	return out, r.err
}

// TestACrossEncoderJudges holds that a cross-encoder takes the place of the learned
// ranker in LexPath's formula, for the pool alone, and needs no language model.
func TestACrossEncoderJudges(t *testing.T) {
	e := newEngine(t, all)
	e.Ranker, e.Expander, e.Intents = nil, nil, nil
	r := &reader{word: "二倍的工资"}
	e.Cross = r
	res := find(t, e, Query{Text: "办了离婚手续还没拿证，反悔了怎么办", Mode: LexPath, Without: []Stage{IntentScore, Expand}, Explain: true, K: 3, Pool: 4})
	if res.Mode != LexPath || len(res.Hits) != 3 || res.Hits[0].ID != "劳动合同法@2012-12-28:82" || len(res.Notes) > 0 {
		t.Fatalf("ran as %s, found %v, notes %q", res.Mode, ids(res.Hits), res.Notes)
	}
	top := res.Hits[0].Scores
	if *top.Rerank != 1 || top.Final != *top.Fused+1 || len(r.read) != 4 || !strings.HasPrefix(r.read[0], "中华人民共和国") {
		t.Errorf("scores %+v; read %q", top, r.read)
	}
	r.err = errors.New("out of memory")
	if _, err := e.Search(t.Context(), Query{Text: "离婚", Mode: LexPath, Without: []Stage{IntentScore, Expand}}); !errors.Is(err, r.err) {
		t.Errorf("a failure gave %v", err)
	}
	if res := find(t, e, Query{Text: "离婚", Mode: Hybrid}); len(res.Hits) == 0 {
		t.Error("a mode that doesn't rerank asked the cross-encoder")
	}
}
