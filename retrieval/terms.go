package retrieval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lexagent/index"
)

// TermsFile holds Terms in the folder of the encoder.
const TermsFile = "terms.json"

// Terms tell, of a term in lay questions, which terms stand in the articles that
// govern such questions. They expand a question without a language model.
type Terms struct {
	by       map[string][]association
	analyzer *index.Analyzer
}

// association is a term of statutes that goes with a term of questions.
type association struct {
	term   string
	weight float64 // how much more often than by chance, and how surely
}

// termsFile is how Terms lie on disk: by term of questions, pairs of term and weight.
type termsFile struct {
	Terms map[string][][2]any `json:"terms"`
}

// TermPair is a question of the training data with one article that governs it, as
// the terms of both.
type TermPair struct {
	Question, Article []string
}

// What is learned and kept.
const (
	commonTerm   = 6000 // a term that more articles have tells nothing
	termPairs    = 2    // a pair of terms must have met in so many
	termPrior    = 5    // pairs' worth of the corpus's frequencies, to smooth those of the few golds
	keptByTerm   = 20   // associations of a term
	termsAdded   = 10   // terms that a question is expanded by
	termsShare   = 0.25 // their weight, of the question's own
	layRarity    = 10   // IDF of a term that lay questions have and no article has: that of one that few have
	confidenceAt = 2    // meetings at which an association counts half
)

// LearnTerms makes the file of Terms: by how often a term of an article meets a term
// of the questions that it governs, against how often it would by chance. documents
// returns how many of the n articles of the corpus have a term.
func LearnTerms(pairs []TermPair, documents func(term string) int, n int) ([]byte, error) {
	asked, told := map[string]int{}, map[string]int{}
	met := map[string]map[string]int{}
	for _, p := range pairs {
		article := slices.DeleteFunc(distinct(p.Article), func(t string) bool { d := documents(t); return d == 0 || d > commonTerm })
		for _, t := range article {
			told[t]++
		}
		for _, s := range distinct(p.Question) {
			asked[s]++
			if met[s] == nil {
				met[s] = map[string]int{}
			}
			for _, t := range article {
				met[s][t]++
			}
		}
	}
	f := termsFile{Terms: map[string][][2]any{}}
	for s, with := range met {
		var found []association
		for t, c := range with {
			chance := (float64(told[t]) + termPrior*float64(documents(t))/float64(n)) / float64(len(pairs)+termPrior)
			share := (float64(c) + 2*chance) / float64(asked[s]+2)
			if v := float64(c) / float64(c+confidenceAt) * math.Log(share/chance); c >= termPairs && v > 0 {
				found = append(found, association{t, share * v})
			}
		}
		rarity := func(a association) float64 { return a.weight * math.Log(float64(n)/float64(documents(a.term))) }
		slices.SortFunc(found, func(a, b association) int {
			return cmp.Or(cmp.Compare(rarity(b), rarity(a)), strings.Compare(a.term, b.term))
		})
		for _, a := range found[:min(len(found), keptByTerm)] {
			f.Terms[s] = append(f.Terms[s], [2]any{a.term, math.Round(a.weight*1e4) / 1e4})
		}
	}
	return json.Marshal(f)
}

func distinct(terms []string) []string {
	set := map[string]bool{}
	for _, t := range terms {
		set[t] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// OpenTerms reads the Terms in dir. A folder without any gives an error that is
// fs.ErrNotExist.
func OpenTerms(dir string) (*Terms, error) {
	path := filepath.Join(dir, TermsFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the terms of questions: %w", err)
	}
	t, err := readTerms(raw)
	if err != nil {
		return nil, unusable("terms of questions", path, err)
	}
	return t, nil
}

func readTerms(raw []byte) (*Terms, error) {
	var f termsFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	t := &Terms{by: make(map[string][]association, len(f.Terms))}
	for s, pairs := range f.Terms {
		for _, p := range pairs {
			term, isText := p[0].(string)
			weight, isNumber := p[1].(float64)
			if !isText || !isNumber || weight < 0 {
				return nil, errors.New("it has an association that is no pair of a term and a weight")
			}
			t.by[s] = append(t.by[s], association{term, weight})
		}
	}
	if len(t.by) == 0 {
		return nil, errors.New("it has no terms")
	}
	var err error
	t.analyzer, err = index.NewAnalyzer()
	return t, err
}

// lexical is a store that tells of single terms.
type lexical interface {
	Term(term string) (id uint32, idf float64, ok bool)
}

// distil appends the terms that go with those of the question.
func (s *search) distil() {
	store, ok := s.store.(lexical)
	if s.engine.Terms == nil || !ok {
		if s.q.Mode == BM25 || s.q.Mode == Hybrid { // who asked for it; the other modes do without
			s.note("没有可用的词语关联表，本次按原问题检索。")
		}
		return
	}
	t := s.engine.Terms
	added := t.expand(t.analyzer.Terms(s.q.Text), func(term string) float64 {
		_, idf, _ := store.Term(term)
		return idf
	})
	names := make([]string, len(added))
	weights := map[uint32]float32{}
	for i, term := range s.words.Terms {
		weights[term] = s.words.Weights[i]
	}
	for i, a := range added {
		names[i] = a.term
		id, _, _ := store.Term(a.term)
		weights[id] += float32(a.weight)
	}
	if s.expanded = true; s.q.Explain {
		s.result.Expansion = &Expanded{Kind: Distilled, Text: strings.Join(names, "、")}
	}
	s.sparse = index.Sparse{Terms: slices.Sorted(maps.Keys(weights))}
	for _, term := range s.sparse.Terms {
		s.sparse.Weights = append(s.sparse.Weights, weights[term])
	}
}

// weighed is a term of a question with its weight there.
type weighed struct {
	term   string
	weight float64
}

// expand returns the terms that go best with those of a question, none of them its
// own, with weights that sum up to termsShare of the question's. rarity is a term's
// IDF, 0 for one that no article has.
func (t *Terms) expand(question []string, rarity func(term string) float64) []weighed {
	own, whole := map[string]float64{}, 0.0
	for _, s := range question {
		w := rarity(s)
		whole += w
		if w == 0 && t.by[s] != nil {
			w = layRarity
		}
		own[s] += w
	}
	scores := map[string]float64{}
	for _, s := range slices.Sorted(maps.Keys(own)) { // sums must not depend on the order of a map
		for _, a := range t.by[s] {
			if _, ok := own[a.term]; !ok {
				scores[a.term] += own[s] * a.weight
			}
		}
	}
	found := make([]weighed, 0, len(scores))
	for term, w := range scores {
		if r := rarity(term); r > 0 && w > 0 {
			found = append(found, weighed{term, w * r})
		}
	}
	slices.SortFunc(found, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.term, b.term))
	})
	found = found[:min(len(found), termsAdded)]
	sum := 0.0
	for i := range found {
		found[i].weight = scores[found[i].term]
		sum += found[i].weight
	}
	for i := range found {
		found[i].weight *= termsShare * whole / sum
	}
	return found
}
