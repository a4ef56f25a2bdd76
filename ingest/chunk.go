package ingest

import (
	"context"
	"fmt"

	"lexagent/book"
	"lexagent/corpus"
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
		err := e.book.Write(ctx, func(w *book.Writer) error {
			for _, l := range laws[:n] {
				units, err := e.book.Units(ctx, l)
				if err != nil {
					return err
				}
				if err := w.PutChunks(ctx, l, corpus.Chunks(l, units)); err != nil {
					return err
				}
				e.progress.Units++
				e.tell(false)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("make chunks: %w", err)
		}
		laws = laws[n:]
	}
	return nil
}
