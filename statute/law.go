package statute

// Status is what a law, and so each of its units, is on a given day. Being
// amended is an event in a law's life, not a status: an amended law is in force.
type Status string

// The statuses a version of a law can have.
const (
	InForce    Status = "in_force"   // effective on or before the day, and not ended
	NotYet     Status = "not_yet"    // effective only after the day
	Repealed   Status = "repealed"   // ended by a repeal
	Superseded Status = "superseded" // a later version of the same law applies
	Unknown    Status = "unknown"    // the sources do not tell
)

// Law is one version of one law. Versions of a law share Short (and Region).
type Law struct {
	ID         string   `json:"id"`                    // 民法典@2020-05-28
	SourceIDs  []string `json:"source_ids,omitempty"`  // ids the corpus brought along
	Title      string   `json:"law"`                   // as printed
	Short      string   `json:"short"`                 // the law part of the id
	Level      Level    `json:"level"`                 // place in the hierarchy, 0–6
	Region     string   `json:"region,omitempty"`      // 上海 for a local regulation
	Issuer     string   `json:"issuer,omitempty"`      // issuing body, when the text names it
	Header     string   `json:"header,omitempty"`      // the lines under the title: who adopted it, when, with what changes
	Version    string   `json:"version"`               // day of adoption or latest amendment, or x + 8 hex digits
	Published  Date     `json:"published"`             // day of adoption or publication
	Effective  Date     `json:"effective"`             // first day in force
	Ended      Date     `json:"repealed"`              // first day no longer in force
	EndedBy    string   `json:"repealed_by,omitempty"` // id of the law that ended it
	Declared   Status   `json:"declared,omitempty"`    // what the source says, where it says anything
	Collection string   `json:"collection,omitempty"`  // who may see it; "public" unless told
}

// StatusOn returns what the law is on day. Dates decide where they are known;
// what the source declares decides the rest. A law with neither is Unknown.
func (l *Law) StatusOn(day Date) Status {
	ended := !l.Ended.IsZero() && day >= l.Ended
	switch {
	case !l.Effective.IsZero() && day < l.Effective:
		return NotYet
	case ended && l.Declared == Superseded:
		return Superseded
	case ended:
		return Repealed
	case !l.Ended.IsZero():
		return InForce // its end is known and still to come
	case l.Declared == Repealed || l.Declared == Superseded:
		return l.Declared // ended on a day that nobody recorded
	case !l.Effective.IsZero():
		return InForce
	case l.Declared != "":
		return l.Declared
	}
	return Unknown
}

// Kind says what sort of unit a text is.
type Kind string

// The kinds of unit. Only an Article has a number that others cite it by.
const (
	Article    Kind = "article"    // 条
	Preamble   Kind = "preamble"   // 序言, 前言: text before the first article
	Item       Kind = "item"       // 一、 二、 of a text without articles
	Section    Kind = "section"    // a headed passage without articles
	Attachment Kind = "attachment" // 附件, 附表, 附录
	Whole      Kind = "whole"      // a short text taken as one
	Chunk      Kind = "chunk"      // consecutive units of one section, for context
)

// UnitKinds are the kinds of unit, which a Chunk is not.
var UnitKinds = []Kind{Article, Preamble, Item, Section, Attachment, Whole}

// Unit is a piece of a law that can be cited, whole.
type Unit struct {
	ID       string   `json:"id"`                  // 民法典@2020-05-28:1077
	SourceID string   `json:"source_id,omitempty"` // id the corpus brought along
	Also     []string `json:"also,omitempty"`      // further such ids, of copies with the same text
	LawID    string   `json:"law_id"`
	Kind     Kind     `json:"kind"`
	Label    string   `json:"label"`         // as printed: 第一百二十条之一
	Number   int      `json:"number"`        // 120
	Sub      int      `json:"sub,omitempty"` // 1 for 之一
	Path     []string `json:"path"`          // headings above it, outermost first
	Text     string   `json:"text"`          // without its label; paragraphs (款) end in "\n"
	Order    int      `json:"order"`         // place in the law, from 0
}

// Passage is a chunk of a law: consecutive whole units of one section, for
// context, or a piece of a unit that alone is longer. It is found by its text and
// stands for its units.
type Passage struct {
	ID    string   `json:"id"` // 民法典@2020-05-28:块12
	LawID string   `json:"law_id"`
	Label string   `json:"label"` // 第一条至第三条; for a piece 第五条（2/3）
	Path  []string `json:"path"`  // headings above it
	Text  string   `json:"text"`  // labels and texts of its units
	Units []string `json:"units"` // their ids, in text order
	Order int      `json:"order"` // place in the law, from 0
}
