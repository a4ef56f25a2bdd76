package main

import (
	"context"
	"fmt"
	"io"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/index/milvus"
	"lexagent/ingest"
	"lexagent/retrieval"
)

// store is a generation of the index, wherever it lies.
type store interface {
	index.Store
	retrieval.Vectors
	Manifest() *index.Manifest
	Probe(ctx context.Context) error
}

// live is the index in use, which may change while the process runs.
type live interface {
	Current() store
	Refresh(ctx context.Context) (changed bool, err error)
	io.Closer
}

type embeddedIndex struct{ *embedded.Live }

func (e embeddedIndex) Current() store                        { return e.Live.Current() }
func (e embeddedIndex) Refresh(context.Context) (bool, error) { return e.Live.Refresh() }

type milvusIndex struct{ *milvus.Live }

func (m milvusIndex) Current() store { return m.Live.Current() }

// openLive opens the index in use in the store that is configured.
func (c *config) openLive(ctx context.Context) (live, error) {
	if c.Store == storeMilvus {
		m, err := c.dialMilvus(ctx)
		if err != nil {
			return nil, err
		}
		l, err := m.OpenLive(ctx)
		if err != nil {
			_ = m.Close() // the error that counts is the first
			return nil, fmt.Errorf("open the index: %w; run `lexagent ingest --store milvus`", err)
		}
		return milvusIndex{l}, nil
	}
	l, err := embedded.OpenLive(ingest.IndexRoot(c.Data))
	if err != nil {
		return nil, fmt.Errorf("open the index: %w; run `lexagent ingest` again", err)
	}
	return embeddedIndex{l}, nil
}

func (c *config) dialMilvus(ctx context.Context) (*milvus.Client, error) {
	m := c.Milvus
	if m.Address == "" {
		return nil, fmt.Errorf("where is Milvus? Set %s, such as 127.0.0.1:19530", envMilvusAddress)
	}
	return milvus.Dial(ctx, milvus.Options{
		Address: m.Address, User: m.User, Password: m.Password, TLS: m.TLS, Database: m.Database, Prefix: m.Collection, Dense: m.Index,
		Timeout: m.Timeout,
	})
}
