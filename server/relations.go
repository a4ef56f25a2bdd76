package server

import (
	"context"
	"strings"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/book"
	"lexagent/statute"
)

// Relations are the versions of laws and the citations between units; *book.Book
// knows them. Callers do not change what they are given.
type Relations interface {
	Versions(l *statute.Law) []*statute.Law
	CitationsFrom(ctx context.Context, collection, unit string) ([]book.Citation, error)
	CitationsTo(ctx context.Context, readable []string, collection, id string) ([]book.Citation, error)
}

var errNoRelations = &problem{Status: 404, Code: "not_found", Message: "this server does not know versions and citations"}

// unitAt is the unit that a request names, and what it may see.
type unitAt struct {
	view
	unit *statute.Unit
	law  *statute.Law
}

func (s *Server) unitAt(c context.Context, ctx *app.RequestContext) (unitAt, error) {
	if s.o.Relations == nil {
		return unitAt{}, errNoRelations
	}
	v, err := s.viewOf(ctx)
	if err != nil {
		return unitAt{}, err
	}
	id, err := pathID(ctx, "id")
	if err != nil {
		return unitAt{}, err
	}
	u, l, err := s.o.Statutes.Unit(c, v.collections, id, v.day)
	return unitAt{v, u, l}, err
}

// versionCard is a unit as a version of its law has it.
type versionCard struct {
	ID        string         `json:"id"` // "" = the version has no unit of this number
	LawID     string         `json:"law_id"`
	Version   string         `json:"version"`
	Effective statute.Date   `json:"effective"`
	Ended     statute.Date   `json:"repealed"`
	Status    statute.Status `json:"status"`
	Label     string         `json:"label"`
	Text      string         `json:"text"`
}

// versions answers GET /v1/articles/{id}/versions: the unit of the same number in
// every version of the law, oldest first. An amendment that inserts articles may have
// moved the matter to another number.
func (s *Server) versions(c context.Context, ctx *app.RequestContext) error {
	c, cancel := context.WithTimeout(c, s.o.ReadTimeout)
	defer cancel()
	at, err := s.unitAt(c, ctx)
	if err != nil {
		return err
	}
	_, key, _ := strings.Cut(at.unit.ID, ":")
	cards := []versionCard{}
	for _, l := range s.o.Relations.Versions(at.law) {
		card := versionCard{LawID: l.ID, Version: l.Version, Effective: l.Effective, Ended: l.Ended, Status: l.StatusOn(at.day)}
		units, err := s.o.Statutes.Units(c, l)
		if err != nil {
			return err
		}
		for i := range units {
			if units[i].ID == l.ID+":"+key {
				card.ID, card.Label, card.Text = units[i].ID, units[i].Label, units[i].Text
			}
		}
		cards = append(cards, card)
	}
	return writeJSON(ctx, 200, struct {
		Object string        `json:"object"`
		ID     string        `json:"id"`
		AsOf   statute.Date  `json:"as_of"`
		Data   []versionCard `json:"data"`
	}{"list", at.unit.ID, at.day, cards})
}

// edge is a citation as seen from one of its ends.
type edge struct {
	ID     string         `json:"id"`    // of the other end; "" where the book can't tell
	Law    string         `json:"law"`   // its law's title, or the name as printed
	Label  string         `json:"label"` // 第一千零七十七条; "" for a law as a whole
	Status statute.Status `json:"status,omitempty"`
	Kind   book.EdgeKind  `json:"kind"`
	Text   string         `json:"text"`             // the reference as printed
	Reason book.Reason    `json:"reason,omitempty"` // why the id is ""
	Stale  bool           `json:"stale,omitempty"`  // the cited law is of a later day, so its number may have moved
}

// citations answers GET /v1/articles/{id}/citations?limit=: what the unit refers to,
// and what refers to it.
func (s *Server) citations(c context.Context, ctx *app.RequestContext) error {
	c, cancel := context.WithTimeout(c, s.o.ReadTimeout)
	defer cancel()
	limit, err := queryInt(ctx, "limit", defaultPage, 1, maxPage)
	if err != nil {
		return err
	}
	at, err := s.unitAt(c, ctx)
	if err != nil {
		return err
	}
	from, err := s.o.Relations.CitationsFrom(c, at.law.Collection, at.unit.ID)
	if err != nil {
		return err
	}
	to, err := s.o.Relations.CitationsTo(c, at.collections, at.law.Collection, at.unit.ID)
	if err != nil {
		return err
	}
	cites := make([]edge, 0, len(from))
	for _, e := range from[:min(limit, len(from))] {
		cites = append(cites, s.edge(c, &at.view, e, e.To, e.ToIn, e.ToLaw))
	}
	citedBy := make([]edge, 0, min(limit, len(to)))
	for _, e := range to[:min(limit, len(to))] {
		citedBy = append(citedBy, s.edge(c, &at.view, e, e.From, e.Collection, e.FromLaw))
	}
	return writeJSON(ctx, 200, struct {
		Object       string       `json:"object"`
		ID           string       `json:"id"`
		AsOf         statute.Date `json:"as_of"`
		Cites        []edge       `json:"cites"`
		CitesTotal   int          `json:"cites_total"`
		CitedBy      []edge       `json:"cited_by"`
		CitedByTotal int          `json:"cited_by_total"`
	}{"citations", at.unit.ID, at.day, cites, len(from), citedBy, len(to)})
}

// edge names one end of a citation. An end in a collection that the request does not
// see is told as it is printed, and no more.
func (s *Server) edge(c context.Context, v *view, e book.Citation, id, collection, law string) edge {
	out := edge{Law: law, Kind: e.Kind, Text: e.Text, Reason: e.Reason, Stale: e.Stale}
	if id == "" {
		return out
	}
	visible := []string{}
	for _, name := range v.collections {
		if name == collection {
			visible = append(visible, name)
		}
	}
	if u, l, err := s.o.Statutes.Unit(c, visible, id, v.day); err == nil {
		out.ID, out.Law, out.Label, out.Status = u.ID, l.Title, u.Label, l.StatusOn(v.day)
	} else if l, err := s.o.Statutes.Law(visible, law, v.day); err == nil {
		out.Law, out.Status = l.Title, l.StatusOn(v.day)
	}
	return out
}
