package milvus

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"lexagent/index"
	"lexagent/index/embedded"
)

// Fields of the meta collection. Milvus wants a vector in every collection.
const (
	metaKey        = "key"        // generation/part
	metaGeneration = "generation" // its name
	metaPart       = "part"       // recordPart, progressPart, or 0 … of the vocabulary
	metaValue      = "value"
	metaVector     = "none"
)

const (
	recordPart   = -1
	progressPart = -2

	metaFormat = 1
	partBytes  = 48_000  // of a part of the vocabulary before base64
	pageParts  = 32      // parts that are read in one call
	mostTerms  = 1 << 32 // bytes of a vocabulary, as index/embedded bounds it
)

// record is what a replica must know of a generation.
type record struct {
	Format   int             `json:"format"`
	Manifest *index.Manifest `json:"manifest"`
	Encoder  string          `json:"encoder"` // that made the vectors, "" = there are none
	Dim      int             `json:"dim"`
	Dense    string          `json:"dense"` // kind of the dense index
	Parts    int             `json:"parts"` // of the vocabulary
}

// progress is how far the copy of a generation is.
type progress struct {
	Rows    int `json:"rows"`    // documents that are there
	Vectors int `json:"vectors"` // documents that have their vector
}

func (c *Client) meta() string { return c.o.Prefix + "_meta" }

// createMeta makes the meta collection ready.
func (c *Client) createMeta(ctx context.Context) error {
	s := entity.NewSchema().WithName(c.meta()).
		WithField(text(metaKey, 256).WithIsPrimaryKey(true)).WithField(text(metaGeneration, 128)).WithField(integer(metaPart)).
		WithField(text(metaValue, maxText)).WithField(vector(metaVector, 2))
	flat, err := entity.NewIndexFlat(entity.IP)
	if err != nil {
		return err
	}
	if err := c.create(ctx, s, map[string]entity.Index{metaVector: flat}); err != nil {
		return err
	}
	return c.load(ctx, c.meta())
}

// put writes one part.
func (c *Client) put(ctx context.Context, generation string, part int, value string) error {
	return c.write(ctx, "write the manifest of "+generation, func(ctx context.Context) error {
		ids, err := c.sdk.Upsert(ctx, c.meta(), "",
			entity.NewColumnVarChar(metaKey, []string{generation + "/" + strconv.Itoa(part)}),
			entity.NewColumnVarChar(metaGeneration, []string{generation}),
			entity.NewColumnInt64(metaPart, []int64{int64(part)}),
			entity.NewColumnVarChar(metaValue, []string{value}),
			entity.NewColumnFloatVector(metaVector, 2, [][]float32{{0, 0}}))
		if err == nil && ids.Len() != 1 {
			return &ownError{fmt.Errorf("%s took nothing", c.meta())}
		}
		return err
	})
}

func (c *Client) putJSON(ctx context.Context, generation string, part int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > maxText {
		return fmt.Errorf("the manifest of %s has %d bytes, and Milvus takes %d", generation, len(b), maxText)
	}
	return c.put(ctx, generation, part, string(b))
}

// parts reads the parts that a filter names: generation to part to value.
func (c *Client) parts(ctx context.Context, filter string) (map[string]map[int]string, error) {
	all := map[string]map[int]string{}
	err := c.readFrom(ctx, c.meta(), "read the manifests", func(ctx context.Context) error {
		there, err := c.sdk.HasCollection(ctx, c.meta())
		if err != nil || !there {
			return err
		}
		rs, err := c.sdk.Query(ctx, c.meta(), nil, filter, []string{metaGeneration, metaPart, metaValue}, strong)
		if err != nil {
			return err
		}
		return collect(all, rs)
	})
	return all, err
}

func collect(all map[string]map[int]string, rs client.ResultSet) error {
	generations, ok := rs.GetColumn(metaGeneration).(*entity.ColumnVarChar)
	numbers, ok2 := rs.GetColumn(metaPart).(*entity.ColumnInt64)
	values, ok3 := rs.GetColumn(metaValue).(*entity.ColumnVarChar)
	if !ok || !ok2 || !ok3 {
		return nil // an answer without rows has no columns
	}
	for i, g := range generations.Data() {
		if all[g] == nil {
			all[g] = map[int]string{}
		}
		all[g][int(numbers.Data()[i])] = values.Data()[i]
	}
	return nil
}

// readRecord returns what is known of a generation; nil when it isn't there.
func (c *Client) readRecord(ctx context.Context, generation string) (*record, progress, error) {
	parts, err := c.parts(ctx, fmt.Sprintf("%s && %s < 0", inList(metaGeneration, []string{generation}), metaPart))
	if err != nil {
		return nil, progress{}, err
	}
	return parseRecord(generation, parts[generation])
}

// parseRecord reads the record and the progress among a generation's parts.
func parseRecord(generation string, parts map[int]string) (*record, progress, error) {
	var p progress
	if parts[recordPart] == "" {
		return nil, p, nil
	}
	r := &record{}
	err := json.Unmarshal([]byte(parts[recordPart]), r)
	if err == nil && parts[progressPart] != "" {
		err = json.Unmarshal([]byte(parts[progressPart]), &p)
	}
	if err != nil || r.Manifest == nil || len(r.Manifest.Digest) != 64 {
		return nil, p, fmt.Errorf("the manifest of %s on Milvus is damaged; drop the generation and publish it again", generation)
	}
	if r.Format != metaFormat {
		return nil, p, fmt.Errorf("generation %s on Milvus has format %d and this program reads %d; publish it again", generation, r.Format, metaFormat)
	}
	return r, p, nil
}

// putVocabulary writes the terms of a generation and returns in how many parts.
func (c *Client) putVocabulary(ctx context.Context, generation string, s *embedded.Store) (int, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	var b []byte
	err := s.Terms(func(term string, df uint32) error {
		b = binary.AppendUvarint(b[:0], uint64(len(term)))
		b = append(b, term...)
		b = binary.AppendUvarint(b, uint64(df))
		_, err := z.Write(b)
		return err
	})
	if err := errors.Join(err, z.Close()); err != nil {
		return 0, err
	}
	n := 0
	for rest := packed.Bytes(); len(rest) > 0; n++ {
		part := rest[:min(partBytes, len(rest))]
		rest = rest[len(part):]
		if err := c.put(ctx, generation, n, base64.StdEncoding.EncodeToString(part)); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// readVocabulary reads the terms of a generation.
func (c *Client) readVocabulary(ctx context.Context, generation string, r *record) (index.Vocabulary, error) {
	damaged := fmt.Errorf("the vocabulary of %s on Milvus is damaged; drop the generation and publish it again", generation)
	var packed bytes.Buffer
	for lo := 0; lo < r.Parts; lo += pageParts {
		hi := min(lo+pageParts, r.Parts)
		parts, err := c.parts(ctx, fmt.Sprintf("%s && %s >= %d && %s < %d", inList(metaGeneration, []string{generation}), metaPart, lo, metaPart, hi))
		if err != nil {
			return nil, err
		}
		for i := lo; i < hi; i++ {
			part, err := base64.StdEncoding.DecodeString(parts[generation][i])
			if err != nil || len(part) == 0 {
				return nil, damaged
			}
			packed.Write(part)
		}
	}
	terms, frequencies, err := unpackTerms(&packed, r.Manifest.Terms)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", damaged, err)
	}
	return embedded.NewVocabulary(terms, frequencies)
}

// unpackTerms reads n terms and that nothing follows.
func unpackTerms(packed io.Reader, n int) (terms []string, frequencies []uint32, err error) {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, nil, err
	}
	var all bytes.Buffer
	size, err := io.Copy(&all, io.LimitReader(z, mostTerms+1))
	if err != nil {
		return nil, nil, err
	}
	if size > mostTerms {
		return nil, nil, errors.New("more terms than can be")
	}
	for range n {
		size, err := binary.ReadUvarint(&all)
		if err != nil || size > uint64(all.Len()) {
			return nil, nil, io.ErrUnexpectedEOF
		}
		term := string(all.Next(int(size)))
		df, err := binary.ReadUvarint(&all)
		if err != nil || df > 1<<32-1 {
			return nil, nil, io.ErrUnexpectedEOF
		}
		terms, frequencies = append(terms, term), append(frequencies, uint32(df))
	}
	if all.Len() > 0 {
		return nil, nil, errors.New("more terms than counted")
	}
	return terms, frequencies, z.Close()
}
