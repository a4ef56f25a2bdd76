package book

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lexagent/statute"
)

// Repeal is a clause that ended a text, found in the book.
type Repeal struct {
	Collection string       // of the clause
	Law        string       // id of the law that it stands in
	Unit       string       // id of the unit
	At         int          // place of the name in the unit's text, in bytes
	Name       string       // what it ends, as printed
	Ended      string       // id of the law that ended, "" when the book does not have it
	EndedIn    string       // that law's collection
	Day        statute.Date // first day no longer in force; 0 = not known
	Clause     string       // the sentence
}

// Former is a law that the book knows only as repealed.
type Former struct {
	Name string       // as the clause prints it
	Day  statute.Date // first day no longer in force; 0 = not known
	By   *statute.Law // the law that took its place
}

// String tells a reader what became of the law.
func (f *Former) String() string {
	if f.Day.IsZero() {
		return fmt.Sprintf("《%s》已废止，由《%s》取代", f.Name, f.By.Title)
	}
	return fmt.Sprintf("《%s》已于 %s 废止，由《%s》取代", f.Name, f.Day, f.By.Title)
}

// life finds what ended what. It works on one collection's clauses at a time.
type life struct {
	table  *lawTable
	byName map[string][]*statute.Law // laws by the keys of their titles
	out    []Repeal
}

func newLife(t *lawTable) *life {
	lf := &life{table: t, byName: map[string][]*statute.Law{}}
	for _, l := range t.ordered {
		for _, key := range titleKeys("", l.Title) {
			lf.byName[key] = append(lf.byName[key], l)
		}
	}
	return lf
}

var issuerHead = regexp.MustCompile(`^(?:最高人民法院|最高人民检察院|全国人民代表大会常务委员会|全国人民代表大会|国务院办公厅|国务院|公安部|司法部|民政部|和)+`)

// titleKeys are the keys of a title as it may be printed: with its issuing body or
// without. 关于惩治走私罪的补充规定 has the issuer that the clause names.
func titleKeys(issuer, title string) []string {
	key := statute.TitleKey(title)
	keys := []string{key}
	if issuer != "" && strings.HasPrefix(key, "关于") {
		return []string{statute.TitleKey(issuer + title), key}
	}
	if bare := issuerHead.ReplaceAllString(key, ""); bare != key && strings.HasPrefix(bare, "关于") {
		keys = append(keys, bare)
	}
	return keys
}

// add takes the clauses of one unit. first is the day on which the law took effect
// first, which is when its clauses work.
func (lf *life) add(u *statute.Unit, l *statute.Law, first statute.Date) {
	for _, c := range statute.FindRepeals(u.Text) {
		r := Repeal{Collection: l.Collection, Law: l.ID, Unit: u.ID, At: c.Start, Name: c.Law, Clause: c.Clause, Day: first}
		if c.Day != 0 {
			r.Day = c.Day
		}
		if issuer := c.Issuer; issuer != "" && strings.HasPrefix(c.Law, "关于") {
			r.Name = issuer + c.Law
		}
		found := false
		seen := map[*statute.Law]bool{}
		for _, key := range titleKeys(c.Issuer, c.Law) {
			for _, ended := range lf.byName[key] {
				if seen[ended] || ended.Collection != l.Collection && l.Collection != DefaultCollection {
					continue
				}
				seen[ended] = true
				if day, ok := endsLaw(ended, l, c, r.Day); ok {
					one := r
					one.Ended, one.EndedIn, one.Day = ended.ID, ended.Collection, day
					lf.out = append(lf.out, one)
				}
				found = true
			}
		}
		if !found {
			lf.out = append(lf.out, r)
		}
	}
}

// slack is how much later than a text was adopted it may have been published, in
// the calendar's counting of yyyymmdd: about two months.
const slack = 200

// endsLaw reports whether a clause in by ends the law old of that name, and when.
// The same title is not enough: laws are made again under the name of one that
// has ended, so days decide. day is when by took effect first.
func endsLaw(old, by *statute.Law, c statute.Repeal, day statute.Date) (statute.Date, bool) {
	made, version := cmp.Or(old.Published, versionDay(old)), versionDay(old)
	same := statute.TitleKey(old.Title) == statute.TitleKey(by.Title)
	switch {
	case old.ID == by.ID, old.Collection == by.Collection && nameOf(old) == nameOf(by):
		return 0, false // a version ends by the next one
	case c.Dated != 0 && made > c.Dated+slack:
		return 0, false // a later text of that name
	case version.IsZero():
		return day, !same
	}
	first := by.Published
	if first.IsZero() || !day.IsZero() && day < first {
		first = day
	}
	switch {
	case version < first:
		return day, true
	case version < versionDay(by) && !same && made < versionDay(by):
		// The clause came in with a revision.
		return max(by.Effective, versionDay(by)), true
	}
	return 0, false
}

// readLife reads the clauses of the whole book.
func (b *Book) readLife(ctx context.Context) ([]Repeal, error) {
	t := b.laws.Load()
	firsts := map[*statute.Law]statute.Date{}
	lf := newLife(t)
	units, err := b.unitsWith(ctx, "%废止%", "%失效%", "%不再%")
	if err != nil {
		return nil, err
	}
	for i := range units {
		u := &units[i]
		l := t.byID[lawKey{u.collection, u.LawID}]
		if l == nil || len(statute.FindRepeals(u.Text)) == 0 {
			continue
		}
		if _, known := firsts[l]; !known {
			if firsts[l], err = b.firstDay(ctx, l); err != nil {
				return nil, err
			}
		}
		first := firsts[l]
		if day, atOnce := statute.BeginsOn(u.Text); day != 0 {
			first = day
		} else if atOnce && l.Published != 0 {
			first = published(l)
		}
		lf.add(&u.Unit, l, first)
	}
	slices.SortFunc(lf.out, func(a, b Repeal) int {
		return cmp.Or(strings.Compare(a.Collection, b.Collection), strings.Compare(a.Unit, b.Unit), cmp.Compare(a.At, b.At),
			strings.Compare(a.EndedIn, b.EndedIn), strings.Compare(a.Ended, b.Ended))
	})
	return lf.out, nil
}

// closing is how many of a law's last articles may tell when it takes effect.
const closing = 6

// firstDay returns the day on which the first version of a law took effect, as far
// as the book tells. After an amendment the closing article still tells it.
func (b *Book) firstDay(ctx context.Context, l *statute.Law) (statute.Date, error) {
	units, err := b.query(ctx, "SELECT "+unitColumns+` FROM units WHERE collection = ? AND law = ? AND kind <> 'attachment'
		ORDER BY number DESC, ord DESC LIMIT ?`, l.Collection, l.ID, closing)
	if err != nil {
		return 0, err
	}
	for _, u := range units {
		day, atOnce := statute.BeginsOn(u.Text)
		if day != 0 {
			return day, nil
		}
		if atOnce && l.Published != 0 {
			return published(l), nil
		}
	}
	versions := b.Versions(l)
	if first := versions[0]; first != l && first.Effective != 0 {
		return first.Effective, nil
	}
	if l.Published != 0 && versionDay(l) > published(l) {
		return published(l), nil // the header's day is that of an amendment
	}
	return cmp.Or(l.Effective, l.Published, versionDay(l)), nil
}

// published returns the day of a law's first publication. Headers often tell when
// it was passed and when it was made known; soon after each other, the later counts.
func published(l *statute.Law) statute.Date {
	if day := versionDay(l); day > l.Published && day <= l.Published+slack {
		return day
	}
	return l.Published
}

// unitIn is a unit with its collection.
type unitIn struct {
	statute.Unit
	collection string
}

// unitsWith returns the units whose text matches one of three patterns.
func (b *Book) unitsWith(ctx context.Context, p1, p2, p3 string) ([]unitIn, error) {
	rows, err := b.db.QueryContext(ctx, "SELECT "+unitColumns+", collection FROM units WHERE text LIKE ? OR text LIKE ? OR text LIKE ?", p1, p2, p3)
	if err != nil {
		return nil, fmt.Errorf("find clauses: %w", err)
	}
	defer rows.Close()
	var out []unitIn
	for rows.Next() {
		var collection string
		u, err := scanUnit(rows, &collection)
		if err != nil {
			return nil, fmt.Errorf("find clauses: %w", err)
		}
		out = append(out, unitIn{*u, collection})
	}
	return out, rows.Err()
}

// repealsOf reads the stored clauses.
func (b *Book) repealsOf(ctx context.Context) ([]Repeal, error) {
	rows, err := b.db.QueryContext(ctx, `SELECT collection, law, unit, at, name, ended, ended_in, day, clause FROM repeals
		ORDER BY collection, unit, at, ended_in, ended`)
	if err != nil {
		return nil, fmt.Errorf("read the repeals: %w", err)
	}
	defer rows.Close()
	var out []Repeal
	for rows.Next() {
		var r Repeal
		if err := rows.Scan(&r.Collection, &r.Law, &r.Unit, &r.At, &r.Name, &r.Ended, &r.EndedIn, &r.Day, &r.Clause); err != nil {
			return nil, fmt.Errorf("read the repeals: %w", err)
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// Repeals returns every clause of the book that ended a text, in the order of the
// units it stands in.
func (b *Book) Repeals(ctx context.Context) ([]Repeal, error) { return b.repealsOf(ctx) }

// live applies the clauses to the laws: a law ends on the earlier of the day that
// a clause gives and the day its source gives.
func (t *lawTable) live(repeals []Repeal) {
	t.former = map[lawKey]*Former{}
	for i := range repeals {
		r := &repeals[i]
		by := t.byID[lawKey{r.Collection, r.Law}]
		if by == nil {
			continue
		}
		if r.Ended == "" {
			t.addFormer(r, by)
			continue
		}
		l := t.byID[lawKey{r.EndedIn, r.Ended}]
		if l == nil || r.Day.IsZero() || !l.Ended.IsZero() && l.Ended < r.Day {
			continue
		}
		if l.Ended == r.Day && l.EndedBy != "" {
			continue
		}
		l.Ended, l.EndedBy = r.Day, by.ID
		if l.Declared == statute.Superseded {
			l.Declared = statute.Repealed
		}
	}
}

// addFormer keeps the latest end of a name that the book has no text of.
func (t *lawTable) addFormer(r *Repeal, by *statute.Law) {
	for _, key := range titleKeys("", r.Name) {
		k := lawKey{r.Collection, key}
		if have := t.former[k]; have == nil || have.Day < r.Day || have.Day == r.Day && versionDay(have.By) < versionDay(by) {
			t.former[k] = &Former{Name: statute.ShortTitle(r.Name), Day: r.Day, By: by}
		}
	}
}

// EndedBy returns the law that took the place of l, nil when the book can't tell.
func (b *Book) EndedBy(l *statute.Law) *statute.Law {
	if l.EndedBy == "" {
		return nil
	}
	t := b.laws.Load()
	if by := t.byID[lawKey{l.Collection, l.EndedBy}]; by != nil {
		return by
	}
	return t.byID[lawKey{DefaultCollection, l.EndedBy}]
}

// Former returns what became of a law that the book does not have, nil when no
// text of these collections says that it has ended.
func (b *Book) Former(collections []string, name string) *Former {
	t := b.laws.Load()
	for _, c := range collections {
		if f := t.former[lawKey{c, statute.TitleKey(name)}]; f != nil {
			return f
		}
	}
	return nil
}
