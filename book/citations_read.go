package book

import (
	"context"
	"fmt"
	"slices"
)

const citationColumns = "collection, unit, law, target, target_in, target_law, number, sub, kind, text, reason, stale"

func scanCitation(row scanner, more ...any) (c Citation, err error) {
	dest := []any{&c.Collection, &c.From, &c.FromLaw, &c.To, &c.ToIn, &c.ToLaw, &c.Number, &c.Sub, &c.Kind, &c.Text, &c.Reason, &c.Stale}
	err = row.Scan(append(dest, more...)...)
	return c, err
}

// CitationsFrom returns what a unit refers to, in the order of its text, with what
// could not be resolved.
func (b *Book) CitationsFrom(ctx context.Context, collection, unit string) ([]Citation, error) {
	return b.citations(ctx, "SELECT "+citationColumns+" FROM citations WHERE collection = ? AND unit = ? ORDER BY ord", collection, unit)
}

// CitationsTo returns what refers to a unit, or amends or repeals a law, in the
// order of the citing units. Only texts of the readable collections count.
func (b *Book) CitationsTo(ctx context.Context, readable []string, collection, id string) ([]Citation, error) {
	all, err := b.citations(ctx, "SELECT "+citationColumns+" FROM citations WHERE target_in = ? AND target = ? ORDER BY collection, unit, ord", collection, id)
	return slices.DeleteFunc(all, func(c Citation) bool { return !slices.Contains(readable, c.Collection) }), err
}

func (b *Book) citations(ctx context.Context, query string, args ...any) ([]Citation, error) {
	rows, err := b.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the citations: %w", err)
	}
	defer rows.Close()
	var out []Citation
	for rows.Next() {
		c, err := scanCitation(rows)
		if err != nil {
			return nil, fmt.Errorf("read the citations: %w", err)
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// EachCitation calls fn with every citation, and the source ids of the units it
// leads from and to, in the order of collections, citing units and their texts. It
// stops at fn's error.
func (b *Book) EachCitation(ctx context.Context, fn func(c Citation, from, to string) error) error {
	rows, err := b.db.QueryContext(ctx, `SELECT c.collection, c.unit, c.law, c.target, c.target_in, c.target_law, c.number, c.sub, c.kind, c.text,
		c.reason, c.stale, coalesce(f.source_id, ''), coalesce(t.source_id, '') FROM citations c
		LEFT JOIN units f ON f.collection = c.collection AND f.id = c.unit
		LEFT JOIN units t ON t.collection = c.target_in AND t.id = c.target
		ORDER BY c.collection, c.unit, c.ord`)
	if err != nil {
		return fmt.Errorf("read the citations: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var from, to string
		c, err := scanCitation(rows, &from, &to)
		if err != nil {
			return fmt.Errorf("read the citations: %w", err)
		}
		if err := fn(c, from, to); err != nil {
			return err
		}
	}
	return rows.Err()
}

// CitationCounts is how many citations a book has.
type CitationCounts struct {
	Cites      int            `json:"cites"`
	Amends     int            `json:"amends"`
	Repeals    int            `json:"repeals"`
	Resolved   int            `json:"resolved"`
	Unresolved map[Reason]int `json:"unresolved"` // by reason
	Stale      int            `json:"stale"`      // resolved, with numbers that may have shifted
	Ended      int            `json:"ended"`      // laws that a clause elsewhere in the book ended
}

// CountCitations counts the citations of the book.
func (b *Book) CountCitations(ctx context.Context) (CitationCounts, error) {
	n := CitationCounts{Unresolved: map[Reason]int{}}
	rows, err := b.db.QueryContext(ctx, "SELECT kind, reason, count(*), sum(stale AND target <> '') FROM citations GROUP BY kind, reason")
	if err != nil {
		return n, fmt.Errorf("count the citations: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind EdgeKind
		var reason Reason
		var count, stale int
		if err := rows.Scan(&kind, &reason, &count, &stale); err != nil {
			return n, fmt.Errorf("count the citations: %w", err)
		}
		*map[EdgeKind]*int{Cites: &n.Cites, Amends: &n.Amends, Repeals: &n.Repeals}[kind] += count
		n.Stale += stale
		if reason == "" {
			n.Resolved += count
		} else {
			n.Unresolved[reason] += count
		}
	}
	if err := rows.Err(); err != nil {
		return n, err
	}
	err = b.db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT DISTINCT ended_in, ended FROM repeals WHERE ended <> '')").Scan(&n.Ended)
	if err != nil {
		return n, fmt.Errorf("count the repealed laws: %w", err)
	}
	return n, nil
}
