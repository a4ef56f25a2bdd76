package tools

import (
	"context"
	"errors"
	"slices"

	"lexagent/book"
	"lexagent/statute"
)

// Bounds of what trace_citations shows.
const (
	maxDepth   = 2
	maxEdges   = 60
	tracedRune = 200 // of the text of a unit that an edge leads to
)

// The directions of a trace.
const (
	directionIn   = "in"
	directionOut  = "out"
	directionBoth = "both"
)

type traceIn struct {
	Article   string `json:"article" jsonschema:"required" jsonschema_description:"法条的 id（民法典:1077）或名称（民法典第一千零七十七条）"`
	Direction string `json:"direction,omitempty" jsonschema:"enum=in,enum=out,enum=both" jsonschema_description:"out=它引用了谁，in=谁引用、修改或废止了它，both=两者（默认）"`
	Depth     count  `json:"depth,omitempty" jsonschema_description:"走几步，1 或 2，默认 1"`
	AsOf      string `json:"as_of,omitempty" jsonschema_description:"按哪一天有效的版本，如 2020-06-01；不写=今天"`
}

type edge struct {
	From   string        `json:"from"`
	To     string        `json:"to,omitempty"` // empty: not resolved
	Kind   book.EdgeKind `json:"kind"`
	Text   string        `json:"text"` // as printed
	Reason book.Reason   `json:"reason,omitempty"`
	Stale  bool          `json:"stale,omitempty"`
}

type traceOut struct {
	Article found   `json:"article"`
	Edges   []edge  `json:"edges"`
	Units   []found `json:"units"`
	More    bool    `json:"more,omitempty"`
	Next    string  `json:"next,omitempty"`
}

func (r *runner) traceCitations() *typed[traceIn] {
	return newTool("trace_citations", "看一条法条的引用关系：它引用了哪些条（依照第N条），哪些条引用、修改或废止了它。法条里有“依照”“参照”“前款规定”、或要找处罚和例外时用它。"+
		"stale=被引法律后来修订过，条号可能已变。",
		func(ctx context.Context, in traceIn) (any, error) { return r.trace(ctx, in) })
}

// node is a unit of a trace.
type node struct {
	unit *statute.Unit
	law  *statute.Law
}

func (r *runner) trace(ctx context.Context, in traceIn) (*traceOut, error) {
	if in.Depth == 0 {
		in.Depth = 1
	}
	if in.Direction == "" {
		in.Direction = directionBoth
	}
	switch {
	case in.Depth < 0 || in.Depth > maxDepth:
		return nil, problem("depth 是 %d，只能是 1 或 2。", in.Depth)
	case !slices.Contains([]string{directionIn, directionOut, directionBoth}, in.Direction):
		return nil, problem("direction 是 %q，只能是 in、out 或 both。", in.Direction)
	}
	day, err := r.day(in.AsOf)
	if err != nil {
		return nil, err
	}
	named, err := r.named(ctx, in.Article, day)
	if err != nil {
		return nil, err
	}
	if named[0].Unit == nil {
		return nil, problem("%s", missing(&named[0]))
	}
	t := &tracing{r: r, day: day, met: map[string]bool{}, out: &traceOut{Edges: []edge{}, Units: []found{}}}
	start := node{named[0].Unit, named[0].Law}
	t.out.Article = t.show(start)
	t.met[book.DocID(start.law.Collection, start.unit.ID)] = true
	level := []node{start}
	for range in.Depth {
		if level, err = t.step(ctx, level, in.Direction); err != nil {
			return nil, err
		}
	}
	if len(t.out.Edges) == 0 {
		t.out.Next = "它没有引用别的法条，也没有被引用。"
	}
	return t.out, nil
}

// tracing is the state of one trace.
type tracing struct {
	r   *runner
	day statute.Date
	met map[string]bool // doc ids of the units shown
	out *traceOut
}

// step follows the citations of units, and returns the units that are new.
func (t *tracing) step(ctx context.Context, from []node, direction string) ([]node, error) {
	var next []node
	for _, n := range from {
		edges, err := t.edges(ctx, n, direction)
		if err != nil {
			return nil, err
		}
		for _, c := range edges {
			if len(t.out.Edges) == maxEdges {
				t.out.More = true
				return next, nil
			}
			t.out.Edges = append(t.out.Edges, edge{c.From, c.To, c.Kind, c.Text, c.Reason, c.Stale})
			for _, end := range [][2]string{{c.Collection, c.From}, {c.ToIn, c.To}} {
				found, err := t.meet(ctx, end[0], end[1])
				if err != nil {
					return nil, err
				}
				next = append(next, found...)
			}
		}
	}
	return next, nil
}

// edges are the citations of a unit that the caller may see.
func (t *tracing) edges(ctx context.Context, n node, direction string) ([]book.Citation, error) {
	var edges []book.Citation
	if direction != directionIn {
		out, err := t.r.kit.Book.CitationsFrom(ctx, n.law.Collection, n.unit.ID)
		if err != nil {
			return nil, err
		}
		edges = slices.DeleteFunc(out, func(c book.Citation) bool { return c.To != "" && !slices.Contains(t.r.collections, c.ToIn) })
	}
	if direction != directionOut {
		in, err := t.r.kit.Book.CitationsTo(ctx, t.r.collections, n.law.Collection, n.unit.ID)
		if err != nil {
			return nil, err
		}
		edges = append(edges, in...)
	}
	return slices.DeleteFunc(edges, func(c book.Citation) bool {
		return slices.ContainsFunc(t.out.Edges, func(e edge) bool { return e.From == c.From && e.To == c.To && e.Text == c.Text })
	}), nil
}

// meet shows the unit at an end of an edge, once. A law as a whole is none.
func (t *tracing) meet(ctx context.Context, collection, id string) ([]node, error) {
	doc := book.DocID(collection, id)
	if id == "" || t.met[doc] {
		return nil, nil
	}
	t.met[doc] = true
	u, l, err := t.r.kit.Book.Unit(ctx, []string{collection}, id, t.day)
	switch {
	case errors.Is(err, book.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	n := node{u, l}
	t.out.Units = append(t.out.Units, t.show(n))
	return []node{n}, nil
}

func (t *tracing) show(n node) found {
	f := found{ID: n.unit.ID, Name: name(n.law.Title, n.unit.Label), Status: n.law.StatusOn(t.day)}
	f.Text, f.Cut = clip(n.unit.Text, tracedRune)
	t.r.seen(hitOf(n.unit, n.law, t.day))
	return f
}
