package book

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"lexagent/statute"
)

// Input is a source whose units are stored.
type Input struct {
	Collection string
	Path       string
	Digest     string          // of everything its units depend on; "" while not all of it is stored
	Content    string          // of its bytes, when all of it was stored last
	Report     json.RawMessage // what it brought

	seq int64
}

// Inputs returns what is stored, in the order in which it came first.
func (b *Book) Inputs(ctx context.Context) ([]Input, error) {
	rows, err := b.db.QueryContext(ctx, "SELECT seq, collection, path, digest, content, report FROM inputs ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("read the list of inputs: %w", err)
	}
	defer rows.Close()
	var inputs []Input
	for rows.Next() {
		var in Input
		var report []byte
		if err := rows.Scan(&in.seq, &in.Collection, &in.Path, &in.Digest, &in.Content, &report); err != nil {
			return nil, fmt.Errorf("read the list of inputs: %w", err)
		}
		in.Report = report
		inputs = append(inputs, in)
	}
	return inputs, rows.Err()
}

// Intake is the reading of one input, from its first law to its end. It lives over
// several transactions of one process; a reading that was interrupted begins anew.
type Intake struct {
	collection, path string

	seq     int64
	again   bool                 // something of the input was stored before
	content string               // digest of its bytes when all of it was stored last
	units   map[string]int       // how many units it brought under a base
	laws    map[string]*brought  // by id
	stored  map[string]storedLaw // what was stored of it when the reading began
}

// brought is a law of the input.
type brought struct {
	dated   bool // its version is a day
	sources []string
	kept    bool // it is an earlier version, which the input no longer holds
}

// lawState is how a law stands to the input.
type lawState int

const (
	isNew  lawState = iota // brought since the input was stored whole last
	isHeld                 // held by the input as it was stored whole last
	isKept                 // held by an earlier state of it; a further version took its place
)

func newIntake() *Intake { return &Intake{units: map[string]int{}, laws: map[string]*brought{}} }

// NewIntake begins the reading of an input.
func NewIntake(collection, path string) *Intake {
	in := newIntake()
	in.collection, in.path = collection, path
	return in
}

// next counts a unit and returns which one of its base it is.
func (in *Intake) next(base string) int {
	n := in.units[base]
	in.units[base]++
	return n
}

// bring notes a law and returns its source ids: those that came, and until the
// input's end those that were stored, so that reading the same again changes
// nothing in between.
func (in *Intake) bring(l *statute.Law) []string {
	b := in.laws[l.ID]
	if b == nil {
		b = &brought{}
		in.laws[l.ID] = b
	}
	b.dated, b.sources = versionDay(l) != 0, union(b.sources, l.SourceIDs)
	return union(slices.Clone(in.stored[l.ID].SourceIDs), b.sources)
}

// From names the input of the laws that are put from now on. Laws that are put
// without it are of no input: each Write replaces what an earlier one put so.
func (w *Writer) From(ctx context.Context, in *Intake) error {
	w.in = in
	if in.seq != 0 {
		return nil
	}
	err := w.begin(ctx, in)
	if err != nil {
		return fmt.Errorf("record %s: %w", in.path, err)
	}
	return nil
}

// begin finds the input's record or makes it. Until Finish it counts as not stored.
func (w *Writer) begin(ctx context.Context, in *Intake) error {
	err := w.tx.QueryRowContext(ctx, "SELECT seq, content FROM inputs WHERE collection = ? AND path = ?", in.collection, in.path).Scan(&in.seq, &in.content)
	if errors.Is(err, sql.ErrNoRows) {
		res, err := w.tx.ExecContext(ctx, "INSERT INTO inputs (collection, path, digest, content, report) VALUES (?,?,'','','')", in.collection, in.path)
		if err != nil {
			return err
		}
		in.seq, err = res.LastInsertId()
		return err
	}
	if err != nil {
		return err
	}
	in.again = true
	laws, err := w.lawsOf(ctx, in.seq)
	if err != nil {
		return err
	}
	in.stored = map[string]storedLaw{}
	for _, l := range laws {
		in.stored[l.ID] = l
	}
	_, err = w.tx.ExecContext(ctx, "UPDATE inputs SET digest = '' WHERE seq = ?", in.seq)
	return err
}

// storedLaw is what a row of laws tells of how the input stands to the law: id,
// version and source ids of the law alone are filled in.
type storedLaw struct {
	statute.Law
	state lawState
}

func (w *Writer) lawsOf(ctx context.Context, input int64) ([]storedLaw, error) {
	rows, err := w.tx.QueryContext(ctx, "SELECT id, version, source_ids, state FROM laws WHERE input = ? ORDER BY id", input)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []storedLaw
	for rows.Next() {
		var l storedLaw
		var sources []byte
		if err := rows.Scan(&l.ID, &l.Version, &sources, &l.state); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(sources, &l.SourceIDs); err != nil {
			return nil, fmt.Errorf("source ids of %s: %w", l.ID, err)
		}
		out = append(out, l)
	}
	return out, rows.Err()
}

// Dropped counts what left the book because no input brings it any more.
type Dropped struct {
	Units int
	Laws  int
}

// Finish ends the reading of the input that From named: what it brought before and
// brings no more is removed, unless another input brings it, and all of it counts
// as stored.
//
// One thing stays: the earlier version of a law, when the input now holds a version
// of another day that it did not hold before. A revised text that takes the place of
// the old one in a folder adds a version to the book.
func (w *Writer) Finish(ctx context.Context, digest, content string, report json.RawMessage) (Dropped, error) {
	in := w.in
	var d Dropped
	stay, err := w.staying(ctx, content)
	if err == nil && in.again {
		d, err = w.drop(ctx, in.collection, in.seq, stay, in.units)
	}
	if err != nil {
		return d, fmt.Errorf("remove what %s no longer has: %w", in.path, err)
	}
	_, err = w.tx.ExecContext(ctx, "UPDATE inputs SET digest = ?, content = ?, report = ? WHERE seq = ?", digest, content, string(report), in.seq)
	if err != nil {
		return d, fmt.Errorf("record %s as stored: %w", in.path, err)
	}
	return d, nil
}

// staying settles how the laws of the input stand to it, and returns those that stay
// though the reading did not bring them.
func (w *Writer) staying(ctx context.Context, content string) (map[string]bool, error) {
	in := w.in
	laws, err := w.lawsOf(ctx, in.seq)
	if err != nil {
		return nil, err
	}
	versions, further := map[string]bool{}, map[string]bool{} // names that the input has versions of, and new ones
	for _, l := range laws {
		if b := in.laws[l.ID]; b != nil && !b.kept && b.dated {
			name := nameOf(&l.Law)
			versions[name] = true
			further[name] = further[name] || l.state == isNew
		}
	}
	stay := map[string]bool{}
	for _, l := range laws {
		state := isHeld
		if b := in.laws[l.ID]; b == nil {
			name := nameOf(&l.Law)
			// What the same bytes no longer give was a mistake of an earlier reader.
			stays := l.state == isKept && versions[name] || l.state == isHeld && further[name] && content != in.content
			if !stays || versionDay(&l.Law) == 0 {
				continue
			}
			stay[l.ID], state = true, isKept
		} else {
			if b.kept {
				state = isKept
			}
			if err := w.correctSources(ctx, l, b.sources); err != nil {
				return nil, err
			}
		}
		if err := w.setState(ctx, l.ID, state); err != nil {
			return nil, err
		}
	}
	return stay, nil
}

func (w *Writer) setState(ctx context.Context, law string, state lawState) error {
	_, err := w.tx.ExecContext(ctx, "UPDATE laws SET state = ? WHERE collection = ? AND id = ? AND input = ? AND state <> ?",
		state, w.in.collection, law, w.in.seq, state)
	return err
}

// correctSources takes the source ids off a law that the input no longer has for it.
func (w *Writer) correctSources(ctx context.Context, l storedLaw, sources []string) error {
	if len(union(slices.Clone(sources), l.SourceIDs)) == len(sources) {
		return nil
	}
	list, err := jsonList(sources)
	if err != nil {
		return err
	}
	if _, err := w.tx.ExecContext(ctx, "UPDATE laws SET source_ids = ? WHERE collection = ? AND id = ? AND input = ?", list, w.in.collection, l.ID, w.in.seq); err != nil {
		return err
	}
	return w.touch(ctx, w.in.collection, l.ID)
}

// Keep tells that a law which was put is an earlier version, which its input no
// longer holds.
func (w *Writer) Keep(law string) {
	if b := w.in.laws[law]; b != nil {
		b.kept = true
	}
}

// Remove takes an input out of the book, with all that only it brought.
func (w *Writer) Remove(ctx context.Context, in Input) (Dropped, error) {
	d, err := w.drop(ctx, in.Collection, in.seq, nil, nil)
	if err == nil {
		_, err = w.tx.ExecContext(ctx, "DELETE FROM inputs WHERE seq = ?", in.seq)
	}
	if err != nil {
		return d, fmt.Errorf("remove what %s brought: %w", in.Path, err)
	}
	return d, nil
}

// drop removes the units of an input beyond those counted, but for laws that stay,
// and its laws that have no units of it left.
func (w *Writer) drop(ctx context.Context, collection string, input int64, stay map[string]bool, counted map[string]int) (Dropped, error) {
	var d Dropped
	gone, left, err := w.beyond(ctx, input, stay, counted)
	if err != nil {
		return d, err
	}
	bases, laws := map[string]bool{}, map[string]bool{}
	for _, g := range gone {
		if _, err := w.remove.ExecContext(ctx, g.seq); err != nil {
			return d, err
		}
		bases[g.base] = true
		if g.seen {
			laws[lawOf(g.base)] = true
			d.Units++
		}
	}
	for base := range bases {
		lost, err := w.settle(ctx, collection, base)
		if err != nil {
			return d, err
		}
		d.Units += lost
	}
	for law := range laws {
		if err := w.touch(ctx, collection, law); err != nil {
			return d, err
		}
	}
	d.Laws, err = w.dropLaws(ctx, collection, input, left)
	return d, err
}

// goner is a unit that is to go.
type goner struct {
	seq  int64
	base string
	seen bool // it is not a copy
}

// beyond lists the units of an input that are to go, and the laws that have others.
func (w *Writer) beyond(ctx context.Context, input int64, stay map[string]bool, counted map[string]int) (gone []goner, left map[string]bool, err error) {
	rows, err := w.tx.QueryContext(ctx, "SELECT seq, base, nth, copy = 0 FROM origins WHERE input = ?", input)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	left = map[string]bool{}
	for rows.Next() {
		var g goner
		var nth int
		if err := rows.Scan(&g.seq, &g.base, &nth, &g.seen); err != nil {
			return nil, nil, err
		}
		if law := lawOf(g.base); nth < counted[g.base] || stay[law] {
			left[law] = true
		} else {
			gone = append(gone, g)
		}
	}
	return gone, left, rows.Err()
}

// dropLaws removes the laws that an input has no units of, and the chunks of those
// that no input has. It returns how many these are.
func (w *Writer) dropLaws(ctx context.Context, collection string, input int64, left map[string]bool) (int, error) {
	laws, err := w.lawsOf(ctx, input)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, l := range laws {
		if left[l.ID] {
			continue
		}
		if _, err := w.tx.ExecContext(ctx, "DELETE FROM laws WHERE collection = ? AND id = ? AND input = ?", collection, l.ID, input); err != nil {
			return n, err
		}
		if err := w.touch(ctx, collection, l.ID); err != nil {
			return n, err
		}
		var others int
		if err := w.tx.QueryRowContext(ctx, "SELECT count(*) FROM laws WHERE collection = ? AND id = ?", collection, l.ID).Scan(&others); err != nil {
			return n, err
		}
		if others > 0 {
			continue
		}
		n++
		if _, err := w.tx.ExecContext(ctx, "DELETE FROM chunks WHERE collection = ? AND law = ?", collection, l.ID); err != nil {
			return n, err
		}
	}
	return n, nil
}

// EachBrought calls fn with every law that an input brings and its units, as the
// input brought them: under ids without the variants that other inputs made
// necessary. kept tells an earlier version that it no longer holds.
func (b *Book) EachBrought(ctx context.Context, in Input, fn func(l *statute.Law, units []statute.Unit, kept bool) error) error {
	laws, err := b.broughtLaws(ctx, in)
	if err != nil {
		return fmt.Errorf("read the laws of %s: %w", in.Path, err)
	}
	rows, err := b.db.QueryContext(ctx, `SELECT base, law, source_id, source_also, kind, label, number, sub, path, text, ord
		FROM origins WHERE input = ? ORDER BY law, nth, ord, seq`, in.seq)
	if err != nil {
		return fmt.Errorf("read the units of %s: %w", in.Path, err)
	}
	defer rows.Close()
	var units []statute.Unit
	flush := func() error {
		if len(units) == 0 {
			return nil
		}
		l := laws[units[0].LawID]
		if l == nil {
			return fmt.Errorf("%s belongs to no law", units[0].ID)
		}
		err := fn(&l.Law, units, l.kept)
		units = nil
		return err
	}
	for rows.Next() {
		u, err := scanUnit(rows)
		if err != nil {
			return fmt.Errorf("read the units of %s: %w", in.Path, err)
		}
		if len(units) > 0 && units[0].LawID != u.LawID {
			if err := flush(); err != nil {
				return err
			}
		}
		units = append(units, *u)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the units of %s: %w", in.Path, err)
	}
	return flush()
}

// broughtLaw is a law as an input tells it.
type broughtLaw struct {
	statute.Law
	kept bool
}

func (b *Book) broughtLaws(ctx context.Context, in Input) (map[string]*broughtLaw, error) {
	rows, err := b.db.QueryContext(ctx, "SELECT "+lawColumns+", state = ? FROM laws WHERE input = ?", isKept, in.seq)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	laws := map[string]*broughtLaw{}
	for rows.Next() {
		var l broughtLaw
		if err := scanLaw(rows, &l.Law, &l.kept); err != nil {
			return nil, err
		}
		laws[l.ID] = &l
	}
	return laws, rows.Err()
}
