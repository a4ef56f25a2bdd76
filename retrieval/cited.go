package retrieval

import (
	"context"
	"errors"

	"lexagent/book"
	"lexagent/statute"
)

// References follows the references of units to what they cite.
type References struct {
	Engine *Engine
	Edges  interface {
		CitationsFrom(ctx context.Context, collection, unit string) ([]book.Citation, error)
	}
}

// Cited returns the units that a unit cites, in the order of its text, each once: those
// that the scope sees, in force on its day. References whose printed number has probably
// shifted are passed over.
func (r References) Cited(ctx context.Context, unit string, scope Scope) ([]Hit, error) {
	e := r.Engine
	s := e.search(Query{Scope: scope})
	u, l, err := e.Book.Unit(ctx, scope.Visible(), unit, s.day)
	if err != nil {
		return nil, err
	}
	edges, err := r.Edges.CitationsFrom(ctx, l.Collection, u.ID)
	if err != nil {
		return nil, err
	}
	var out []Hit
	seen := map[string]bool{unit: true}
	for i := range edges {
		c := &edges[i]
		if c.Kind != book.Cites || c.To == "" || c.Number == 0 || c.Stale || seen[c.To] {
			continue
		}
		seen[c.To] = true
		to, law, err := e.Book.Unit(ctx, scope.Visible(), c.To, s.day)
		if errors.Is(err, book.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if status := law.StatusOn(s.day); status == statute.Repealed || status == statute.Superseded {
			continue
		}
		out = append(out, s.hit(to, law, candidate{}))
	}
	return out, nil
}
