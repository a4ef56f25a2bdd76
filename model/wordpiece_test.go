package model

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const (
	pretrained = "pretrained"
	unlimited  = 1 << 20
)

func shippedTokenizer(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := ReadTokenizer(filepath.Join(pretrained, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// golden is a line of testdata/wordpiece.jsonl, which training/encoder/golden_ids.py writes.
type golden struct {
	Text   string  `json:"text"`
	Plain  []int64 `json:"plain"`
	Markup []int64 `json:"markup"`
	Cased  []int64 `json:"cased"`
	Limit  int     `json:"limit"`
	Cut    []int64 `json:"cut"`
}

func readGolden(t testing.TB) []golden {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "wordpiece.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var all []golden
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestIDsEqualPythons(t *testing.T) {
	tok := shippedTokenizer(t)
	cased := *tok
	cased.low, cased.strip = false, false
	all := readGolden(t)
	if len(all) < 500 {
		t.Fatalf("%d golden texts, want 500 or more", len(all))
	}
	compare := func(what string, g golden, got, want []int64) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s ids of %q (-python +ours):\n%s", what, g.Text, diff)
		}
	}
	for _, g := range all {
		compare("plain", g, tok.Encode(g.Text, unlimited), g.Plain)
		markup, withCase := g.Plain, g.Plain
		if g.Markup != nil {
			markup = g.Markup
		}
		if g.Cased != nil {
			withCase = g.Cased
		}
		compare("markup", g, tok.EncodeMarkup(g.Text, unlimited), markup)
		compare("cased", g, cased.Encode(g.Text, unlimited), withCase)
		if g.Cut != nil {
			compare("cut", g, tok.Encode(g.Text, g.Limit), g.Cut)
		}
	}
}

func TestSpecialTokensOfUsersAreText(t *testing.T) {
	tok := shippedTokenizer(t)
	for _, text := range []string{"[SEP]", "a[MASK]b", "第一条[CLS]第二条[PAD]", "[UNK]"} {
		ids := tok.Encode(text, unlimited)
		for _, s := range tok.special {
			if s.text != "[UNK]" && slices.Contains(ids[1:len(ids)-1], s.id) {
				t.Errorf("%q: user text became the control token %s: %v", text, s.text, ids)
			}
		}
	}
}

func TestOtherTokenizersAreRefused(t *testing.T) {
	const good = `{"normalizer":{"type":"BertNormalizer","lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},` +
		`"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,` +
		`"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3,"##b":4}}}`
	if _, err := parseTokenizer([]byte(good)); err != nil {
		t.Fatalf("a small tokenizer was refused: %v", err)
	}
	for name, change := range map[string][2]string{
		"truncated":      {`}}}`, ``},
		"unigram":        {`"WordPiece"`, `"Unigram"`},
		"no unknown":     {`"[UNK]":0,`, ``},
		"no separator":   {`"[SEP]":2,`, ``},
		"negative id":    {`"a":3`, `"a":-3`},
		"no word limit":  {`"max_input_chars_per_word":100,`, ``},
		"stripping mask": {`{"normalizer"`, `{"added_tokens":[{"id":0,"content":"<mask>","lstrip":true,"special":true}],"normalizer"`},
	} {
		if _, err := parseTokenizer([]byte(strings.Replace(good, change[0], change[1], 1))); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := ReadTokenizer(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a missing file: accepted")
	}
}

func FuzzEncode(f *testing.F) {
	for _, g := range readGolden(f)[:60] {
		f.Add(g.Text, 16)
	}
	f.Add("\xff\xfe法\xe6", 3)
	f.Add("\xf2ί", 7)
	tok := shippedTokenizer(f)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(2, min(limit, 4096))
		whole := tok.Encode(text, unlimited)
		cut := tok.Encode(text, limit)
		for _, ids := range [][]int64{whole, cut, tok.EncodeMarkup(text, limit)} {
			if ids[0] != tok.cls || ids[len(ids)-1] != tok.sep {
				t.Fatalf("%q: not framed: %v", text, ids)
			}
			for _, id := range ids {
				if id < 0 || id >= 21128 {
					t.Fatalf("%q: id %d lies outside the vocabulary", text, id)
				}
			}
		}
		if len(whole) <= limit && !slices.Equal(cut, whole) {
			t.Fatalf("%q: the limit %d changed a short text: %v, %v", text, limit, cut, whole)
		}
		if len(whole) > limit && (len(cut) != limit || !slices.Equal(cut[:limit-1], whole[:limit-1])) {
			t.Fatalf("%q: cut at %d: %v, of %v", text, limit, cut, whole)
		}
		if !utf8.ValidString(text) {
			if got := tok.Encode(strings.ToValidUTF8(text, "\ufffd"), unlimited); !slices.Equal(got, whole) {
				t.Fatalf("%q: invalid bytes are not as U+FFFD", text)
			}
		}
	})
}

func BenchmarkTokenizer(b *testing.B) {
	tok := shippedTokenizer(b)
	text := strings.Repeat("第一百三十三条　用人单位应当按照劳动合同约定和国家规定，向劳动者及时足额支付劳动报酬（包括2020年以后的GB/T标准）。", 3)
	n := len(tok.Encode(text, unlimited))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		tok.Encode(text, 256)
	}
	b.ReportMetric(float64(min(n, 256)*b.N)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
}
