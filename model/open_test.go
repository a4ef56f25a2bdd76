package model

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const tinyTokenizer = `{"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"lowercase":true},` +
	`"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","unk_token":"[UNK]",` +
	`"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"法":3,"律":7}}}`

// tinyEncoder writes an encoder's folder around a model of testdata; change edits
// its description.
func tinyEncoder(t *testing.T, model string, change func(*Config)) string {
	t.Helper()
	dir := t.TempDir()
	c := Config{Name: "tiny", Model: "m.onnx", Tokenizer: "tokenizer.json", Dim: 3, MaxTokens: 16, Pooling: PoolCLS}
	if change != nil {
		change(&c)
	}
	description, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", model+".onnx"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ConfigFile), description)
	write(t, filepath.Join(dir, "tokenizer.json"), []byte(tinyTokenizer))
	write(t, filepath.Join(dir, "m.onnx"), data)
	return dir
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPoolings(t *testing.T) {
	needLibrary(t)
	// The model's vector of a token is (id, 1, 2); 法律 is the tokens 1 3 7 2.
	for pooling, want := range map[string][3]float64{PoolCLS: {1, 1, 2}, PoolMean: {13. / 4, 1, 2}} {
		e, err := OpenEncoder(tinyEncoder(t, "tokens", func(c *Config) { c.Pooling = pooling }), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := encode(t, e, Passage, "法律")[0]
		length := math.Sqrt(want[0]*want[0] + want[1]*want[1] + want[2]*want[2])
		for i := range want {
			if math.Abs(float64(got[i])-want[i]/length) > 1e-6 {
				t.Errorf("%s: %v, want the direction of %v", pooling, got, want)
				break
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRolesHaveTheirPrefixes(t *testing.T) {
	needLibrary(t)
	e, err := OpenEncoder(tinyEncoder(t, "tokens", func(c *Config) {
		c.Pooling, c.QueryPrefix, c.PassagePrefix = PoolMean, "法", "律律"
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	// The mean id over [CLS] prefix [SEP]: 1 3 2 for the query, 1 7 7 2 for the passage.
	for role, want := range map[Role]float32{Query: 2, Passage: 17. / 4} {
		v := encode(t, e, role, "")[0]
		if got := v[0] / v[1]; got < want-1e-5 || got > want+1e-5 {
			t.Errorf("role %d: mean id %f, want %f", role, got, want)
		}
	}
}

func TestDigestNamesWhatIsComputed(t *testing.T) {
	needLibrary(t)
	digest := func(change func(*Config)) string {
		e, err := OpenEncoder(tinyEncoder(t, "tokens", change), Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = e.Close() }()
		return e.Digest()
	}
	base := digest(nil)
	if other := digest(func(c *Config) { c.Name = "another name" }); other != base {
		t.Error("a name changed the digest")
	}
	for name, change := range map[string]func(*Config){
		"pooling":        func(c *Config) { c.Pooling = PoolMean },
		"query prefix":   func(c *Config) { c.QueryPrefix = "查：" },
		"passage prefix": func(c *Config) { c.PassagePrefix = "查：" },
		"length":         func(c *Config) { c.MaxTokens = 17 },
	} {
		if digest(change) == base {
			t.Errorf("another %s left the digest", name)
		}
	}
}

func TestBadEncodersAreRefusedInOneSentence(t *testing.T) {
	needLibrary(t)
	cases := []struct {
		name, model string
		change      func(*Config)
		damage      func(dir string)
		says        string
	}{
		{name: "dimensions", model: "tokens", change: func(c *Config) { c.Dim = 4 }, says: "have 3 dimensions, not 4"},
		{name: "rank", model: "tokens", change: func(c *Config) { c.Pooling = PoolNone }, says: "rank 2"},
		{name: "pooling", model: "tokens", change: func(c *Config) { c.Pooling = "max" }, says: "none, cls or mean"},
		{name: "path", model: "tokens", change: func(c *Config) { c.Model = "../m.onnx" }, says: "same folder"},
		{name: "length", model: "tokens", change: func(c *Config) { c.MaxTokens = 0 }, says: "max_tokens"},
		{name: "other file", model: "tokens", change: func(c *Config) { c.ModelSHA256 = "00" }, says: "truncated or replaced"},
		{name: "unknown input", model: "odd_input", says: `"images"`},
		{name: "no ids", model: "no_ids", says: "input_ids"},
		{name: "narrow ids", model: "narrow_ids", says: "64-bit integers"},
		{name: "truncated model", model: "tokens", damage: func(dir string) {
			if err := os.Truncate(filepath.Join(dir, "m.onnx"), 200); err != nil {
				t.Fatal(err)
			}
		}, says: "m.onnx can't be used (is it truncated?): fetch it again"},
		{name: "truncated model for questions", model: "tokens", change: func(c *Config) { c.QueryModel = "q.onnx" }, damage: func(dir string) {
			whole, err := os.ReadFile(filepath.Join(dir, "m.onnx"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "q.onnx"), whole[:200])
		}, says: "q.onnx can't be used (is it truncated?): fetch it again"},
		{name: "truncated tokenizer", model: "tokens", damage: func(dir string) {
			if err := os.Truncate(filepath.Join(dir, "tokenizer.json"), 100); err != nil {
				t.Fatal(err)
			}
		}, says: "tokenizer.json"},
		{name: "no model", model: "tokens", damage: func(dir string) {
			if err := os.Remove(filepath.Join(dir, "m.onnx")); err != nil {
				t.Fatal(err)
			}
		}, says: "m.onnx"},
		{name: "unknown key", model: "tokens", damage: func(dir string) {
			write(t, filepath.Join(dir, ConfigFile), []byte(`{"dimension":3}`))
		}, says: "dimension"},
		{name: "no description", model: "tokens", damage: func(dir string) {
			if err := os.Remove(filepath.Join(dir, ConfigFile)); err != nil {
				t.Fatal(err)
			}
		}, says: ConfigFile},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := tinyEncoder(t, c.model, c.change)
			if c.damage != nil {
				c.damage(dir)
			}
			_, err := OpenEncoder(dir, Options{})
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error should be one line and say %q: %v", c.says, err)
			}
		})
	}
}

func TestFindLibrary(t *testing.T) {
	t.Setenv(LibraryVariable, "")
	t.Chdir(t.TempDir())
	if _, err := FindLibrary(""); !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("without a library: %v", err)
	}
	if _, err := FindLibrary("gone.so"); err == nil || !strings.Contains(err.Error(), "gone.so") {
		t.Errorf("with a path that isn't: %v", err)
	}
	name := "libonnxruntime.so.1.24.1"
	if runtime.GOOS == "darwin" {
		name = "libonnxruntime.1.24.1.dylib"
	}
	if err := os.MkdirAll(libraryFolder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(libraryFolder, name), nil)
	found, err := FindLibrary("")
	if err != nil || filepath.Base(found) != name || !filepath.IsAbs(found) {
		t.Errorf("in the working directory: %q, %v", found, err)
	}
	t.Setenv(LibraryVariable, found)
	t.Chdir(t.TempDir())
	if again, err := FindLibrary(""); err != nil || again != found {
		t.Errorf("by the variable: %q, %v", again, err)
	}
}
