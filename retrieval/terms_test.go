package retrieval

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lessons are questions with the terms of an article that governs them.
func lessons() []TermPair {
	quit := []string{"解除", "劳动合同", "经济补偿", "应当"}
	part := []string{"离婚", "登记", "撤回", "应当"}
	return []TermPair{
		{[]string{"炒鱿鱼", "老板"}, quit}, {[]string{"炒鱿鱼", "赔钱"}, quit}, {[]string{"炒鱿鱼"}, quit},
		{[]string{"散伙", "老婆"}, part}, {[]string{"散伙", "反悔"}, part}, {[]string{"老板", "反悔"}, part},
	}
}

// learned are the terms of the lessons; every article of a hundred has 应当, few the others.
func learned(t *testing.T) []byte {
	t.Helper()
	raw, err := LearnTerms(lessons(), func(term string) int {
		if term == "应当" {
			return 100
		}
		return 3
	}, 100)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTermsExpandLayQuestions(t *testing.T) {
	terms, err := readTerms(learned(t))
	if err != nil {
		t.Fatal(err)
	}
	rarity := func(term string) float64 {
		switch term {
		case "应当", "老婆", "炒鱿鱼":
			return 0 // in all articles, in none
		}
		return 2
	}
	found := terms.expand([]string{"炒鱿鱼", "赔钱"}, rarity)
	sum, names := 0.0, []string{}
	for _, f := range found {
		sum += f.weight
		names = append(names, f.term)
	}
	if got := strings.Join(names, " "); got != "劳动合同 经济补偿 解除" {
		t.Errorf("炒鱿鱼 is expanded by %q", got)
	}
	if math.Abs(sum-termsShare*2) > 1e-9 {
		t.Errorf("the terms added weigh %g, not %g of the question's 2", sum, termsShare)
	}
	if found := terms.expand([]string{"散伙", "离婚"}, rarity); len(found) == 0 || found[0].term == "离婚" {
		t.Errorf("a term of the question itself was added: %v", found)
	}
	for _, question := range [][]string{nil, {"天气"}, {"老婆", "天气"}} {
		if found := terms.expand(question, rarity); len(found) > 0 {
			t.Errorf("%v was expanded by %v", question, found)
		}
	}
}

func TestDistilledExpansionFindsWhatIsWordedOtherwise(t *testing.T) {
	e := newEngine(t, all)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, TermsFile), []byte(`{"terms":{"反悔":[["三十日",0.9],["从未见过",0.5]]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if e.Terms, err = OpenTerms(dir); err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "婚姻登记机关反悔", Mode: BM25, Expand: Distilled, Explain: true}
	res := find(t, e, q)
	if len(res.Hits) == 0 || res.Hits[0].ID != "民法典@2020-05-28:1077" || res.Expansion == nil || res.Expansion.Text != "三十日" || len(res.Notes) > 0 {
		t.Errorf("found %v, expansion %+v, notes %q", ids(res.Hits), res.Expansion, res.Notes)
	}
	e.Terms = nil
	if res := find(t, e, q); len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "词语关联表") {
		t.Errorf("without terms: %q", res.Notes)
	}
}

func TestBadTermsAreRefused(t *testing.T) {
	if _, err := OpenTerms(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder gave %v", err)
	}
	for _, bad := range []string{`{"terms":{"a":[["b"`, `{"terms":{}}`, `{"terms":{"a":[[1,1]]}}`, `{"terms":{"a":[["b",-1]]}}`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, TermsFile), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTerms(dir); err == nil || !strings.Contains(err.Error(), "fetch it again") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
