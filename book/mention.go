package book

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lexagent/statute"
)

// Mention is an article, or a law as a whole, that a text refers to, looked up
// in the book.
type Mention struct {
	Start, End int           // bytes in the text
	Text       string        // as written
	Name       string        // the law's name as written, "" when none was
	Law        *statute.Law  // nil when Outcome is NoLaw, Ended or Unclear
	Unit       *statute.Unit // nil for a law as a whole and when it was not found
	Outcome    Outcome
	Note       string          // what to tell a reader: the law's range, the nearest title
	Successor  string          // title of the law that took the place of a repealed Law, "" when not known
	Number     int             // of the article named, there or not; 0 for a law as a whole
	Sub        int             // its 之
	Places     []statute.Place // the 款 and 项 of Unit that are named
	Edition    string          // as printed: 修正前, 原, （2018年修正）
	Carried    bool            // the law is the one last named, a guess that may fail
	Last       int             // with NoArticle: the highest article number of Law, 0 when it has none
	Nearest    string          // with NoLaw: the title most like Name, "" when none is near
}

// Outcome says what came of looking a reference up.
type Outcome string

// The outcomes.
const (
	Found     Outcome = "found"
	NoArticle Outcome = "no_article" // the law is there and has no such article
	NoLaw     Outcome = "no_law"     // no law of this name is in the book
	Ended     Outcome = "ended"      // a text in the book says that it has been repealed; it is not in the book itself
	Unclear   Outcome = "unclear"    // whose article it is, the text does not tell
)

// maxRange bounds how many articles of a range are looked up; its ends always are.
const maxRange = 30

// Mentions looks up every reference in a text on its own (own may name the law
// that the text is part of). Law names count as written: an exact title, a common
// short name, never part of another title. Without a version the text means the
// one that applies on day.
func (b *Book) Mentions(ctx context.Context, collections []string, text string, own *statute.Context, day statute.Date) ([]Mention, error) {
	r := &resolver{
		ctx: ctx, book: b, collections: collections, titles: b.titles(collections), text: text, day: day,
		articles: map[numbered][]statute.Unit{}, last: map[*statute.Law]int{},
	}
	c := statute.Context{}
	if own != nil {
		c = *own
	}
	c.Names = r.titles
	for _, ref := range statute.FindReferences(text, &c) {
		if ref.Own {
			ref.Law = c.Law
		}
		if err := r.reference(ref); err != nil {
			return nil, err
		}
	}
	return r.found, nil
}

// titles returns the names of the laws in these collections.
func (b *Book) titles(collections []string) *statute.Titles {
	t := b.laws.Load()
	key := strings.Join(collections, "|")
	if cached, ok := t.titles.Load(key); ok {
		return cached.(*statute.Titles)
	}
	var list []statute.Titled
	for _, l := range t.ordered {
		if slices.Contains(collections, l.Collection) {
			list = append(list, statute.Titled{Title: l.Title, ID: nameOf(l)})
		}
	}
	var former []string
	for k, f := range t.former {
		if slices.Contains(collections, k.collection) {
			former = append(former, f.Name)
		}
	}
	built, _ := t.titles.LoadOrStore(key, statute.NewTitles(list, former...))
	return built.(*statute.Titles)
}

// resolver looks up the references of one text.
type resolver struct {
	ctx         context.Context
	book        *Book
	collections []string
	titles      *statute.Titles
	text        string
	day         statute.Date
	found       []Mention
	articles    map[numbered][]statute.Unit // that were read: texts name the same few over and over
	last        map[*statute.Law]int
}

// numbered are the articles of a law with one number.
type numbered struct {
	law    *statute.Law
	number int
}

func (r *resolver) add(m Mention) {
	m.Text = r.text[m.Start:m.End]
	if m.Law != nil && m.Law.StatusOn(r.day) == statute.Repealed {
		if by := r.book.EndedBy(m.Law); by != nil {
			m.Successor = by.Title
		}
	}
	r.found = append(r.found, m)
}

func (r *resolver) reference(ref statute.Reference) error {
	m := Mention{Start: ref.Start, End: ref.End, Name: ref.Law, Edition: ref.Edition, Carried: ref.Carried}
	switch {
	case ref.Form == statute.FormID:
		return r.id(m, ref.ID)
	case ref.Law == "", ref.Form == statute.FormPrevious && len(ref.Points) == 0:
		m.Outcome = Unclear
		r.add(m)
		return nil
	}
	law := r.law(ref)
	if law == nil {
		r.unknownLaw(m, ref)
		return nil
	}
	m.Law = law
	if len(ref.Points) == 0 {
		m.Outcome = Found
		r.add(m)
		return nil
	}
	for _, p := range ref.Points {
		if len(ref.Points) > 1 {
			m.Start, m.End = p.Start, p.End
		}
		if err := r.point(m, p); err != nil {
			return err
		}
	}
	return nil
}

// law finds the version of the law that a reference means.
func (r *resolver) law(ref statute.Reference) *statute.Law {
	t := r.book.laws.Load()
	for _, name := range r.titles.Resolve(ref.Law) {
		for _, c := range r.collections {
			if vs := t.versions[lawKey{c, name}]; len(vs) > 0 {
				return edition(vs, ref.Edition, r.day)
			}
		}
	}
	return nil
}

var editionYear = regexp.MustCompile(`(\d{4})年?(修正|修订|版)?`)

// edition picks the version that a text names by its year (2018年修正的), else
// the one that applies on day.
func edition(versions []*statute.Law, printed string, day statute.Date) *statute.Law {
	if m := editionYear.FindStringSubmatch(printed); m != nil {
		for _, l := range slices.Backward(versions) {
			if strings.HasPrefix(l.Version, m[1]) {
				return l
			}
		}
	}
	return applying(versions, day)
}

// lawLike is how names of statutes end; 《离婚协议书》 is no statute.
var lawLike = regexp.MustCompile(`(法|法典|条例|规定|办法|细则|规则|解释|通则|决定)(（[^（）]*）)?$`)

// unknownLaw reports a name that the book does not have. A title in brackets that
// is named without an article and does not sound like a statute is passed over.
func (r *resolver) unknownLaw(m Mention, ref statute.Reference) {
	former := r.book.Former(r.collections, ref.Law)
	switch {
	case former != nil && r.day >= former.Day:
		m.Outcome, m.Note, m.Successor = Ended, former.String(), former.By.Title
	case len(ref.Points) == 0 && !lawLike.MatchString(ref.Law):
		return
	case ref.Carried:
		m.Outcome = Unclear
	default:
		m.Outcome = NoLaw
		m.Note = fmt.Sprintf("没有收录《%s》", ref.Law)
		if near, ok := r.titles.Nearest(ref.Law); ok {
			m.Nearest = near
			m.Note += fmt.Sprintf("，最接近的是《%s》", near)
		}
	}
	r.add(m)
}

func (r *resolver) point(m Mention, p statute.Point) error {
	if p.Number == 0 {
		m.Outcome = Unclear
		r.add(m)
		return nil
	}
	if !p.Range() {
		m.Places = p.Places
		return r.article(m, p.Number, p.Sub)
	}
	if err := r.article(m, p.Number, p.Sub); err != nil {
		return err
	}
	for n := p.Number + 1; n < p.ToNumber && n < p.Number+maxRange; n++ {
		if err := r.article(m, n, 0); err != nil {
			return err
		}
	}
	return r.article(m, p.ToNumber, p.ToSub)
}

func (r *resolver) article(m Mention, number, sub int) error {
	m.Number, m.Sub = number, sub
	units, read := r.articles[numbered{m.Law, number}]
	if !read {
		var err error
		if units, err = r.book.Articles(r.ctx, m.Law, number); err != nil {
			return err
		}
		r.articles[numbered{m.Law, number}] = units
	}
	i := slices.IndexFunc(units, func(u statute.Unit) bool { return u.Sub == sub })
	if i >= 0 {
		m.Outcome, m.Unit = Found, &units[i]
		r.add(m)
		return nil
	}
	last, err := r.lastOf(m.Law)
	if err != nil {
		return err
	}
	m.Outcome, m.Last = NoArticle, last
	m.Note = fmt.Sprintf("《%s》没有%s", m.Law.Title, statute.Label(number, sub))
	if last > 0 && number > last {
		m.Note += "，最后一条是" + statute.Label(last, 0)
	}
	r.add(m)
	return nil
}

// labelOf is the key of an id as a label: 1077条 is 第1077条.
func labelOf(key string) string {
	if strings.HasPrefix(key, "第") {
		return key
	}
	return "第" + key
}

// lastOf is the number of a law's last article, 0 where it has none.
func (r *resolver) lastOf(l *statute.Law) (int, error) {
	last, read := r.last[l]
	if !read {
		var err error
		if last, err = r.book.LastArticle(r.ctx, l); err != nil {
			return 0, err
		}
		r.last[l] = last
	}
	return last, nil
}

// id looks up a reference that is written as an id.
func (r *resolver) id(m Mention, id statute.ID) error {
	m.Name = id.Law
	u, l, err := r.book.Unit(r.ctx, r.collections, id.String(), r.day)
	switch {
	case err == nil:
		m.Law, m.Unit, m.Outcome = l, u, Found
		r.add(m)
		return nil
	case !errors.Is(err, ErrNotFound):
		return err
	}
	l, err = r.book.Law(r.collections, id.LawID(), r.day)
	if err != nil { // a name in its usual form is as good: [中华人民共和国民法典:1077]
		l = r.law(statute.Reference{Law: id.Law, Edition: id.Version})
	}
	number, sub, isArticle := id.Number()
	switch {
	case l == nil:
		r.unknownLaw(m, statute.Reference{Law: id.Law, Points: []statute.Point{{}}})
		return nil
	case id.Key == "":
		m.Law, m.Outcome = l, Found
		r.add(m)
		return nil
	case isArticle:
		m.Law = l
		return r.article(m, number, sub)
	}
	m.Law = l
	if number, sub, err := statute.ParseLabel(labelOf(id.Key)); err == nil {
		return r.article(m, number, sub)
	}
	last, err := r.lastOf(l)
	if err != nil {
		return err
	}
	m.Outcome, m.Last, m.Note = NoArticle, last, fmt.Sprintf("《%s》没有名为%s的部分", l.Title, id.Key)
	r.add(m)
	return nil
}
