package book

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"lexagent/state"
	"lexagent/statute"
)

// lawTable is the laws of the book as they stood at one revision.
type lawTable struct {
	revision int64
	byID     map[lawKey]*statute.Law
	versions map[lawKey][]*statute.Law // by Short, oldest first
	ordered  []*statute.Law            // by level, then title, then version
	former   map[lawKey]*Former        // by collection and title key: repealed, and not in the book
	titles   sync.Map                  // collections → *statute.Titles, built when asked for
	units    *state.Recent[statute.Unit]
	chunks   *state.Recent[statute.Passage]
}

type lawKey struct{ collection, id string }

// Reload brings the laws up to date with what writers have stored since. It is
// cheap when nothing has changed.
func (b *Book) Reload(ctx context.Context) error {
	rev, err := b.Revision(ctx)
	if err != nil {
		return err
	}
	if old := b.laws.Load(); old != nil && old.revision == rev {
		return nil
	}
	t, err := b.readLaws(ctx)
	if err != nil {
		return fmt.Errorf("read the laws of the book: %w", err)
	}
	t.revision = rev
	b.laws.Store(t)
	return nil
}

const lawColumns = `collection, id, title, short, level, region, issuer, header, version, published, effective, ended, ended_by, declared, source_ids`

func scanLaw(row scanner, l *statute.Law, more ...any) error {
	var sources []byte
	dest := []any{&l.Collection, &l.ID, &l.Title, &l.Short, &l.Level, &l.Region, &l.Issuer, &l.Header, &l.Version,
		&l.Published, &l.Effective, &l.Ended, &l.EndedBy, &l.Declared, &sources}
	if err := row.Scan(append(dest, more...)...); err != nil {
		return err
	}
	if err := json.Unmarshal(sources, &l.SourceIDs); err != nil {
		return fmt.Errorf("source ids of %s: %w", l.ID, err)
	}
	return nil
}

func (b *Book) readLaws(ctx context.Context) (*lawTable, error) {
	t := &lawTable{
		byID: map[lawKey]*statute.Law{}, versions: map[lawKey][]*statute.Law{},
		units: state.NewRecent[statute.Unit](unitBytes), chunks: state.NewRecent[statute.Passage](chunkBytes),
	}
	if err := b.readTable(ctx, t); err != nil {
		return nil, err
	}
	for _, l := range t.ordered {
		slices.Sort(l.SourceIDs)
		name := lawKey{l.Collection, nameOf(l)}
		t.versions[name] = append(t.versions[name], l)
	}
	for _, vs := range t.versions {
		slices.SortFunc(vs, byVersion)
		supersede(vs)
	}
	repeals, err := b.repealsOf(ctx)
	if err != nil {
		return nil, err
	}
	t.live(repeals)
	slices.SortFunc(t.ordered, func(a, b *statute.Law) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), strings.Compare(a.Short, b.Short), byVersion(a, b), strings.Compare(a.Collection, b.Collection))
	})
	return t, nil
}

// readTable reads what the inputs say of their laws. Of a law that several bring,
// the last one's word counts, and the source ids of all.
func (b *Book) readTable(ctx context.Context, t *lawTable) error {
	rows, err := b.db.QueryContext(ctx, "SELECT "+lawColumns+" FROM laws ORDER BY collection, id, input")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		l := new(statute.Law)
		if err := scanLaw(rows, l); err != nil {
			return err
		}
		key := lawKey{l.Collection, l.ID}
		if earlier := t.byID[key]; earlier != nil {
			l.SourceIDs = union(earlier.SourceIDs, l.SourceIDs)
			*earlier = *l
			continue
		}
		t.byID[key] = l
		t.ordered = append(t.ordered, l)
	}
	return rows.Err()
}

// nameOf is the law part of l's id, which all versions of the law share.
func nameOf(l *statute.Law) string {
	name, _, _ := strings.Cut(l.ID, "@")
	return name
}

// byVersion sorts versions by their day; a version without a day comes first.
func byVersion(a, b *statute.Law) int {
	return cmp.Or(cmp.Compare(versionDay(a), versionDay(b)), strings.Compare(a.ID, b.ID))
}

func versionDay(l *statute.Law) statute.Date {
	d, err := statute.ParseDate(l.Version)
	if err != nil {
		return 0 // a content version: no day is known
	}
	return d
}

// supersede ends each version on the day its successor takes effect, where the
// sources name no end. Without that day the successor's own date stands in: an
// amended text applies from its amendment on unless it says otherwise.
func supersede(versions []*statute.Law) {
	for i, l := range versions[:max(len(versions)-1, 0)] {
		next := versions[i+1]
		day := max(next.Effective, versionDay(next))
		if !l.Ended.IsZero() || day.IsZero() || versionDay(l).IsZero() {
			continue
		}
		l.Ended, l.EndedBy, l.Declared = day, next.ID, statute.Superseded
	}
}

// Law returns the law with this id in the first of the collections that has it:
// a version by its full id (民法典@2020-05-28), or by its name alone (民法典) the
// version that applies on day, or else the latest.
func (b *Book) Law(collections []string, id string, day statute.Date) (*statute.Law, error) {
	parsed, err := statute.ParseID(id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	t := b.laws.Load()
	for _, c := range collections {
		if parsed.Version != "" {
			if l := t.byID[lawKey{c, parsed.LawID()}]; l != nil {
				return l, nil
			}
			continue
		}
		if vs := t.versions[lawKey{c, parsed.Law}]; len(vs) > 0 {
			return applying(vs, day), nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// applying picks the version in force on day, else the latest one.
func applying(versions []*statute.Law, day statute.Date) *statute.Law {
	for _, l := range slices.Backward(versions) {
		if s := l.StatusOn(day); s == statute.InForce || s == statute.Unknown {
			return l
		}
	}
	return versions[len(versions)-1]
}

// Versions returns all versions of the law that l is one of, oldest first.
func (b *Book) Versions(l *statute.Law) []*statute.Law {
	return b.laws.Load().versions[lawKey{l.Collection, nameOf(l)}]
}

// Laws returns every law of the collections, by level, title and version. The
// caller must not change them.
func (b *Book) Laws(collections []string) []*statute.Law {
	var out []*statute.Law
	for _, l := range b.laws.Load().ordered {
		if slices.Contains(collections, l.Collection) {
			out = append(out, l)
		}
	}
	return out
}

// AllLaws returns every law of every collection, in the order of Laws.
func (b *Book) AllLaws() []*statute.Law { return slices.Clone(b.laws.Load().ordered) }
