// Package booktest gives tests a real statute book of laws that they write themselves.
package booktest

import (
	"testing"

	"lexagent/book"
	"lexagent/statute"
)

// Law is a law with its units.
type Law struct {
	Law   *statute.Law
	Units []statute.Unit
}

// Article is article n of a law.
func Article(l *statute.Law, n int, text string) statute.Unit {
	return statute.Unit{
		ID: statute.UnitID(l.ID, statute.Article, "", n, 0), LawID: l.ID, Kind: statute.Article,
		Label: statute.Label(n, 0), Number: n, Text: text, Order: n,
	}
}

// Articles are the articles of a law from 第一条 on.
func Articles(l *statute.Law, texts ...string) Law {
	law := Law{Law: l}
	for i, text := range texts {
		law.Units = append(law.Units, Article(l, i+1, text))
	}
	return law
}

// In makes a book of the laws in a folder. It is closed with the test.
func In(t testing.TB, dir string, laws ...Law) *book.Book {
	t.Helper()
	ctx := t.Context()
	b, err := book.Create(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	err = b.Write(ctx, func(w *book.Writer) error {
		for _, l := range laws {
			if _, err := w.Put(ctx, l.Law, l.Units); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = b.Reload(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// New makes a book of the laws in a folder that goes with the test.
func New(t testing.TB, laws ...Law) *book.Book {
	t.Helper()
	return In(t, t.TempDir(), laws...)
}
