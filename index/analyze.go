package index

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// analyzerVersion changes with every change of what Terms returns.
const analyzerVersion = "words+bigrams/1"

// Analyzer turns text into terms: the words of the text, and the pairs of
// neighbouring characters within a run of Chinese. Words carry meaning; bigrams
// find what the lexicon cuts differently in question and statute. A word of two
// characters is its own bigram and so counts twice, which measured better than
// counting it once. Documents and queries are analysed alike.
//
// An Analyzer is safe for concurrent use.
type Analyzer struct {
	segmenter *Segmenter
	name      string
}

// NewAnalyzer returns the analyzer over the embedded lexicon.
func NewAnalyzer() (*Analyzer, error) {
	l, err := DefaultLexicon()
	if err != nil {
		return nil, err
	}
	return &Analyzer{segmenter: NewSegmenter(l), name: analyzerVersion + "/" + l.ID()}, nil
}

// Name identifies the analyzer and its lexicon: terms of analyzers with different
// names don't compare.
func (a *Analyzer) Name() string { return a.name }

// Words returns the words of text in order: Chinese words, Latin words and
// numbers in lower case, and article references as 第120条之1.
func (a *Analyzer) Words(text string) []string {
	folded := Fold(text)
	words := make([]string, 0, len(folded)/4)
	for run, kind := range runs(folded) {
		if kind == chinese {
			words = a.segmenter.Cut(words, run)
		} else {
			words = append(words, run)
		}
	}
	return words
}

// Terms returns the terms of text, with repeats: words in order, each run of
// Chinese followed by its bigrams.
func (a *Analyzer) Terms(text string) []string {
	folded := Fold(text)
	terms := make([]string, 0, len(folded)/2)
	for run, kind := range runs(folded) {
		if kind == chinese {
			terms = bigrams(a.segmenter.Cut(terms, run), run)
		} else {
			terms = append(terms, run)
		}
	}
	return terms
}

// bigrams appends the pairs of neighbouring characters of run.
func bigrams(terms []string, run string) []string {
	before := -1
	for i, r := range run {
		if before >= 0 {
			terms = append(terms, run[before:i+utf8.RuneLen(r)])
		}
		before = i
	}
	return terms
}

// runKind is what a run of folded text consists of.
type runKind int

const (
	chinese runKind = iota
	latin           // letters of other scripts, and digits
	citation
)

// runs yields the runs of folded text.
func runs(folded string) iter.Seq2[string, runKind] {
	return func(yield func(string, runKind) bool) {
		for len(folded) > 0 {
			n, kind := nextRun(folded)
			if n > 0 && !yield(folded[:n], kind) {
				return
			}
			folded = strings.TrimPrefix(folded[n:], string(stop))
		}
	}
}

// nextRun measures the run at the head of folded text, in bytes.
func nextRun(folded string) (int, runKind) {
	first, size := utf8.DecodeRuneInString(folded)
	if first == '第' && len(folded) > size && isDigit(rune(folded[size])) {
		if n := citationLength(folded); n > 0 {
			return n, citation
		}
	}
	for i, r := range folded {
		if r == stop || isHan(r) != isHan(first) {
			return i, kindOf(first)
		}
	}
	return len(folded), kindOf(first)
}

func kindOf(r rune) runKind {
	if isHan(r) {
		return chinese
	}
	return latin
}

// citationLength measures 第N条[之M], which Fold puts between stops.
func citationLength(folded string) int {
	end := strings.IndexRune(folded, stop)
	if end < 0 || !strings.Contains(folded[:end], "条") {
		return 0
	}
	for _, r := range folded[:end] {
		if !isDigit(r) && r != '第' && r != '条' && r != '之' {
			return 0
		}
	}
	return end
}
