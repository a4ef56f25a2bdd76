package model

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// tinyCross makes a folder with a tiny cross-encoder of testdata and the tokenizer
// that ships.
func tinyCross(t *testing.T, name string, change func(*CrossConfig)) string {
	t.Helper()
	dir := t.TempDir()
	c := CrossConfig{Name: name, Model: "m.onnx", Tokenizer: "tokenizer.json", MaxTokens: 64}
	if change != nil {
		change(&c)
	}
	for to, from := range map[string]string{"m.onnx": filepath.Join("testdata", name+".onnx"), "tokenizer.json": filepath.Join(pretrained, "tokenizer.json")} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), data)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ConfigFile), data)
	return dir
}

// TestCrossEncoderReadsPairs scores with a model that counts the characters which the
// passage shares with the question.
func TestCrossEncoderReadsPairs(t *testing.T) {
	needLibrary(t)
	e, err := OpenCrossEncoder(tinyCross(t, "overlap", nil), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	passages := []string{"离婚登记", "继承开始", "离婚", strings.Repeat("长", 500), ""}
	share := []float64{3.0 / 5, 1.0 / 5, 1, 1.0 / 59, 1} // [SEP] is in both; 64 tokens less 5 of the question are the passage's
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			scores, err := e.Score(t.Context(), "离婚？", passages)
			if err != nil {
				t.Error(err)
				return
			}
			for i, s := range scores {
				if want := 1 / (1 + math.Exp(2-4*share[i])); math.Abs(s-want) > 1e-6 {
					t.Errorf("%.10q: %f, want %f", passages[i], s, want)
				}
			}
		})
	}
	callers.Wait()
	if len(e.Digest()) != 16 || e.Name() != "overlap" {
		t.Errorf("digest %q, name %q", e.Digest(), e.Name())
	}
}

func TestBadCrossEncodersAreRefusedInOneSentence(t *testing.T) {
	needLibrary(t)
	for _, c := range []struct {
		name, model string
		change      func(*CrossConfig)
		damage      func(dir string) error
		says        string
	}{
		{name: "classes", model: "classes", says: "one 32-bit float a pair"},
		{name: "encoder", model: "tokens", says: "one 32-bit float a pair"},
		{name: "truncated", model: "overlap", damage: func(dir string) error { return os.Truncate(filepath.Join(dir, "m.onnx"), 300) }, says: "is it truncated?"},
		{name: "other file", model: "overlap", change: func(c *CrossConfig) { c.ModelSHA256 = "00" }, says: "truncated or replaced"},
		{name: "length", model: "overlap", change: func(c *CrossConfig) { c.MaxTokens = 4 }, says: "max_tokens"},
		{name: "path", model: "overlap", change: func(c *CrossConfig) { c.Model = "../m.onnx" }, says: "same folder"},
		{name: "tokenizer", model: "overlap", damage: func(dir string) error { return os.Truncate(filepath.Join(dir, "tokenizer.json"), 100) }, says: "tokenizer.json"},
		{name: "description", model: "overlap", damage: func(dir string) error { return os.Remove(filepath.Join(dir, ConfigFile)) }, says: ConfigFile},
	} {
		dir := tinyCross(t, c.model, c.change)
		if c.damage != nil {
			if err := c.damage(dir); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := OpenCrossEncoder(dir, ""); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error should be one line and say %q: %v", c.name, c.says, err)
		}
	}
}
