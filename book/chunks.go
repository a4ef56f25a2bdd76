package book

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"lexagent/statute"
)

const chunkColumns = "id, law, label, path, text, units, ord"

func scanChunk(row scanner, more ...any) (*statute.Passage, error) {
	var p statute.Passage
	var path, units []byte
	dest := append([]any{&p.ID, &p.LawID, &p.Label, &path, &p.Text, &units, &p.Order}, more...)
	if err := row.Scan(dest...); err != nil {
		return nil, err
	}
	if err := errors.Join(json.Unmarshal(path, &p.Path), json.Unmarshal(units, &p.Units)); err != nil {
		return nil, fmt.Errorf("chunk %s: %w", p.ID, err)
	}
	return &p, nil
}

// Unchunked returns the laws whose chunks are not of their present units, in the
// order of AllLaws.
func (b *Book) Unchunked(ctx context.Context) ([]*statute.Law, error) {
	laws, err := b.lawsBy(ctx, `SELECT DISTINCT collection, id FROM laws
		WHERE NOT EXISTS (SELECT 1 FROM chunked c WHERE c.collection = laws.collection AND c.law = laws.id)`)
	if err != nil {
		return nil, fmt.Errorf("find laws without chunks: %w", err)
	}
	return laws, nil
}

// lawsBy returns the laws whose collections and ids a query gives, in the order of
// AllLaws.
func (b *Book) lawsBy(ctx context.Context, query string, args ...any) ([]*statute.Law, error) {
	rows, err := b.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[lawKey]bool{}
	for rows.Next() {
		var k lawKey
		if err := rows.Scan(&k.collection, &k.id); err != nil {
			return nil, err
		}
		found[k] = true
	}
	var out []*statute.Law
	for _, l := range b.laws.Load().ordered {
		if found[lawKey{l.Collection, l.ID}] {
			out = append(out, l)
		}
	}
	return out, rows.Err()
}

// PutChunks replaces the chunks of a law.
func (w *Writer) PutChunks(ctx context.Context, l *statute.Law, chunks []statute.Passage) error {
	if _, err := w.tx.ExecContext(ctx, "DELETE FROM chunks WHERE collection = ? AND law = ?", l.Collection, l.ID); err != nil {
		return fmt.Errorf("replace the chunks of %s: %w", l.ID, err)
	}
	for i := range chunks {
		c := &chunks[i]
		path, err := jsonList(c.Path)
		if err != nil {
			return err
		}
		units, err := jsonList(c.Units)
		if err != nil {
			return err
		}
		if _, err := w.chunk.ExecContext(ctx, l.Collection, c.ID, l.ID, c.Label, path, c.Text, units, c.Order); err != nil {
			return fmt.Errorf("store %s: %w", c.ID, err)
		}
	}
	w.changed = true
	if _, err := w.tx.ExecContext(ctx, "INSERT OR IGNORE INTO chunked VALUES (?,?)", l.Collection, l.ID); err != nil {
		return fmt.Errorf("store the chunks of %s: %w", l.ID, err)
	}
	return nil
}

// Chunk returns the chunk with this id, and its law.
func (b *Book) Chunk(ctx context.Context, collection, id string) (*statute.Passage, *statute.Law, error) {
	p, err := b.readChunk(ctx, lawKey{collection, id})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", id, err)
	}
	l := b.laws.Load().byID[lawKey{collection, p.LawID}]
	if l == nil {
		return nil, nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return p, l, nil
}

// readChunk reads one chunk, or has it still.
func (b *Book) readChunk(ctx context.Context, key lawKey) (*statute.Passage, error) {
	return reread(b, b.laws.Load().chunks, key, func() (*statute.Passage, error) {
		return scanChunk(b.chunk.QueryRowContext(ctx, key.collection, key.id))
	}, func(p *statute.Passage) int { return len(p.Text) })
}

// EachChunk calls fn with every chunk of the book and its law, in an order that
// depends on the content alone. It stops at fn's error.
func (b *Book) EachChunk(ctx context.Context, fn func(*statute.Passage, *statute.Law) error) error {
	rows, err := b.db.QueryContext(ctx, "SELECT "+chunkColumns+", collection FROM chunks ORDER BY collection, law, ord")
	if err != nil {
		return fmt.Errorf("read the chunks: %w", err)
	}
	defer rows.Close()
	laws := b.laws.Load()
	for rows.Next() {
		var collection string
		p, err := scanChunk(rows, &collection)
		if err != nil {
			return fmt.Errorf("read the chunks: %w", err)
		}
		law := laws.byID[lawKey{collection, p.LawID}]
		if law == nil {
			return fmt.Errorf("read the chunks: %s belongs to no law; ingest it again", p.ID)
		}
		if err := fn(p, law); err != nil {
			return err
		}
	}
	return rows.Err()
}
