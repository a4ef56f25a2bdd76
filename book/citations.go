package book

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/statute"
)

// EdgeKind says what a citation does.
type EdgeKind string

// The kinds of citation.
const (
	Cites   EdgeKind = "cites"   // one article refers to another
	Amends  EdgeKind = "amends"  // an amendment changes a law or an article
	Repeals EdgeKind = "repeals" // a clause ends a law
)

// Reason says why a reference leads to no unit.
type Reason string

// The reasons.
const (
	ReasonNoLaw     Reason = "no_law"     // the book has no law of this name
	ReasonNoArticle Reason = "no_article" // the law has no such article
	ReasonUnclear   Reason = "unclear"    // whose article it is, the text does not tell
)

// Citation is an edge of the citation graph Φ (LexPath § 3.2): a unit refers to an
// article, or changes or ends a law. It means the version in force when the book was
// last written to, by the number as printed.
type Citation struct {
	Collection  string // of the unit that cites
	From        string // the unit
	FromLaw     string // its law
	To          string // the article; for amends and repeals maybe a law; "" when unresolved
	ToIn        string // its collection
	ToLaw       string // id of the cited law, or its name as printed when the book has none
	Number, Sub int    // of the article cited; 0 for a law as a whole
	Kind        EdgeKind
	Text        string // as printed
	Reason      Reason // why To is ""
	// Stale tells that the cited text is of a later day than the citing one, so
	// that the number as printed may have shifted to another article.
	Stale bool
}

// articleList is the articles of one version of a law in text order. Amendments
// have items instead, which others cite as 《刑法修正案（六）》第十四条.
type articleList struct {
	numbers []articleNumber
	ids     []string
	items   bool // the law has no articles, and its numbered items (一、) stand for them
}

type articleNumber struct{ number, sub int }

func (n articleNumber) compare(m articleNumber) int {
	return cmp.Or(cmp.Compare(n.number, m.number), cmp.Compare(n.sub, m.sub))
}

// add takes the next article; a number that comes again is another text of it.
func (a *articleList) add(number, sub int, id string) {
	n := articleNumber{number, sub}
	if last := len(a.numbers) - 1; last >= 0 && a.numbers[last] == n {
		return
	}
	a.numbers, a.ids = append(a.numbers, n), append(a.ids, id)
}

func (a *articleList) find(n articleNumber) (int, bool) {
	return slices.BinarySearchFunc(a.numbers, n, articleNumber.compare)
}

func (a *articleList) last() int {
	if a.items || len(a.numbers) == 0 {
		return 0
	}
	return a.numbers[len(a.numbers)-1].number
}

// citer finds the citations of the units of one law.
type citer struct {
	graph   *graph
	law     *statute.Law
	titles  *statute.Titles
	own     *articleList
	context statute.Context
	amends  bool         // the law is an amendment
	topic   *statute.Law // the law that its title names
	named   string       // how the title names it in brackets, "" when it does not
	subject *statute.Law // topic, where numbers are that law's since there are no articles of its own
	laws    map[string]*statute.Law
	out     []Citation
	seen    map[edgeKey]bool
}

type edgeKey struct {
	law  string
	at   articleNumber
	kind EdgeKind
}

// amending are the titles of texts that change others.
func amending(title string) bool {
	return strings.Contains(title, "修正案") || strings.Contains(title, "修改") && (strings.Contains(title, "决定") || strings.HasSuffix(title, "的"))
}

// newCiter prepares for the units of l: its own names for laws, and what its
// numbers mean when it has no articles.
func newCiter(g *graph, l *statute.Law, units []statute.Unit) *citer {
	c := &citer{graph: g, law: l, titles: g.titlesFor(l.Collection), own: g.articles[lawKey{l.Collection, l.ID}], laws: map[string]*statute.Law{}}
	if c.own == nil {
		c.own = &articleList{}
	}
	c.context = statute.Context{Names: c.titles, Law: l.Title, Last: c.own.last(), Aliases: map[string]string{}}
	c.amends = amending(l.Title)
	for i := range units {
		if !strings.Contains(units[i].Text, "称") {
			continue
		}
		for short, full := range statute.ShortNames(units[i].Text) {
			if _, known := c.context.Aliases[short]; !known {
				c.context.Aliases[short] = full
			}
		}
	}
	c.topic = c.findSubject()
	if c.own.last() == 0 || c.amends {
		c.subject = c.topic
	}
	return c
}

// several tells a title that names but the first of the texts it changes.
var several = regexp.MustCompile(`》等.{0,12}[件部个项]`)

// findSubject finds the law that the title names: 刑法修正案（六）, 关于修改《…》的决定,
// 关于适用刑法分则规定的犯罪的罪名的意见, 专利法实施细则.
func (c *citer) findSubject() *statute.Law {
	title := c.law.Title
	if name, _, ok := strings.Cut(title, "修正案"); ok && !strings.Contains(name, "《") {
		return c.resolve(name, "")
	}
	if several.MatchString(title) {
		return nil
	}
	for _, name := range statute.InnerTitles(title) {
		if c.named = name; strings.HasPrefix(name, "关于") {
			c.named = issuerHead.FindString(statute.TitleKey(title)) + name
		}
		if law := cmp.Or(c.resolve(name, ""), c.resolve(c.named, "")); law != nil && law != c.law {
			return law
		}
	}
	_, last := utf8.DecodeLastRuneInString(title) // without it the title does not find itself
	for _, ref := range statute.FindReferences(title[:len(title)-last], &statute.Context{Names: c.titles}) {
		if law := c.resolve(ref.Law, ""); law != nil && law != c.law {
			return law
		}
	}
	return nil
}

// kindWords are names that say only what kind of text is meant: 《解释》第九条 in
// the decision that amends it, 《条例》第五条 in the rules that carry it out.
var kindWords = regexp.MustCompile(`^(?:法|条例|规定|暂行规定|办法|细则|解释|规则|决定|通知|意见|批复)$`)

// resolve finds the version that a name means, in the law's own collection first.
func (c *citer) resolve(name, edition string) *statute.Law {
	if edition == "" {
		if l, known := c.laws[name]; known {
			return l
		}
	}
	var law *statute.Law
	for _, id := range c.titles.Resolve(name) {
		for _, col := range c.graph.collections(c.law.Collection) {
			if vs := c.graph.table.versions[lawKey{col, id}]; law == nil && len(vs) > 0 {
				law = applying(vs, c.graph.day)
			}
		}
	}
	if edition == "" {
		c.laws[name] = law
	}
	return law
}

// unit returns the citations of one unit, each target once.
func (c *citer) unit(u *statute.Unit) []Citation {
	c.out, c.seen = nil, map[edgeKey]bool{}
	ctx := c.context
	if u.Kind == statute.Article {
		ctx.Number, ctx.Sub = u.Number, u.Sub
	}
	quoted := quotes(u.Text)
	for _, ref := range statute.FindReferences(u.Text, &ctx) {
		kind := Cites
		if c.amends && !quoted(ref.Start) {
			kind = Amends
		}
		c.reference(u, &ref, kind)
	}
	for _, r := range c.graph.repeals[lawKey{c.law.Collection, u.ID}] {
		e := Citation{Kind: Repeals, Text: r.Name, To: r.Ended, ToIn: r.EndedIn, ToLaw: r.Ended}
		if r.Ended == "" {
			e.ToLaw, e.Reason = r.Name, ReasonNoLaw
		}
		c.add(u, e, nil)
	}
	return c.out
}

// quotes returns a function that tells whether a byte of text is quoted.
func quotes(text string) func(int) bool {
	type span struct{ from, to int }
	var spans []span
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '“':
			if depth == 0 {
				start = i
			}
			depth = 1 // paragraphs of one quotation each begin with the mark
		case '”':
			if depth == 1 {
				spans = append(spans, span{start, i})
			}
			depth = 0
		}
	}
	if depth == 1 {
		spans = append(spans, span{start, len(text)})
	}
	return func(at int) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return at > s.from && at < s.to })
	}
}

// maxCited bounds how many articles one range may stand for.
const maxCited = 400

// reference adds the edges of one mention.
func (c *citer) reference(u *statute.Unit, ref *statute.Reference, kind EdgeKind) {
	e := Citation{Kind: kind, Text: u.Text[ref.Start:ref.End]}
	if ref.Form == statute.FormID {
		return
	}
	if ref.Form == statute.FormPrevious && ref.Unit == "条" {
		c.previous(u, ref, e)
		return
	}
	law := c.target(ref)
	if law == nil && c.named != "" && kindWords.MatchString(ref.Law) {
		ref.Law = c.named
	}
	if len(ref.Points) == 0 {
		if kind == Amends && law != nil && law != c.law && !ref.Own && ref.Part == "" {
			e.ToLaw, e.To, e.ToIn = law.ID, law.ID, law.Collection
			c.add(u, e, law)
		}
		return
	}
	for _, p := range ref.Points {
		c.point(u, ref.Law, law, p, e)
	}
}

// target finds the law that a reference is to, nil when the book has none.
func (c *citer) target(ref *statute.Reference) *statute.Law {
	switch {
	case ref.Own && c.subject != nil && (c.amends || ref.Form == statute.FormNumber):
		return c.subject
	case ref.Own:
		return c.law
	case ref.Law == "":
		return nil
	}
	law := c.resolve(ref.Law, ref.Edition)
	switch {
	case law != nil || c.topic == nil:
	case kindWords.MatchString(ref.Law):
		return c.topic
	case strings.HasPrefix(ref.Law, "修正案"): // of the law that the title names
		return c.resolve(c.topic.Short+ref.Law, "")
	}
	return law
}

// point adds the edges to an article, or to all from one to another.
func (c *citer) point(u *statute.Unit, name string, law *statute.Law, p statute.Point, e Citation) {
	if p.Number == 0 {
		return // the unit itself, or one that only a quotation knows
	}
	if law == nil {
		e.ToLaw, e.Reason = name, ReasonNoLaw
		if name == "" {
			e.Reason = ReasonUnclear
		}
		c.lost(u, e, p)
		return
	}
	list := c.graph.articles[lawKey{law.Collection, law.ID}]
	if list == nil {
		list = &articleList{}
	}
	e.ToLaw = law.ID
	from := articleNumber{p.Number, p.Sub}
	if !p.Range() {
		c.article(u, e, law, list, from)
		return
	}
	to := articleNumber{p.ToNumber, p.ToSub}
	c.article(u, e, law, list, from)
	i, _ := list.find(from)
	for n := 0; i < len(list.numbers) && n < maxCited && list.numbers[i].compare(to) < 0; i, n = i+1, n+1 {
		c.article(u, e, law, list, list.numbers[i])
	}
	c.article(u, e, law, list, to)
}

// article adds the edge to one article of a law.
func (c *citer) article(u *statute.Unit, e Citation, law *statute.Law, list *articleList, n articleNumber) {
	e.Number, e.Sub = n.number, n.sub
	if i, ok := list.find(n); ok {
		e.To, e.ToIn = list.ids[i], law.Collection
	} else {
		e.Reason = ReasonNoArticle
	}
	c.add(u, e, law)
}

// lost adds what is printed of a reference that leads nowhere.
func (c *citer) lost(u *statute.Unit, e Citation, p statute.Point) {
	e.Number, e.Sub = p.Number, p.Sub
	c.add(u, e, nil)
	if p.Range() {
		for n := p.Number + 1; n < p.ToNumber && n < p.Number+maxRange; n++ {
			e.Number, e.Sub = n, 0
			c.add(u, e, nil)
		}
		e.Number, e.Sub = p.ToNumber, p.ToSub
		c.add(u, e, nil)
	}
}

// previous adds the edges of 前条 and 前两条: the numbers before the unit's own,
// inserted articles (之N) counted.
func (c *citer) previous(u *statute.Unit, ref *statute.Reference, e Citation) {
	if u.Kind != statute.Article || !ref.Own || ref.Back == 0 || c.subject != nil {
		return
	}
	here, _ := c.own.find(articleNumber{u.Number, u.Sub})
	e.ToLaw = c.law.ID
	for i := max(0, here-ref.Back); i < here; i++ {
		c.article(u, e, c.law, c.own, c.own.numbers[i])
	}
}

// add adds an edge once, and none from a unit to itself.
func (c *citer) add(u *statute.Unit, e Citation, law *statute.Law) {
	key := edgeKey{e.ToLaw, articleNumber{e.Number, e.Sub}, e.Kind}
	if c.seen[key] || e.To == u.ID && e.ToIn == c.law.Collection {
		return
	}
	c.seen[key] = true
	e.Collection, e.From, e.FromLaw = c.law.Collection, u.ID, c.law.ID
	if law != nil && law != c.law {
		from, to := versionDay(c.law), versionDay(law)
		e.Stale = from != 0 && to > from
	}
	c.out = append(c.out, e)
}
