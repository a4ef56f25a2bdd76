package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lexagent/book"
	"lexagent/evaluator/dataset"
	"lexagent/statute"
)

// Book looks up what answers refer to. *book.Book is one.
type Book interface {
	// Mentions looks up every reference in a text.
	Mentions(ctx context.Context, collections []string, text string, own *statute.Context, day statute.Date) ([]book.Mention, error)
	// Unit returns the unit with this id and its law.
	Unit(ctx context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error)
}

// cited is an article that an answer cites, by everything it goes by.
type cited struct {
	ids  []string
	name string
}

// is reports whether the article is a gold.
func (c *cited) is(g *dataset.Article) bool {
	return g.ID != "" && slices.Contains(c.ids, g.ID) || c.name != "" && c.name == g.Name()
}

// same reports whether two citations are of one article.
func (c *cited) same(d *cited) bool {
	return c.name != "" && c.name == d.name || slices.ContainsFunc(c.ids, func(id string) bool { return slices.Contains(d.ids, id) })
}

func unitCited(u *statute.Unit, l *statute.Law) cited {
	c := cited{ids: append([]string{u.ID}, u.Also...), name: dataset.Name(l.Title, u.Label)}
	if u.SourceID != "" {
		c.ids = append(c.ids, u.SourceID)
	}
	return c
}

// references are the articles that an answer refers to, and how its references
// stand with the book.
type references struct {
	articles                     []cited
	checked, missing, notInForce int // of the references in the text
}

// look finds what a prediction cites: its list, or else its text.
func (e *evaluation) look(ctx context.Context, p *Prediction) (references, error) {
	r := references{}
	if err := e.mentions(ctx, p.Text, &r); err != nil {
		return r, fmt.Errorf("question %s: %w", p.ID, err)
	}
	if p.Citations != nil {
		r.articles = nil
		for _, c := range p.Citations {
			a, err := e.citation(ctx, c)
			if err != nil {
				return r, fmt.Errorf("question %s: %w", p.ID, err)
			}
			r.articles = append(r.articles, a)
		}
	}
	r.articles = distinct(r.articles)
	return r, nil
}

// mentions reads a text's references, with the book where there is one.
func (e *evaluation) mentions(ctx context.Context, text string, r *references) error {
	if e.o.Book == nil {
		for _, ref := range statute.FindReferences(text, nil) {
			for _, p := range ref.Points {
				if ref.Law != "" && p.Number > 0 {
					r.articles = append(r.articles, cited{name: dataset.Name(ref.Law, statute.Label(p.Number, p.Sub))})
				}
			}
		}
		return nil
	}
	found, err := e.o.Book.Mentions(ctx, e.o.Collections, text, nil, e.o.Day)
	if err != nil {
		return fmt.Errorf("look up the references: %w", err)
	}
	for i := range found {
		m := &found[i]
		if m.Outcome == book.Unclear {
			continue
		}
		r.checked++
		switch {
		case m.Outcome == book.NoLaw || m.Outcome == book.NoArticle:
			r.missing++
		case m.Outcome == book.Ended || m.Law != nil && over(m.Law.StatusOn(e.o.Day)):
			r.notInForce++
		}
		if m.Unit != nil && m.Law != nil {
			r.articles = append(r.articles, unitCited(m.Unit, m.Law))
		}
	}
	return nil
}

// over reports whether a text with this status is not in force.
func over(s statute.Status) bool {
	return s == statute.Repealed || s == statute.Superseded || s == statute.NotYet
}

// citation completes a listed citation from the book.
func (e *evaluation) citation(ctx context.Context, c Citation) (cited, error) {
	a := cited{}
	if c.ID != "" {
		a.ids = []string{c.ID}
	}
	if c.Law != "" && c.Label != "" {
		a.name = dataset.Name(c.Law, c.Label)
	}
	if e.o.Book == nil || c.ID == "" {
		return a, nil
	}
	u, l, err := e.o.Book.Unit(ctx, e.o.Collections, c.ID, e.o.Day)
	if errors.Is(err, book.ErrNotFound) {
		return a, nil
	}
	if err != nil {
		return a, fmt.Errorf("look up %s: %w", c.ID, err)
	}
	return unitCited(u, l), nil
}

func distinct(list []cited) []cited {
	var out []cited
	for i := range list {
		if !slices.ContainsFunc(out, func(c cited) bool { return c.same(&list[i]) }) {
			out = append(out, list[i])
		}
	}
	return out
}
