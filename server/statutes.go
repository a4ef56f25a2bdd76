package server

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/hertz/pkg/app"
	"golang.org/x/text/unicode/norm"

	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
)

// lawCard is a law with its status on the day asked about.
type lawCard struct {
	statute.Law
	Status statute.Status `json:"status"`
}

// neighbour is the unit before or after another.
type neighbour struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// view is what of the book a look-up may see, and the day it asks about.
type view struct {
	day         statute.Date
	collections []string
}

// viewOf reads ?as_of= and ?collections=a,b.
func (s *Server) viewOf(ctx *app.RequestContext) (view, error) {
	asOf, err := retrieval.ParseAsOf(ctx.Query("as_of"))
	if err != nil {
		return view{}, err
	}
	var named []string
	if c := ctx.Query("collections"); c != "" {
		named = strings.Split(c, ",")
	}
	if err := checkNames("collections", named); err != nil {
		return view{}, err
	}
	collections, err := visible(ctx, named)
	return view{asOf.On(s.o.Now()), collections}, err
}

// pathID reads an id from the path, which Hertz has decoded.
func pathID(ctx *app.RequestContext, name string) (string, error) {
	id := ctx.Param(name)
	if !utf8.ValidString(id) {
		return "", badParam("id", "the id is not valid UTF-8")
	}
	return id, nil
}

const (
	defaultPage = 50
	maxPage     = 1000
)

// laws answers GET /v1/laws?q=&level=&offset=&limit=: laws whose title has q.
func (s *Server) laws(_ context.Context, ctx *app.RequestContext) error {
	v, err := s.viewOf(ctx)
	if err != nil {
		return err
	}
	offset, err := queryInt(ctx, "offset", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	limit, err := queryInt(ctx, "limit", defaultPage, 1, maxPage)
	if err != nil {
		return err
	}
	level, err := queryInt(ctx, "level", -1, 0, int(statute.OtherDocument))
	if err != nil {
		return err
	}
	q := ctx.Query("q")
	if !utf8.ValidString(q) {
		return badParam("q", "q is not valid UTF-8")
	}
	found := filterLaws(s.o.Statutes.Laws(v.collections), q, level)
	page := found[min(offset, len(found)):min(offset+limit, len(found))]
	cards := make([]lawCard, len(page))
	for i, l := range page {
		cards[i] = lawCard{*l, l.StatusOn(v.day)}
	}
	return writeJSON(ctx, 200, struct {
		Object string       `json:"object"`
		Data   []lawCard    `json:"data"`
		Total  int          `json:"total"`
		Offset int          `json:"offset"`
		AsOf   statute.Date `json:"as_of"`
	}{"list", cards, len(found), offset, v.day})
}

// filterLaws returns the laws of a level (−1 = any) whose title or short title
// has every word of q, in their order.
func filterLaws(all []*statute.Law, q string, level int) []*statute.Law {
	words := strings.Fields(strings.NewReplacer("《", " ", "》", " ").Replace(norm.NFC.String(q)))
	var out []*statute.Law
next:
	for _, l := range all {
		if level >= 0 && int(l.Level) != level {
			continue
		}
		for _, w := range words {
			if !strings.Contains(l.Title, w) && !strings.Contains(l.Short, w) {
				continue next
			}
		}
		out = append(out, l)
	}
	return out
}

// queryInt reads a whole number from the query string.
func queryInt(ctx *app.RequestContext, name string, fallback, low, high int) (int, error) {
	text := ctx.Query(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, badParam(name, "%s must be a whole number from %d to %d", name, low, high)
	}
	return n, nil
}

// law answers GET /v1/laws/{law}: the law with all its units in order; with
// ?text=false the units lack their texts.
func (s *Server) law(c context.Context, ctx *app.RequestContext) error {
	v, err := s.viewOf(ctx)
	if err != nil {
		return err
	}
	id, err := pathID(ctx, "law")
	if err != nil {
		return err
	}
	c, cancel := context.WithTimeout(c, s.o.ReadTimeout)
	defer cancel()
	whole, err := v.law(c, s.o.Statutes, id)
	if err != nil {
		return err
	}
	if ctx.Query("text") == "false" {
		bare := make([]statute.Unit, len(whole.Units))
		copy(bare, whole.Units)
		for i := range bare {
			bare[i].Text = ""
		}
		whole.Units = bare
	}
	return writeJSON(ctx, 200, whole)
}

// wholeLaw is a law with its units in order.
type wholeLaw struct {
	lawCard
	AsOf  statute.Date   `json:"as_of"`
	Units []statute.Unit `json:"units"`
}

// law reads a law with its units.
func (v *view) law(c context.Context, b Statutes, id string) (*wholeLaw, error) {
	l, err := b.Law(v.collections, id, v.day)
	if err != nil {
		return nil, err
	}
	units, err := b.Units(c, l)
	if err != nil {
		return nil, err
	}
	return &wholeLaw{lawCard{*l, l.StatusOn(v.day)}, v.day, list(units)}, nil
}

// articleCard is a unit with what a reader needs to judge it.
type articleCard struct {
	statute.Unit
	Law       string         `json:"law"` // title as printed
	Level     statute.Level  `json:"level"`
	Region    string         `json:"region,omitempty"`
	Issuer    string         `json:"issuer,omitempty"`
	Version   string         `json:"version"`
	Published statute.Date   `json:"published"`
	Effective statute.Date   `json:"effective"`
	Ended     statute.Date   `json:"repealed"`
	EndedBy   string         `json:"repealed_by,omitempty"`
	Status    statute.Status `json:"status"`
	AsOf      statute.Date   `json:"as_of"`
	Intent    prompts.Intent `json:"intent,omitempty"` // what it is likeliest for, where an ingest told
	Prev      *neighbour     `json:"prev"`
	Next      *neighbour     `json:"next"`
}

// article answers GET /v1/articles/{id}.
func (s *Server) article(c context.Context, ctx *app.RequestContext) error {
	v, err := s.viewOf(ctx)
	if err != nil {
		return err
	}
	id, err := pathID(ctx, "id")
	if err != nil {
		return err
	}
	c, cancel := context.WithTimeout(c, s.o.ReadTimeout)
	defer cancel()
	card, err := v.article(c, s.o.Statutes, id)
	if err != nil {
		return err
	}
	return writeJSON(ctx, 200, card)
}

// article reads a unit with what stands beside it.
func (v *view) article(c context.Context, b Statutes, id string) (*articleCard, error) {
	u, l, err := b.Unit(c, v.collections, id, v.day)
	if err != nil {
		return nil, err
	}
	units, err := b.Units(c, l)
	if err != nil {
		return nil, err
	}
	card := &articleCard{
		Unit: *u, Law: l.Title, Level: l.Level, Region: l.Region, Issuer: l.Issuer, Version: l.Version,
		Published: l.Published, Effective: l.Effective, Ended: l.Ended, EndedBy: l.EndedBy,
		Status: l.StatusOn(v.day), AsOf: v.day,
	}
	odds, err := b.Intents(c, l.Collection, l.ID, u.ID)
	if err != nil {
		return nil, err
	}
	card.Intent = odds.Best()
	card.Path = list(card.Path)
	card.Prev, card.Next = neighbours(units, u.ID)
	return card, nil
}

// neighbours finds the units before and after id. Chunks are other units over
// again, so they are nobody's neighbours.
func neighbours(units []statute.Unit, id string) (prev, next *neighbour) {
	seen := false
	for i := range units {
		u := &units[i]
		switch {
		case u.ID == id:
			seen = true
		case u.Kind == statute.Chunk:
		case seen:
			return prev, &neighbour{u.ID, u.Label}
		default:
			prev = &neighbour{u.ID, u.Label}
		}
	}
	if !seen {
		return nil, nil
	}
	return prev, nil
}
