package retrieval

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	around := func(n int, centre ...float32) (out [][]float32) {
		for range n {
			v := make([]float32, len(centre))
			for i := range v {
				v[i] = centre[i] + float32(rng.NormFloat64())*.1
			}
			out = append(out, v)
		}
		return out
	}
	law, other := around(300, .6, .1, .3, .2), around(30, .1, .6, .3, .2) // ten times as many of one
	l, err := LearnLegal("e", law[:250], other[:25])
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range law[250:] {
		if l.Score(v) < 0 {
			t.Errorf("a question of law has %.2f", l.Score(v))
		}
	}
	for _, v := range other[25:] {
		if l.Score(v) >= 0 {
			t.Errorf("another question has %.2f", l.Score(v))
		}
	}
	if _, err := LearnLegal("e", law, nil); err == nil {
		t.Error("learned from one side")
	}

	dir := t.TempDir()
	if _, err := OpenLegal(dir, "e", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	raw, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		if err := os.WriteFile(filepath.Join(dir, LegalFile), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(raw)
	if got, err := OpenLegal(dir, "e", 4); err != nil || got.Score(law[0]) != l.Score(law[0]) {
		t.Errorf("read back: %v", err)
	}
	for what, open := range map[string]func() (*Legal, error){
		"another encoder": func() (*Legal, error) { return OpenLegal(dir, "f", 4) },
		"another size":    func() (*Legal, error) { return OpenLegal(dir, "e", 5) },
		"half a file":     func() (*Legal, error) { write(raw[:len(raw)/2]); return OpenLegal(dir, "e", 4) },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), LegalFile) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
