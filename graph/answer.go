package graph

import (
	"fmt"
	"strings"

	"lexagent/statute"
	"lexagent/verify"
)

// Kind says how an answer came about.
type Kind string

// The kinds of answer.
const (
	Generated  Kind = "generated"  // written by a language model from the evidence, and checked
	Extractive Kind = "extractive" // sentences of the articles themselves, no language model
	Abstained  Kind = "abstained"  // nothing in the book answers the question
)

// Answer is what leaves the system: checked text, and everything needed to
// check it again.
type Answer struct {
	Kind         Kind          `json:"kind"`
	Text         string        `json:"text"` // Markdown, without the list of sources
	Citations    []Citation    `json:"citations"`
	Verification verify.Record `json:"verification"`
	Related      []Citation    `json:"related,omitempty"` // of an extractive answer: other articles that bear on the question, nearest first
	Evidence     []string      `json:"evidence"`          // ids of the units the draft was given
	Notes        []string      `json:"notes"`             // what the reader should know: fallbacks, what was not searched
	LLM          Usage         `json:"llm"`
	Cut          bool          `json:"-"` // the language model had no more room: the text ends with its last whole sentence, and a note says so
}

// Usage counts the calls to the language model behind one answer.
type Usage struct {
	Calls            int `json:"calls"`
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Add adds v to u.
func (u *Usage) Add(v Usage) {
	u.Calls += v.Calls
	u.PromptTokens += v.PromptTokens
	u.CompletionTokens += v.CompletionTokens
}

// Citation is an article that the answer rests on.
type Citation struct {
	ID     string         `json:"id"`
	Law    string         `json:"law"`   // title as printed
	Label  string         `json:"label"` // 第一千零七十七条
	Status statute.Status `json:"status"`
	Text   string         `json:"text"`  // the whole article
	Spans  [][2]int       `json:"spans"` // where the answer's text names it, in characters [from, to)
}

// Name returns 《中华人民共和国民法典》第一千零七十七条.
func (c *Citation) Name() string { return "《" + c.Law + "》" + c.Label }

// statusWords are the statuses as a reader is told them.
var statusWords = map[statute.Status]string{
	statute.InForce:    "现行有效",
	statute.NotYet:     "尚未生效",
	statute.Repealed:   "已废止",
	statute.Superseded: "已被新版本取代",
	statute.Unknown:    "效力状态不明",
}

// Sources renders the list of sources that follows the text, or "".
func (a *Answer) Sources() string {
	var b strings.Builder
	for _, part := range []struct {
		head string
		of   []Citation
	}{{"依据：", a.Citations}, {"另见：", a.Related}} {
		if len(part.of) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(part.head + "\n")
		for i := range part.of {
			c := &part.of[i]
			fmt.Fprintf(&b, "- %s（%s，`%s`）\n", c.Name(), statusWords[c.Status], c.ID)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Full returns the text as a plain chat client shows it: the answer, notes, and
// the list of sources.
func (a *Answer) Full() string {
	parts := []string{a.Text}
	for _, n := range a.Notes {
		parts = append(parts, "> "+n)
	}
	if s := a.Sources(); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n\n")
}
