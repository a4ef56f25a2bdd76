package book

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lexagent/statute"
)

var public = []string{"public"}

func law(short, version string, effective, ended statute.Date) *statute.Law {
	return &statute.Law{
		ID: statute.LawID(short, version), Title: "中华人民共和国" + short, Short: short, Level: statute.PrimaryStatute,
		Version: version, Effective: effective, Ended: ended, Collection: "public", SourceIDs: []string{"L" + version},
	}
}

func article(l *statute.Law, number, sub int, source, text string) statute.Unit {
	return statute.Unit{
		ID: statute.UnitID(l.ID, statute.Article, "", number, sub), SourceID: source, LawID: l.ID, Kind: statute.Article,
		Label: fmt.Sprintf("第%d条", number), Number: number, Sub: sub, Path: []string{"第一章"}, Text: text, Order: number*10 + sub,
	}
}

func put(t *testing.T, b *Book, l *statute.Law, units ...statute.Unit) Stored {
	t.Helper()
	return putFrom(t, b, "file", l, units...)
}

// putFrom stores what one input brings of a law, beside what it brought before.
func putFrom(t *testing.T, b *Book, path string, l *statute.Law, units ...statute.Unit) Stored {
	t.Helper()
	ctx := context.Background()
	var s Stored
	err := b.Write(ctx, func(w *Writer) (err error) {
		if err := w.From(ctx, NewIntake(l.Collection, path)); err != nil {
			return err
		}
		s, err = w.Put(ctx, l, units)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t *testing.T, dir string) *Book {
	t.Helper()
	b, err := Create(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestPutIsIdempotentAndNeverMergesDifferentTexts(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	l := law("刑法", "2020-12-26", 20210301, 0)
	a, sub := article(l, 175, 0, "s1", "原文"), article(l, 175, 1, "s2", "之一")
	if s := put(t, b, l, a, sub); s.New != 2 {
		t.Errorf("first: %+v", s)
	}
	rev, _ := b.Revision(ctx)
	if s := put(t, b, l, a, sub); s.New != 0 || s.Same != 2 {
		t.Errorf("again: %+v", s)
	}
	if r, _ := b.Revision(ctx); r != rev {
		t.Error("storing the same again changed the revision")
	}
	other := article(l, 175, 0, "s3", "别的文字")
	if s := putFrom(t, b, "other", l, other); !cmp.Equal(s.Variants, []string{"刑法@2020-12-26:175~2"}) {
		t.Errorf("another text under a taken id: %+v", s)
	}
	if s := putFrom(t, b, "other", l, other); s.Same != 1 {
		t.Errorf("the variant again: %+v", s)
	}
	copied := a
	copied.SourceID = "s9"
	putFrom(t, b, "copy", l, copied)
	u, _, err := b.Unit(ctx, public, "刑法@2020-12-26:175", 0)
	if err != nil || u.SourceID != "s1" || !cmp.Equal(u.Also, []string{"s9"}) {
		t.Errorf("a copy must be found under both source ids: %+v, %v", u, err)
	}
	got, err := b.Articles(ctx, l, 175)
	if err != nil || len(got) != 3 {
		t.Errorf("articles numbered 175: %d, %v", len(got), err)
	}
	if n, err := b.LastArticle(ctx, l); n != 175 || err != nil {
		t.Errorf("last article %d, %v", n, err)
	}
}

func TestTheVersionThatAppliesOnADay(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	old, cur := law("公司法", "2018-10-26", 20181026, 0), law("公司法", "2023-12-29", 20240701, 0)
	put(t, b, old, article(old, 1, 0, "", "旧"))
	put(t, b, cur, article(cur, 1, 0, "", "新"))
	for _, c := range []struct {
		id   string
		day  statute.Date
		want string
	}{
		{"公司法:1", 20240630, "旧"},
		{"公司法:1", 20240701, "新"},
		{"公司法:1", 20000101, "新"}, // before the oldest known: the latest, whose status tells
		{"公司法@2018-10-26:1", 20260101, "旧"},
	} {
		u, _, err := b.Unit(ctx, public, c.id, c.day)
		if err != nil || u.Text != c.want {
			t.Errorf("%s on %s: %v, %v", c.id, c.day, u, err)
		}
	}
	l, err := b.Law(public, "公司法@2018-10-26", 0)
	if err != nil || l.StatusOn(20240701) != statute.Superseded || l.StatusOn(20240630) != statute.InForce || l.EndedBy != cur.ID {
		t.Errorf("the older version ends where the newer begins: %+v, %v", l, err)
	}
	for _, id := range []string{"公司法:2", "合同法:1", "公司法@2000-01-01:1", "", ":", "公司法", "公司法:1:1", "公司法@:1"} {
		if _, _, err := b.Unit(ctx, public, id, 20240701); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestCollectionsAreApart(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	pub, own := law("民法典", "2020-05-28", 20210101, 0), law("民法典", "2020-05-28", 20210101, 0)
	own.Collection = "firm"
	put(t, b, pub, article(pub, 1, 0, "", "公开"))
	put(t, b, own, article(own, 1, 0, "", "内部"), article(own, 2, 0, "", "内部二"))
	for _, c := range []struct {
		collections []string
		id, want    string
	}{
		{public, "民法典:1", "公开"}, {[]string{"firm"}, "民法典:1", "内部"},
		{[]string{"public", "firm"}, "民法典:1", "公开"}, {[]string{"public", "firm"}, "民法典:2", "内部二"},
	} {
		u, _, err := b.Unit(ctx, c.collections, c.id, 20220101)
		if err != nil || u.Text != c.want {
			t.Errorf("%v %s: %v, %v", c.collections, c.id, u, err)
		}
	}
	if _, _, err := b.Unit(ctx, public, "民法典:2", 20220101); !errors.Is(err, ErrNotFound) {
		t.Errorf("a private unit leaks: %v", err)
	}
}

func TestOneWriterManyReaders(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := Open(ctx, dir); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty folder: %v", err)
	}
	b := create(t, dir)
	if _, err := Create(ctx, dir); !errors.Is(err, ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Write(ctx, func(*Writer) error { return nil }); err == nil {
		t.Error("a reader could write")
	}
	l := law("民法典", "2020-05-28", 20210101, 0)
	put(t, b, l, article(l, 1, 0, "", "一"))
	if err := r.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Unit(ctx, public, "民法典:1", 20220101); err != nil {
		t.Errorf("a reader must see what was stored: %v", err)
	}
}

// However many ask at once, the files that a reader holds open are bounded.
func TestManyReadersShareFewConnections(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	l := law("刑法", "2020-12-26", 20210301, 0)
	put(t, create(t, dir), l, article(l, 1, 0, "s1", "原文"))
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var wait sync.WaitGroup
	for range 200 {
		wait.Go(func() {
			for range 10 {
				if _, err := r.Articles(ctx, l, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if s := r.db.Stats(); s.OpenConnections > connections || s.MaxOpenConnections != connections {
		t.Errorf("%d connections are open", s.OpenConnections)
	}
}

func TestAFailedWriteLeavesNothing(t *testing.T) {
	ctx := context.Background()
	b := create(t, t.TempDir())
	l := law("民法典", "2020-05-28", 20210101, 0)
	boom := errors.New("boom")
	err := b.Write(ctx, func(w *Writer) error {
		if _, err := w.Put(ctx, l, []statute.Unit{article(l, 1, 0, "", "一")}); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if s, err := b.Size(ctx); s.Units != 0 || err != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAForeignOrBrokenFileIsRefused(t *testing.T) {
	ctx := context.Background()
	for name, content := range map[string]string{"not a database": "hello, this is no database at all, and long enough", "empty": ""} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if b, err := Open(ctx, dir); err == nil {
			t.Errorf("%s was opened", name)
			b.Close()
		}
	}
}

// A book whose making was interrupted is an empty one, which the next writer makes.
func TestAnUnfinishedBookIsEmpty(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, dir); !errors.Is(err, ErrEmpty) {
		t.Errorf("read: %v", err)
	}
	b := create(t, dir)
	l := law("民法典", "2020-05-28", 20210101, 0)
	if s := put(t, b, l, article(l, 1, 0, "", "一")); s.New != 1 {
		t.Errorf("%+v", s)
	}
}

// A writer killed at any moment leaves a book that opens and holds whole laws.
func TestKillWhileWriting(t *testing.T) {
	if os.Getenv("LEXAGENT_BOOK_WRITER") != "" {
		writeForEver(t, os.Getenv("LEXAGENT_BOOK_WRITER"))
		return
	}
	ctx := context.Background()
	dir := t.TempDir()
	for i := range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKillWhileWriting$")
		cmd.Env = append(os.Environ(), "LEXAGENT_BOOK_WRITER="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(150+70*i) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		b, err := Create(ctx, dir)
		if err != nil {
			t.Fatalf("after kill %d: %v", i, err)
		}
		for _, l := range b.AllLaws() {
			if us, err := b.Units(ctx, l); err != nil || len(us) != 20 {
				t.Errorf("%s has %d of 20 articles, %v", l.ID, len(us), err)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func writeForEver(t *testing.T, dir string) {
	b := create(t, dir)
	for n := range 100_000 {
		l := law(fmt.Sprintf("第%d号法", n), "2020-05-28", 20210101, 0)
		units := make([]statute.Unit, 20)
		for i := range units {
			units[i] = article(l, i+1, 0, "", fmt.Sprintf("文字%d", i))
		}
		put(t, b, l, units...)
	}
}

func TestPartsOfOneLawStandInOrder(t *testing.T) {
	b := create(t, t.TempDir())
	part1, part2 := law("民法典", "2020-05-28", 20210101, 0), law("民法典", "2020-05-28", 20210101, 0)
	part1.SourceIDs, part2.SourceIDs = []string{"L1"}, []string{"L2"}
	later, first := article(part2, 990, 0, "", "人格权编"), article(part1, 1, 0, "", "总则编")
	later.Order, first.Order = 0, 1 // each part counts from its own beginning
	putFrom(t, b, "2", part2, later)
	putFrom(t, b, "1", part1, first)
	l, err := b.Law(public, "民法典", 20220101)
	if err != nil {
		t.Fatal(err)
	}
	us, err := b.Units(context.Background(), l)
	if err != nil || len(us) != 2 || us[0].Number != 1 {
		t.Errorf("%+v, %v", us, err)
	}
}

// A reader counts its book again when it has changed, and only then.
func TestSizeFollowsTheBook(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	b := create(t, dir)
	l := law("刑法", "2020-12-26", 20210301, 0)
	put(t, b, l, article(l, 1, 0, "s1", "原文"))
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	size := func() Size {
		t.Helper()
		s, err := r.Size(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	size()
	counted := r.sized.Load()
	if s := size(); s != (Size{Laws: 1, Units: 1, Articles: 1}) || r.sized.Load() != counted {
		t.Errorf("%+v, or it was counted twice", s)
	}
	put(t, b, l, article(l, 1, 0, "s1", "原文"), article(l, 2, 0, "s2", "又一条"))
	if s := size(); s != (Size{Laws: 1, Units: 2, Articles: 2}) {
		t.Errorf("%+v after a change", s)
	}
}
