package dataset

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"lexagent/evaluator/jsonl"
	"lexagent/statute"
)

// Set is a data set as it was read.
type Set struct {
	Format    Format
	Questions []Question
	Articles  []Candidate // what may be found, where the set brings it along
}

// Format is the form that a data set came in.
type Format string

// The forms that are read; see the package's documentation.
const (
	Gold       Format = "gold"
	STARD      Format = "stard"
	LeCoQA     Format = "lecoqa"
	LexRAG     Format = "lexrag"
	StatuteRAG Format = "statuterag"
	LegalDC    Format = "legal_dc"
	COLIEE     Format = "coliee"
	BEIR       Format = "beir"
	Qrels      Format = "qrels"
)

// Question is one question of a data set. Its JSON is our own form.
type Question struct {
	ID       string    `json:"id"`
	Question string    `json:"question"`
	Answer   string    `json:"answer,omitempty"`   // reference answer
	Label    *bool     `json:"label,omitempty"`    // whether the statement is true; nil where the question is no statement
	Type     string    `json:"type,omitempty"`     // concept, summary, logic … in Legal-DC
	Group    string    `json:"group,omitempty"`    // questions of a group stay together when a set is split
	History  []Turn    `json:"history,omitempty"`  // earlier turns of the conversation, oldest first
	Keywords Keywords  `json:"keywords,omitempty"` // what a good answer contains
	Document string    `json:"document,omitempty"` // title of the document that the evidence is from
	Gold     []Article `json:"gold,omitempty"`
	Evidence []string  `json:"evidence,omitempty"` // passages, verbatim
	// Spans are [start, end) of each passage in the document, in characters.
	Spans [][2]int `json:"evidence_spans,omitempty"`
}

// Keywords are what a good answer contains.
type Keywords []string

// UnmarshalJSON reads a list. A string is passed over: that is how LeCoQA writes
// what a question is about, which no answer must repeat.
func (k *Keywords) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return nil
	}
	return json.Unmarshal(b, (*[]string)(k))
}

// Turn is one exchange of a conversation.
type Turn struct {
	User      string `json:"user"`
	Assistant string `json:"assistant"`
}

// Article is an article that governs a question. It has an ID, or a Law and a
// Label, or all of them.
type Article struct {
	ID    string `json:"article_id,omitempty"`
	Law   string `json:"law,omitempty"`           // title
	Label string `json:"article_label,omitempty"` // 第一千零七十七条
	Text  string `json:"text,omitempty"`
	Grade int    `json:"grade,omitempty"` // how relevant; 0 stands for 1
}

// Key tells one gold from another: the id, or the name where there is none.
func (a *Article) Key() string {
	if a.ID != "" {
		return a.ID
	}
	return a.Name()
}

// Name is the article's law and label under one key, "" where the law is not
// known. Names are compared, not printed: 《中华人民共和国民法典》第1077条 and
// 民法典第一千零七十七条 have one.
func (a *Article) Name() string {
	if a.Law == "" {
		return ""
	}
	return Name(a.Law, a.Label)
}

// Name is the key under which an article of this law with this label is compared.
func Name(law, label string) string {
	if number, sub, err := statute.ParseLabel(label); err == nil {
		return fmt.Sprintf("%s %d.%d", statute.TitleKey(law), number, sub)
	}
	return statute.TitleKey(law) + " " + Squeeze(label)
}

// Candidate is an article of the collection that a data set is searched in.
type Candidate struct {
	ID    string
	Law   string // title
	Label string
	Text  string
}

// number is the article's number and sub-number, as its label or COLIEE's id tells.
func (c *Candidate) number() (number, sub int, ok bool) {
	if n, s, err := statute.ParseLabel(c.Label); err == nil {
		return n, s, true
	}
	if n, err := fmt.Sscanf(c.Label, "Article %d-%d", &number, &sub); n >= 1 && err != nil || n == 2 {
		return number, sub, true
	}
	return 0, 0, false
}

// check completes a question and refuses one that can't be measured.
func (q *Question) check() error {
	if q.ID == "" {
		return fmt.Errorf("%w: no \"id\" of a question", jsonl.ErrFormat)
	}
	for i := range q.Gold {
		switch g := &q.Gold[i]; {
		case g.ID == "" && (g.Law == "" || g.Label == ""):
			return fmt.Errorf("%w: gold %d has no \"article_id\", nor \"law\" and \"article_label\"", jsonl.ErrFormat, i+1)
		case g.Grade < 0:
			return fmt.Errorf("%w: gold %d has the grade %d", jsonl.ErrFormat, i+1, g.Grade)
		case g.Grade == 0:
			g.Grade = 1
		}
	}
	for i, e := range q.Evidence {
		if Squeeze(e) == "" {
			return fmt.Errorf("%w: evidence %d is empty", jsonl.ErrFormat, i+1)
		}
	}
	return nil
}

// Squeeze drops all white space. Passages and texts are compared in this form,
// since the same law is laid out differently in every source.
func Squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
