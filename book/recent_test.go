package book

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"lexagent/state"
	"lexagent/statute"
)

// What a reader keeps is as its book was at the last Reload, and nobody who changes what
// they were given changes what others are given.
func TestReaderKeepsWhatItRead(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	b := create(t, dir)
	l := law("民法典", "2020-05-28", 20210101, 0)
	put(t, b, l, article(l, 1, 0, "s1", "一"), article(l, 2, 0, "s2", "二"))
	chunk := func(text string) {
		t.Helper()
		err := b.Write(ctx, func(w *Writer) error {
			return w.PutChunks(ctx, l, []statute.Passage{{ID: l.ID + ":~1", LawID: l.ID, Label: "第一条", Text: text, Units: []string{l.ID + ":1"}}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	chunk("一二")
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := func() (unit, passage string) {
		t.Helper()
		u, _, err := r.Unit(ctx, public, "民法典:1", 20220101)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := r.Chunk(ctx, "public", l.ID+":~1")
		if err != nil {
			t.Fatal(err)
		}
		unit, passage = u.Text, p.Text
		u.Text, p.Text = "改", "改"
		return unit, passage
	}
	for range 2 {
		if u, p := read(); u != "一" || p != "一二" {
			t.Errorf("%q, %q", u, p)
		}
	}
	put(t, b, l, article(l, 1, 0, "s1", "一改"))
	chunk("一改二")
	if err := r.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if u, p := read(); u != "一改" || p != "一改二" {
		t.Errorf("after Reload %q, %q", u, p)
	}
}

func TestRereadIsBounded(t *testing.T) {
	const texts, most = 300, 100
	b, kept, reads := &Book{}, state.NewRecent[int](most*220), 0 // an entry counts 200 bytes beside its key and text
	get := func(i int) {
		t.Helper()
		v, err := reread(b, kept, lawKey{"c", fmt.Sprint(i)}, func() (*int, error) { reads++; return &i, nil }, func(*int) int { return 8 })
		if err != nil || *v != i {
			t.Fatalf("%d: %v, %v", i, *v, err)
		}
	}
	for i := range texts {
		get(i)
		get(0) // asked for all along: never forgotten
	}
	if reads != texts {
		t.Errorf("%d reads for %d texts", reads, texts)
	}
	get(1)
	if reads != texts+1 {
		t.Error("what nobody asked for since is still there")
	}
	lost := errors.New("lost")
	fail := func() (*int, error) { return nil, lost }
	if _, err := reread(b, kept, lawKey{"c", "x"}, fail, func(*int) int { return 8 }); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
}
