package verify

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lexagent/book"
	"lexagent/statute"
)

// evidence is what a draft may refer to.
type evidence struct {
	given   bool
	units   map[string]bool // ids that were given
	laws    map[string]bool // ids of their laws
	named   map[string]bool // ids that the given texts refer to themselves
	printed string          // the given texts
}

// readEvidence collects the ids given and those that the given texts refer to: a
// draft that repeats 依照刑法第二百六十六条 from an article repeats the evidence.
func (r *run) readEvidence() error {
	e := evidence{given: r.Evidence != nil, units: map[string]bool{}, laws: map[string]bool{}, named: map[string]bool{}}
	var printed strings.Builder
	for _, ev := range r.Evidence {
		e.units[ev.ID] = true
		if id, err := statute.ParseID(ev.ID); err == nil {
			e.laws[id.LawID()] = true
		}
		mentions, err := r.checker.Book.Mentions(r.ctx, r.Collections, ev.Text, &statute.Context{Law: ev.Law}, r.Day)
		if err != nil {
			return fmt.Errorf("look up references in the evidence: %w", err)
		}
		for _, m := range mentions {
			if m.Unit != nil {
				e.named[m.Unit.ID] = true
			} else if m.Law != nil {
				e.laws[m.Law.ID] = true
			}
		}
		printed.WriteString(ev.Text)
		printed.WriteByte('\n')
	}
	e.printed = printed.String()
	r.evidence = e
	return nil
}

// references gives the verdict on each reference of the text.
func (r *run) references() error {
	said := r.admitted()
	for i := range r.mentions {
		m := &r.mentions[i]
		f, err := r.judge(m)
		if err != nil {
			return err
		}
		if m.Number == 0 && isBook(r.Text[m.End:]) {
			continue
		}
		f.Kind = Reference
		r.weigh(&f, m, r.headings[i], said[lawName(m)])
		r.add(f, m.Start, m.End)
	}
	return nil
}

// weigh takes back what would be false, where the text itself says more: that the law
// has ended (said), which edition it means, or that somebody else is speaking. A draft
// that was given evidence is held to it.
func (r *run) weigh(f *Finding, m *book.Mention, heading, said bool) {
	excused := !r.evidence.given || m.Number == 0
	switch {
	case f.Verdict == NotInForce && said && excused:
		f.Severity = Fine
		f.Note += r.say("（文中已说明）", " (the text says so)")
	case f.Verdict == NotInForce && m.Number == 0 && !r.relied(m):
		f.Severity = Unsupported
	case r.evidence.given:
	case (f.Verdict == NoSuchArticle || f.Verdict == NoSuchParagraph) && otherNumber(r.Text[max(0, m.Start-100):m.End], m.Law):
		f.Verdict, f.Range = NotChecked, nil
		f.Note = r.say("文号是其他版本的，本库没有那个版本", "the document number is another version's, which is not here")
	case severities[f.Verdict] == False && !heading && holds(r.marks, m.Start, m.End):
		f.Severity = Unsupported
		f.Note += r.say("（在引号内，是引文的话）", " (in the words of a quotation)")
	}
}

// judge gives the verdict on one reference.
func (r *run) judge(m *book.Mention) (Finding, error) {
	if err := r.sameVersion(m); err != nil {
		return Finding{}, err
	}
	var f Finding
	if m.Law != nil {
		f.Law = m.Law.Title
	}
	if m.Unit != nil {
		f.ID, f.Label = m.Unit.ID, m.Unit.Label
	} else if m.Number > 0 {
		f.Label = statute.Label(m.Number, m.Sub)
	}
	e := &r.evidence
	switch {
	case m.Outcome == book.Unclear:
		f.Verdict, f.Note = NotChecked, r.say("所指的条文要看上下文，未核对", "which article this means depends on the context; not checked")
	case e.given && r.printed(m) && (m.Unit == nil || !e.units[m.Unit.ID]), m.Unit != nil && overlaps(r.quoted, m.Start, m.End):
		// The article says it in the same words, whatever it refers to.
		f.Verdict, f.Note = Exists, r.say("见于所引法条原文", "in the words of the article quoted")
	case overlaps(r.quoted, m.Start, m.End):
		f.Verdict, f.Note = NotChecked, r.say("法条原文中的引用，未核对", "the article quoted refers to it; not checked")
	case m.Outcome == book.NoLaw, m.Outcome == book.Ended && r.AnyDay:
		f.Verdict, f.Suggestion = NoSuchLaw, m.Nearest
		f.Note = r.say("本库没有收录《%s》，无从核对", "%s is not in this collection, so it can't be checked", strings.Trim(m.Name, "《》"))
		if m.Nearest != "" {
			f.Note += r.say("；最接近的是《%s》", "; the nearest title is %s", m.Nearest)
		}
	case m.Outcome == book.Ended:
		f.Verdict, f.Successor, f.Note = NotInForce, m.Successor, r.say("%[2]s", "%[1]s is no longer in force; %[3]s took its place", m.Name, m.Note, m.Successor)
	case m.Outcome == book.NoArticle:
		return r.noArticle(f, m)
	case r.ended(m.Law) && !(e.given && e.holds(m)):
		r.notInForce(&f, m)
	default:
		r.inForce(&f, m)
	}
	return f, nil
}

// bareNumber matches a reference that names no law.
var bareNumber = regexp.MustCompile(`^第[^条]{1,12}条(?:之[一二三四五六七八九十]+)?[第款项（）()一二三四五六七八九十和、及]*$`)

// printed reports whether the evidence has a reference in the same words. A number alone
// may be of another law there, and where the text names its law here, it is.
func (r *run) printed(m *book.Mention) bool {
	if m.Law != nil && !m.Carried && bareNumber.MatchString(m.Text) {
		return false
	}
	return strings.Contains(r.evidence.printed, m.Text)
}

// sameVersion takes an article that is named without its edition as that of the evidence,
// where this has another version of its law than is in force.
func (r *run) sameVersion(m *book.Mention) error {
	if !r.evidence.given || m.Law == nil || m.Number == 0 && m.Unit == nil || m.Edition != "" || m.Unit != nil && r.evidence.units[m.Unit.ID] {
		return nil
	}
	for i := range r.Evidence {
		id := r.Evidence[i].ID
		if !ofLaw(id, m.Law) || !isArticle(id, m) {
			continue
		}
		u, l, err := r.checker.Book.Unit(r.ctx, r.Collections, id, r.Day)
		switch {
		case errors.Is(err, book.ErrNotFound):
			return nil
		case err != nil:
			return fmt.Errorf("read an article of the evidence: %w", err)
		}
		m.Unit, m.Law, m.Outcome = u, l, book.Found
		return nil
	}
	return nil
}

// isArticle reports whether a unit has the number that is named.
func isArticle(unit string, m *book.Mention) bool {
	if m.Unit != nil {
		return sameArticle(unit, m.Unit.ID)
	}
	id, err := statute.ParseID(unit)
	if err != nil {
		return false
	}
	n, sub, ok := id.Number()
	return ok && n == m.Number && sub == m.Sub
}

// holds reports whether the evidence holds what a reference names: the article, or
// an article of the law that is named as a whole.
func (e *evidence) holds(m *book.Mention) bool {
	if m.Unit == nil {
		return e.laws[m.Law.ID]
	}
	return e.units[m.Unit.ID] || e.named[m.Unit.ID]
}

// inForce judges a reference to what is there: the evidence must hold the article,
// and the article its 款 and 项. Naming a law as a whole is no claim about its content.
func (r *run) inForce(f *Finding, m *book.Mention) {
	e := &r.evidence
	f.Verdict = Exists
	switch {
	case m.Unit == nil:
	case e.given && e.named[m.Unit.ID] && !e.units[m.Unit.ID] && (missingPlace(m.Unit.Text, m.Places) == "" || strings.Contains(e.printed, m.Text)):
		f.Note = r.say("见于所引法条原文", "in the words of the article quoted")
	case e.given && !e.named[m.Unit.ID] && !e.units[m.Unit.ID]:
		f.Verdict, f.Note = NotInEvidence, r.say("条文存在，但不在所给的依据中", "the article exists, and is not in the evidence")
		return
	default:
		if missing := missingPlace(m.Unit.Text, m.Places); missing != "" {
			f.Verdict, f.Note = NoSuchParagraph, r.say("《%s》%s没有%s", "%s %s has no %s", m.Law.Title, m.Unit.Label, missing)
			return
		}
	}
	if r.ended(m.Law) {
		f.Note = r.status(m)
	}
}

// notInForce fills in what became of the law.
func (r *run) notInForce(f *Finding, m *book.Mention) {
	f.Verdict, f.Ended, f.Successor, f.Note = NotInForce, m.Law.Ended, m.Successor, r.status(m)
	if m.Law.StatusOn(r.Day) == statute.NotYet {
		f.Ended = 0
	}
}

// noArticle judges a reference to an article that the law doesn't have.
func (r *run) noArticle(f Finding, m *book.Mention) (Finding, error) {
	if r.AnyDay {
		for _, l := range r.checker.Book.Versions(m.Law) {
			units, err := r.checker.Book.Articles(r.ctx, l, m.Number)
			if err != nil {
				return f, fmt.Errorf("look up an article in another version: %w", err)
			}
			if i := slices.IndexFunc(units, func(u statute.Unit) bool { return u.Sub == m.Sub }); i >= 0 {
				f.Verdict, f.ID = Exists, units[i].ID
				return f, nil
			}
		}
	}
	if m.Last == 0 { // an amendment speaks of the articles of the law it amends
		f.Verdict, f.Note = NotChecked, r.say("《%s》不分条，未核对", "%s has no numbered articles; not checked", m.Law.Title)
		return f, nil
	}
	f.Verdict, f.Range = NoSuchArticle, &[2]int{1, m.Last}
	f.Note = r.say("《%s》没有%s，全文为第1条至第%d条", "%s has no %s: its articles are 1–%d", m.Law.Title, f.Label, m.Last)
	if r.ended(m.Law) {
		f.Successor = m.Successor
	}
	return f, nil
}

// ended reports whether a law is not in force on the day, which is of no account
// when every version counts.
func (r *run) ended(l *statute.Law) bool {
	s := l.StatusOn(r.Day)
	return !r.AnyDay && (s == statute.Repealed || s == statute.Superseded || s == statute.NotYet)
}

// status tells a reader what became of a law that is not in force.
func (r *run) status(m *book.Mention) string {
	l, successor := m.Law, ""
	if m.Successor != "" {
		successor = r.say("，由《%s》取代", "; %s took its place", m.Successor)
	}
	switch s := l.StatusOn(r.Day); {
	case s == statute.NotYet:
		return r.say("《%s》自 %s 起施行，当日尚未生效", "%s takes effect on %s", l.Title, l.Effective)
	case !l.Ended.IsZero():
		return r.say("《%s》（%s）已于 %s 失效%s", "%s (%s) ended on %s%s", l.Title, l.Version, l.Ended, successor)
	}
	return r.say("《%s》（%s）已失效%s", "%s (%s) is no longer in force%s", l.Title, l.Version, successor)
}

// admission are words by which a text says, in the sentence of a law or the next one, that
// the law is not, or not yet, in force.
var admission = regexp.MustCompile(`废止|失效|不再(?:适用|施行|有效)|停止(?:执行|施行|适用)|取代|替代|代替|沿用|承继|沿袭|吸收|相较|相比|源自|来源于|不同于|整合|` +
	`(?:修正|修订|修改|颁布|公布|通过|制定|施行|实施|生效|出台)(?:之|以)?前|旧法|旧版|原法|尚未(?:施行|生效|实施)|将于|已由|现为|已被`)

// perhaps are words that may say so, of the law, or speak of the facts: they count only
// before the name, or in its own clause.
var perhaps = regexp.MustCompile(`当时|曾经|过去|此前|历史|起施行|删除`)

// admits reports whether the words around a reference say that its law is not in force.
func admits(before, after string) bool {
	own := after
	if i := strings.IndexAny(after, "，。；！？\n"); i >= 0 {
		own = after[:i]
	}
	return admission.MatchString(before+after) || perhaps.MatchString(before+own)
}

// former are words before a name that say the same.
var former = regexp.MustCompile(`(?:原|旧|已废止的?|已失效的?|曾经?的|当时的|修订前的?|修改前的?|修正前的?)(?:《|〈|中华人民共和国|$)`)

// admitted returns the names of the laws of which the text itself says, in one place
// at least, that they are not in force: by 原 or an edition before the name, or in
// the sentence or the one behind it.
func (r *run) admitted() map[string]bool {
	said := map[string]bool{}
	for i := range r.mentions {
		m := &r.mentions[i]
		name := lawName(m)
		if name == "" || said[name] || m.Law != nil && !r.ended(m.Law) {
			continue
		}
		before, after := around(r.Text, m.Start, m.End)
		said[name] = m.Edition != "" && !strings.HasPrefix(m.Edition, "现行") || former.MatchString(before) || admits(before, after)
	}
	return said
}

var (
	reliedBefore = regexp.MustCompile(`(?:依照|根据|依据|按照|依|按|适用|违反|参照|遵守|援引|援用|触犯)(?:我国|中国|现行)?(?:《|〈|中华人民共和国)*$`)
	reliedAfter  = regexp.MustCompile(`^[》〉]?(?:中|的)?(?:相关|有关|具体|明确|专门)?(?:规定|条文|条款|要求)`)
	fieldOfLaw   = regexp.MustCompile(`^(?:上的?|意义上|理论|法理|学|原理|领域|专家)`)
	bookAfter    = regexp.MustCompile(`^(?:[（(][^（）()\n]{0,12}版[）)]|[，,（(][^。；\n]{0,30}出版社)`)
)

// relied reports whether a text relies on a law that it names as a whole: it puts the
// name in title brackets, or says 根据 or 规定 beside it. 合同法 alone may be the
// field of law.
func (r *run) relied(m *book.Mention) bool {
	before, after := r.Text[max(0, m.Start-60):m.Start], r.Text[m.End:min(len(r.Text), m.End+60)]
	if fieldOfLaw.MatchString(after) {
		return false
	}
	return strings.HasPrefix(m.Text, "《") || reliedBefore.MatchString(before) || reliedAfter.MatchString(after)
}

// isBook reports whether what follows a title makes it that of a book about the law:
// 《物权法》（第五版），中国人民大学出版社.
func isBook(after string) bool { return bookAfter.MatchString(after[:min(len(after), 150)]) }

// documentNumber finds 法释〔2008〕11号, by which a text names an edition.
var documentNumber = regexp.MustCompile(`[〔\[［(（]((?:19|20)[0-9]{2})[〕\]］)）]\s*第?\s*[0-9]{1,4}\s*号`)

// otherNumber reports whether the last document number before a reference or a
// quotation is of another year than the version of the law that was found.
func otherNumber(before string, l *statute.Law) bool {
	all := documentNumber.FindAllStringSubmatch(before, -1)
	return len(all) > 0 && !strings.HasPrefix(l.Version, all[len(all)-1][1])
}

// otherText matches what stands before a number that is not of the law named last:
// 意见第十二条.
var otherText = regexp.MustCompile(`(?:^|[^的之])(?:意见|通知|纪要|批复|指引|新规|旧规|公告|答复|复函)$`)

// dropGuesses makes references unclear that were taken to be of the law last named
// and are another text's.
func dropGuesses(text string, mentions []book.Mention) {
	for i := range mentions {
		if m := &mentions[i]; m.Carried && otherText.MatchString(text[max(0, m.Start-12):m.Start]) {
			mentions[i] = book.Mention{Start: m.Start, End: m.End, Text: m.Text, Outcome: book.Unclear}
		}
	}
}

// lawName tells laws apart in admitted.
func lawName(m *book.Mention) string {
	if m.Law != nil {
		return m.Law.ID
	}
	return statute.TitleKey(m.Name)
}

// maxAround bounds the sentence around a reference, in bytes.
const maxAround = 600

// around returns the sentence before [from, to) and what follows it to the end of
// the sentence behind its own.
func around(text string, from, to int) (before, after string) {
	before = text[max(0, from-maxAround):from]
	if i := strings.LastIndexAny(before, "。！？\n"); i >= 0 {
		before = before[i:]
	}
	after = text[to:min(len(text), to+maxAround)]
	end := 0
	for range 2 {
		i := strings.IndexAny(after[end:], "。！？\n")
		if i < 0 {
			return before, after
		}
		end += i + 1
	}
	return before, after[:end]
}

// Units reads units by their ids.
type Units interface {
	Unit(ctx context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error)
}

// ReadEvidence reads the units that a draft was given. Where ids is nil it returns nil:
// what it was given is not known; an empty list says that it was given none. An id that is not there is an error of b's.
func ReadEvidence(ctx context.Context, b Units, collections, ids []string, day statute.Date) ([]Evidence, error) {
	if ids == nil {
		return nil, nil
	}
	out := []Evidence{}
	for _, id := range ids {
		u, l, err := b.Unit(ctx, collections, id, day)
		if err != nil {
			return nil, fmt.Errorf("read the evidence: %w", err)
		}
		out = append(out, Evidence{ID: u.ID, Law: l.Title, Text: u.Text})
	}
	return out, nil
}
