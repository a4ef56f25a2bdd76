package main

import (
	"context"
	"errors"
	"fmt"

	"lexagent/ingest"
	"lexagent/ingest/uploads"
	"lexagent/retrieval"
)

// ingestUpload brings the book up to date with uploaded files and returns when the
// process searches what is in it then.
func (c *config) ingestUpload(s *system) uploads.Ingest {
	return func(ctx context.Context, paths []string, o ingest.Options) (_ *ingest.Report, err error) {
		if s.encoder != nil {
			o.Encoder = s.encoder
			o.Labeler = retrieval.Labeler{Model: s.search.IntentModel}
		}
		if c.Store == storeMilvus {
			m, err := c.dialMilvus(ctx)
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, m.Close()) }()
			o.Publisher = m
		}
		report, err := ingest.Run(ctx, c.Data, paths, o)
		if err != nil {
			return report, err
		}
		if err := s.book.Reload(ctx); err != nil {
			return report, fmt.Errorf("read the book again: %w", err)
		}
		if _, err := s.live.Refresh(ctx); err != nil {
			return report, fmt.Errorf("open the new index: %w", err)
		}
		return report, nil
	}
}
