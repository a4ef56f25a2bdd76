// Package ingesttest gives tests a real book and index, made by an ingest.
package ingesttest

import (
	"errors"
	"testing"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/ingest"
)

// Source is files and folders that go into a collection.
type Source struct {
	Collection string // "" = public
	Paths      []string
}

// Open ingests the sources, one after another, into a data folder that goes with the
// test, and opens what came of it. There are no vectors.
func Open(t testing.TB, sources ...Source) (*book.Book, func() index.Store) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	for _, s := range sources {
		if _, err := ingest.Run(ctx, dir, s.Paths, ingest.Options{Collection: s.Collection}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := book.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	live, err := embedded.OpenLive(ingest.IndexRoot(dir))
	if err != nil {
		_ = b.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(b.Close(), live.Close()) })
	return b, func() index.Store { return live.Current() }
}
