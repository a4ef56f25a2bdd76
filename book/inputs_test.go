package book

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/statute"
)

// reading is what an input holds: laws with units, in order.
type reading []documentOf

type documentOf struct {
	law   *statute.Law
	units []statute.Unit
}

// read stores a reading, each document in a transaction of its own. Without end it
// is interrupted before Finish.
func read(t *testing.T, b *Book, path, content string, r reading, end bool) (d Dropped) {
	t.Helper()
	ctx := context.Background()
	in := NewIntake("public", path)
	for _, doc := range r {
		err := b.Write(ctx, func(w *Writer) error {
			if err := w.From(ctx, in); err != nil {
				return err
			}
			_, err := w.Put(ctx, doc.law, doc.units)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !end {
		return d
	}
	err := b.Write(ctx, func(w *Writer) (err error) {
		if err := w.From(ctx, in); err != nil {
			return err
		}
		d, err = w.Finish(ctx, "digest of "+content, content, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	reload(t, b)
	return d
}

func reload(t *testing.T, b *Book) {
	t.Helper()
	if err := b.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, b *Book, path string) (d Dropped) {
	t.Helper()
	ctx := context.Background()
	err := b.Write(ctx, func(w *Writer) (err error) {
		d, err = w.Remove(ctx, input(t, b, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	reload(t, b)
	return d
}

func input(t *testing.T, b *Book, path string) Input {
	t.Helper()
	ins, err := b.Inputs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(ins, func(in Input) bool { return in.Path == path })
	if i < 0 {
		t.Fatalf("the book knows no input %s", path)
	}
	return ins[i]
}

// content is everything that readers of a book see.
func content(t *testing.T, b *Book) (lines []string) {
	t.Helper()
	reload(t, b)
	for _, l := range b.AllLaws() {
		lines = append(lines, fmt.Sprintf("%+v", *l))
	}
	err := b.Each(context.Background(), func(u *statute.Unit, _ *statute.Law) error {
		lines = append(lines, fmt.Sprintf("%+v", *u))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// texts shows the units of a book as id=text.
func texts(t *testing.T, b *Book) (out []string) {
	t.Helper()
	err := b.Each(context.Background(), func(u *statute.Unit, _ *statute.Law) error {
		out = append(out, u.ID+"="+u.Text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func TestTheLifeOfAnInput(t *testing.T) {
	const old, revised = "规则@2019-01-01", "规则@2022-03-04"
	l, next, undated := law("规则", "2019-01-01", 20190101, 0), law("规则", "2022-03-04", 20220304, 0), law("规则", "x12345678", 0, 0)
	whole := reading{{l, []statute.Unit{article(l, 1, 0, "", "甲"), article(l, 2, 0, "", "乙")}}}
	tests := []struct {
		name  string
		steps func(b *Book)
		want  []string
	}{
		{"a corrected text takes the place of the old one", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "a", "v2", reading{{l, []statute.Unit{article(l, 1, 0, "", "甲二"), article(l, 2, 0, "", "乙")}}}, true)
		}, []string{old + ":1=甲二", old + ":2=乙"}},
		{"a unit that is gone from its input is gone", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			if d := read(t, b, "a", "v2", reading{{l, []statute.Unit{article(l, 1, 0, "", "甲")}}}, true); d != (Dropped{Units: 1}) {
				t.Errorf("dropped %+v", d)
			}
		}, []string{old + ":1=甲"}},
		{"unless another brings it", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "b", "v1", whole, true)
			if d := read(t, b, "a", "v2", reading{{l, []statute.Unit{article(l, 1, 0, "", "甲")}}}, true); d != (Dropped{}) {
				t.Errorf("dropped %+v", d)
			}
		}, []string{old + ":1=甲", old + ":2=乙"}},
		{"a text of two inputs that one corrects stays as a variant", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "b", "v1", whole, true)
			read(t, b, "a", "v2", reading{{l, []statute.Unit{article(l, 1, 0, "", "甲二"), article(l, 2, 0, "", "乙")}}}, true)
		}, []string{old + ":1=甲二", old + ":1~2=甲", old + ":2=乙"}},
		{"and the variant goes when both are corrected", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "b", "v1", whole, true)
			corrected := reading{{l, []statute.Unit{article(l, 1, 0, "", "甲二"), article(l, 2, 0, "", "乙")}}}
			read(t, b, "a", "v2", corrected, true)
			read(t, b, "b", "v2", corrected, true)
		}, []string{old + ":1=甲二", old + ":2=乙"}},
		{"a reading that was interrupted takes nothing away", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "a", "v2", reading{{l, []statute.Unit{article(l, 1, 0, "", "甲二")}}}, false)
			if in := input(t, b, "a"); in.Digest != "" || in.Content != "v1" {
				t.Errorf("%+v counts as stored", in)
			}
		}, []string{old + ":1=甲二", old + ":2=乙"}},
		{"a law that is gone from its input is gone", func(b *Book) {
			other := law("别的规则", "2019-01-01", 20190101, 0)
			read(t, b, "a", "v1", whole, true)
			if d := read(t, b, "a", "v2", reading{{other, []statute.Unit{article(other, 1, 0, "", "丙")}}}, true); d != (Dropped{Units: 2, Laws: 1}) {
				t.Errorf("dropped %+v", d)
			}
		}, []string{"别的规则@2019-01-01:1=丙"}},
		{"a later version is added to the earlier one", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "a", "v2", reading{{next, []statute.Unit{article(next, 1, 0, "", "新甲")}}}, true)
			read(t, b, "a", "v3", reading{{next, []statute.Unit{article(next, 1, 0, "", "新甲甲")}}}, true)
			read(t, b, "a", "v3", reading{{next, []statute.Unit{article(next, 1, 0, "", "新甲甲")}}}, true) // by other readers
		}, []string{old + ":1=甲", old + ":2=乙", revised + ":1=新甲甲"}},
		{"a version that comes back is as good as any", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "a", "v2", reading{{next, []statute.Unit{article(next, 1, 0, "", "新甲")}}}, true)
			read(t, b, "a", "v1", whole, true)
		}, []string{old + ":1=甲", old + ":2=乙", revised + ":1=新甲"}},
		{"a version that a corpus of several leaves out is gone", func(b *Book) {
			second := documentOf{next, []statute.Unit{article(next, 1, 0, "", "新甲")}}
			read(t, b, "a", "v1", reading{whole[0], second}, true)
			read(t, b, "a", "v2", reading{second}, true)
		}, []string{revised + ":1=新甲"}},
		{"a version that was read when the process was killed is kept as well", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			second := reading{{next, []statute.Unit{article(next, 1, 0, "", "新甲")}}}
			read(t, b, "a", "v2", second, false)
			read(t, b, "a", "v2", second, true)
		}, []string{old + ":1=甲", old + ":2=乙", revised + ":1=新甲"}},
		{"a version that no reading brought to its end is none", func(b *Book) {
			third := law("规则", "2024-05-06", 20240506, 0)
			read(t, b, "a", "v1", whole, true)
			read(t, b, "a", "v2", reading{{next, []statute.Unit{article(next, 1, 0, "", "新甲")}}}, false)
			read(t, b, "a", "v3", reading{{third, []statute.Unit{article(third, 1, 0, "", "更新甲")}}}, true)
		}, []string{old + ":1=甲", old + ":2=乙", "规则@2024-05-06:1=更新甲"}},
		{"other readers of the same bytes add no version", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "a", "v1", reading{{next, []statute.Unit{article(next, 1, 0, "", "甲")}}}, true)
		}, []string{revised + ":1=甲"}},
		{"a text without a day is no version to keep", func(b *Book) {
			read(t, b, "a", "v1", reading{{undated, []statute.Unit{article(undated, 1, 0, "", "甲")}}}, true)
			read(t, b, "a", "v2", whole, true)
		}, []string{old + ":1=甲", old + ":2=乙"}},
		{"all versions go with their input", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "a", "v2", reading{{next, []statute.Unit{article(next, 1, 0, "", "新甲")}}}, true)
			if d := remove(t, b, "a"); d != (Dropped{Units: 3, Laws: 2}) {
				t.Errorf("dropped %+v", d)
			}
		}, nil},
		{"what two brought stays when one goes", func(b *Book) {
			read(t, b, "a", "v1", whole, true)
			read(t, b, "b", "v1", reading{{l, []statute.Unit{article(l, 1, 0, "", "甲")}}}, true)
			if d := remove(t, b, "a"); d != (Dropped{Units: 1}) {
				t.Errorf("dropped %+v", d)
			}
		}, []string{old + ":1=甲"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := create(t, t.TempDir())
			test.steps(b)
			if diff := cmp.Diff(test.want, texts(t, b)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if err := chunksAreDue(b); err != nil {
				t.Error(err)
			}
		})
	}
}

// chunksAreDue holds that every law of a book without chunks is listed.
func chunksAreDue(b *Book) error {
	laws, err := b.Unchunked(context.Background())
	if err == nil && len(laws) != len(b.AllLaws()) {
		err = fmt.Errorf("%d of %d laws are to be chunked", len(laws), len(b.AllLaws()))
	}
	return err
}

// Chunks are of the units that readers see: a change of these makes them due again,
// and a copy does not.
func TestWhatMakesChunksDue(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	l := law("规则", "2019-01-01", 20190101, 0)
	l.SourceIDs = nil
	due := func(name string, want int) {
		t.Helper()
		reload(t, b)
		laws, err := b.Unchunked(ctx)
		if err != nil || len(laws) != want {
			t.Errorf("after %s %d laws are due, want %d, %v", name, len(laws), want, err)
		}
		for _, l := range laws {
			if err := b.Write(ctx, func(w *Writer) error { return w.PutChunks(ctx, l, nil) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	one := reading{{l, []statute.Unit{article(l, 1, 0, "", "甲")}}}
	read(t, b, "a", "v1", one, true)
	due("the first text", 1)
	read(t, b, "a", "v1", one, true)
	due("the same text again", 0)
	read(t, b, "a", "v2", reading{{l, []statute.Unit{article(l, 1, 0, "", "乙")}}}, true)
	due("a correction", 1)
	read(t, b, "a", "v3", reading{{l, []statute.Unit{article(l, 1, 0, "", "乙"), article(l, 2, 0, "", "丙")}}}, true)
	due("a further article", 1)
	read(t, b, "a", "v4", one, true)
	due("articles that went", 1)
	retitled := *l
	retitled.Header = "2019年1月1日公布"
	read(t, b, "a", "v5", reading{{&retitled, one[0].units}}, true)
	due("another header, which the chunks print", 1)
}

// A book is a function of its inputs in the order in which they came first: however
// often they were read, interrupted, changed and removed, what readers see is what
// a book holds that was made of their last state at once.
func TestABookIsAFunctionOfItsInputs(t *testing.T) {
	paths := []string{"a", "b", "c", "d"}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := create(t, t.TempDir())
		state := map[string]reading{}
		var order []string
		for range 15 {
			path := paths[r.IntN(len(paths))]
			switch _, there := state[path]; {
			case there && r.IntN(5) == 0:
				remove(t, b, path)
				delete(state, path)
				order = slices.DeleteFunc(order, func(p string) bool { return p == path })
				continue
			case !there:
				order = append(order, path)
			}
			state[path] = randomReading(r)
			if r.IntN(3) == 0 {
				read(t, b, path, "interrupted", state[path], false)
				state[path] = randomReading(r) // and changed before it goes on
			}
			read(t, b, path, "whole", state[path], true)
		}
		clean := create(t, t.TempDir())
		for _, path := range order {
			read(t, clean, path, "whole", state[path], true)
		}
		if diff := cmp.Diff(content(t, clean), content(t, b)); diff != "" {
			t.Fatalf("seed %d (-made at once +grown)\n%s", seed, diff)
		}
	}
}

// randomReading has one law of two parts, a few articles with a few texts each, and
// repetitions as the readers hand them over. Days and contents of the same name are
// alike, so that no version is to be kept.
func randomReading(r *rand.Rand) (out reading) {
	for range 1 + r.IntN(3) {
		l := law("规则", "2019-01-01", statute.Date(20190101+r.IntN(3)), 0)
		l.SourceIDs = []string{fmt.Sprint("L", r.IntN(3))}
		var units []statute.Unit
		for i := range 1 + r.IntN(5) {
			u := article(l, 1+r.IntN(3), 0, fmt.Sprint("s", r.IntN(4)), fmt.Sprint("文字", r.IntN(3)))
			if n := r.IntN(3); n > 0 {
				u.ID = statute.Variant(u.ID, n+1)
			}
			u.Order, u.Path = i, []string{fmt.Sprint("第", r.IntN(2), "章")}
			if r.IntN(4) == 0 {
				u.Also = []string{"more"}
			}
			units = append(units, u)
		}
		out = append(out, documentOf{l, units})
	}
	return out
}

// A library that was put together from the books of several workers is the book of
// one that read all.
func TestWhatAnInputBroughtIsReadBack(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		part, whole := create(t, t.TempDir()), create(t, t.TempDir())
		for _, path := range []string{"a", "b"} {
			read(t, part, path, path, randomReading(r), true)
			var back reading
			err := part.EachBrought(ctx, input(t, part, path), func(l *statute.Law, units []statute.Unit, kept bool) error {
				back = append(back, documentOf{l, units})
				if kept {
					t.Error("there is only one version")
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			read(t, whole, path, path, back, true)
		}
		if diff := cmp.Diff(content(t, part), content(t, whole)); diff != "" {
			t.Fatalf("seed %d (-part +whole)\n%s", seed, diff)
		}
	}
}

func TestTooManyTextsUnderOneIDAreRefused(t *testing.T) {
	b := create(t, t.TempDir())
	l := law("规则", "2019-01-01", 20190101, 0)
	units := make([]statute.Unit, maxOrigins+3)
	for i := range units {
		units[i] = article(l, 1, 0, "", fmt.Sprint("文字", i))
	}
	s := put(t, b, l, units...)
	if len(s.Crowded) != 3 || s.New != maxOrigins {
		t.Errorf("%d new, %d refused", s.New, len(s.Crowded))
	}
	if s := putFrom(t, b, "other", l, article(l, 1, 0, "", "又一")); len(s.Crowded) != 1 {
		t.Errorf("%+v", s)
	}
}
