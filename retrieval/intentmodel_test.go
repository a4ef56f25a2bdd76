package retrieval

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lexagent/prompts"
)

// trusting is a model that trusts the rules, as surely as its weight is large.
func trusting(weight float64, dim int) *IntentModel {
	side := func(columns int) IntentWeights {
		w := IntentWeights{Bias: make([]float64, len(intentOrder))}
		for c := range intentOrder {
			row := make([]float64, columns)
			row[c] = weight
			w.Weights = append(w.Weights, row)
		}
		return w
	}
	n := len(intentOrder) + len(intentWords)
	return &IntentModel{Article: side(n + dim), Question: side(n)}
}

func TestIntentsByRules(t *testing.T) {
	for text, want := range map[string]prompts.Intent{
		"什么是消费保管合同？": prompts.Definition, "劳动仲裁的时效怎么算": prompts.Procedure, "醉驾会坐牢吗": prompts.Consequence, "保管人可以改变保管场所吗？": prompts.Applicability, "😀": prompts.Applicability,
	} {
		if got := QuestionIntent(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestAgreementIsTheFormulaWhereIntentsAreCertain holds that distributions give
// LexPath's formula 5 for labels, and a share for what is open.
func TestAgreementIsTheFormulaWhereIntentsAreCertain(t *testing.T) {
	for _, a := range intentOrder {
		for _, b := range intentOrder {
			p, q := certain(a), certain(b)
			if got := agree(&p, &q); got != flag(a == b) || p.best() != a {
				t.Errorf("%s and %s: %g", a, b, got)
			}
		}
	}
	open, sure := likelihoods{0.5, 0, 0.5}, certain(prompts.Consequence)
	if got := agree(&open, &sure); got != 0.5 {
		t.Errorf("half of the probability is shared, not %g", got)
	}
	if none := (likelihoods{}); none.best() != "" {
		t.Errorf("nothing is known, and the best is %s", none.best())
	}
}

// TestLexPathWithoutALanguageModel holds that the model of intents takes the place of
// the language model's label, and that its article part reads the stored vectors.
func TestLexPathWithoutALanguageModel(t *testing.T) {
	e := newEngine(t, all)
	e.Expander, e.Intents = nil, nil
	e.IntentModel = trusting(50, 64)
	q := Query{Text: "撤回离婚登记申请的程序", Mode: LexPath, Expand: NoExpansion, Explain: true, K: 10}
	res := find(t, e, q)
	if res.Mode != LexPath || res.QueryIntent != prompts.Procedure || res.LLM != nil {
		t.Fatalf("ran as %s with intent %q, model %+v", res.Mode, res.QueryIntent, res.LLM)
	}
	for _, h := range res.Hits {
		if want := flag(ArticleIntent(h.Text) == prompts.Procedure); h.Scores.Intent == nil || math.Abs(*h.Scores.Intent-want) > 1e-6 {
			t.Errorf("%s: intent score %v, want %g", h.ID, h.Scores.Intent, want)
		}
	}
	e.IntentModel = trusting(0, 64)
	for c := range e.IntentModel.Article.Weights {
		for i := range 64 {
			e.IntentModel.Article.Weights[c][len(intentOrder)+len(intentWords)+i] = float64(c) // the more of the vector, the less a definition
		}
	}
	for _, h := range find(t, e, q).Hits {
		if h.Intent != prompts.Others {
			t.Errorf("%s: %s; the vector was not looked at", h.ID, h.Intent)
		}
	}
}

func TestBadIntentModelsAreRefused(t *testing.T) {
	whole, err := json.Marshal(trusting(1, 64))
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		raw string
		dim int
	}{"truncated": {string(whole[:100]), 64}, "another encoder's": {string(whole), 32}, "empty": {"{}", 64}} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, IntentsFile), []byte(c.raw), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenIntents(dir, c.dim); err == nil || !strings.Contains(err.Error(), "fetch it again") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
