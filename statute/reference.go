package statute

// Names knows the names of laws. *Titles is one.
type Names interface {
	// MatchName returns the length in bytes of the longest law name at the
	// start of text, 0 when there is none.
	MatchName(text string) int
}

// Form says how a reference is written.
type Form string

// The forms of a reference.
const (
	FormCited    Form = "cited"    // 《民法典》第1077条
	FormBare     Form = "bare"     // 民法典第一千零七十七条, 劳动合同法82条
	FormInternal Form = "internal" // 本法第五条, 本条第二款, 本章, 该法第五条
	FormNumber   Form = "number"   // 第五条 alone: whose it is, Own and Carried tell
	FormPrevious Form = "previous" // 前条, 前款, 前两条, 该条
	FormID       Form = "id"       // [民法典@2020-05-28:1077]
)

// Context is what a reader of the text knows from elsewhere. The zero Context
// suits questions and answers, which are part of no law.
type Context struct {
	Names   Names             // known law names; without it names are told by their form
	Law     string            // title of the law the text is part of
	Number  int               // the article (条) the text is
	Sub     int               // its 之
	Last    int               // highest article number of the law; 0 is unknown
	Aliases map[string]string // names defined elsewhere in the law, see ShortNames
}

// Reference is one mention of a law, of articles, or of both.
type Reference struct {
	Start, End int     // bytes in the text: text[Start:End] is the mention
	Form       Form    // how it is written
	Law        string  // the law's name as printed, without brackets, or what the text defined it to mean; "" when Own or nobody said
	Own        bool    // the law is that of the Context
	Carried    bool    // the law is not named here: it is the one last named, a guess that may fail
	Edition    string  // the edition as printed: 修正前, 2001年修正的, （2018年修正）
	Part       string  // 编, 章, 节 or 附件 as printed: 分则第九章, 本节
	Points     []Point // the articles, in the order printed; none for a law or part as a whole
	Back       int     // for 前条, 前两款, 前项: how many units back
	Unit       string  // the unit of Back: 条, 款 or 项
	ID         ID      // for FormID
}

// Point is an article, or all articles from one to another in text order, 之N
// articles between them included. Number 0 means the article the text is in,
// where the Context does not tell which.
type Point struct {
	Start, End      int // bytes in the text
	Number, Sub     int
	ToNumber, ToSub int     // end of a range; 0 for a single article
	Places          []Place // 款 and 项 in it; none for the whole
}

// Range reports whether the point is a range of articles.
func (p Point) Range() bool { return p.ToNumber > 0 }

// Place is a paragraph (款), an item (项), or a range of them. 0 means not given;
// an item without paragraph is the article's, or the paragraph is not told.
type Place struct {
	Paragraph, Item     int
	ToParagraph, ToItem int
}

// FindReferences finds every reference in text, in order and without overlap. own
// may be nil. The cost is linear in the text.
//
// The reading is literal: numbers are what is printed, exceptions (除第五条外) count
// as mentions, and nothing is looked up. 条 that is no article (条例, 条约, 条款,
// 下列条件) and clauses of private documents (合同第五条) are not matched. Where a
// number stands alone, the law is the one named before it in the same sentence
// (Carried), else the Context's own (Own); without an own law it is the last one
// named in the text.
func FindReferences(text string, own *Context) []Reference {
	s := newScanner(text, own)
	for i := 0; i < len(s.runes); {
		i = max(i+1, s.step(i))
	}
	return s.refs
}
