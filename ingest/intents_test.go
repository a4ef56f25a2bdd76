package ingest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"lexagent/book"
	"lexagent/prompts"
	"lexagent/statute"
)

// opinion tells every article of a law's beginning to be one of the others, and the
// rest to be of applicability. It fails at what names the word.
type opinion struct {
	grade  book.Grade
	name   string
	fails  string
	asked  atomic.Int64
	saw    atomic.Int64 // vectors
	cancel func()       // called at the first article, nil = not
}

func (o *opinion) Grade() book.Grade { return o.grade }
func (o *opinion) Name() string      { return o.name }

var errOpinion = errors.New("the model is gone")

func (o *opinion) Label(ctx context.Context, u *statute.Unit, _ *statute.Law, vector []float32) (prompts.Odds, error) {
	o.asked.Add(1)
	if len(vector) > 0 {
		o.saw.Add(1)
	}
	if o.cancel != nil {
		o.cancel()
		return prompts.Odds{}, ctx.Err()
	}
	if o.fails != "" && strings.Contains(u.Text, o.fails) {
		return prompts.Odds{}, errOpinion
	}
	if strings.Contains(u.Text, "制定本") {
		return prompts.Certain(prompts.Others), nil
	}
	return prompts.Certain(prompts.Applicability), nil
}

// TestIntentsAreStoredOnce holds that every unit is told once, with its vector, and
// again only where its law has changed or somebody better comes along.
func TestIntentsAreStoredOnce(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 3)
	classifier := &opinion{grade: book.ByClassifier, name: "m1"}
	r := ingest(t, dir, Options{Encoder: &bags{}, Labeler: classifier}, src)
	if r.Intents.Told != 9 || classifier.saw.Load() != 9 || r.Intents.String() != "0 definition, 6 applicability, 0 consequence, 0 procedure, 3 others; 9 told now, by m1" {
		t.Errorf("%s; %d with a vector", &r.Intents, classifier.saw.Load())
	}
	for _, c := range []struct {
		when string
		by   *opinion
		want int64
	}{
		{"again", &opinion{grade: book.ByClassifier, name: "m1"}, 0},
		{"by rules", &opinion{grade: book.ByRules, name: "rules"}, 0},
		{"by another classifier", &opinion{grade: book.ByClassifier, name: "m2"}, 9},
		{"by a language model", &opinion{grade: book.ByLLM, name: "qwen"}, 9},
		{"by the classifier behind it", &opinion{grade: book.ByClassifier, name: "m2"}, 0},
	} {
		if ingest(t, dir, Options{Encoder: &bags{}, Labeler: c.by}, src); c.by.asked.Load() != c.want {
			t.Errorf("%s: %d articles, want %d", c.when, c.by.asked.Load(), c.want)
		}
	}
	writeFile(t, src+"/law001.md", lawText(1, "应当依法备案"))
	changed := &opinion{grade: book.ByClassifier, name: "m2"}
	if r := ingest(t, dir, Options{Encoder: &bags{}, Labeler: changed}, src); changed.asked.Load() != 3 || r.Intents.Told != 3 {
		t.Errorf("one law has changed: %d asked, %s", changed.asked.Load(), &r.Intents)
	}
	b := openBook(t, dir)
	l := b.AllLaws()[0]
	odds, err := b.Intents(t.Context(), l.Collection, l.ID, l.ID+":1")
	if err != nil || odds.Best() != prompts.Others {
		t.Errorf("%v, %v", odds, err)
	}
	if nobody := ingest(t, t.TempDir(), Options{}, src); nobody.Intents.String() != "not told" {
		t.Errorf("without a labeler: %s", &nobody.Intents)
	}
}

// TestWhatWasToldIsKept holds that an ingest that can't tell them all, or is
// interrupted, keeps what it told and all else, and that the next one goes on.
func TestWhatWasToldIsKept(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 4)
	gone := &opinion{grade: book.ByLLM, name: "qwen", fails: "第3类"}
	r, err := Run(t.Context(), dir, []string{src}, Options{Labeler: gone})
	if !errors.Is(err, errOpinion) || !strings.Contains(err.Error(), "all else is stored, and the same command goes on") || r.Intents.Told != 9 {
		t.Fatalf("%v; %s", err, &r.Intents)
	}
	if found := openIndex(t, dir).Len(); found == 0 {
		t.Error("the index is not in use")
	}
	next := &opinion{grade: book.ByLLM, name: "qwen"}
	if ingest(t, dir, Options{Labeler: next}); next.asked.Load() != 3 {
		t.Errorf("%d articles were asked about again", next.asked.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Run(ctx, dir, nil, Options{Labeler: &opinion{grade: book.ByLLM, name: "other", cancel: cancel}}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
