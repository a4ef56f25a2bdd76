package book

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"lexagent/statute"
)

// Stored counts what one law brought to the book.
type Stored struct {
	New      int      // units that were not there
	Same     int      // units that were there with the same text
	Replaced int      // units of the input that have another text now
	Variants []string // ids given to further texts under an id that was taken
	Crowded  []string // ids that so many texts have already that this one was not stored
}

// Writer stores laws in one transaction: all of it is kept, or none.
type Writer struct {
	tx *sql.Tx
	in *Intake // whose laws are put

	law, unit, chunk  *sql.Stmt
	intent, labelled  *sql.Stmt
	unlabel, unintend *sql.Stmt
	find, set, setID  *sql.Stmt
	remove, unchunked *sql.Stmt
	changed           bool
}

// Write runs fn with a writer and keeps what it stored unless fn fails.
func (b *Book) Write(ctx context.Context, fn func(*Writer) error) error {
	if b.lock == nil {
		return errors.New("the statute book is open for reading only")
	}
	tx, err := b.db.BeginTx(context.WithoutCancel(ctx), nil) // fn decides what an interrupt keeps
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	w := &Writer{tx: tx, in: newIntake()}
	err = w.prepare(ctx)
	if err == nil {
		err = fn(w)
	}
	if err == nil && w.changed {
		err = bump(ctx, tx)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

func (w *Writer) prepare(ctx context.Context) error {
	const told = "title, level, region, issuer, header, published, effective, ended, ended_by, declared, source_ids"
	for stmt, q := range map[**sql.Stmt]string{
		&w.law: `INSERT INTO laws (collection, id, input, title, short, level, region, issuer, header, version, published, effective, ended, ended_by, declared, source_ids, state)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT DO UPDATE SET title=excluded.title, level=excluded.level, region=excluded.region, issuer=excluded.issuer, header=excluded.header,
			published=excluded.published, effective=excluded.effective, ended=excluded.ended, ended_by=excluded.ended_by, declared=excluded.declared,
			source_ids=excluded.source_ids
			WHERE (` + told + `) IS NOT (excluded.title, excluded.level, excluded.region, excluded.issuer, excluded.header, excluded.published,
			excluded.effective, excluded.ended, excluded.ended_by, excluded.declared, excluded.source_ids)`,
		&w.unit: `INSERT OR IGNORE INTO origins (input, collection, base, nth, id, copy, law, source_id, source_also, also, kind, label, number, sub, path, text, ord)
			VALUES (?1,?2,?3,?4,?3,?5,?6,?7,?8,?8,?9,?10,?11,?12,?13,?14,?15)`,
		&w.find: `SELECT ` + originColumns + ` FROM origins WHERE collection = ?1 AND id = ?2 AND copy = 0
			UNION ALL SELECT ` + originColumns + ` FROM origins WHERE collection = ?1 AND base = ?2 AND (copy = 1 OR id <> base) ORDER BY input, nth`,
		&w.set:       `UPDATE origins SET source_id=?, source_also=?, kind=?, label=?, number=?, sub=?, path=?, text=?, ord=? WHERE seq = ?`,
		&w.setID:     "UPDATE origins SET id = ?, copy = ?, also = ? WHERE seq = ?",
		&w.remove:    "DELETE FROM origins WHERE seq = ?",
		&w.chunk:     "INSERT INTO chunks (collection, id, law, label, path, text, units, ord) VALUES (?,?,?,?,?,?,?,?)",
		&w.unchunked: "DELETE FROM chunked WHERE collection = ? AND law = ?",
		&w.intent:    "INSERT INTO intents (collection, law, unit, intent, odds) VALUES (?,?,?,?,?)",
		&w.labelled:  "INSERT INTO labelled (collection, law, grade, labeler) VALUES (?,?,?,?)",
		&w.unlabel:   "DELETE FROM labelled WHERE collection = ? AND law = ?",
		&w.unintend:  "DELETE FROM intents WHERE collection = ? AND law = ?",
	} {
		s, err := w.tx.PrepareContext(ctx, q) //nolint:sqlclosecheck // closed with the transaction
		if err != nil {
			return fmt.Errorf("prepare to store: %w", err)
		}
		*stmt = s
	}
	return nil
}

// Put stores a version of a law with units of it, which the input brings that From
// named. Storing the same again changes nothing. A unit that the input brought
// before gets its new text in place. One whose id is taken by the same text is that
// unit; one whose id is taken by another text of another input, or by an earlier
// unit of this one, gets a variant of the id, and is reported.
func (w *Writer) Put(ctx context.Context, l *statute.Law, units []statute.Unit) (Stored, error) {
	if err := w.putLaw(ctx, l); err != nil {
		return Stored{}, fmt.Errorf("store %s: %w", l.ID, err)
	}
	p := &putting{w: w, law: l, claims: map[string][]origin{}, settle: map[string]bool{}}
	for i := range units {
		if err := p.unit(ctx, &units[i]); err != nil {
			return p.stored, fmt.Errorf("store %s: %w", units[i].ID, err)
		}
	}
	if err := p.finish(ctx); err != nil {
		return p.stored, fmt.Errorf("store %s: %w", l.ID, err)
	}
	return p.stored, nil
}

// putLaw stores what the input says of the law.
func (w *Writer) putLaw(ctx context.Context, l *statute.Law) error {
	sources := w.in.bring(l)
	list, err := jsonList(sources)
	if err != nil {
		return err
	}
	res, err := w.law.ExecContext(ctx, l.Collection, l.ID, w.in.seq, l.Title, l.Short, l.Level, l.Region, l.Issuer, l.Header, l.Version,
		l.Published, l.Effective, l.Ended, l.EndedBy, l.Declared, list, isNew)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n > 0 {
		if err := w.touch(ctx, l.Collection, l.ID); err != nil {
			return err
		}
	}
	if w.in.stored[l.ID].state == isKept {
		return w.setState(ctx, l.ID, isNew) // it has come back
	}
	return nil
}

// touch notes that readers see another law than before, whose chunks and intents are
// to be made again.
func (w *Writer) touch(ctx context.Context, collection, law string) error {
	w.changed = true
	if _, err := w.unchunked.ExecContext(ctx, collection, law); err != nil {
		return err
	}
	return w.forgetIntents(ctx, collection, law)
}

func jsonList(list []string) (string, error) {
	if len(list) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// union returns a with what b has beyond it.
func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// Name is a random name that the book got when it was made: with it, the revisions
// of two books are told apart.
func (b *Book) Name(ctx context.Context) (name string, err error) {
	if err = b.db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'book'").Scan(&name); err != nil {
		return "", fmt.Errorf("read the book's name: %w", err)
	}
	return name, nil
}

// Revision counts the changes of the book's content. Indexes remember the
// revision they were made from.
func (b *Book) Revision(ctx context.Context) (int64, error) {
	var v string
	err := b.db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'revision'").Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the book's revision: %w", err)
	}
	return strconv.ParseInt(v, 10, 64)
}

func bump(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO meta VALUES ('revision', '1')
		ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1`)
	if err != nil {
		return fmt.Errorf("count the change: %w", err)
	}
	return nil
}
