package book

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"modernc.org/sqlite" // and the driver named "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// fileName is the book's file within a data folder.
const fileName = "book.db"

// A reader's connections. Reads are short and work on pages in memory, so a few serve
// many requests; each holds up to three files open, and is closed when it is not used.
const (
	connections = 8
	idleTime    = 30 * time.Second
)

// Book is an open statute book. It is safe for concurrent use.
type Book struct {
	db     *sql.DB
	lock   *os.File // nil for a reader
	unit   *sql.Stmt
	chunk  *sql.Stmt
	intent *sql.Stmt // nil for a reader of a book that is older than intents
	laws   atomic.Pointer[lawTable]
	sized  atomic.Pointer[sized] // nil: not counted yet
}

// Create opens the book in dir for writing and makes it where there is none. It
// fails with ErrLocked while another process writes to the folder.
func Create(ctx context.Context, dir string) (*Book, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	lock, err := Lock(dir)
	if err != nil {
		return nil, err
	}
	b, err := open(ctx, dir, "rwc")
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	b.lock = lock
	return b, nil
}

// Open opens the book in dir for reading.
func Open(ctx context.Context, dir string) (*Book, error) {
	if _, err := os.Stat(filepath.Join(dir, fileName)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w (%s): run `lexagent ingest FILE…` first", ErrEmpty, dir)
	} else if err != nil {
		return nil, fmt.Errorf("open the statute book: %w", err)
	}
	return open(ctx, dir, "ro")
}

// Lock takes the writer's lock of a data folder; closing the file gives it back,
// as does the end of the process. It fails with ErrLocked when it is taken.
func Lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		cerr := f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("%w (%s): wait until it is done, or stop it", ErrLocked, dir), cerr)
		}
		return nil, errors.Join(fmt.Errorf("lock the data folder: %w", err), cerr)
	}
	return f, nil
}

func open(ctx context.Context, dir, mode string) (*Book, error) {
	path, err := filepath.Abs(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("open the statute book: %w", err)
	}
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{
		"mode":    {mode},
		"_pragma": {"busy_timeout(10000)", "synchronous(normal)", "cache_size(-16000)"},
		"_txlock": {"immediate"},
	}.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open the statute book: %w", err)
	}
	if mode == "ro" { // a writer reads within its transactions, and a limit could have it wait for itself
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		db.SetConnMaxIdleTime(idleTime)
	}
	b := &Book{db: db}
	err = b.prepare(ctx, mode)
	var broken *sqlite.Error
	if errors.As(err, &broken) && broken.Code() == sqlite3.SQLITE_NOTADB {
		err = fmt.Errorf("%w: %w", ErrForeign, err)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the statute book %s: %w", path, err), db.Close())
	}
	return b, nil
}

func (b *Book) prepare(ctx context.Context, mode string) error {
	var version, tables int
	if err := b.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if err := b.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	switch {
	case tables == 0 && mode == "ro": // its making was interrupted
		return fmt.Errorf("%w: run `lexagent ingest FILE…` first", ErrEmpty)
	case tables > 0 && version == 0:
		return fmt.Errorf("%w: another program made it", ErrForeign)
	case tables > 0 && (version < oldestVersion || version > schemaVersion):
		return fmt.Errorf("it has format %d, this program reads format %d: remove it and ingest again; vectors of the index beside it are used again", version, schemaVersion)
	}
	if mode != "ro" {
		if _, err := b.db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
			return err
		}
	}
	var err error
	switch {
	case mode != "ro" && tables == 0:
		err = b.begin(ctx)
	case mode != "ro" && version < schemaVersion:
		err = b.renew(ctx, version)
	}
	if err != nil {
		return err
	}
	if b.unit, err = b.db.PrepareContext(ctx, "SELECT "+unitColumns+" FROM units WHERE collection = ? AND id = ?"); err != nil {
		return err
	}
	if b.chunk, err = b.db.PrepareContext(ctx, "SELECT "+chunkColumns+" FROM chunks WHERE collection = ? AND id = ?"); err != nil {
		return err
	}
	if mode != "ro" || version >= withIntents {
		if b.intent, err = b.db.PrepareContext(ctx, "SELECT odds FROM intents WHERE collection = ? AND law = ? AND unit = ?"); err != nil {
			return err
		}
	}
	return b.Reload(ctx)
}

// renew gives a book of an older version what it lacks, all or none.
func (b *Book) renew(ctx context.Context, version int) error {
	var steps []string
	for v := version + 1; v <= schemaVersion; v++ {
		steps = append(steps, added[v])
	}
	return b.execute(ctx, append(steps, setVersion)...)
}

// begin makes the tables of a new book, all or none: a process that was killed in
// between must leave what the next one takes for a new book.
func (b *Book) begin(ctx context.Context) error {
	return b.execute(ctx, schema, setVersion, "INSERT INTO meta VALUES ('book', lower(hex(randomblob(8))))")
}

// execute runs statements, all or none.
func (b *Book) execute(ctx context.Context, statements ...string) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// Close gives back the file and, for a writer, the lock. The write-ahead log is
// folded into the book first, so that a book at rest is one file.
func (b *Book) Close() error {
	var errs []error
	if b.lock != nil {
		_, err := b.db.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
		errs = append(errs, err)
	}
	errs = append(errs, b.unit.Close(), b.chunk.Close())
	if b.intent != nil {
		errs = append(errs, b.intent.Close())
	}
	errs = append(errs, b.db.Close())
	if b.lock != nil {
		errs = append(errs, b.lock.Close())
	}
	return errors.Join(errs...)
}
