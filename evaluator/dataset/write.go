package dataset

import (
	"encoding/json"
	"io"
	"slices"

	"lexagent/statute"
)

// WriteQuestions writes questions in our own form, one a line. The file is gold
// file and question file in one.
func WriteQuestions(w io.Writer, qs []Question) error {
	e := encoder(w)
	for i := range qs {
		if err := e.Encode(&qs[i]); err != nil {
			return err
		}
	}
	return nil
}

// WriteCandidates writes articles as a corpus that can be ingested, law after law
// in the order in which these first occur.
func WriteCandidates(w io.Writer, articles []Candidate) error {
	type unit struct {
		ID     string       `json:"id"`
		LawID  string       `json:"law_id"`
		Law    string       `json:"law_title"`
		Kind   statute.Kind `json:"kind"`
		Label  string       `json:"label"`
		Number int          `json:"number,omitempty"`
		Sub    int          `json:"sub,omitempty"`
		Text   string       `json:"text"`
	}
	place := map[string]int{}
	for i := range articles {
		if _, seen := place[articles[i].Law]; !seen {
			place[articles[i].Law] = len(place)
		}
	}
	articles = slices.Clone(articles)
	slices.SortStableFunc(articles, func(a, b Candidate) int { return place[a.Law] - place[b.Law] })
	e := encoder(w)
	for i := range articles {
		c := &articles[i]
		u := unit{ID: c.ID, LawID: c.Law, Law: c.Law, Kind: statute.Section, Label: c.Label, Text: c.Text}
		if c.Label == whole {
			u.Kind = statute.Whole
		}
		if number, sub, ok := c.number(); ok {
			u.Kind, u.Number, u.Sub = statute.Article, number, sub
		}
		if err := e.Encode(u); err != nil {
			return err
		}
	}
	return nil
}

func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}
