package milvus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"lexagent/index/embedded"
)

const (
	batchRows       = 1000
	checkpointEvery = 2 * time.Second
)

// Publish copies a generation to Milvus, from where an earlier call stopped, puts
// it in use after its probes and returns its name. Only the vectors that are there
// when it begins are copied; calling it again copies those that came later. told
// is called with the documents that are there; nil = nobody wants to know. The
// generation that was in use before stays, until Drop.
func (c *Client) Publish(ctx context.Context, s *embedded.Store, told func(done, total int)) (name string, err error) {
	p := &copying{c: c, s: s, told: told}
	if p.told == nil {
		p.told = func(int, int) {}
	}
	if err := p.begin(ctx); err != nil {
		return "", err
	}
	if err := p.copy(ctx); err != nil {
		return "", err
	}
	if err := p.finish(ctx); err != nil {
		return "", err
	}
	return p.name, c.Activate(ctx, p.name)
}

// copying is one copy under way.
type copying struct {
	c          *Client
	s          *embedded.Store
	told       func(done, total int)
	name       string
	collection string
	record     *record
	ready      int      // documents whose vector is copied
	at         progress // what is there
	saved      time.Time
	batch      *batch
}

// generationName is the digest's begin and, when there are vectors, the encoder's.
func generationName(s *embedded.Store) string {
	name := s.Manifest().Name()
	if done, _ := s.Vectors(); done > 0 {
		name += "_" + shortName(s.VectorEncoder())
	}
	return name
}

// begin makes the collections and finds out what is there.
func (p *copying) begin(ctx context.Context) (err error) {
	p.name = generationName(p.s)
	p.collection = p.c.collection(p.name)
	if err := p.c.createMeta(ctx); err != nil {
		return err
	}
	r, at, err := p.c.readRecord(ctx, p.name)
	if err != nil {
		return err
	}
	there, err := p.c.has(ctx, p.collection)
	if err != nil {
		return err
	}
	switch {
	case there && r != nil:
		p.record, p.at = r, at
	case there: // killed before its record was written, and so before its rows
		if err := p.c.dropCollection(ctx, p.collection); err != nil {
			return err
		}
		fallthrough
	default:
		if p.record, err = p.newRecord(ctx); err != nil {
			return err
		}
	}
	if p.record.Dim > 0 {
		p.ready, _ = p.s.Vectors()
	}
	return nil
}

// newRecord makes the collection of the generation and describes it.
func (p *copying) newRecord(ctx context.Context) (*record, error) {
	r := &record{Format: metaFormat, Manifest: p.s.Manifest(), Dense: p.c.o.Dense}
	if v := p.s.Vector(0); v != nil {
		r.Dim, r.Encoder = len(v), p.s.VectorEncoder()
	}
	indexes, err := p.c.indexes(r.Dim)
	if err != nil {
		return nil, err
	}
	if err := p.c.create(ctx, schema(p.collection, r.Dim), indexes); err != nil {
		return nil, err
	}
	if r.Parts, err = p.c.putVocabulary(ctx, p.name, p.s); err != nil {
		return nil, err
	}
	if err := p.c.putJSON(ctx, p.name, progressPart, progress{}); err != nil {
		return nil, err
	}
	return r, p.c.putJSON(ctx, p.name, recordPart, r)
}

// copy upserts the rows that are missing, and those that miss their vector.
func (p *copying) copy(ctx context.Context) error {
	from := p.at.Rows
	if p.at.Vectors < p.ready {
		from = p.at.Vectors
	}
	total := p.s.Len()
	p.told(from, total)
	if from >= total {
		return nil
	}
	p.batch = &batch{dim: p.record.Dim}
	p.saved = time.Now()
	err := p.s.Rows(ctx, from, func(i int, r *embedded.Row) error {
		if err := p.batch.add(i, r, i < p.ready); err != nil {
			return err
		}
		if p.batch.len() < batchRows && i < total-1 {
			return nil
		}
		return p.flush(ctx, i+1, total)
	})
	return err
}

// flush writes the batch, which ends before document end.
func (p *copying) flush(ctx context.Context, end, total int) error {
	err := p.c.write(ctx, "write rows to "+p.collection, func(ctx context.Context) error {
		ids, err := p.c.sdk.Upsert(ctx, p.collection, "", p.batch.columns()...)
		if err == nil && ids.Len() != p.batch.len() {
			return &ownError{fmt.Errorf("%d rows were taken of %d", ids.Len(), p.batch.len())}
		}
		return err
	})
	if err != nil {
		return err
	}
	p.batch = &batch{dim: p.record.Dim}
	p.at.Rows = max(p.at.Rows, end)
	p.at.Vectors = max(p.at.Vectors, min(p.ready, end))
	p.told(end, total)
	if time.Since(p.saved) < checkpointEvery && end < total {
		return nil
	}
	p.saved = time.Now()
	return p.c.putJSON(ctx, p.name, progressPart, p.at)
}

// finish makes the rows durable and searchable and counts them.
func (p *copying) finish(ctx context.Context) error {
	for _, name := range []string{p.collection, p.c.meta()} {
		if err := p.c.write(ctx, "flush "+name, func(ctx context.Context) error { return p.c.sdk.Flush(ctx, name, false) }); err != nil {
			return err
		}
	}
	if err := p.c.load(ctx, p.collection); err != nil {
		return err
	}
	n, err := p.c.count(ctx, p.collection)
	if err != nil {
		return err
	}
	if n != int64(p.s.Len()) {
		return fmt.Errorf("collection %s holds %d rows and should hold %d; drop generation %s and publish it again", p.collection, n, p.s.Len(), p.name)
	}
	return nil
}

// shortName tells encoders apart in a name.
func shortName(encoder string) string {
	h := sha256.Sum256([]byte(encoder))
	return hex.EncodeToString(h[:4])
}
