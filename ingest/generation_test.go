package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/model"
)

// wide is an encoder of another size than bags.
type wide struct{ bags }

func (w *wide) Dim() int       { return 32 }
func (w *wide) Digest() string { return "wide" + w.name }
func (w *wide) Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error) {
	out, err := w.bags.Encode(ctx, texts, role)
	for i := range out {
		out[i] = append(out[i], make([]float32, 16)...)
	}
	return out, err
}

// liar gives a text another vector each time.
type liar struct{ wide }

func (l *liar) Encode(ctx context.Context, texts []string, _ model.Role) ([][]float32, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([][]float32, len(texts))
	for i := range out {
		l.texts++
		out[i] = make([]float32, 32)
		out[i][l.texts%32] = 1
	}
	return out, ctx.Err()
}

// late is an encoder whose size is known once it was called.
type late struct{ bags }

func (l *late) Dim() int { return min(l.texts, 1) * 16 }
func (l *late) Digest() string {
	if l.texts == 0 {
		return ""
	}
	return "late"
}

func inUse(t *testing.T, dir string) *embedded.Info {
	t.Helper()
	name, err := embedded.Current(IndexRoot(dir))
	if err != nil {
		t.Fatal(err)
	}
	info, err := embedded.Inspect(IndexRoot(dir), name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func openBook(t *testing.T, dir string) *book.Book {
	t.Helper()
	b, err := book.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// update is what a server does.
func update(t *testing.T, dir string, enc Encoder) error {
	t.Helper()
	return Update(context.Background(), dir, openBook(t, dir), enc, nil)
}

// Another encoder gets a generation of its own, beside the one in use, which answers
// with its vectors until the other has all of its own. The old one stays, and going
// back to it costs nothing.
func TestAnotherEncoder(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 30)
	first, second := &bags{}, &wide{}
	ingest(t, dir, Options{Encoder: first}, src)
	before := inUse(t, dir)
	reader, err := embedded.OpenLive(IndexRoot(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	during := 0
	o := Options{Encoder: second, Progress: func(p Progress) {
		if now := inUse(t, dir); p.Stage == "vectors" && p.Units < p.Total {
			during++
			if done, total := Building(dir, second); now.Manifest.Digest != before.Manifest.Digest || !now.Complete() || total != 120 || done != p.Units {
				t.Errorf("while %d of %d vectors are made, %s is in use and %d of %d are told", p.Units, p.Total, now.Manifest.Name(), done, total)
			}
		}
	}}
	if r := ingest(t, dir, o, src); r.Vectors != (Vectors{120, 120}) || r.Unchanged != 30 || during == 0 {
		t.Errorf("%+v, told %d times", r, during)
	}
	now := inUse(t, dir)
	if now.Encoder != "wide" || now.Dim != 32 || !now.Complete() || !strings.Contains(now.Manifest.Identity, "wide, 32 dimensions") {
		t.Errorf("in use is %+v of %q", now, now.Manifest.Identity)
	}
	if changed, err := reader.Refresh(); !changed || err != nil || reader.Current().VectorEncoder() != "wide" {
		t.Errorf("a reader that is running changes over: %v, %v", changed, err)
	}
	if done, total := Building(dir, second); total != 0 {
		t.Errorf("%d of %d are told when nothing is being made", done, total)
	}
	encoded := first.texts
	if ingest(t, dir, Options{Encoder: first}, src); inUse(t, dir).Manifest.Digest != before.Manifest.Digest || first.texts > encoded+probes {
		t.Errorf("going back made %d vectors, and %s is in use", first.texts-encoded, inUse(t, dir).Manifest.Name())
	}
	if names, err := embedded.Generations(IndexRoot(dir)); err != nil || len(names) != 2 {
		t.Errorf("there are %v, %v", names, err)
	}
	if removed, err := embedded.Prune(IndexRoot(dir)); err != nil || !slices.Equal(removed, []string{now.Manifest.Name()}) {
		t.Errorf("removed %v, %v", removed, err)
	}
}

// New content is searched by words at once, whatever the encoder, and the generation
// of the encoder before stays.
func TestAnotherEncoderAndNewContent(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	ingest(t, dir, Options{Encoder: &bags{}}, src)
	old := inUse(t, dir).Manifest.Name()
	writeLaws(t, src, 5)
	words := false
	o := Options{Encoder: &wide{}, Progress: func(p Progress) {
		words = words || p.Stage == "vectors" && p.Units == 0 && inUse(t, dir).Manifest.Documents == 20
	}}
	if ingest(t, dir, o, src); !words || !inUse(t, dir).Complete() {
		t.Errorf("words first: %v, %+v", words, inUse(t, dir))
	}
	writeLaws(t, src, 6)
	ingest(t, dir, o, src)
	writeLaws(t, src, 7)
	ingest(t, dir, o, src)
	names, err := embedded.Generations(IndexRoot(dir))
	if err != nil || len(names) != 3 || !slices.Contains(names, old) { // the present one, the one before, and bags'
		t.Errorf("there are %v, %v; %s should stay", names, err, old)
	}
}

// Without vectors to make, a generation takes over the encoder's part from nobody,
// and the first encoder that comes makes its vectors in place.
func TestVectorsLaterInPlace(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	ingest(t, dir, Options{}, src)
	words := inUse(t, dir)
	if err := update(t, dir, &late{}); err != nil {
		t.Fatal(err)
	}
	if now := inUse(t, dir); now.Manifest.Digest != words.Manifest.Digest || now.Encoder != "late" || now.Dim != 16 || !now.Complete() {
		t.Errorf("in use is %+v", now)
	}
	// No vectors are wanted, so another encoder's stay.
	if ingest(t, dir, Options{}, src); inUse(t, dir).Encoder != "late" {
		t.Errorf("in use is %+v", inUse(t, dir))
	}
	if suits, err := Suits(dir, &wide{}); err != nil || suits {
		t.Errorf("another encoder suits: %v, %v", suits, err)
	}
}

// remade turns the generation in use into one that another analyzer made.
func remade(t *testing.T, dir string) {
	t.Helper()
	root, m := IndexRoot(dir), inUse(t, dir).Manifest
	other := strings.Repeat("0123456789abcdef", 4) // a digest
	for _, edit := range []struct{ file, old, new string }{
		{"manifest.json", m.Analyzer, "words/0"}, {"manifest.json", m.Digest, other}, {"vectors.bin", m.Digest[:32], other[:32]},
	} {
		path := filepath.Join(root, m.Name(), edit.file)
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(edit.old)) {
			t.Fatalf("%s holds no %s, %v", path, edit.old, err)
		}
		writeFile(t, path, string(bytes.Replace(b, []byte(edit.old), []byte(edit.new), 1)))
	}
	if err := os.Rename(filepath.Join(root, m.Name()), filepath.Join(root, other[:16])); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, "CURRENT"), other[:16])
}

// Another segmenter gets a generation too, with the vectors that are there; the old
// one answers with it until then.
func TestAnotherSegmenter(t *testing.T) {
	for name, renew := range map[string]func(t *testing.T, dir, src string, enc Encoder) error{
		"ingest": func(t *testing.T, dir, src string, enc Encoder) error {
			ingest(t, dir, Options{Encoder: enc}, src)
			return nil
		},
		"serve": func(t *testing.T, dir, _ string, enc Encoder) error { return update(t, dir, enc) },
	} {
		t.Run(name, func(t *testing.T) {
			src, dir := t.TempDir(), t.TempDir()
			writeLaws(t, src, 20)
			enc := &bags{}
			ingest(t, dir, Options{Encoder: enc}, src)
			remade(t, dir)
			s := openIndex(t, dir)
			hits, err := s.SearchSparse(t.Context(), s.Query("从事第3类活动的单位"), index.Filter{}, 1)
			if err != nil || len(hits) != 1 {
				t.Errorf("the old generation gives %v, %v", hits, err)
			}
			encoded := enc.texts
			if err := renew(t, dir, src, enc); err != nil {
				t.Fatal(err)
			}
			if now := inUse(t, dir); now.Manifest.Analyzer == "words/0" || !now.Complete() || enc.texts != encoded+probes {
				t.Errorf("in use is %+v, %d texts were encoded", now, enc.texts-encoded)
			}
		})
	}
}

// A generation that doesn't find its own texts is not put in use.
func TestAGenerationIsChecked(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 60)
	ingest(t, dir, Options{Encoder: &bags{}}, src)
	before := inUse(t, dir).Manifest.Digest
	for range 2 {
		_, err := Run(context.Background(), dir, []string{src}, Options{Encoder: &liar{}})
		if !errors.Is(err, index.ErrProbe) || !strings.Contains(err.Error(), "not by their vectors") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
		if now := inUse(t, dir); now.Manifest.Digest != before {
			t.Errorf("in use is %+v", now)
		}
	}
}

// A server leaves new content to the ingest that brings it, and waits for nobody.
func TestUpdateKeepsToItsPart(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	ingest(t, dir, Options{Encoder: &bags{}}, src)
	before := inUse(t, dir).Manifest.Digest
	ctx, cancel := context.WithCancel(context.Background())
	writeLaws(t, src, 4)
	if _, err := Run(ctx, dir, []string{src}, Options{Progress: func(p Progress) { // killed before it builds
		if p.Stage == "cite" {
			cancel()
		}
	}}); err == nil {
		t.Fatal("the ingest wasn't interrupted")
	}
	if err := update(t, dir, &wide{}); err != nil || inUse(t, dir).Manifest.Digest != before {
		t.Errorf("in use is %s, %v", inUse(t, dir).Manifest.Name(), err)
	}
	lock, err := embedded.Lock(t.Context(), IndexRoot(dir), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := update(t, dir, &wide{}); !errors.Is(err, embedded.ErrBuilding) {
		t.Errorf("beside a build: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	ingest(t, dir, Options{}, src)
	w, err := embedded.OpenVectors(IndexRoot(dir), inUse(t, dir).Manifest.Name(), "bags", 16)
	if err != nil {
		t.Fatal(err)
	}
	if err := update(t, dir, &bags{}); !errors.Is(err, embedded.ErrBusy) {
		t.Errorf("beside a writer of vectors: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// An ingest waits for another process that makes the same vectors.
func TestIngestWaitsForVectors(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	ingest(t, dir, Options{}, src)
	w, err := embedded.OpenVectors(IndexRoot(dir), inUse(t, dir).Manifest.Name(), "bags", 16)
	if err != nil {
		t.Fatal(err)
	}
	closed := time.AfterFunc(300*time.Millisecond, func() { _ = w.Close() })
	defer closed.Stop()
	if r := ingest(t, dir, Options{Encoder: &bags{}}, src); r.Vectors != (Vectors{12, 12}) {
		t.Errorf("%+v", r)
	}
}

// A process killed at any moment while it changes the encoder leaves an index that
// answers by words and by one encoder's vectors, all of them; in the end it is the
// one that an undisturbed run makes.
func TestKillWhileTheEncoderChanges(t *testing.T) {
	if dir := os.Getenv("LEXAGENT_RENEW_DIR"); dir != "" {
		enc := &wide{}
		enc.slow, enc.name = 20*time.Millisecond, os.Getenv("LEXAGENT_RENEW_NAME")
		if src := os.Getenv("LEXAGENT_RENEW_SRC"); src != "" {
			ingest(t, dir, Options{Encoder: enc}, src)
		} else if err := update(t, dir, enc); err != nil {
			t.Fatal(err)
		}
		return
	}
	src, calm, rough := t.TempDir(), t.TempDir(), t.TempDir()
	writeLaws(t, src, 700)
	ingest(t, calm, Options{Encoder: &wide{}}, src)
	ingest(t, rough, Options{Encoder: &bags{}}, src)
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKillWhileTheEncoderChanges$")
		cmd.Env = append(os.Environ(), "LEXAGENT_RENEW_DIR="+rough, fmt.Sprintf("LEXAGENT_RENEW_NAME=%d", round/4)) // another one now and then
		if round%2 == 0 {
			cmd.Env = append(cmd.Env, "LEXAGENT_RENEW_SRC="+src)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+rng.IntN(500)) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have finished
		_ = cmd.Wait()
		s := openIndex(t, rough)
		if err := s.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
		if done, total := s.Vectors(); done != 2800 || total != done {
			t.Fatalf("round %d: %d of %d vectors, of %s", round, done, total, s.VectorEncoder())
		}
	}
	ingest(t, rough, Options{Encoder: &wide{}}, src)
	a, b := openIndex(t, calm), openIndex(t, rough)
	x, err1 := os.ReadFile(filepath.Join(IndexRoot(calm), a.Manifest().Name(), "vectors.bin"))
	y, err2 := os.ReadFile(filepath.Join(IndexRoot(rough), b.Manifest().Name(), "vectors.bin"))
	if err := errors.Join(err1, err2); err != nil || a.Manifest().Digest != b.Manifest().Digest || !bytes.Equal(x, y) {
		t.Errorf("the indexes differ: %v", err)
	}
}
