package retrieval

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lexagent/book"
	"lexagent/prompts"
	"lexagent/statute"
)

// trusting is a model that trusts the rules, as surely as its weight is large.
func trusting(weight float64, dim int) *IntentModel {
	side := func(columns int) IntentWeights {
		w := IntentWeights{Bias: make([]float64, len(prompts.Intents))}
		for c := range prompts.Intents {
			row := make([]float64, columns)
			row[c] = weight
			w.Weights = append(w.Weights, row)
		}
		return w
	}
	n := len(prompts.Intents) + len(intentWords)
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
			e.IntentModel.Article.Weights[c][len(prompts.Intents)+len(intentWords)+i] = float64(c) // the more of the vector, the less a definition
		}
	}
	for _, h := range find(t, e, q).Hits {
		if h.Intent != prompts.Others {
			t.Errorf("%s: %s; the vector was not looked at", h.ID, h.Intent)
		}
	}
}

// toldBook is a book whose ingest has told what one article is for.
type toldBook struct {
	Book
	unit string
}

func (b toldBook) Intents(_ context.Context, _, _, unit string) (prompts.Odds, error) {
	if unit != b.unit {
		return prompts.Odds{}, nil
	}
	return prompts.Odds{0.9, 0, 0, 0.1}, nil
}

// TestStoredIntentsCount holds that LexPath takes what an ingest stored before what
// the model of intents would tell now, and that only for the rest.
func TestStoredIntentsCount(t *testing.T) {
	e := newEngine(t, all)
	e.Expander, e.Intents = nil, nil
	e.IntentModel = trusting(50, 64)
	q := Query{Text: "撤回离婚登记申请的程序", Mode: LexPath, Expand: NoExpansion, Explain: true, K: 10}
	first := find(t, e, q).Hits[0]
	if first.Intent != prompts.Procedure {
		t.Fatalf("the first article is for %s", first.Intent)
	}
	e.Book = toldBook{e.Book, first.ID}
	told := 0
	for _, h := range find(t, e, q).Hits {
		if h.ID != first.ID {
			if h.Intent != ArticleIntent(h.Text) {
				t.Errorf("%s is for %s, the model says %s", h.ID, h.Intent, ArticleIntent(h.Text))
			}
			continue
		}
		if told++; h.Intent != prompts.Definition || math.Abs(*h.Scores.Intent-0.1) > 1e-6 {
			t.Errorf("the article that was told about is for %s, with a score of %g", h.Intent, *h.Scores.Intent)
		}
	}
	if told != 1 {
		t.Error("the article that was told about is gone")
	}
}

// TestLabelerTakesTheBestThereIs holds the order of those who tell what articles are
// for, and that a reply that is none leaves it to the next.
func TestLabelerTakesTheBestThereIs(t *testing.T) {
	m := trusting(0, 4)
	for c := range m.Article.Weights {
		m.Article.Weights[c][len(prompts.Intents)+len(intentWords)] = float64(50 * c) // by the vector: others
	}
	l := &statute.Law{Title: "示范法"}
	u := &statute.Unit{Label: "第一条", Text: "申请登记应当提交申请书。"} // by the rules: procedure
	vector := []float32{1, 0, 0, 0}
	says := func(reply string) *Prompted {
		return &Prompted{LLM: &script{lines: map[string]string{"intent.article.v1": reply}}}
	}
	for _, c := range []struct {
		what   string
		by     Labeler
		vector []float32
		grade  book.Grade
		name   string
		want   prompts.Intent
	}{
		{"nothing", Labeler{}, vector, book.ByRules, "rules", prompts.Procedure},
		{"the classifier", Labeler{Model: m}, vector, book.ByClassifier, "classifier ", prompts.Others},
		{"no vector", Labeler{Model: m}, nil, book.ByClassifier, "classifier ", prompts.Procedure},
		{"the language model", Labeler{Model: m, LLM: says(`{"intent":"Consequence"}`), Asked: "small"}, vector, book.ByLLM, "language model small, classifier ", prompts.Consequence},
		{"nonsense", Labeler{Model: m, LLM: says("不知道"), Asked: "small"}, vector, book.ByLLM, "language model small, classifier ", prompts.Others},
	} {
		odds, err := c.by.Label(t.Context(), u, l, c.vector)
		if err != nil || odds.Best() != c.want || c.by.Grade() != c.grade || c.by.Name() != c.name {
			t.Errorf("%s: %s by %q of grade %d, %v", c.what, odds.Best(), c.by.Name(), c.by.Grade(), err)
		}
	}
	if _, err := (Labeler{Model: m, LLM: says("down")}).Label(t.Context(), u, l, vector); err == nil {
		t.Error("a language model that is gone is no label by the classifier")
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
