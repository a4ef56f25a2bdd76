package structneg

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lexagent/book"
	"lexagent/index"
	"lexagent/statute"
)

// Book is what mining needs of the statute book.
type Book interface {
	// Each calls fn with every unit and its law.
	Each(ctx context.Context, fn func(*statute.Unit, *statute.Law) error) error
	// EachCitation calls fn with every citation, and the source ids of its ends.
	EachCitation(ctx context.Context, fn func(c book.Citation, from, to string) error) error
}

// Corpus is what negatives are taken from: the units of one collection with their
// levels and texts, and who cites whom. Ids are those of units.
type Corpus struct {
	ids    []string // as they were added
	units  map[string]*unit
	texts  map[string][]string // ids by text without white space
	places map[place][]string  // ids of all versions of an article
	out    map[string][]string // ids of the units that a unit cites
	in     map[string][]string // and that cite it
	edges  Edges
}

type unit struct {
	level         statute.Level
	text, passage string // text without white space; what is embedded
	source        string // the corpus's own id, "" where there is none
	place         place
}

// place tells a unit from the others of its law, whatever the version.
type place struct{ law, region, key string }

// Edges counts the citations of a corpus by what became of them.
type Edges struct {
	Used       int `json:"used"`
	Stale      int `json:"stale"`      // left out: the printed number has probably shifted since
	Other      int `json:"other"`      // left out: amends or repeals, which are no references
	Unresolved int `json:"unresolved"` // left out: leads to nothing that can be found
}

// NewCorpus returns an empty corpus.
func NewCorpus() *Corpus {
	return &Corpus{
		units: map[string]*unit{}, texts: map[string][]string{}, places: map[place][]string{},
		out: map[string][]string{}, in: map[string][]string{},
	}
}

// ReadCorpus reads a collection of a book.
func ReadCorpus(ctx context.Context, b Book, collection string) (*Corpus, error) {
	c := NewCorpus()
	err := b.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		if l.Collection == collection {
			c.Add(u, l)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the units to mine from: %w", err)
	}
	err = b.EachCitation(ctx, func(e book.Citation, _, _ string) error {
		if e.Collection == collection && (e.To == "" || e.ToIn == collection) {
			c.Cite(&e)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the citations to mine from: %w", err)
	}
	return c, nil
}

// Add adds a unit with its law.
func (c *Corpus) Add(u *statute.Unit, l *statute.Law) {
	_, key, _ := strings.Cut(u.ID, ":")
	key, _, _ = strings.Cut(key, "~") // another text under the same id
	e := &unit{
		level: l.Level, text: strings.Join(strings.Fields(u.Text), ""), passage: index.Passage(l.Title, u.Label, u.Text), source: u.SourceID,
		place: place{l.Short, l.Region, key},
	}
	c.ids = append(c.ids, u.ID)
	c.units[u.ID] = e
	c.texts[e.text] = append(c.texts[e.text], u.ID)
	c.places[e.place] = append(c.places[e.place], u.ID)
}

// Cite adds a citation. Both its ends must have been added before, or it counts as
// unresolved.
func (c *Corpus) Cite(e *book.Citation) {
	switch {
	case e.Kind != book.Cites:
		c.edges.Other++
	case c.units[e.From] == nil || c.units[e.To] == nil:
		c.edges.Unresolved++
	case e.Stale:
		c.edges.Stale++
	default:
		c.edges.Used++
		c.out[e.From] = append(c.out[e.From], e.To)
		c.in[e.To] = append(c.in[e.To], e.From)
	}
}

// Size is the number of units.
func (c *Corpus) Size() int { return len(c.ids) }

// Edges tells what became of the citations.
func (c *Corpus) Edges() Edges { return c.edges }

// Level is the level of a unit of the corpus.
func (c *Corpus) Level(id string) statute.Level { return c.units[id].level }

// Passage is the text of a unit as it is embedded.
func (c *Corpus) Passage(id string) string { return c.units[id].passage }

// SourceID is the id that the unit's source brought along, else its own.
func (c *Corpus) SourceID(id string) string { return cmp.Or(c.units[id].source, id) }

// same are the units that say what some units say, with these themselves: equal
// texts and other versions. Ids in order.
func (c *Corpus) same(ids []string) []string {
	var out []string
	for _, id := range ids {
		u := c.units[id]
		out = slices.Concat(out, c.texts[u.text], c.places[u.place])
	}
	slices.Sort(out)
	return slices.Compact(out)
}
