package model

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unigramJSON is a small tokenizer of XLM-R's kind.
func unigramJSON(t testing.TB) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "unigram.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// newForm is the tokenizer as newer conversions write it.
func newForm(t testing.TB, old []byte) []byte {
	t.Helper()
	var f map[string]any
	if err := json.Unmarshal(old, &f); err != nil {
		t.Fatal(err)
	}
	f["normalizer"] = map[string]any{"type": "Sequence", "normalizers": []any{
		f["normalizer"],
		map[string]any{"type": "Strip", "strip_left": false, "strip_right": true},
		map[string]any{"type": "Replace", "pattern": map[string]any{"Regex": " {2,}"}, "content": blank},
	}}
	f["pre_tokenizer"] = map[string]any{"type": "Metaspace", "replacement": blank, "prepend_scheme": "always", "split": true}
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readUnigram(t testing.TB, data []byte) *unigram {
	t.Helper()
	u, err := parseUnigram(data)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestUnigramIDsEqualPythons compares with ids by Python's tokenizers, which
// training/reranker/golden_ids.py writes.
func TestUnigramIDsEqualPythons(t *testing.T) {
	data := unigramJSON(t)
	old, newer := readUnigram(t, data), readUnigram(t, newForm(t, data))
	f, err := os.Open(filepath.Join("testdata", "unigram.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	texts := 0
	for lines := bufio.NewScanner(f); lines.Scan(); texts++ {
		var g struct {
			Text    string  `json:"text"`
			Old     []int64 `json:"old"`
			New     []int64 `json:"new"`
			Passage string  `json:"passage"`
			Pair    []int64 `json:"pair"`
		}
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		if g.New == nil {
			g.New = g.Old
		}
		if diff := cmp.Diff(g.Old, framed(old, g.Text)); diff != "" {
			t.Errorf("old form, %q (-python +ours):\n%s", g.Text, diff)
		}
		if diff := cmp.Diff(g.New, framed(newer, g.Text)); diff != "" {
			t.Errorf("new form, %q (-python +ours):\n%s", g.Text, diff)
		}
		if g.Pair == nil {
			continue
		}
		if ids, _ := old.pair(g.Text, g.Passage, unlimited); !slices.Equal(ids, g.Pair) {
			t.Errorf("pair of %q and %q: %v, Python has %v", g.Text, g.Passage, ids, g.Pair)
		}
	}
	if texts < 500 {
		t.Errorf("%d golden texts, want 500 or more", texts)
	}
}

// framed are the ids of one text between <s> and </s>.
func framed(u *unigram, text string) []int64 {
	return slices.Concat(u.begin, u.encode(text, unlimited), u.end)
}

func TestControlTokensOfUsersAreText(t *testing.T) {
	u := readUnigram(t, unigramJSON(t))
	for _, text := range []string{"<s>", "</s></s>", "a<mask>b", "<pad>", "第一条</s>第二条"} {
		for _, id := range u.encode(text, unlimited) {
			if id != u.unknown.id && (id <= 3 || id == int64(len(u.pieces)+len(controls)-1)) {
				t.Errorf("%q: user text became the control token %d", text, id)
			}
		}
	}
}

// TestPairsKeepTheirBounds holds the shape of a pair, and that a long question leaves
// the passage half of the room.
func TestPairsKeepTheirBounds(t *testing.T) {
	u, w := readUnigram(t, unigramJSON(t)), shippedTokenizer(t)
	long := strings.Repeat("公司拖欠工资，", 100)
	for _, c := range []struct{ question, passage string }{{"", ""}, {"离婚", "离婚的，应当登记。"}, {long, "离婚的，应当登记。"}, {"离婚", long}, {long, long}} {
		for _, limit := range []int{8, 9, 64, 512} {
			for name, tok := range map[string]pairTokenizer{"unigram": u, "wordpiece": w} {
				ids, types := tok.pair(c.question, c.passage, limit)
				if len(ids) > limit || len(types) != len(ids) || len(ids) < 3 {
					t.Fatalf("%s: %d ids and %d types with limit %d", name, len(ids), len(types), limit)
				}
				if c.passage == long && c.question == long && len(ids) != limit {
					t.Errorf("%s: %d ids of two long texts, not %d", name, len(ids), limit)
				}
			}
		}
	}
	ids, types := w.pair("法", "条", 512)
	if want := []int64{w.cls, int64(w.single['法']), w.sep, int64(w.single['条']), w.sep}; !slices.Equal(ids, want) || !slices.Equal(types, []int64{0, 0, 0, 1, 1}) {
		t.Errorf("BERT's pair is %v, %v", ids, types)
	}
}

func TestBadUnigramsAreRefused(t *testing.T) {
	data := unigramJSON(t)
	for name, c := range map[string]struct{ old, with, says string }{
		"truncated":      {`"model":{`, ``, "damaged or not JSON"},
		"another model":  {`"type":"Unigram"`, `"type":"BPE"`, `"BPE"`},
		"another form":   {`"prepend_scheme":"always"`, `"prepend_scheme":"never"`, "Metaspace"},
		"no unknown":     {`"unk_id":3`, `"unk_id":null`, "unknown token"},
		"bytes":          {`"byte_fallback":false`, `"byte_fallback":true`, "single bytes"},
		"no end":         {`["</s>",`, `["<//s>",`, "</s>"},
		"other charsmap": {`"precompiled_charsmap":"`, `"precompiled_charsmap":"AAAA`, "charsmap"},
	} {
		bad := bytes.Replace(data, []byte(c.old), []byte(c.with), 1)
		if bytes.Equal(bad, data) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := parsePairTokenizer(bad); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzUnigram holds that no text makes a panic, and that the limit is kept.
func FuzzUnigram(f *testing.F) {
	data := unigramJSON(f)
	old, newer := readUnigram(f, data), readUnigram(f, newForm(f, data))
	for _, text := range []string{"第一条　本法", "a  b ", "\xff\xfe", "<mask>", "e\u0301", "👨‍👩‍👧", "▁▁"} {
		f.Add(text, 20)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = 8 + max(0, limit)%500
		for _, u := range []*unigram{old, newer} {
			whole, cut := u.encode(text, unlimited), u.encode(text, limit)
			if !slices.Equal(cut, whole[:min(limit, len(whole))]) {
				t.Errorf("%q: the first %d ids are %v, not those of %v", text, limit, cut, whole)
			}
		}
	})
}

// FuzzCharsmap holds that a damaged normalisation is refused or harmless.
func FuzzCharsmap(f *testing.F) {
	f.Add([]byte{4, 0, 0, 0, 1, 2, 3, 4, 'a', 0}, "法律")
	f.Add([]byte{8, 0, 0, 0, 0, 4, 0, 0, 'a', 5, 0, 0}, "a")
	f.Fuzz(func(_ *testing.T, raw []byte, text string) {
		if c, err := readCharsmap(raw); err == nil {
			c.replace(text)
		}
	})
}
