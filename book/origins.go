package book

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lexagent/statute"
)

// origin is a unit as an input brought it.
type origin struct {
	seq, input       int64
	nth              int
	id               string // under which readers find the text
	copy             bool   // they see it as another origin
	source, own, all string // source id; JSON: further ones of its own, those and the copies'
	kind             statute.Kind
	label            string
	number, sub      int
	path, text       string // the path as JSON
	ord              int
}

const originColumns = "seq, input, nth, id, copy, source_id, source_also, also, kind, label, number, sub, path, text, ord"

func (o *origin) scan(row scanner) error {
	return row.Scan(&o.seq, &o.input, &o.nth, &o.id, &o.copy, &o.source, &o.own, &o.all, &o.kind, &o.label, &o.number, &o.sub, &o.path, &o.text, &o.ord)
}

// originOf is the nth unit that an input brings under its base.
func originOf(u *statute.Unit, input int64, nth int) (origin, error) {
	o := origin{input: input, nth: nth, source: u.SourceID, kind: u.Kind, label: u.Label, number: u.Number, sub: u.Sub, text: u.Text, ord: u.Order}
	var err error
	if o.path, err = jsonList(u.Path); err != nil {
		return o, err
	}
	o.own, err = jsonList(u.Also)
	return o, err
}

// says reports whether two origins bring the same.
func (o *origin) says(p *origin) bool {
	a, b := *o, *p
	b.seq, b.id, b.copy, b.all = a.seq, a.id, a.copy, a.all
	return a == b
}

// baseOf is an id without the number of its variant.
func baseOf(id string) string {
	base, _, _ := strings.Cut(id, "~")
	return base
}

// lawOf is the id of the law that the unit of an id belongs to.
func lawOf(id string) string {
	law, _, _ := strings.Cut(id, ":")
	return law
}

// maxOrigins bounds how many units may claim one id. What comes beyond, from
// broken sources, is refused: finding their ids would take ever longer.
const maxOrigins = 1000

// putting is one law on its way into the book.
type putting struct {
	w       *Writer
	law     *statute.Law
	stored  Stored
	claims  map[string][]origin // by base, where a unit is not alone
	settle  map[string]bool     // the bases whose units have to find their ids
	added   []addition
	changed bool // readers see another law than before
}

// addition is a unit that was added beside others under its id.
type addition struct {
	seq int64
	id  string // that it came with
}

// unit stores a unit.
func (p *putting) unit(ctx context.Context, u *statute.Unit) error {
	base := baseOf(u.ID)
	o, err := originOf(u, p.w.in.seq, p.w.in.next(base))
	if err != nil {
		return err
	}
	if o.nth == 0 {
		_, added, err := p.insert(ctx, base, &o)
		if err != nil {
			return err
		}
		if added {
			p.stored.New++
			p.changed = true
			return nil
		}
	}
	o.copy = true // until its id is found
	claims := p.claims[base]
	if claims == nil {
		if claims, err = p.w.claims(ctx, p.law.Collection, base); err != nil {
			return err
		}
		p.claims[base] = claims
	}
	i := slices.IndexFunc(claims, func(c origin) bool { return c.input == o.input && c.nth == o.nth })
	switch {
	case i < 0 && len(claims) >= maxOrigins:
		p.stored.Crowded = append(p.stored.Crowded, u.ID)
	case i < 0:
		return p.beside(ctx, base, u.ID, &o, claims)
	case claims[i].says(&o):
		p.stored.Same++
	default:
		return p.replace(ctx, base, &claims[i], &o)
	}
	return nil
}

// beside adds a unit to those that claim its id already.
func (p *putting) beside(ctx context.Context, base, id string, o *origin, claims []origin) error {
	seq, _, err := p.insert(ctx, base, o)
	if err != nil {
		return err
	}
	o.seq = seq
	p.claims[base] = append(claims, *o)
	p.settle[base] = true
	if slices.ContainsFunc(claims, func(c origin) bool { return c.text == o.text }) {
		p.stored.Same++
		return nil
	}
	p.stored.New++
	p.added = append(p.added, addition{seq, id})
	return nil
}

// insert adds an origin, unless its id is taken.
func (p *putting) insert(ctx context.Context, base string, o *origin) (seq int64, added bool, err error) {
	res, err := p.w.unit.ExecContext(ctx, o.input, p.law.Collection, base, o.nth, o.copy, p.law.ID, o.source, o.own, o.kind, o.label, o.number, o.sub,
		o.path, o.text, o.ord)
	if err != nil {
		return 0, false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return 0, false, err
	}
	seq, err = res.LastInsertId()
	return seq, true, err
}

// replace gives an origin what its input says now.
func (p *putting) replace(ctx context.Context, base string, old, o *origin) error {
	if _, err := p.w.set.ExecContext(ctx, o.source, o.own, o.kind, o.label, o.number, o.sub, o.path, o.text, o.ord, old.seq); err != nil {
		return err
	}
	if old.text == o.text {
		p.stored.Same++
	} else {
		p.stored.Replaced++
	}
	p.changed = p.changed || !old.copy
	o.seq, o.id, o.copy, o.all = old.seq, old.id, old.copy, old.all
	*old = *o
	p.settle[base] = true
	return nil
}

// finish gives the units their ids.
func (p *putting) finish(ctx context.Context) error {
	for base := range p.settle {
		if _, err := p.w.settle(ctx, p.law.Collection, base); err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
	}
	for _, a := range p.added {
		var id string
		if err := p.w.tx.QueryRowContext(ctx, "SELECT id FROM origins WHERE seq = ?", a.seq).Scan(&id); err != nil {
			return fmt.Errorf("%s: %w", a.id, err)
		}
		if id != a.id {
			p.stored.Variants = append(p.stored.Variants, id)
		}
	}
	if !p.changed {
		return nil
	}
	return p.w.touch(ctx, p.law.Collection, p.law.ID)
}

// claims reads the origins of one base in the order in which they get their ids.
func (w *Writer) claims(ctx context.Context, collection, base string) ([]origin, error) {
	rows, err := w.find.QueryContext(ctx, collection, base)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []origin
	for rows.Next() {
		var o origin
		if err := o.scan(rows); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, rows.Err()
}

// settle gives the origins of one base their ids: the first text the base itself,
// each other text a variant. It returns by how many texts readers see fewer than
// before.
func (w *Writer) settle(ctx context.Context, collection, base string) (lost int, err error) {
	before, err := w.claims(ctx, collection, base)
	if err != nil {
		return 0, err
	}
	after := slices.Clone(before)
	also := make([][]string, len(before)) // of those that readers see
	first := map[string]int{}             // text to the origin that they see
	for i := range after {
		o := &after[i]
		var own []string
		if err := json.Unmarshal([]byte(o.own), &own); err != nil {
			return 0, fmt.Errorf("source ids of %s: %w", base, err)
		}
		if !o.copy {
			lost++
		}
		n, copied := first[o.text]
		o.copy = copied
		if copied {
			o.id = after[n].id
			also[n] = unionBut(also[n], after[n].source, append([]string{o.source}, own...))
			continue
		}
		first[o.text], also[i], o.id = i, own, base
		if len(first) > 1 {
			o.id = statute.Variant(base, len(first))
		}
	}
	for i := range after {
		if after[i].all, err = jsonList(also[i]); err != nil {
			return 0, err
		}
	}
	return lost - len(first), w.giveIDs(ctx, collection, base, before, after)
}

// giveIDs writes what has changed, after hiding the old ids: two origins may change
// theirs for each other's.
func (w *Writer) giveIDs(ctx context.Context, collection, base string, before, after []origin) error {
	seen := false // readers see the change
	give := func(o *origin, hidden bool) error {
		_, err := w.setID.ExecContext(ctx, o.id, o.copy || hidden, o.all, o.seq)
		return err
	}
	for i := range before {
		if b, a := &before[i], &after[i]; !b.copy && (a.copy || a.id != b.id) {
			if err := give(b, true); err != nil {
				return err
			}
		}
	}
	for i := range before {
		b, a := &before[i], &after[i]
		if *a == *b {
			continue
		}
		seen = seen || !a.copy || !b.copy
		if err := give(a, false); err != nil {
			return err
		}
	}
	if !seen {
		return nil
	}
	return w.touch(ctx, collection, lawOf(base))
}

// unionBut returns a with what b has beyond it, but for one string and "".
func unionBut(a []string, but string, b []string) []string {
	return union(a, slices.DeleteFunc(b, func(s string) bool { return s == "" || s == but }))
}
