package model

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Tokenizer cuts text into WordPiece ids as BERT does (Devlin et al. 2019,
// appendix; the rules are those of Python's tokenizers library, and the ids are
// equal to its ids). It is read-only after it was read, and safe for use by many
// goroutines.
type Tokenizer struct {
	first  map[string]int32 // pieces that begin a word
	rest   map[string]int32 // pieces that go on ("##x", kept without "##")
	single []int32          // id of each one-rune word of the basic plane, -1 = none
	// longest bounds the search for a match; in bytes.
	longestFirst, longestRest int

	special  []specialToken
	cls, sep int64
	unk      int32

	maxWordRunes                int
	clean, spaceCJK, strip, low bool
}

type specialToken struct {
	text string
	id   int64
}

// tokenizerFile is the part of Hugging Face's tokenizer.json that matters here.
type tokenizerFile struct {
	AddedTokens []struct {
		ID         int64  `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
		Special    bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		ChineseChars bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type         string           `json:"type"`
		Unknown      string           `json:"unk_token"`
		Prefix       string           `json:"continuing_subword_prefix"`
		MaxWordRunes int              `json:"max_input_chars_per_word"`
		Vocab        map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// ReadTokenizer reads a tokenizer.json that holds a BERT WordPiece tokenizer, and
// refuses any other kind.
func ReadTokenizer(path string) (*Tokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the tokenizer: %w", err)
	}
	t, err := parseTokenizer(data)
	if err != nil {
		return nil, fmt.Errorf("read the tokenizer %s: %w", path, err)
	}
	return t, nil
}

func parseTokenizer(data []byte) (*Tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is damaged or not JSON: %w", err)
	}
	if f.Model.Type != "WordPiece" || f.Normalizer.Type != "BertNormalizer" || f.PreTokenizer.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("it holds %q with %q and %q, and only BERT's WordPiece is understood",
			f.Model.Type, f.Normalizer.Type, f.PreTokenizer.Type)
	}
	if f.Model.MaxWordRunes <= 0 || f.Model.Prefix == "" {
		return nil, fmt.Errorf("max_input_chars_per_word or continuing_subword_prefix is missing")
	}
	t := &Tokenizer{
		maxWordRunes: f.Model.MaxWordRunes,
		clean:        f.Normalizer.CleanText,
		spaceCJK:     f.Normalizer.ChineseChars,
		low:          f.Normalizer.Lowercase,
		strip:        f.Normalizer.Lowercase,
	}
	if f.Normalizer.StripAccents != nil {
		t.strip = *f.Normalizer.StripAccents
	}
	for _, a := range f.AddedTokens {
		if a.Content == "" || !a.Special || a.Normalized || a.SingleWord || a.LStrip || a.RStrip {
			return nil, fmt.Errorf("the added token %q has options that are not understood", a.Content)
		}
		t.special = append(t.special, specialToken{a.Content, a.ID})
	}
	return t, t.fill(f.Model.Vocab, f.Model.Prefix, f.Model.Unknown)
}

// fill sorts the vocabulary into the tables that the search uses.
func (t *Tokenizer) fill(vocab map[string]int32, prefix, unknown string) error {
	t.first = make(map[string]int32, len(vocab))
	t.rest = make(map[string]int32)
	t.single = make([]int32, 1<<16)
	for i := range t.single {
		t.single[i] = -1
	}
	for piece, id := range vocab {
		if id < 0 {
			return fmt.Errorf("the piece %q has the negative id %d", piece, id)
		}
		// A piece such as "##" is also a word of its own spelling: punctuation is
		// cut apart before, so such a word never comes, but the table is exact.
		t.first[piece] = id
		t.longestFirst = max(t.longestFirst, len(piece))
		if tail, ok := strings.CutPrefix(piece, prefix); ok {
			t.rest[tail] = id
			t.longestRest = max(t.longestRest, len(tail))
		}
		if r, n := utf8.DecodeRuneInString(piece); n == len(piece) && n > 0 && r < 1<<16 {
			t.single[r] = id
		}
	}
	for _, need := range []struct {
		name string
		set  func(int32)
	}{
		{"[CLS]", func(id int32) { t.cls = int64(id) }},
		{"[SEP]", func(id int32) { t.sep = int64(id) }},
		{unknown, func(id int32) { t.unk = id }},
	} {
		id, ok := vocab[need.name]
		if !ok {
			return fmt.Errorf("the vocabulary lacks %q", need.name)
		}
		need.set(id)
	}
	return nil
}

// Encode returns [CLS], the ids of text, and [SEP]: at most limit ids (limit ≥ 2;
// the text's tail is cut). Text such as "[SEP]" is ordinary text and never becomes
// a control token, so it is safe for what users write. Invalid UTF-8 counts as
// U+FFFD, which is dropped.
func (t *Tokenizer) Encode(text string, limit int) []int64 {
	w := t.begin(text, limit)
	w.add(text)
	return append(w.ids, t.sep)
}

// EncodeMarkup is Encode for text that one wrote oneself: a special token spelt
// out in it, such as "[MASK]", becomes that token, as in Python by default.
func (t *Tokenizer) EncodeMarkup(text string, limit int) []int64 {
	w := t.begin(text, limit)
	for text != "" && !w.full() {
		at, token := t.nextSpecial(text)
		w.add(text[:at])
		if token.text == "" {
			break
		}
		if !w.full() {
			w.ids = append(w.ids, token.id)
		}
		text = text[at+len(token.text):]
	}
	return append(w.ids, t.sep)
}

// nextSpecial finds the leftmost special token, the longest of those that begin
// there; without one it returns the end of the text.
func (t *Tokenizer) nextSpecial(text string) (int, specialToken) {
	at, found := len(text), specialToken{}
	for _, s := range t.special {
		i := strings.Index(text, s.text)
		if i >= 0 && (i < at || i == at && len(s.text) > len(found.text)) {
			at, found = i, s
		}
	}
	return at, found
}

func (t *Tokenizer) begin(text string, limit int) *writer {
	limit = max(limit, 2)
	w := &writer{t: t, limit: limit - 1}
	w.ids = append(make([]int64, 0, min(limit, len(text)+2)), t.cls)
	return w
}

// writer collects the ids of one text.
type writer struct {
	t     *Tokenizer
	ids   []int64
	limit int    // ids before the final [SEP]
	word  []byte // the word that is being read, normalised
	runes int    // its length in runes
}

func (w *writer) full() bool { return len(w.ids) >= w.limit }

// add appends the ids of text, up to the limit.
func (w *writer) add(text string) {
	// norm takes a broken sequence and the letter after it for one normal piece.
	if w.t.strip && (!utf8.ValidString(text) || !norm.NFD.IsNormalString(text)) {
		text = w.t.decompose(text)
	}
	for i := 0; i < len(text) && !w.full(); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		i += n
		w.rune(r)
	}
	w.endWord()
}

// rune takes the next rune of the text.
func (w *writer) rune(r rune) {
	switch {
	case r < utf8.RuneSelf:
		w.ascii(byte(r))
	case 0x4E00 <= r && r <= 0x9FFF && w.t.spaceCJK: // most of the text: asked first
		w.alone(r)
	case w.t.clean && dropped(r):
	case unicode.IsSpace(r):
		w.endWord()
	case w.t.spaceCJK && isCJK(r):
		w.alone(r)
	case w.t.strip && unicode.Is(unicode.Mn, r):
	default:
		w.letter(r)
	}
}

// ascii is rune for the first 128, which need no tables.
func (w *writer) ascii(c byte) {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		w.word = append(w.word, c)
		w.runes++
	case 'A' <= c && c <= 'Z':
		if w.t.low {
			c += 'a' - 'A'
		}
		w.word = append(w.word, c)
		w.runes++
	case c == ' ' || '\t' <= c && c <= '\r' && (!w.t.clean || c != '\v' && c != '\f'):
		w.endWord()
	case c < ' ' || c == 0x7f:
		if !w.t.clean {
			w.letter(rune(c))
		}
	default:
		w.alone(rune(c))
	}
}

// letter takes a rune that is neither space nor Chinese.
func (w *writer) letter(r rune) {
	if w.t.low {
		if r == 'İ' { // the only rune whose lower case is two
			w.word = append(w.word, 'i')
			w.runes++
			r = '\u0307'
		}
		r = unicode.ToLower(r)
	}
	if unicode.IsPunct(r) {
		w.alone(r)
		return
	}
	w.word = utf8.AppendRune(w.word, r)
	w.runes++
}

// alone ends the word before and makes a word of one rune.
func (w *writer) alone(r rune) {
	w.endWord()
	if w.full() {
		return
	}
	id := int32(-1)
	if r < 1<<16 {
		id = w.t.single[r]
	} else if known, ok := w.t.first[string(r)]; ok {
		id = known
	}
	if id < 0 {
		id = w.t.unk
	}
	w.ids = append(w.ids, int64(id))
}

// endWord cuts the word into the longest pieces from the left. A word with a part
// that matches nothing is one unknown token.
func (w *writer) endWord() {
	word, runes := w.word, w.runes
	w.word, w.runes = w.word[:0], 0
	if len(word) == 0 || w.full() {
		return
	}
	start := len(w.ids)
	if runes > w.t.maxWordRunes {
		w.ids = append(w.ids, int64(w.t.unk))
		return
	}
	pieces, longest := w.t.first, w.t.longestFirst
	for len(word) > 0 {
		id, n := longestMatch(pieces, word[:min(len(word), longest)])
		if n == 0 {
			w.ids = append(w.ids[:start], int64(w.t.unk))
			return
		}
		w.ids = append(w.ids, int64(id))
		word = word[n:]
		pieces, longest = w.t.rest, w.t.longestRest
	}
	if len(w.ids) > w.limit {
		w.ids = w.ids[:w.limit]
	}
}

// longestMatch finds the longest head of word among the pieces; n = 0 without one.
func longestMatch(pieces map[string]int32, word []byte) (id int32, n int) {
	for n = len(word); n > 0; n-- {
		if id, ok := pieces[string(word[:n])]; ok {
			return id, n
		}
	}
	return 0, 0
}

// decompose does what must come before decomposition (dropping, and spaces around
// Chinese runes, of which some compatibility forms decompose), then NFD.
func (t *Tokenizer) decompose(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 16)
	for _, r := range text {
		switch {
		case t.clean && r != '\t' && r != '\n' && r != '\r' && dropped(r):
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFD.String(b.String())
}

// dropped tells the runes that BERT's clean-up removes: U+FFFD, and category C
// (control, format, private use) without the unassigned.
func dropped(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isCJK tells the runes that BERT takes as Chinese: each is a word of its own.
func isCJK(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F ||
		r >= 0x2B920 && r <= 0x2CEAF || r >= 0x2F800 && r <= 0x2FA1F
}
