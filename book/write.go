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
	Variants []string // ids given to further texts under an id that was taken
}

// Writer stores laws in one transaction: all of it is kept, or none.
type Writer struct {
	tx                *sql.Tx
	law, source, unit *sql.Stmt
	chunk             *sql.Stmt
	find, copy        *sql.Stmt
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
	w := &Writer{tx: tx}
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
	for stmt, q := range map[**sql.Stmt]string{
		&w.law: `INSERT INTO laws (collection, id, title, short, level, region, issuer, header, version, published, effective, ended, ended_by, declared, chunked)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,0)
			ON CONFLICT DO UPDATE SET title=excluded.title, level=excluded.level, region=excluded.region, issuer=excluded.issuer, header=excluded.header,
			published=excluded.published, effective=excluded.effective, ended=excluded.ended, ended_by=excluded.ended_by, declared=excluded.declared
			WHERE (title, level, region, issuer, header, published, effective, ended, ended_by, declared) IS NOT
			(excluded.title, excluded.level, excluded.region, excluded.issuer, excluded.header, excluded.published, excluded.effective, excluded.ended, excluded.ended_by, excluded.declared)`,
		&w.source: "INSERT OR IGNORE INTO law_sources VALUES (?,?,?)",
		&w.unit: `INSERT OR IGNORE INTO units (collection, id, law, source_id, also, kind, label, number, sub, path, text, ord)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`,
		&w.chunk: "INSERT INTO chunks (collection, id, law, label, path, text, units, ord) VALUES (?,?,?,?,?,?,?,?)",
		&w.copy:  "UPDATE units SET also = ? WHERE collection = ? AND id = ?",
		&w.find:  "SELECT text, source_id, also FROM units WHERE collection = ? AND id = ?",
	} {
		s, err := w.tx.PrepareContext(ctx, q) //nolint:sqlclosecheck // closed with the transaction
		if err != nil {
			return fmt.Errorf("prepare to store: %w", err)
		}
		*stmt = s
	}
	return nil
}

// Put stores a version of a law with units of it. Storing the same again changes
// nothing. A unit whose id is taken by the same text is that unit; one whose id
// is taken by another text gets the next free variant of the id, and is reported.
func (w *Writer) Put(ctx context.Context, l *statute.Law, units []statute.Unit) (Stored, error) {
	var s Stored
	res, err := w.law.ExecContext(ctx, l.Collection, l.ID, l.Title, l.Short, l.Level, l.Region, l.Issuer, l.Header, l.Version,
		l.Published, l.Effective, l.Ended, l.EndedBy, l.Declared)
	if err != nil {
		return s, fmt.Errorf("store %s: %w", l.ID, err)
	}
	if n, err := res.RowsAffected(); err != nil {
		return s, fmt.Errorf("store %s: %w", l.ID, err)
	} else if n > 0 {
		w.changed = true
	}
	for _, source := range l.SourceIDs {
		if _, err := w.source.ExecContext(ctx, l.Collection, l.ID, source); err != nil {
			return s, fmt.Errorf("store %s: %w", l.ID, err)
		}
	}
	for i := range units {
		if err := w.put(ctx, l, &units[i], &s); err != nil {
			return s, fmt.Errorf("store %s: %w", units[i].ID, err)
		}
	}
	if s.New > 0 {
		if _, err := w.tx.ExecContext(ctx, "UPDATE laws SET chunked = 0 WHERE collection = ? AND id = ?", l.Collection, l.ID); err != nil {
			return s, fmt.Errorf("store %s: %w", l.ID, err)
		}
	}
	return s, nil
}

// maxVariants bounds how many different texts may claim one id.
const maxVariants = 1000

func (w *Writer) put(ctx context.Context, l *statute.Law, u *statute.Unit, s *Stored) error {
	path, err := jsonList(u.Path)
	if err != nil {
		return err
	}
	also, err := jsonList(u.Also)
	if err != nil {
		return err
	}
	id := u.ID
	for n := 2; n <= maxVariants; n++ {
		res, err := w.unit.ExecContext(ctx, l.Collection, id, l.ID, u.SourceID, also, u.Kind, u.Label, u.Number, u.Sub, path, u.Text, u.Order)
		if err != nil {
			return err
		}
		if added, err := res.RowsAffected(); err != nil {
			return err
		} else if added == 1 {
			w.changed = true
			s.New++
			if id != u.ID {
				s.Variants = append(s.Variants, id)
			}
			return nil
		}
		same, err := w.merge(ctx, l.Collection, id, u)
		if err != nil {
			return err
		}
		if same {
			s.Same++
			return nil
		}
		id = statute.Variant(u.ID, n)
	}
	return fmt.Errorf("more than %d different texts have this id", maxVariants)
}

// merge reports whether the unit stored under id is u, and if so adds u's source
// id to it: a copy of a text is found under the ids of all its sources.
func (w *Writer) merge(ctx context.Context, collection, id string, u *statute.Unit) (bool, error) {
	var text, source string
	var stored []byte
	if err := w.find.QueryRowContext(ctx, collection, id).Scan(&text, &source, &stored); err != nil {
		return false, err
	}
	if text != u.Text {
		return false, nil
	}
	var also []string
	if err := json.Unmarshal(stored, &also); err != nil {
		return false, err
	}
	if u.SourceID == "" || u.SourceID == source || slices.Contains(also, u.SourceID) {
		return true, nil
	}
	list, err := jsonList(append(also, u.SourceID))
	if err != nil {
		return false, err
	}
	w.changed = true
	_, err = w.copy.ExecContext(ctx, list, collection, id)
	return true, err
}

func jsonList(list []string) (string, error) {
	if list == nil {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// Finish records that an input is stored completely, with what it brought.
func (w *Writer) Finish(ctx context.Context, in Input) error {
	_, err := w.tx.ExecContext(ctx, "INSERT OR REPLACE INTO inputs VALUES (?,?,?)", in.Path, in.Digest, string(in.Report))
	if err != nil {
		return fmt.Errorf("record %s as stored: %w", in.Path, err)
	}
	return nil
}

// Input is a source that was stored completely.
type Input struct {
	Path   string
	Digest string          // of everything its units depend on
	Report json.RawMessage // what it brought
}

// Inputs returns what has been stored completely, by path.
func (b *Book) Inputs(ctx context.Context) (map[string]Input, error) {
	rows, err := b.db.QueryContext(ctx, "SELECT path, digest, report FROM inputs")
	if err != nil {
		return nil, fmt.Errorf("read the list of inputs: %w", err)
	}
	defer rows.Close()
	inputs := map[string]Input{}
	for rows.Next() {
		var in Input
		var report []byte
		if err := rows.Scan(&in.Path, &in.Digest, &report); err != nil {
			return nil, fmt.Errorf("read the list of inputs: %w", err)
		}
		in.Report = report
		inputs[in.Path] = in
	}
	return inputs, rows.Err()
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
