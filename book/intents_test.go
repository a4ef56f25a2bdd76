package book

import (
	"context"
	"fmt"
	"testing"

	"lexagent/prompts"
)

// TestIntentsAreOfThePresentText holds that a law is told anew when its text changes,
// and by somebody better or another of the same kind, and not by a lesser one.
func TestIntentsAreOfThePresentText(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	l := law("民法典", "2020-05-28", 20210101, 0)
	waits := func(when string, grade Grade, by string, want int) {
		t.Helper()
		laws, err := b.Unlabelled(ctx, grade, by)
		if err != nil || len(laws) != want {
			t.Errorf("%s: %d laws wait for %s, %v", when, len(laws), by, err)
		}
	}
	tell := func(grade Grade, by string, odds prompts.Odds) {
		t.Helper()
		if err := b.Write(ctx, func(w *Writer) error {
			return w.PutIntents(ctx, l, grade, by, map[string]prompts.Odds{l.ID + ":1": odds})
		}); err != nil {
			t.Fatal(err)
		}
	}
	put(t, b, l, article(l, 1, 0, "s1", "甲"))
	waits("a new law", ByRules, "rules", 1)
	before, err := b.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	odds := prompts.Odds{0.25, 0, 0, 0.75}
	tell(ByClassifier, "m1", odds)
	if after, err := b.Revision(ctx); err != nil || after != before {
		t.Errorf("intents are no change that an index must follow: revision %d, then %d, %v", before, after, err)
	}
	if got, err := b.Intents(ctx, l.Collection, l.ID, l.ID+":1"); err != nil || got != odds {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := b.Intents(ctx, l.Collection, l.ID, l.ID+":2"); err != nil || got != (prompts.Odds{}) {
		t.Errorf("of a unit that is not there: %v, %v", got, err)
	}
	waits("told", ByClassifier, "m1", 0)
	waits("told by a better one", ByRules, "rules", 0)
	waits("told by another", ByClassifier, "m2", 1)
	waits("told by a lesser one", ByLLM, "qwen", 1)
	tell(ByLLM, "qwen", prompts.Certain(prompts.Procedure))
	waits("told by a model", ByClassifier, "m2", 0)
	if n, err := b.CountIntents(ctx); err != nil || fmt.Sprint(n) != "map[procedure:1]" {
		t.Errorf("counted %v, %v", n, err)
	}
	l.Title += "（新）" // so is a vector made of another text
	put(t, b, l, article(l, 1, 0, "s1", "甲"))
	waits("another title", ByRules, "rules", 1)
	if got, err := b.Intents(ctx, l.Collection, l.ID, l.ID+":1"); err != nil || got != (prompts.Odds{}) {
		t.Errorf("another title has still %v, %v", got, err)
	}
}

// TestAnOlderBookIsRenewed holds that a book of the version before is read as it is,
// and that an ingest gives it what it lacks, with nothing lost.
func TestAnOlderBookIsRenewed(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	b, err := Create(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"DROP TABLE intents", "DROP TABLE labelled", "PRAGMA user_version = 7"} {
		if _, err := b.db.ExecContext(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	name, err := b.Name(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if odds, err := b.Intents(ctx, "public", "民法典", "民法典:1"); err != nil || odds != (prompts.Odds{}) {
		t.Errorf("of a book without intents: %v, %v", odds, err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if b, err = Create(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if now, err := b.Name(ctx); err != nil || now != name {
		t.Errorf("it is another book: %s, %v", now, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
