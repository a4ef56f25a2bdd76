package retrieval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/statute"
)

// Questions that are no ordinary ones: each gets what can be made of it, and a
// sentence that says so.

// cutter is an Encoder that tells which texts are longer than what it reads.
type cutter interface {
	Cuts(text string) bool
}

// simplify turns a question in traditional characters into simplified ones, which
// statutes and models are in.
func (s *search) simplify() {
	var changed bool
	if s.q.Text, changed = statute.Simplified(s.q.Text); changed {
		s.note("问题以繁体字写成，已转为简体检索。")
	}
}

// remark says what about a question makes its hits doubtful.
func (s *search) remark() {
	if s.oneLetter() {
		s.note("问题只有一个字，请写得具体一些。")
	}
	if c, ok := s.engine.Encoder.(cutter); ok && s.dense != nil && c.Cuts(s.q.Text) {
		s.note("问题很长，语义检索只读了开头部分；请把要问的事写在最前面，或写得短一些。")
	}
}

// oneLetter reports whether the question is one character that means something.
func (s *search) oneLetter() bool {
	r, n := utf8.DecodeRuneInString(s.q.Text)
	return n == len(s.q.Text) && unicode.IsLetter(r)
}

// strange passes over what was found for a question of which no term stands in any
// article (pinyin, another language, an emoji), unless it is near by the plain model:
// every question has nearest articles.
func (s *search) strange(found []candidate) []candidate {
	if s.sparse.Len() > 0 || s.oneLetter() {
		return found
	}
	if best := nearest(found); len(found) > 0 && (s.engine.Floor == 0 || best >= s.engine.Floor) {
		s.note("问题里没有法条中出现的词，结果只按语义相近得出，未必相关。")
		return found
	}
	s.note("问题里没有法条中出现的词，没有可靠的结果；请用中文写出要问的事。")
	return nil
}

// nearest is the similarity of the nearest candidate by the plain model, 0 where
// nobody looked.
func nearest(found []candidate) float64 {
	best := 0.0
	for i := range found {
		if sim := found[i].scores.Plain; sim != nil {
			best = max(best, *sim)
		}
	}
	return best
}

// opening are the first articles of a law, for a question that is the name of a law
// and nothing else; none for any other question.
func (s *search) opening(ctx context.Context, mentions []book.Mention) ([]Hit, error) {
	if s.q.without(Direct) || len(mentions) != 1 || mentions[0].Law == nil || mentions[0].Unit != nil || mentions[0].Outcome != book.Found {
		return nil, nil
	}
	m := mentions[0]
	if bare := func(text string) string { return strings.Trim(text, " 《》〈〉“”\"?？!！。.,，、:：") }; bare(s.q.Text) != bare(m.Text) || !s.allows(m.Law) {
		return nil, nil
	}
	var hits []Hit
	for number := 1; len(hits) < min(s.q.K, maxDirect) && number <= maxDirect; number++ {
		u, l, err := s.engine.Book.Unit(ctx, []string{m.Law.Collection}, statute.UnitID(m.Law.ID, statute.Article, "", number, 0), s.day)
		if errors.Is(err, book.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the first articles of the law that the question names: %w", err)
		}
		hits = append(hits, s.hit(u, l, candidate{}))
	}
	if len(hits) > 0 {
		s.note(fmt.Sprintf("问题只写了法律名称，先列出《%s》开头的条文；要查具体规定，请写出条号或要问的事。", m.Law.Title))
	}
	return hits, nil
}
