package verify

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/statute"
)

// Lengths of quotations in letters and numbers (tokens), and shares of them.
const (
	minTerm     = 2   // shorter ones say nothing
	minWords    = 6   // shorter ones are terms: 严重困难
	minSentence = 10  // shorter ones may stand anywhere by chance
	minPassage  = 20  // long enough to be known as an article's without its name
	altered     = 0.6 // share of a quotation that lies in an article whose words it is said to be
	surely      = 0.8 // share from which it is the article's even when nobody says so
)

// quotations gives the verdict on each quotation of the text.
func (r *run) quotations() error {
	for _, p := range r.attribute() {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.quotation(&p); err != nil {
			return err
		}
	}
	return nil
}

// source is an article beside a quotation that may be from it.
type source struct {
	target
	unit *statute.Unit
	law  *statute.Law
	text *folded
}

func (r *run) sourceOf(t target, u *statute.Unit, l *statute.Law) source {
	return source{t, u, l, r.fold(u, l)}
}

// quotation judges one quotation, from what is certain to what is not.
func (r *run) quotation(p *passage) error {
	q := fold(p.words)
	if q.len() < minTerm {
		return nil
	}
	sources := r.sources(p)
	if r.standsIn(p, q, sources) {
		return nil
	}
	if done, err := r.inOtherVersion(p, q, sources); done || err != nil {
		return err
	}
	best, c, compared := r.closest(q, sources)
	switch {
	case p.claim:
		r.paraphrase(p, q, best, c)
		return nil
	case c.clauses && c.likeness == 1 && q.len() >= minWords:
		r.stitched(p, best, c)
		return nil
	case q.len() >= minSentence:
		p.searched = r.canSearch()
		if done, err := r.elsewhere(p, q, best); done || err != nil {
			return err
		}
	}
	switch firm := p.firm(); {
	case !compared:
		r.quote(p, NotChecked, source{}, r.say("引文过长，未逐字比对", "the quotation is too long to be compared word for word"))
	case !isAltered(q, best, c) && firm == nil:
		r.unattributed(p, q)
	case r.otherEdition(p, firm):
		r.quote(p, NotChecked, source{}, r.say("文中说这是其他版本的文字，本库没有这个版本的这段文字", "the text says that these are the words of another version, which is not here"))
	case isAltered(q, best, c):
		r.altered(p, best, c)
	case q.len() < minSentence:
		r.quote(p, NotChecked, source{}, r.say("用语较短，条文中没有这样的文字，未作判断", "a short term that the article doesn't have; not judged"))
	case unknown(firm):
		r.quote(p, NotChecked, source{}, r.say("所引的法律不在本库，无从核对", "the law it is said to be from is not in this collection"))
	case firm.Number == 0 && !p.searched:
		r.quote(p, NotChecked, source{}, r.say("没有查找这段文字", "these words were not looked for"))
	default:
		r.nowhere(p, firm)
	}
	return nil
}

// isAltered reports whether a quotation that differs from an article is a quotation
// of it all the same.
func isAltered(q *folded, s source, c comparison) bool {
	switch n := q.len(); {
	case s.unit == nil || n < minWords:
		return false
	case s.firm && c.likeness >= altered:
		return n >= minSentence || c.weighty
	}
	return c.likeness >= surely && (q.len() >= minPassage || q.len() >= minSentence && c.weighty)
}

// oldText matches words before a quotation that make it one of a text that is no
// longer, or not yet, the law.
var (
	oldText = regexp.MustCompile(`删除|删去|原条文|原规定|原来的|(?:修改|修订|修正)(?:之|以)?前|旧法|旧条文|草案|征求意见稿|审议稿`)
	edition = regexp.MustCompile(`([12][0-9]{3})年[^。；]{0,8}(?:修改|修订|修正)`)
)

// otherEdition reports whether the text says that a quotation is from an edition that
// the article it was compared with is not of.
func (r *run) otherEdition(p *passage, m *book.Mention) bool {
	before, _ := around(r.Text, p.from, p.to)
	if oldText.MatchString(before) {
		return true
	}
	if m == nil || m.Law == nil {
		return false
	}
	year := edition.FindStringSubmatch(before)
	return year != nil && !strings.HasPrefix(m.Law.Version, year[1]) || otherNumber(before, m.Law)
}

// firm returns the reference whose words the passage is said to be, nil for none.
func (p *passage) firm() *book.Mention {
	for _, t := range p.targets {
		if t.firm {
			return t.mention
		}
	}
	return nil
}

// quote records a finding about a quotation.
func (r *run) quote(p *passage, v Verdict, s source, note string) *Finding {
	f := Finding{Kind: Quote, Verdict: v, Note: note}
	if s.unit != nil {
		f.ID, f.Label, f.Law = s.unit.ID, s.unit.Label, s.law.Title
	}
	r.add(f, p.from, p.to)
	return &r.found[len(r.found)-1]
}

// sources are the articles that a passage may be from: those of its references, then
// the evidence.
func (r *run) sources(p *passage) []source {
	var out []source
	for _, t := range p.targets {
		if m := t.mention; m.Unit != nil {
			out = append(out, r.sourceOf(t, m.Unit, m.Law))
		}
	}
	for i := range r.Evidence {
		e := &r.Evidence[i]
		u := &statute.Unit{ID: e.ID, Text: e.Text, Label: labelOf(e.ID)}
		out = append(out, r.sourceOf(target{}, u, &statute.Law{Title: e.Law}))
	}
	return out
}

// standsIn records a quotation that is in one of the sources word for word, or in
// parts that its own omission marks join.
func (r *run) standsIn(p *passage, q *folded, sources []source) bool {
	for _, s := range sources {
		if from, to, ok := s.text.find(q); ok {
			if r.misattributed(p, q, s, from, to) {
				return true
			}
			r.verbatim(p, s, from, to)
			return true
		}
	}
	parts := r.parts(p.words)
	if len(parts) < 2 {
		return false
	}
	for _, s := range sources {
		if from, to, ok := inOrder(parts, s.text); ok {
			f := r.quote(p, Stitched, s, r.say("由%s的几处文字连成，省略处已标明", "parts of %s, with the omissions marked", s.unit.Label))
			f.Severity, f.Span = Fine, span(s.text, from, to)
			r.quoted = append(r.quoted, line{p.from, p.to})
			return true
		}
	}
	return false
}

// verbatim records a quotation that stands in an article.
func (r *run) verbatim(p *passage, s source, from, to int) {
	f := r.quote(p, Verbatim, s, "")
	f.Span = span(s.text, from, to)
	r.quoted = append(r.quoted, line{p.from, p.to})
}

// misattributed records a quotation that stands word for word in an article which is
// here, but not in the one whose words it is said to be.
func (r *run) misattributed(p *passage, q *folded, s source, from, to int) bool {
	firm := p.firm()
	if s.firm || firm == nil || firm.Law == nil || q.len() < minSentence || firm.Number == 0 && ofLaw(s.unit.ID, firm.Law) || firm.Number > 0 && firm.Unit == nil {
		return false
	}
	if strings.Contains(s.text.source, firm.Text) { // the article itself refers to it so: 依照…第二十二条的规定，处以…
		return false
	}
	for _, t := range p.targets {
		m := t.mention
		if t.firm && (m.Unit != nil && sameArticle(m.Unit.ID, s.unit.ID) || m.Law != nil && m.Number == 0 && ofLaw(s.unit.ID, m.Law)) {
			return false
		}
	}
	f := r.quote(p, Elsewhere, s, r.say("不是%s的文字，出自《%s》%s", "not the words of %s, but of %s %s", named(firm), s.law.Title, s.unit.Label))
	f.Span = span(s.text, from, to)
	r.quoted = append(r.quoted, line{p.from, p.to})
	return true
}

// sameArticle reports whether two ids are of one article, in whatever version.
func sameArticle(a, b string) bool {
	x, err := statute.ParseID(a)
	y, err2 := statute.ParseID(b)
	return err == nil && err2 == nil && x.Law == y.Law && x.Key == y.Key
}

// ofLaw reports whether a unit is of a law, in whatever version.
func ofLaw(unit string, l *statute.Law) bool {
	x, err := statute.ParseID(unit)
	y, err2 := statute.ParseID(l.ID)
	return err == nil && err2 == nil && x.Law == y.Law
}

// span is the place of tokens in their source, in characters.
func span(f *folded, from, to int) *[2]int {
	start := utf8.RuneCountInString(f.source[:f.from[from]])
	return &[2]int{start, start + utf8.RuneCountInString(f.words(from, to))}
}

// omissions are marks for words left out.
var omissions = regexp.MustCompile(`…+|\.{3,}|。{3,}|[·•・]{3,}|[\[［（(【](?:略|中略|省略)[\]］）)】]`)

// parts are the pieces of a quotation between its omission marks.
func (r *run) parts(words string) []*folded {
	var out []*folded
	for _, w := range omissions.Split(words, -1) {
		if f := fold(w); f.len() > 0 {
			out = append(out, f)
		}
	}
	return out
}

// inOrder returns from where to where the parts stand in a text, one behind the other.
func inOrder(parts []*folded, text *folded) (from, to int, ok bool) {
	for i, p := range parts {
		start, end, found := text.findFrom(p, to)
		if !found {
			return 0, 0, false
		}
		if i == 0 {
			from = start
		}
		to = end
		if to == text.len() && i+1 < len(parts) {
			return 0, 0, false
		}
	}
	return from, to, true
}

// inOtherVersion records a quotation that stands in the same article of another
// version of its law.
func (r *run) inOtherVersion(p *passage, q *folded, sources []source) (bool, error) {
	if q.len() < minWords {
		return false, nil
	}
	for _, s := range sources {
		if s.mention == nil {
			continue
		}
		for _, l := range r.checker.Book.Versions(s.law) {
			if l.ID == s.law.ID {
				continue
			}
			units, err := r.checker.Book.Articles(r.ctx, l, s.unit.Number)
			if err != nil {
				return false, fmt.Errorf("look up an article in another version: %w", err)
			}
			for i := range units {
				other := r.sourceOf(s.target, &units[i], l)
				if from, to, ok := other.text.find(q); ok {
					r.otherVersion(p, other, from, to)
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// otherVersion records a quotation that stands in a version which need not be the one
// in force.
func (r *run) otherVersion(p *passage, s source, from, to int) {
	if !r.ended(s.law) {
		r.verbatim(p, s, from, to)
		return
	}
	f := r.quote(p, NotInForce, s, r.say("是《%s》（%s）%s的文字，这个版本当日无效", "the words of %s (%s) %s, a version that is not in force", s.law.Title, s.law.Version, s.unit.Label))
	f.Span, f.Ended = span(s.text, from, to), s.law.Ended
	before, after := around(r.Text, p.from, p.to)
	switch {
	case admits(before, after):
		f.Severity = Fine
	case p.firm() == nil: // nobody says that this is the law
		f.Severity = Unsupported
	}
	r.quoted = append(r.quoted, line{p.from, p.to})
}

// closest compares a quotation with its sources and returns the one most like it. ok
// is false when there was no time to compare.
func (r *run) closest(q *folded, sources []source) (best source, c comparison, ok bool) {
	for _, s := range sources {
		this, ok := compare(q, s.text, &r.work)
		if !ok {
			return best, c, false
		}
		if best.unit == nil || this.likeness > c.likeness {
			best, c = s, this
		}
	}
	return best, c, true
}

func (r *run) stitched(p *passage, s source, c comparison) {
	f := r.quote(p, Stitched, s, r.say("由%s的几处文字连成，省略了整句而未标明", "parts of %s; whole clauses are left out without a mark", s.unit.Label))
	f.Diff, f.Span = c.edits, span(s.text, c.from, c.to)
	r.quoted = append(r.quoted, line{p.from, p.to})
}

func (r *run) altered(p *passage, s source, c comparison) {
	f := r.quote(p, Altered, s, r.say("与《%s》%s的原文不一致", "not the words of %s %s", s.law.Title, s.unit.Label))
	f.Diff, f.Span = c.edits, span(s.text, c.from, c.to)
}

// elsewhere looks for a quotation in the whole book, where it may stand word for word,
// or changed in the law that is named without an article.
func (r *run) elsewhere(p *passage, q *folded, near source) (bool, error) {
	firm := p.firm()
	candidates, err := r.search(p)
	if err != nil {
		return false, err
	}
	found := r.holding(q, candidates, firm)
	switch {
	case found.unit == nil && r.changedInLaw(p, q, candidates):
	case found.unit == nil:
		if near, c, _ := r.closest(q, candidates[:min(len(candidates), maxClosest)]); c.likeness >= surely {
			p.nearest = near.unit
		}
		return false, nil
	case firm == nil, firm.Number == 0 && firm.Law != nil && sameLaw(firm.Law, found.law),
		near.law != nil && sameLaw(near.law, found.law) && near.unit.Number == found.unit.Number && near.unit.Sub == found.unit.Sub:
		from, to, _ := found.text.find(q)
		r.otherVersion(p, found, from, to)
	case unknown(firm):
		f := r.quote(p, NotChecked, source{}, r.say("所引的法律不在本库；相同的文字见于《%s》%s", "the law named is not in this collection; the same words stand in %s %s", found.law.Title, found.unit.Label))
		f.Suggestion = found.unit.ID
	default:
		from, to, _ := found.text.find(q)
		f := r.quote(p, Elsewhere, found, r.say("不是%s的文字，出自《%s》%s", "not the words of %s, but of %s %s", named(firm), found.law.Title, found.unit.Label))
		f.Span = span(found.text, from, to)
		r.quoted = append(r.quoted, line{p.from, p.to})
	}
	return true, nil
}

// holding returns the candidate that holds a quotation word for word: of the law that
// is named if there is one, and in force rather than not.
func (r *run) holding(q *folded, candidates []source, m *book.Mention) (best source) {
	rank := -1
	for _, s := range candidates {
		if _, _, ok := s.text.find(q); !ok {
			continue
		}
		this := 0
		if m != nil && m.Law != nil && sameLaw(m.Law, s.law) {
			this = 2
		}
		if !r.ended(s.law) {
			this++
		}
		if this > rank {
			best, rank = s, this
		}
	}
	return best
}

// changedInLaw records a quotation that is said to be a law's, without an article, and
// that an article of the law has in other words.
func (r *run) changedInLaw(p *passage, q *folded, candidates []source) bool {
	m := p.firm()
	if m == nil || m.Law == nil || m.Number > 0 {
		return false
	}
	of := slices.DeleteFunc(slices.Clone(candidates), func(s source) bool { return !sameLaw(s.law, m.Law) || r.ended(s.law) })
	best, c, _ := r.closest(q, of[:min(len(of), maxClosest)])
	if best.firm = true; best.unit == nil || !isAltered(q, best, c) {
		return false
	}
	if c.clauses && c.likeness == 1 {
		r.stitched(p, best, c)
	} else {
		r.altered(p, best, c)
	}
	return true
}

// unknown reports whether the book has no text of what a reference names.
func unknown(m *book.Mention) bool {
	return m.Outcome == book.NoLaw || m.Outcome == book.Ended || m.Outcome == book.Unclear
}

// named is a reference as it is called in a note.
func named(m *book.Mention) string {
	switch {
	case m.Law == nil:
		return m.Text
	case m.Number == 0:
		return "《" + m.Law.Title + "》"
	}
	return "《" + m.Law.Title + "》" + statute.Label(m.Number, m.Sub)
}

func sameLaw(a, b *statute.Law) bool { return a.Short == b.Short && a.Region == b.Region }

const (
	maxCandidates = 20 // units that a search of the book brings
	maxClosest    = 5  // of them that are aligned with a quotation
)

// canSearch reports whether the book can be searched once more.
func (r *run) canSearch() bool { return r.checker.Words != nil && r.searches > 0 }

// search returns the units whose words are most like a passage's.
func (r *run) search(p *passage) ([]source, error) {
	if !r.canSearch() {
		return nil, nil
	}
	r.searches--
	ids, err := r.checker.Words.Find(r.ctx, r.Collections, clip(p.words), maxCandidates)
	if err != nil {
		return nil, fmt.Errorf("look for a quotation: %w", err)
	}
	out := make([]source, 0, len(ids))
	for _, id := range ids {
		u, l, err := r.checker.Book.Unit(r.ctx, r.Collections, id, r.Day)
		if errors.Is(err, book.ErrNotFound) {
			continue // the index is older than the book
		}
		if err != nil {
			return nil, fmt.Errorf("read a unit that the index names: %w", err)
		}
		out = append(out, r.sourceOf(target{}, u, l))
	}
	return out, nil
}

// maxSearchRunes is how much of a quotation is searched for.
const maxSearchRunes = 300

func clip(words string) string {
	n := 0
	for i := range words {
		if n == maxSearchRunes {
			return words[:i]
		}
		n++
	}
	return words
}

// unattributed records a quotation that no reference claims and that no article of
// the book holds: somebody else's words.
func (r *run) unattributed(p *passage, q *folded) {
	switch {
	case q.len() < minSentence:
	case p.searched:
		r.quote(p, NotChecked, source{}, r.say("没有注明出自哪一条，本库中也没有这段文字", "no article is named for it, and no article here has these words"))
	default:
		r.quote(p, NotChecked, source{}, r.say("没有注明出自哪一条，没有查找这段文字", "no article is named for it, and these words were not looked for"))
	}
}

// nowhere records a quotation that is in no article.
func (r *run) nowhere(p *passage, m *book.Mention) {
	note := r.say("%s没有这段文字，本库的其他条文也没有", "neither %s nor any other article here has these words", named(m))
	if !p.searched {
		note = r.say("%s没有这段文字；没有在其他条文中查找", "%s has not these words; other articles were not searched", named(m))
	}
	f := r.quote(p, Nowhere, source{}, note)
	if m.Law != nil {
		f.Law = m.Law.Title
	}
	if m.Unit != nil {
		f.ID, f.Label = m.Unit.ID, m.Unit.Label
	}
	if p.nearest != nil {
		f.Suggestion = p.nearest.ID
		f.Note += r.say("；最接近的是 %s", "; most like it is %s", p.nearest.ID)
	}
}

// paraphrase judges a sentence that an article is said to hold without quotation
// marks. It is no quotation unless it follows the article closely, and then a changed
// number or 应当 is an alteration.
func (r *run) paraphrase(p *passage, q *folded, s source, c comparison) {
	if s.unit == nil || q.len() < minSentence {
		return
	}
	if c.likeness >= surely && len(c.edits) <= maxSwaps && !slices.ContainsFunc(c.edits, func(e Edit) bool { return !e.swaps() }) {
		r.altered(p, s, c)
	}
}

// maxSwaps is how many words of a close paraphrase may be swapped: with more of them
// it is one of its own.
const maxSwaps = 3

// swaps reports whether an edit puts another number in the place of a number, or
// another deciding word in the place of one.
func (e Edit) swaps() bool {
	if e.Op != opReplace || utf8.RuneCountInString(e.A) > 6 || utf8.RuneCountInString(e.B) > 6 {
		return false
	}
	a, b := fold(e.A), fold(e.B)
	if a.len() > 0 && b.len() > 0 && a.tokens[0].isNumber() && b.tokens[0].isNumber() {
		return true
	}
	return slices.Contains(deciding, e.A) && slices.Contains(deciding, e.B)
}
