package ingest

import (
	"context"
	"fmt"

	"lexagent/book"
	"lexagent/corpus"
	"lexagent/statute"
)

// batchLaws is how many laws are chunked in one transaction.
const batchLaws = 200

// chunk makes the chunks of the laws whose units have changed.
func (e *engine) chunk(ctx context.Context) error {
	laws, err := e.book.Unchunked(ctx)
	if err != nil || len(laws) == 0 {
		return err
	}
	e.stage("chunk", len(laws))
	for len(laws) > 0 {
		n := min(batchLaws, len(laws))
		if err := e.chunkBatch(ctx, laws[:n]); err != nil {
			return fmt.Errorf("make chunks: %w", err)
		}
		laws = laws[n:]
	}
	return nil
}

// chunkBatch reads first and writes then: reading beside an open transaction
// costs SQLite a search of its log for every page.
func (e *engine) chunkBatch(ctx context.Context, laws []*statute.Law) error {
	chunks := make([][]statute.Passage, len(laws))
	for i, l := range laws {
		units, err := e.book.Units(ctx, l)
		if err != nil {
			return err
		}
		chunks[i] = corpus.Chunks(l, units)
		e.progress.Units++
		e.tell(false)
	}
	return e.book.Write(ctx, func(w *book.Writer) error {
		for i, l := range laws {
			if err := w.PutChunks(ctx, l, chunks[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
