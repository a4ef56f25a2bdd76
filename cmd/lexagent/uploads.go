package main

import (
	"context"
	"errors"
	"fmt"

	"lexagent/ingest"
)

// ingestUpload reads uploaded files into the book and returns when the process
// searches what they brought.
func (c *config) ingestUpload(s *system) func(context.Context, string, []string, func(ingest.Progress)) (*ingest.Report, error) {
	return func(ctx context.Context, collection string, paths []string, tell func(ingest.Progress)) (_ *ingest.Report, err error) {
		o := ingest.Options{Collection: collection, Progress: tell}
		if s.encoder != nil {
			o.Encoder = s.encoder
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
