package book

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"lexagent/statute"
)

// graph is what citations are resolved against: all laws and the numbers of all
// their articles.
type graph struct {
	book     *Book
	table    *lawTable
	day      statute.Date // a name without a version means the one in force on it
	articles map[lawKey]*articleList
	repeals  map[lawKey][]Repeal // by collection and unit
}

// collections are where a text of a collection may point to: its own, then the
// public one.
func (g *graph) collections(own string) []string {
	if own == DefaultCollection {
		return []string{own}
	}
	return []string{own, DefaultCollection}
}

func (g *graph) titlesFor(collection string) *statute.Titles {
	return g.book.titles(g.collections(collection))
}

// loadGraph reads the numbers of all articles, and of items where a law has none.
func (b *Book) loadGraph(ctx context.Context, day statute.Date) (*graph, error) {
	g := &graph{book: b, table: b.laws.Load(), day: day, articles: map[lawKey]*articleList{}, repeals: map[lawKey][]Repeal{}}
	rows, err := b.db.QueryContext(ctx, `SELECT collection, law, kind, number, sub, id FROM units
		WHERE kind IN ('article', 'item') AND number > 0 ORDER BY collection, law, kind, number, sub, ord, id`)
	if err != nil {
		return nil, fmt.Errorf("read the articles' numbers: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var k lawKey
		var kind statute.Kind
		var number, sub int
		var id string
		if err := rows.Scan(&k.collection, &k.id, &kind, &number, &sub, &id); err != nil {
			return nil, fmt.Errorf("read the articles' numbers: %w", err)
		}
		list := g.articles[k]
		if list == nil { // articles come before items
			list = &articleList{items: kind == statute.Item}
			g.articles[k] = list
		}
		if list.items == (kind == statute.Item) {
			list.add(number, sub, id)
		}
	}
	return g, rows.Err()
}

// derived is the name under which the book remembers the revision that its repeals
// and citations were made from.
const derived = "derived"

// Related reports whether repeals and citations are of the book's present content.
func (b *Book) Related(ctx context.Context) (bool, error) {
	rev, err := b.Revision(ctx)
	if err != nil {
		return false, err
	}
	var v string
	err = b.db.QueryRowContext(ctx, "SELECT coalesce((SELECT value FROM meta WHERE key = ?), '')", derived).Scan(&v)
	if err != nil {
		return false, fmt.Errorf("read what the citations were made from: %w", err)
	}
	return v == strconv.FormatInt(rev, 10), nil
}

// Relate works out from all texts what ended what and who cites whom, and replaces
// what was known. day is the present: a name without a version means the one in
// force on it. tell is told how many laws are done. The laws of the book are up to
// date with it afterwards.
//
// Both are computed from the whole book, since a new title can resolve what any
// text prints. When the process dies in between, the next call does it again.
func (b *Book) Relate(ctx context.Context, day statute.Date, tell func(laws int)) error {
	repeals, err := b.readLife(ctx)
	if err != nil {
		return err
	}
	have, err := b.repealsOf(ctx)
	if err != nil {
		return err
	}
	if !slices.Equal(have, repeals) {
		if err := b.Write(ctx, func(w *Writer) error { return w.putRepeals(ctx, repeals) }); err != nil {
			return err
		}
		if err := b.Reload(ctx); err != nil {
			return err
		}
	}
	g, err := b.loadGraph(ctx, day)
	if err != nil {
		return err
	}
	for _, r := range repeals {
		k := lawKey{r.Collection, r.Unit}
		g.repeals[k] = append(g.repeals[k], r)
	}
	return b.Write(ctx, func(w *Writer) error {
		if _, err := w.tx.ExecContext(ctx, "DELETE FROM citations"); err != nil {
			return fmt.Errorf("replace the citations: %w", err)
		}
		if err := w.cite(ctx, g, tell); err != nil {
			return err
		}
		_, err := w.tx.ExecContext(ctx, "INSERT OR REPLACE INTO meta VALUES (?, coalesce((SELECT value FROM meta WHERE key = 'revision'), '0'))", derived)
		return err
	})
}

func (w *Writer) putRepeals(ctx context.Context, repeals []Repeal) error {
	w.changed = true
	if _, err := w.tx.ExecContext(ctx, "DELETE FROM repeals"); err != nil {
		return fmt.Errorf("replace the repeals: %w", err)
	}
	stmt, err := w.tx.PrepareContext(ctx, "INSERT INTO repeals VALUES (?,?,?,?,?,?,?,?,?)")
	if err != nil {
		return fmt.Errorf("store the repeals: %w", err)
	}
	defer stmt.Close() //nolint:errcheck // ends with the transaction
	for _, r := range repeals {
		if _, err := stmt.ExecContext(ctx, r.Collection, r.Law, r.Unit, r.At, r.Name, r.Ended, r.EndedIn, r.Day, r.Clause); err != nil {
			return fmt.Errorf("store what %s repeals: %w", r.Unit, err)
		}
	}
	return nil
}

// cite finds the citations of all laws on all processors and stores them.
func (w *Writer) cite(ctx context.Context, g *graph, tell func(int)) (err error) {
	stmt, err := w.tx.PrepareContext(ctx, "INSERT INTO citations VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")
	if err != nil {
		return fmt.Errorf("store the citations: %w", err)
	}
	defer stmt.Close() //nolint:errcheck // ends with the transaction
	work, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan lawCitations, 16)
	go g.citeAll(work, done)
	laws := 0
	for lc := range done {
		if err = cmp.Or(err, lc.err); err == nil {
			err = lc.store(ctx, stmt)
		}
		if err != nil {
			stop() // and drain
			continue
		}
		laws++
		tell(laws)
	}
	return errors.Join(err, ctx.Err())
}

// lawCitations are the citations of one law, in the order of its units.
type lawCitations struct {
	edges []Citation
	err   error
}

func (lc *lawCitations) store(ctx context.Context, stmt *sql.Stmt) error {
	ord := 0
	for i, c := range lc.edges {
		if ord++; i == 0 || c.From != lc.edges[i-1].From {
			ord = 0
		}
		if _, err := stmt.ExecContext(ctx, c.Collection, c.From, ord, c.FromLaw, c.To, c.ToIn, c.ToLaw, c.Number, c.Sub,
			c.Kind, c.Text, c.Reason, c.Stale); err != nil {
			return fmt.Errorf("store the citations of %s: %w", c.From, err)
		}
	}
	return nil
}

// citeAll works through the laws and closes done at the end.
func (g *graph) citeAll(ctx context.Context, done chan<- lawCitations) {
	next := make(chan *statute.Law)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for l := range next {
				done <- g.citeLaw(ctx, l)
			}
		})
	}
	for _, l := range g.table.ordered {
		if ctx.Err() != nil {
			break
		}
		next <- l
	}
	close(next)
	wg.Wait()
	close(done)
}

func (g *graph) citeLaw(ctx context.Context, l *statute.Law) (lc lawCitations) {
	units, err := g.book.Units(ctx, l)
	if err != nil {
		return lawCitations{err: err}
	}
	c := newCiter(g, l, units)
	for i := range units {
		lc.edges = append(lc.edges, c.unit(&units[i])...)
	}
	return lc
}
