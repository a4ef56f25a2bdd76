package milvus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lexagent/index"
)

// ErrNoGeneration is returned while no generation is in use.
var ErrNoGeneration = errors.New("no index is in use on Milvus yet")

// Generation tells about one generation on the server.
type Generation struct {
	Name      string
	Documents int
	Rows      int    // documents that are there; fewer while a copy is under way
	Vectors   int    // documents that have their vector
	Encoder   string // that made the vectors, "" = there are none
	Current   bool   // in use
}

func (c *Client) collection(generation string) string { return c.o.Prefix + "_" + generation }

func (c *Client) has(ctx context.Context, collection string) (there bool, err error) {
	err = c.read(ctx, "look for collection "+collection, func(ctx context.Context) error {
		there, err = c.sdk.HasCollection(ctx, collection)
		return err
	})
	return there, err
}

// Current returns the name of the generation in use, or ErrNoGeneration.
func (c *Client) Current(ctx context.Context) (name string, err error) {
	err = c.read(ctx, "look for the index in use", func(ctx context.Context) error {
		there, err := c.sdk.HasCollection(ctx, c.o.Prefix)
		if err != nil {
			return err
		}
		if !there {
			return &ownError{fmt.Errorf("%s: %w", c.o.Prefix, ErrNoGeneration)}
		}
		d, err := c.sdk.DescribeCollection(ctx, c.o.Prefix)
		if err != nil {
			return err
		}
		name = d.Name
		return nil
	})
	if err != nil {
		return "", err
	}
	generation, ok := strings.CutPrefix(name, c.o.Prefix+"_")
	if !ok {
		return "", fmt.Errorf("%s on Milvus is a collection of another program; choose another prefix", c.o.Prefix)
	}
	return generation, nil
}

// Generations lists the generations on the server, by name.
func (c *Client) Generations(ctx context.Context) ([]Generation, error) {
	current, err := c.Current(ctx)
	if err != nil && !errors.Is(err, ErrNoGeneration) {
		return nil, err
	}
	all, err := c.parts(ctx, metaPart+" < 0")
	if err != nil {
		return nil, err
	}
	var list []Generation
	for name, parts := range all {
		r, p, err := parseRecord(name, parts)
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		list = append(list, Generation{
			Name: name, Documents: r.Manifest.Documents, Rows: p.Rows, Vectors: p.Vectors, Encoder: r.Encoder, Current: name == current,
		})
	}
	slices.SortFunc(list, func(a, b Generation) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Activate puts a generation in use, atomically, after it found its own text and
// its own vector. Stores that are open stay with theirs; Live changes over.
func (c *Client) Activate(ctx context.Context, generation string) error {
	patient := &Client{o: c.o, sdk: c.sdk}
	patient.o.Timeout = max(c.o.Timeout, writeTimeout) // milvus-lite makes its indexes in the first search
	s, err := patient.OpenGeneration(ctx, generation)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Probe(ctx), s.Close()); err != nil {
		return err
	}
	current, err := c.Current(ctx)
	if errors.Is(err, ErrNoGeneration) {
		return c.write(ctx, "put generation "+generation+" in use", func(ctx context.Context) error {
			return c.sdk.CreateAlias(ctx, c.collection(generation), c.o.Prefix)
		})
	}
	if err != nil || current == generation {
		return err
	}
	return c.write(ctx, "put generation "+generation+" in use", func(ctx context.Context) error {
		return c.sdk.AlterAlias(ctx, c.collection(generation), c.o.Prefix)
	})
}

// Drop removes a generation that is not in use.
func (c *Client) Drop(ctx context.Context, generation string) error {
	current, err := c.Current(ctx)
	if err != nil && !errors.Is(err, ErrNoGeneration) {
		return err
	}
	if current == generation {
		return fmt.Errorf("generation %s is in use; put another one in use first", generation)
	}
	r, _, err := c.readRecord(ctx, generation)
	if err != nil {
		return err
	}
	there, err := c.has(ctx, c.collection(generation))
	if err != nil {
		return err
	}
	if r == nil && !there {
		return fmt.Errorf("there is no generation %s on Milvus", generation)
	}
	if there {
		if err := c.dropCollection(ctx, c.collection(generation)); err != nil {
			return err
		}
	}
	return c.write(ctx, "remove the manifest of "+generation, func(ctx context.Context) error {
		return c.sdk.Delete(ctx, c.meta(), "", inList(metaGeneration, []string{generation}))
	})
}

func (c *Client) dropCollection(ctx context.Context, name string) error {
	return c.write(ctx, "drop collection "+name, func(ctx context.Context) error { return c.sdk.DropCollection(ctx, name) })
}

// Open opens the generation in use.
func (c *Client) Open(ctx context.Context) (*Store, error) {
	name, err := c.Current(ctx)
	if err != nil {
		return nil, err
	}
	return c.OpenGeneration(ctx, name)
}

// OpenGeneration opens a generation by its name. One whose copy isn't complete is
// refused, and so is one made by another analyzer.
func (c *Client) OpenGeneration(ctx context.Context, generation string) (*Store, error) {
	r, at, err := c.readRecord(ctx, generation)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("there is no generation %s on Milvus: %w", generation, ErrNoGeneration)
	}
	m := r.Manifest
	if at.Rows < m.Documents {
		return nil, fmt.Errorf("generation %s on Milvus holds %d of %d documents; publish it again to complete it", generation, at.Rows, m.Documents)
	}
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return nil, err
	}
	if m.Analyzer != analyzer.Name() {
		return nil, fmt.Errorf("generation %s on Milvus was made with analyzer %s and this program has %s; build and publish it again",
			generation, m.Analyzer, analyzer.Name())
	}
	v, err := c.readVocabulary(ctx, generation, r)
	if err != nil {
		return nil, err
	}
	s := &Store{c: c, name: generation, collection: c.collection(generation), record: r,
		encoder: &index.Encoder{Analyzer: analyzer, Vocabulary: v, BM25: m.BM25, Statistics: m.Statistics}}
	s.vectors.Store(int64(at.Vectors))
	return s, nil
}
