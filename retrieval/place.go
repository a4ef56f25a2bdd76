package retrieval

import (
	"context"
	"slices"

	"lexagent/book"
	"lexagent/index"
	"lexagent/statute"
)

// place decides whose local law is searched beside national law. There is more local
// law than national, it words the same matters, and it holds in its own place only:
// someone who names no place is answered from national law, someone who names one
// from that place's as well. A scope that asks for a region, for certain laws or for
// local law is taken at its word.
func (s *search) place(mentions []book.Mention) {
	scope := &s.q.Scope
	switch {
	case scope.Region != "":
		s.result.Regions = []string{scope.Region}
	case s.q.without(Place), len(scope.Laws) > 0, slices.Contains(scope.Levels, statute.LocalRegulation):
	default:
		s.result.Regions = regions(s.q.Text, mentions)
	}
}

// regions are those of the places and of the local laws that a question names. A
// place within the title of a national law is none: 海南自由贸易港法.
func regions(text string, mentions []book.Mention) []string {
	found := []string{}
	rest := []byte(text)
	for _, m := range mentions {
		if m.Law == nil {
			continue
		}
		if r := m.Law.Region; r != "" && !slices.Contains(found, r) {
			found = append(found, r)
		}
		for i := m.Start; i < m.End; i++ {
			rest[i] = ' '
		}
	}
	for _, r := range statute.RegionsIn(string(rest)) {
		if !slices.Contains(found, r) {
			found = append(found, r)
		}
	}
	return found
}

// A matter counts as local when, of the best by words, all but one are local law
// and the first of them beats national law clearly. That holds for 28 of 30 questions
// about dogs, lifts and parking, and for 8 of 100 that national law answers.
const (
	localOf     = 5
	localMargin = 1.1
)

// hint says that a matter is local to someone who named no place. national are the
// hits by words in national law, f is the filter that found them.
func (s *search) hint(ctx context.Context, f index.Filter, national []index.Hit) error {
	if !s.noPlace() || len(national) == 0 {
		return nil
	}
	f.Regions = nil
	best, err := s.store.SearchSparse(ctx, s.sparse, f, localOf)
	if err != nil || len(best) == 0 || best[0].Score < localMargin*national[0].Score {
		return err
	}
	local := 0
	for _, h := range best {
		if !slices.ContainsFunc(national, func(n index.Hit) bool { return n.ID == h.ID }) {
			local++
		}
	}
	if local >= localOf-1 {
		s.note("所问之事多由地方性法规规定，写明所在地（如上海、广东）可查当地的规定。")
	}
	return nil
}

// noPlace reports whether local law is left out because the question names no place.
func (s *search) noPlace() bool { return s.result.Regions != nil && len(s.result.Regions) == 0 }

// everywhere searches the local law of all places, for a question that names none
// and that national law has nothing for.
func (s *search) everywhere(ctx context.Context) ([]candidate, error) {
	s.result.Regions = nil
	found, err := s.pool(ctx)
	if len(found) > 0 {
		s.note("没有找到全国性规定，以下为各地的地方性法规，只在当地适用。")
	}
	return found, err
}
