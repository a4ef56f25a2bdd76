package ingest

import (
	"context"
	"errors"
	"fmt"

	"lexagent/index/embedded"
)

// Publisher puts a copy of a generation, with the vectors that are there, in use
// where it is searched.
type Publisher interface {
	// Publish goes on where an earlier call stopped, does nothing when all is there,
	// and returns the copy's name. told is called with the documents copied.
	Publish(ctx context.Context, s *embedded.Store, told func(done, total int)) (name string, err error)
}

// publish copies the index in use to where it is searched, if that isn't here.
func (e *engine) publish(ctx context.Context) (err error) {
	if e.o.Publisher == nil {
		return nil
	}
	s, err := embedded.Open(IndexRoot(e.dir))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e.stage("publish", s.Len())
	e.report.Published, err = e.o.Publisher.Publish(ctx, s, func(done, total int) {
		e.progress.Units, e.progress.Total = done, total
		e.tell(done == total)
	})
	if err != nil {
		return fmt.Errorf("publish the index: %w", err)
	}
	return nil
}
