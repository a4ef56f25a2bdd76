package ingest

import (
	"context"
	"fmt"
	"time"

	"lexagent/statute"
)

// relate works out what ended what and who cites whom, when the book has changed
// since that was done.
func (e *engine) relate(ctx context.Context) error {
	fresh, err := e.book.Related(ctx)
	if err != nil {
		return err
	}
	if !fresh {
		e.stage("cite", len(e.book.AllLaws()))
		err := e.book.Relate(ctx, statute.DateOf(time.Now()), func(laws int) {
			e.progress.Units = laws
			e.tell(false)
		})
		if err != nil {
			return fmt.Errorf("find citations and repeals: %w", err)
		}
	}
	e.report.Citations, err = e.book.CountCitations(ctx)
	return err
}
