package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unigram cuts text into the pieces of greatest probability, as SentencePiece does
// (Kudo 2018) and with it XLM-R and its descendants. Its ids equal those of Python's
// tokenizers library for both forms in which tokenizer.json files hold such a model.
// It is read-only after it was read.
type unigram struct {
	pieces  map[string]scored
	longest int     // piece, in bytes
	unknown scored  // of a character that no piece holds
	steps   []step  // of normalisation
	split   bool    // words are parted at white space first
	begin   []int64 // <s>
	end     []int64 // </s>
}

type scored struct {
	id    int64
	score float64 // logarithm of its probability
}

// step turns text into what the next one sees.
type step func(string) string

// blank is what SentencePiece writes for a space.
const blank = "▁"

// unknownPenalty is how much less likely an unknown character is than the least
// likely piece.
const unknownPenalty = 10

// unigramFile is the part of tokenizer.json that matters here.
type unigramFile struct {
	AddedTokens []struct {
		Content string `json:"content"`
	} `json:"added_tokens"`
	Normalizer   *normalizerFile   `json:"normalizer"`
	PreTokenizer *pretokenizerFile `json:"pre_tokenizer"`
	Model        struct {
		Unknown  *int    `json:"unk_id"`
		Vocab    [][]any `json:"vocab"` // pairs of piece and score
		Fallback bool    `json:"byte_fallback"`
	} `json:"model"`
}

type normalizerFile struct {
	Type     string           `json:"type"`
	Charsmap []byte           `json:"precompiled_charsmap"`
	Left     bool             `json:"strip_left"`
	Right    bool             `json:"strip_right"`
	Content  string           `json:"content"`
	Steps    []normalizerFile `json:"normalizers"`
	Pattern  struct {
		String string `json:"String"`
		Regex  string `json:"Regex"`
	} `json:"pattern"`
}

type pretokenizerFile struct {
	Type        string             `json:"type"`
	Replacement string             `json:"replacement"`
	Scheme      string             `json:"prepend_scheme"`
	Prefix      bool               `json:"add_prefix_space"`
	Steps       []pretokenizerFile `json:"pretokenizers"`
}

// controls are XLM-R's control tokens, which text never becomes.
var controls = []string{"<s>", "<pad>", "</s>", "<unk>", "<mask>"}

func parseUnigram(data []byte) (*unigram, error) {
	var f unigramFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is damaged or not JSON: %w", err)
	}
	u := &unigram{}
	if err := u.fill(&f); err != nil {
		return nil, err
	}
	if f.Normalizer != nil {
		if err := u.normalizer(f.Normalizer); err != nil {
			return nil, err
		}
	}
	if f.PreTokenizer == nil {
		return nil, errors.New("it has no pre_tokenizer, and Metaspace is needed")
	}
	steps := f.PreTokenizer.Steps
	if f.PreTokenizer.Type != "Sequence" {
		steps = []pretokenizerFile{*f.PreTokenizer}
	}
	if u.split = len(steps) == 2 && steps[0].Type == "WhitespaceSplit"; u.split {
		steps = steps[1:]
	}
	if len(steps) != 1 || steps[0].Type != "Metaspace" || steps[0].Replacement != blank || steps[0].Scheme != "always" && (steps[0].Scheme != "" || !steps[0].Prefix) {
		return nil, errors.New("its pre_tokenizer is not understood: Metaspace with a blank before each text is, after WhitespaceSplit or alone")
	}
	return u, nil
}

// fill reads the pieces and the control tokens.
func (u *unigram) fill(f *unigramFile) error {
	n := len(f.Model.Vocab)
	if f.Model.Unknown == nil || *f.Model.Unknown < 0 || *f.Model.Unknown >= n || f.Model.Fallback {
		return errors.New("it has no unknown token, or pieces for single bytes, which are not understood")
	}
	control := map[string]bool{}
	for _, c := range controls {
		control[c] = true
	}
	for _, a := range f.AddedTokens {
		control[a.Content] = true
	}
	u.pieces = make(map[string]scored, n)
	least := math.Inf(1)
	for id, pair := range f.Model.Vocab {
		piece, score, ok := pieceOf(pair)
		if !ok {
			return fmt.Errorf("its piece %d is no pair of text and score", id)
		}
		least = min(least, score)
		switch piece {
		case "<s>":
			u.begin = []int64{int64(id)}
		case "</s>":
			u.end = []int64{int64(id)}
		}
		if piece != "" && !control[piece] {
			u.pieces[piece] = scored{int64(id), score}
			u.longest = max(u.longest, len(piece))
		}
	}
	if u.begin == nil || u.end == nil {
		return errors.New("it lacks <s> or </s>")
	}
	u.unknown = scored{int64(*f.Model.Unknown), least - unknownPenalty}
	return nil
}

func pieceOf(pair []any) (piece string, score float64, ok bool) {
	if len(pair) != 2 {
		return "", 0, false
	}
	piece, isText := pair[0].(string)
	score, isNumber := pair[1].(float64)
	return piece, score, isText && isNumber
}

// normalizer adds the steps that a description stands for.
func (u *unigram) normalizer(f *normalizerFile) error {
	switch f.Type {
	case "Sequence":
		for i := range f.Steps {
			if err := u.normalizer(&f.Steps[i]); err != nil {
				return err
			}
		}
	case "Precompiled":
		c, err := readCharsmap(f.Charsmap)
		if err != nil {
			return err
		}
		u.steps = append(u.steps, c.replace)
	case "Strip":
		u.steps = append(u.steps, func(text string) string {
			if f.Left {
				text = strings.TrimLeftFunc(text, unicode.IsSpace)
			}
			if f.Right {
				text = strings.TrimRightFunc(text, unicode.IsSpace)
			}
			return text
		})
	case "Replace":
		pattern := f.Pattern.Regex
		if pattern == "" {
			pattern = regexp.QuoteMeta(f.Pattern.String)
		}
		re, err := regexp.Compile(pattern)
		if err != nil || pattern == "" {
			return fmt.Errorf("its normaliser replaces %q, which is not understood", pattern)
		}
		u.steps = append(u.steps, func(text string) string { return re.ReplaceAllLiteralString(text, f.Content) })
	default:
		return fmt.Errorf("its normaliser has the step %q, which is not understood", f.Type)
	}
	return nil
}

// encode returns the ids of text, at most limit, without control tokens. Invalid
// UTF-8 counts as U+FFFD.
func (u *unigram) encode(text string, limit int) []int64 {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for _, s := range u.steps {
		text = s(text)
	}
	words := []string{text}
	if u.split {
		words = strings.FieldsFunc(text, unicode.IsSpace)
	}
	var ids []int64
	for _, word := range words {
		if word == "" {
			continue
		}
		word = strings.ReplaceAll(word, " ", blank)
		if !strings.HasPrefix(word, blank) {
			word = blank + word
		}
		for word != "" && len(ids) < limit {
			n := len(word)
			if i := strings.Index(word[len(blank):], blank); i >= 0 {
				n = len(blank) + i
			}
			ids = append(ids, u.best(word[:n])...)
			word = word[n:]
		}
	}
	return ids[:min(len(ids), limit)]
}

// reached is the end of a piece on the best way through a text.
type reached struct {
	score float64
	from  int // where the piece begins; -1 = nothing ends here yet
	id    int64
}

// best is Viterbi's way through text: the pieces of the greatest sum of scores, the
// earlier found of equal ones. Neighbouring unknown characters become one.
func (u *unigram) best(text string) []int64 {
	ends := make([]reached, len(text)+1)
	for i := range ends {
		ends[i].from = -1
	}
	for at := 0; at < len(text); {
		_, n := utf8.DecodeRuneInString(text[at:])
		so := ends[at].score
		reach := func(length int, p scored) {
			if e := &ends[at+length]; e.from < 0 || so+p.score > e.score {
				*e = reached{so + p.score, at, p.id}
			}
		}
		alone := false
		for length := 1; length <= min(u.longest, len(text)-at); length++ {
			if p, ok := u.pieces[text[at:at+length]]; ok {
				reach(length, p)
				alone = alone || length == n
			}
		}
		if !alone {
			reach(n, u.unknown)
		}
		at += n
	}
	var ids []int64
	for at := len(text); at > 0; at = ends[at].from {
		if id := ends[at].id; id != u.unknown.id || len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids
}
