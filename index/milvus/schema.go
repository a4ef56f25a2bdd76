package milvus

import (
	"context"
	"fmt"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"
)

// Fields of a generation's collection.
const (
	fieldID         = "id"      // key of the document's id; the primary key
	fieldLongID     = "long_id" // the id itself where it is longer than a key, else ""
	fieldOrd        = "ord"     // number of the document in the build's order
	fieldLaw        = "law"
	fieldCollection = "collection"
	fieldRegion     = "region"
	fieldKind       = "kind"
	fieldLevel      = "level"
	fieldFrom       = "from_day"  // yyyymmdd, 0 = not known
	fieldUntil      = "until_day" // yyyymmdd, 0 = none
	fieldSparse     = "sparse"    // the document's side of BM25
	fieldDense      = "dense"     // absent from generations without vectors
)

// maxText is the longest string that Milvus stores, in bytes.
const maxText = 65535

// HNSW's build parameters: Milvus' own recommendation for recall near 1.
const (
	hnswLinks = 32
	hnswBuild = 360
)

func text(name string, length int64) *entity.Field {
	return entity.NewField().WithName(name).WithDataType(entity.FieldTypeVarChar).WithMaxLength(length)
}

func integer(name string) *entity.Field {
	return entity.NewField().WithName(name).WithDataType(entity.FieldTypeInt64)
}

func vector(name string, dim int) *entity.Field {
	return entity.NewField().WithName(name).WithDataType(entity.FieldTypeFloatVector).WithDim(int64(dim))
}

// schema is that of a generation; dim 0 = without vectors.
func schema(collection string, dim int) *entity.Schema {
	s := entity.NewSchema().WithName(collection).
		WithField(text(fieldID, keyBytes).WithIsPrimaryKey(true)).
		WithField(text(fieldLongID, maxText)).
		WithField(integer(fieldOrd)).
		WithField(text(fieldLaw, keyBytes)).
		WithField(text(fieldCollection, keyBytes)).
		WithField(text(fieldRegion, keyBytes)).
		WithField(text(fieldKind, keyBytes)).
		WithField(integer(fieldLevel)).
		WithField(integer(fieldFrom)).
		WithField(integer(fieldUntil)).
		WithField(entity.NewField().WithName(fieldSparse).WithDataType(entity.FieldTypeSparseVector))
	if dim > 0 {
		s = s.WithField(vector(fieldDense, dim))
	}
	return s
}

// create makes a collection with its indexes, or what is missing of them.
func (c *Client) create(ctx context.Context, s *entity.Schema, indexes map[string]entity.Index) error {
	name := s.CollectionName
	return c.write(ctx, "create collection "+name, func(ctx context.Context) error {
		there, err := c.sdk.HasCollection(ctx, name)
		if err != nil {
			return err
		}
		if !there {
			if err := c.sdk.CreateCollection(ctx, s, 1, client.WithConsistencyLevel(entity.ClStrong)); err != nil {
				return err
			}
		}
		for field, ix := range indexes {
			if have, err := c.sdk.DescribeIndex(ctx, name, field); err == nil && len(have) > 0 {
				continue // of an earlier try; an error says that there is none
			}
			if err := c.sdk.CreateIndex(ctx, name, field, ix, true); err != nil {
				return err
			}
		}
		return nil
	})
}

// indexes are those of a generation.
func (c *Client) indexes(dim int) (map[string]entity.Index, error) {
	sparse, err := entity.NewIndexSparseInverted(entity.IP, 0)
	if err != nil {
		return nil, err
	}
	all := map[string]entity.Index{fieldSparse: sparse, fieldLaw: entity.NewScalarIndexWithType(entity.Inverted)}
	switch {
	case dim == 0:
	case c.o.Dense == HNSW:
		all[fieldDense], err = entity.NewIndexHNSW(entity.IP, hnswLinks, hnswBuild)
	default:
		all[fieldDense], err = entity.NewIndexFlat(entity.IP)
	}
	return all, err
}

// load brings a collection into the memory of the query nodes.
func (c *Client) load(ctx context.Context, collection string) error {
	return c.write(ctx, "load collection "+collection, func(ctx context.Context) error {
		return c.sdk.LoadCollection(ctx, collection, false)
	})
}

// count is how many rows a collection has, seen by every write before.
func (c *Client) count(ctx context.Context, collection string) (n int64, err error) {
	err = c.readFrom(ctx, collection, "count rows of "+collection, func(ctx context.Context) error {
		rs, err := c.sdk.Query(ctx, collection, nil, "", []string{"count(*)"}, strong)
		if err != nil {
			return err
		}
		col, ok := rs.GetColumn("count(*)").(*entity.ColumnInt64)
		if !ok || col.Len() == 0 {
			return &ownError{fmt.Errorf("%s gave no count", collection)}
		}
		n, err = col.ValueByIdx(0)
		return err
	})
	return n, err
}
