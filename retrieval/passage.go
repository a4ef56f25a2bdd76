package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/model"
	"lexagent/state"
)

// ReaderFile lies in the folder of the encoder: trees that tell which passage of an
// article answers a question.
const ReaderFile = "reader.json"

// Passage is a part of a hit: sentences, paragraphs (款) and items (项) that stand
// together, or a list's lead sentence with one of its items.
type Passage struct {
	Hit   int     // its place among the hits
	Text  string  // its sentences as they stand in the article, a line for each paragraph
	Score float64 // how much of it, and of an answer to the question, are the same: an estimate of F1
	Whole bool    // it is the whole unit

	row []float64 // of features
}

// Bounds of what is read.
const (
	maxSentences    = 24  // of all hits, encoded: those that share most with the question
	maxPassageRunes = 700 // of a passage
	maxRun          = 6   // paragraphs in a run
	maxWindow       = 3   // sentences in a window
)

// Encoder is what a reader compares sentences by.
type sentenceEncoder interface {
	Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error)
}

// Reader finds the passages of hits that answer a question: the best contiguous
// sentences rather than the first article. It is safe for concurrent use.
type Reader struct {
	encoder sentenceEncoder
	trees   *trees                   // nil while one is trained
	known   *state.Recent[[]float32] // vectors of sentences: people ask about the same articles
}

// knownBytes is how much of vectors is kept, some 6,000 sentences.
const knownBytes = 16 << 20

// OpenReader opens the reader in dir, the folder of e. A folder without one gives an
// error that is fs.ErrNotExist.
func OpenReader(dir string, e sentenceEncoder) (*Reader, error) {
	path := filepath.Join(dir, ReaderFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the reader: %w", err)
	}
	t, err := readTrees(raw, passageFeatures)
	if err != nil {
		return nil, fmt.Errorf("read the reader %s: %w", path, err)
	}
	r := NewReader(e)
	r.trees = t
	return r, nil
}

// NewReader returns a reader without trees, to train one with.
func NewReader(e sentenceEncoder) *Reader {
	return &Reader{encoder: e, known: state.NewRecent[[]float32](knownBytes)}
}

// Read returns the passages of hits, those that answer the question best first.
func (r *Reader) Read(ctx context.Context, question string, hits []Hit) ([]Passage, error) {
	if r.trees == nil {
		return nil, errors.New("the reader has not been trained")
	}
	all, err := r.passages(ctx, question, hits)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Score = r.trees.score(all[i].row)
	}
	slices.SortStableFunc(all, func(a, b Passage) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}

// Row is a passage as a reader learns from it.
type Row struct {
	Text string    `json:"text"`
	Row  []float64 `json:"row"`
}

// PassageFeatures names the features of a row.
func PassageFeatures() []string { return slices.Clone(passageFeatures) }

// Rows returns every passage of hits with its features.
func (r *Reader) Rows(ctx context.Context, question string, hits []Hit) ([]Row, error) {
	all, err := r.passages(ctx, question, hits)
	if err != nil {
		return nil, err
	}
	out := make([]Row, len(all))
	for i, p := range all {
		out[i] = Row{p.Text, p.row}
	}
	return out, nil
}

// sentence is one of a hit.
type sentence struct {
	hit, paragraph int
	text           string
	bigrams        map[string]bool
	item           bool    // it begins an item: （一）
	lead           bool    // it ends with a colon
	covers         float64 // share of the question's pairs that it has, rare ones counting more
	tuned, plain   float64 // cosines with the question, on either side
}

// passages cuts the hits into passages and computes their features.
func (r *Reader) passages(ctx context.Context, question string, hits []Hit) ([]Passage, error) {
	q := readQuestion(question)
	all := sentencesOf(hits)
	q.cover(all)
	if err := r.compare(ctx, question, all); err != nil {
		return nil, err
	}
	f := newPassageRows(q, hits, all)
	var out []Passage
	for h := range hits {
		from, to := f.sentences(h)
		for _, span := range spansOf(all[from:to]) {
			for i := range span {
				span[i] += from
			}
			text := textOf(all, span)
			if utf8.RuneCountInString(text) > maxPassageRunes {
				continue
			}
			out = append(out, Passage{Hit: h, Text: textOf(all, withLead(all, span)), Whole: len(span) == to-from, row: f.row(h, span, text)})
		}
	}
	return out, nil
}

// compare fills in how near the sentences are to the question. Those that share least
// with it are not encoded when there are many: they get the lowest of the others.
func (r *Reader) compare(ctx context.Context, question string, all []sentence) error {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].covers, all[a].covers) })
	near := order[:min(len(order), maxSentences)]
	if len(near) == 0 {
		return nil
	}
	texts := make([]string, len(near))
	for i, at := range near {
		texts[i] = all[at].text
	}
	vectors, err := r.vectors(ctx, texts)
	if err != nil {
		return err
	}
	low := [2]float64{1, 1}
	for side, role := range []model.Role{model.Tuned, model.Query} {
		v, err := r.encoder.Encode(ctx, []string{question}, role)
		if err != nil {
			return fmt.Errorf("encode the question: %w", err)
		}
		for i, at := range near {
			cos := 0.0
			for k := range v[0] {
				cos += float64(v[0][k]) * float64(vectors[i][k])
			}
			low[side] = min(low[side], cos)
			if side == 0 {
				all[at].tuned = cos
			} else {
				all[at].plain = cos
			}
		}
	}
	for _, at := range order[len(near):] {
		all[at].tuned, all[at].plain = low[0], low[1]
	}
	return nil
}

// vectors returns the vectors of sentences, encoding those that are not known.
func (r *Reader) vectors(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var fresh []string
	var places []int
	for i, t := range texts {
		v, ok := r.known.Get(t)
		if out[i] = v; !ok {
			fresh, places = append(fresh, t), append(places, i)
		}
	}
	if len(fresh) == 0 {
		return out, nil
	}
	encoded, err := r.encoder.Encode(ctx, fresh, model.Passage)
	if err != nil {
		return nil, fmt.Errorf("encode the sentences: %w", err)
	}
	for i, v := range encoded {
		out[places[i]] = v
		r.known.Put(fresh[i], v, 4*len(v))
	}
	return out, nil
}

// sentencesOf cuts hits into sentences, in order.
func sentencesOf(hits []Hit) []sentence {
	var out []sentence
	for h := range hits {
		for n, line := range strings.Split(hits[h].Text, "\n") {
			for i, s := range strings.SplitAfter(line, "。") {
				if strings.TrimSpace(s) == "" {
					continue
				}
				out = append(out, sentence{
					hit: h, paragraph: n, text: s, bigrams: bigramsOf(s),
					item: i == 0 && itemMark.MatchString(s), lead: endsWithColon(s),
				})
			}
		}
	}
	return out
}

// withLead puts the lead of a list before a passage that begins with one of its items,
// which means nothing without it. Passages are compared and chosen without it.
func withLead(all []sentence, span []int) []int {
	if !all[span[0]].item {
		return span
	}
	at := span[0] - 1
	for at >= 0 && all[at].hit == all[span[0]].hit && !all[at].lead {
		at--
	}
	if at < 0 || all[at].hit != all[span[0]].hit {
		return span
	}
	first := at
	for first > 0 && all[first-1].hit == all[at].hit && all[first-1].paragraph == all[at].paragraph {
		first--
	}
	return append(upTo(first, at), span...)
}

// spansOf lists the passages of one hit's sentences, as their places in it: windows of
// sentences, paragraphs and runs of them, lists with their lead, one item with the lead,
// and the whole.
func spansOf(all []sentence) [][]int {
	var out [][]int
	seen := map[string]bool{}
	add := func(span []int) {
		if key := fmt.Sprint(span); len(span) > 0 && !seen[key] {
			seen[key] = true
			out = append(out, slices.Clone(span))
		}
	}
	for a := range all {
		for b := a; b < min(len(all), a+maxWindow); b++ {
			add(upTo(a, b))
		}
	}
	var paragraphs [][]int
	for i := range all {
		if i > 0 && all[i].paragraph == all[i-1].paragraph {
			last := &paragraphs[len(paragraphs)-1]
			*last = append(*last, i)
		} else {
			paragraphs = append(paragraphs, []int{i})
		}
	}
	for k, p := range paragraphs {
		add(p)
		if !all[p[len(p)-1]].lead {
			continue
		}
		block := slices.Clone(p)
		var items [][]int
		for _, next := range paragraphs[k+1:] {
			if !all[next[0]].item {
				break
			}
			block = append(block, next...)
			items = append(items, next)
		}
		add(block)
		for _, it := range items {
			add(append(slices.Clone(p), it...))
		}
	}
	for a := range paragraphs {
		var run []int
		for b := a; b < min(len(paragraphs), a+maxRun); b++ {
			run = append(run, paragraphs[b]...)
			add(run)
		}
	}
	if len(all) > 0 {
		add(upTo(0, len(all)-1))
	}
	return out
}

func upTo(a, b int) []int {
	out := make([]int, 0, b-a+1)
	for i := a; i <= b; i++ {
		out = append(out, i)
	}
	return out
}

// textOf writes a passage: sentences of one paragraph together, paragraphs on lines.
func textOf(all []sentence, span []int) string {
	var b strings.Builder
	for n, i := range span {
		if n > 0 && all[i].paragraph != all[span[n-1]].paragraph {
			b.WriteByte('\n')
		}
		b.WriteString(all[i].text)
	}
	return strings.TrimSpace(b.String())
}
