package book

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"lexagent/statute"
)

const unitColumns = "id, law, source_id, also, kind, label, number, sub, path, text, ord"

type scanner interface{ Scan(dest ...any) error }

func scanUnit(row scanner, more ...any) (*statute.Unit, error) {
	var u statute.Unit
	var also, path []byte
	dest := append([]any{&u.ID, &u.LawID, &u.SourceID, &also, &u.Kind, &u.Label, &u.Number, &u.Sub, &path, &u.Text, &u.Order}, more...)
	if err := row.Scan(dest...); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(path, &u.Path); err != nil {
		return nil, fmt.Errorf("path of %s: %w", u.ID, err)
	}
	if err := json.Unmarshal(also, &u.Also); err != nil {
		return nil, fmt.Errorf("source ids of %s: %w", u.ID, err)
	}
	return &u, nil
}

// Unit returns the unit with this id, and its law, from the first of the
// collections that has it. An id without a version (民法典:1077) means the version
// that applies on day.
func (b *Book) Unit(ctx context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error) {
	parsed, err := statute.ParseID(id)
	if err != nil || parsed.Key == "" {
		return nil, nil, fmt.Errorf("%w: %q is not the id of an article, such as 民法典:1077", ErrNotFound, id)
	}
	for _, c := range collections {
		law, err := b.Law([]string{c}, parsed.LawID(), day)
		if err != nil {
			continue
		}
		u, err := b.readUnit(ctx, lawKey{c, law.ID + ":" + parsed.Key})
		switch {
		case errors.Is(err, sql.ErrNoRows):
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("read %s: %w", id, err)
		}
		return u, law, nil
	}
	return nil, nil, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// readUnit reads one unit, or has it still.
func (b *Book) readUnit(ctx context.Context, key lawKey) (*statute.Unit, error) {
	return reread(b, b.laws.Load().units, key, func() (*statute.Unit, error) {
		return scanUnit(b.unit.QueryRowContext(ctx, key.collection, key.id))
	}, func(u *statute.Unit) int { return len(u.Text) })
}

// Units returns all units of a law in text order. A law whose parts came from
// several sources (民法典 from one a 编) is put together by its article numbers,
// since each part counts from its own beginning.
func (b *Book) Units(ctx context.Context, l *statute.Law) ([]statute.Unit, error) {
	units, err := b.query(ctx, "SELECT "+unitColumns+" FROM units WHERE collection = ? AND law = ? ORDER BY ord, id", l.Collection, l.ID)
	if err == nil && len(l.SourceIDs) > 1 {
		slices.SortStableFunc(units, func(x, y statute.Unit) int {
			return cmp.Or(cmp.Compare(section(&x), section(&y)), cmp.Compare(x.Number, y.Number), cmp.Compare(x.Sub, y.Sub))
		})
	}
	return units, err
}

// section tells the units before the articles, the articles, and those behind.
func section(u *statute.Unit) int {
	switch u.Kind {
	case statute.Preamble:
		return 0
	case statute.Article:
		return 1
	}
	return 2
}

// Articles returns the articles of a law with this number, in the order of their
// sub-numbers: 第一百二十条, 第一百二十条之一 … Numbers that occur twice in a text
// give more than one.
func (b *Book) Articles(ctx context.Context, l *statute.Law, number int) ([]statute.Unit, error) {
	return b.query(ctx, "SELECT "+unitColumns+` FROM units
		WHERE collection = ? AND law = ? AND kind = 'article' AND number = ? ORDER BY sub, ord`, l.Collection, l.ID, number)
}

// LastArticle returns the highest article number of a law, 0 when it has none.
func (b *Book) LastArticle(ctx context.Context, l *statute.Law) (int, error) {
	var n sql.NullInt64
	err := b.db.QueryRowContext(ctx, "SELECT max(number) FROM units WHERE collection = ? AND law = ? AND kind = 'article'",
		l.Collection, l.ID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read the last article of %s: %w", l.ID, err)
	}
	return int(n.Int64), nil
}

func (b *Book) query(ctx context.Context, q string, args ...any) ([]statute.Unit, error) {
	rows, err := b.db.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, fmt.Errorf("read units: %w", err)
	}
	defer rows.Close()
	var units []statute.Unit
	for rows.Next() {
		u, err := scanUnit(rows)
		if err != nil {
			return nil, fmt.Errorf("read units: %w", err)
		}
		units = append(units, *u)
	}
	return units, rows.Err()
}

// Each calls fn with every unit of the book and its law, in an order that depends
// on the content alone: collection, law, place in the law. It stops at fn's error.
func (b *Book) Each(ctx context.Context, fn func(*statute.Unit, *statute.Law) error) error {
	rows, err := b.db.QueryContext(ctx, "SELECT "+unitColumns+", collection FROM units ORDER BY collection, law, ord, id")
	if err != nil {
		return fmt.Errorf("read the book: %w", err)
	}
	defer rows.Close()
	laws := b.laws.Load()
	for rows.Next() {
		var collection string
		u, err := scanUnit(rows, &collection)
		if err != nil {
			return fmt.Errorf("read the book: %w", err)
		}
		law := laws.byID[lawKey{collection, u.LawID}]
		if law == nil {
			return fmt.Errorf("read the book: %s belongs to no law; ingest it again", u.ID)
		}
		if err := fn(u, law); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Size is how much a book holds.
type Size struct {
	Laws     int `json:"laws"`
	Units    int `json:"units"`
	Articles int `json:"articles"`
	Chunks   int `json:"chunks"`
}

// sized is the size of the book at a revision.
type sized struct {
	revision int64
	size     Size
}

// Size counts what the book holds: once a revision, since it looks at every unit.
func (b *Book) Size(ctx context.Context) (Size, error) {
	rev, err := b.Revision(ctx)
	if err != nil {
		return Size{}, fmt.Errorf("count the book: %w", err)
	}
	laws := len(b.laws.Load().ordered)
	if known := b.sized.Load(); known != nil && known.revision == rev {
		s := known.size
		s.Laws = laws
		return s, nil
	}
	s := Size{Laws: laws}
	err = b.db.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE kind = 'article'),
		(SELECT count(*) FROM chunks) FROM units`).Scan(&s.Units, &s.Articles, &s.Chunks)
	if err != nil {
		return s, fmt.Errorf("count the book: %w", err)
	}
	b.sized.Store(&sized{rev, s})
	return s, nil
}
