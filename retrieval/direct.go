package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lexagent/book"
	"lexagent/statute"
)

// maxDirect bounds how many articles a question may call by name; a range such as
// 第一条至第五百条 is a question about a law, not about its articles.
const maxDirect = 10

// mentions looks up the laws and articles that the question names.
func (s *search) mentions(ctx context.Context) ([]book.Mention, error) {
	if s.q.without(Direct) && s.q.without(Place) {
		return nil, nil
	}
	found, err := s.engine.Book.Mentions(ctx, s.q.Scope.Collections, s.q.Text, nil, s.day)
	if err != nil {
		return nil, fmt.Errorf("look up the articles that the question names: %w", err)
	}
	return found, nil
}

// direct are the articles that the question names: 民法典第1077条,
// 刑法一百七十五条之一. They are found whatever their status, and the result says
// so when they are not in force on the day asked about.
func (s *search) direct(mentions []book.Mention) []Hit {
	if s.q.without(Direct) {
		return nil
	}
	var hits []Hit
	for _, m := range mentions {
		if m.Outcome == book.NoLaw || m.Outcome == book.NoArticle || m.Outcome == book.Ended {
			s.note(m.Note + "。")
			s.result.Absent = s.result.Absent || m.Outcome == book.NoArticle || strings.Contains(m.Text, "条")
		}
		if m.Law == nil || !s.allows(m.Law) {
			continue
		}
		if st := m.Law.StatusOn(s.day); st == statute.Repealed || st == statute.Superseded || st == statute.NotYet {
			s.note(ended(m.Law, st, m.Successor))
		}
		if m.Unit != nil && len(hits) < maxDirect && !slices.ContainsFunc(hits, func(h Hit) bool { return h.ID == m.Unit.ID }) {
			hits = append(hits, s.hit(m.Unit, m.Law, candidate{}))
		}
	}
	return hits
}

func (s *search) note(text string) {
	if !slices.Contains(s.result.Notes, text) {
		s.result.Notes = append(s.result.Notes, text)
	}
}

// allows reports whether the scope, its day apart, lets the law in.
func (s *search) allows(l *statute.Law) bool {
	sc := s.q.Scope
	return (len(sc.Levels) == 0 || slices.Contains(sc.Levels, l.Level)) &&
		(len(sc.Laws) == 0 || slices.Contains(sc.Laws, l.ID)) &&
		(sc.Region == "" || l.Region == "" || l.Region == sc.Region)
}

// ended tells what became of a law, and which law took its place where that is known.
func ended(l *statute.Law, st statute.Status, successor string) string {
	if successor != "" {
		successor = fmt.Sprintf("，由《%s》取代", successor)
	}
	switch {
	case st == statute.NotYet:
		return fmt.Sprintf("《%s》自 %s 起施行，所问之日尚未生效。", l.Title, l.Effective)
	case st == statute.Superseded && !l.Ended.IsZero():
		return fmt.Sprintf("《%s》的这一版本（%s）自 %s 起被新版本取代。", l.Title, l.Version, l.Ended)
	case st == statute.Superseded:
		return fmt.Sprintf("《%s》的这一版本（%s）已被新版本取代。", l.Title, l.Version)
	case l.Ended.IsZero():
		return fmt.Sprintf("《%s》已废止%s。", l.Title, successor)
	}
	return fmt.Sprintf("《%s》已于 %s 废止%s。", l.Title, l.Ended, successor)
}

// lead puts the articles that the question names before those that were found,
// each once, and at most k in all. Their scores go on above the best one found.
func lead(direct, found []Hit, k int) []Hit {
	if len(direct) == 0 {
		return found
	}
	top := 1.0
	if len(found) > 0 {
		top = found[0].Score
	}
	out := make([]Hit, 0, len(direct)+len(found))
	for i, h := range direct {
		h.Score = top + float64(len(direct)-i)
		if j := slices.IndexFunc(found, func(f Hit) bool { return f.ID == h.ID }); j >= 0 {
			h.Scores = found[j].Scores
		}
		if h.Scores != nil {
			h.Scores.Final = h.Score
		}
		out = append(out, h)
	}
	for _, h := range found {
		if !slices.ContainsFunc(direct, func(d Hit) bool { return d.ID == h.ID }) {
			out = append(out, h)
		}
	}
	return out[:min(k, len(out))]
}
