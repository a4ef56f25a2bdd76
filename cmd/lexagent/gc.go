package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lexagent/index/embedded"
	"lexagent/ingest"
)

func gcCommand(c *config) *cobra.Command {
	return &cobra.Command{
		Use:   "gc",
		Short: "Remove the generations of the index that are not in use",
		Long: "Removes every generation but the one in use and one whose vectors are being made, and what was left of\n" +
			"builds and copies that were killed. Those before can't be gone back to afterwards.",
		Example: "  lexagent gc\n  LEXAGENT_MILVUS_ADDR=127.0.0.1:19530 lexagent gc --store milvus",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			remove := c.pruneEmbedded
			if c.Store == storeMilvus {
				remove = c.pruneMilvus
			}
			removed, err := remove(cmd.Context())
			for _, name := range removed {
				fmt.Println("removed", name)
			}
			return err
		},
	}
}

func (c *config) pruneEmbedded(ctx context.Context) (removed []string, err error) {
	root := ingest.IndexRoot(c.Data)
	if _, err := embedded.Current(root); err != nil {
		return nil, err // and make no folder there
	}
	lock, err := embedded.Lock(ctx, root, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return embedded.Prune(root)
}

func (c *config) pruneMilvus(ctx context.Context) (removed []string, err error) {
	m, err := c.dialMilvus(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close() //nolint:errcheck // the process ends
	if _, err := m.Current(ctx); err != nil {
		return nil, err
	}
	list, err := m.Generations(ctx)
	for _, g := range list {
		if g.Current {
			continue
		}
		if err := m.Drop(ctx, g.Name); err != nil {
			return removed, err
		}
		removed = append(removed, g.Name)
	}
	return removed, err
}
