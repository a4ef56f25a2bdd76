package book

import (
	"context"
	"fmt"
	"slices"
)

const citationColumns = "collection, unit, law, target, target_in, target_law, number, sub, kind, text, reason, stale"

func scanCitation(row scanner) (c Citation, err error) {
	err = row.Scan(&c.Collection, &c.From, &c.FromLaw, &c.To, &c.ToIn, &c.ToLaw, &c.Number, &c.Sub, &c.Kind, &c.Text, &c.Reason, &c.Stale)
	return c, err
}

// CitationsFrom returns what a unit refers to, in the order of its text, with what
// could not be resolved.
func (b *Book) CitationsFrom(ctx context.Context, collection, unit string) ([]Citation, error) {
	return b.citations(ctx, "WHERE collection = ? AND unit = ? ORDER BY ord", collection, unit)
}

// CitationsTo returns what refers to a unit, or amends or repeals a law, in the
// order of the citing units. Only texts of the readable collections count.
func (b *Book) CitationsTo(ctx context.Context, readable []string, collection, id string) ([]Citation, error) {
	all, err := b.citations(ctx, "WHERE target_in = ? AND target = ? ORDER BY collection, unit, ord", collection, id)
	return slices.DeleteFunc(all, func(c Citation) bool { return !slices.Contains(readable, c.Collection) }), err
}

func (b *Book) citations(ctx context.Context, where string, args ...any) ([]Citation, error) {
	var out []Citation
	err := b.eachCitation(ctx, where, args, func(c Citation) error {
		out = append(out, c)
		return nil
	})
	return out, err
}

// EachCitation calls fn with every citation, in the order of collections, citing
// units and their texts. It stops at fn's error.
func (b *Book) EachCitation(ctx context.Context, fn func(Citation) error) error {
	return b.eachCitation(ctx, "ORDER BY collection, unit, ord", nil, fn)
}

func (b *Book) eachCitation(ctx context.Context, where string, args []any, fn func(Citation) error) error {
	rows, err := b.db.QueryContext(ctx, "SELECT "+citationColumns+" FROM citations "+where, args...)
	if err != nil {
		return fmt.Errorf("read the citations: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		c, err := scanCitation(rows)
		if err != nil {
			return fmt.Errorf("read the citations: %w", err)
		}
		if err := fn(c); err != nil {
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
