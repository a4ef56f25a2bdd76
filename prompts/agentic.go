package prompts

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// arag is the prompt of an agent that is given a search by words, one by meaning and
// the texts of what was found, and decides itself what to do next (A-RAG).
var arag = newStage("arag.v1", 150)

// The actions of the agent.
const (
	Keyword  = "keyword"
	Semantic = "semantic"
	ReadOne  = "read"
	Done     = "done"
)

// Bounds of what the agent is shown, in characters.
const (
	maxSnippetRunes = 60
	maxReadRunes    = 600
	maxActionRunes  = 100
)

// Action is a step of the agent.
type Action struct {
	Action   string `json:"action"`             // Keyword, Semantic, ReadOne or Done
	Query    string `json:"query,omitempty"`    // of a search
	Article  int    `json:"article,omitempty"`  // number of the one that is read
	Articles []int  `json:"articles,omitempty"` // numbers of those that are of use, best first
}

// Seen is an article that the agent has found.
type Seen struct {
	Name, Text string
	Whole      bool // it was read
}

// NextAction renders the prompt that asks for the agent's next step, of so many that
// are left; ParseAction reads the reply.
func NextAction(text string, found []Seen, done []Action, left int) (Prompt, error) {
	type shown struct {
		Number     int
		Name, Text string
	}
	in := struct {
		Question string
		Articles []shown
		Steps    []string
		Left     int
	}{Question: question(text), Left: left}
	for i, s := range found {
		runes := maxSnippetRunes
		if s.Whole {
			runes = maxReadRunes
		}
		in.Articles = append(in.Articles, shown{i + 1, inert(s.Name), inert(strings.Join(strings.Fields(cut(s.Text, runes)), " "))})
	}
	for _, a := range done {
		step := a.Action + " " + inert(a.Query)
		if a.Article > 0 {
			step = a.Action + " " + strconv.Itoa(a.Article)
		}
		in.Steps = append(in.Steps, step)
	}
	return arag.render(in)
}

// ParseAction reads the reply to NextAction, where so many articles were shown.
func ParseAction(reply string, shown int) (Action, error) {
	var a Action
	if err := object(reply, &a); err != nil {
		return a, err
	}
	numbers := a.Articles
	switch a.Action {
	case Keyword, Semantic:
		a.Query = strings.Join(strings.Fields(a.Query), " ")
		if n := utf8.RuneCountInString(a.Query); n == 0 || n > maxActionRunes {
			return a, fmt.Errorf("%w: query 必须有 1 到 %d 字", ErrReply, maxActionRunes)
		}
		return a, nil
	case ReadOne:
		numbers = []int{a.Article}
	case Done:
	default:
		return a, fmt.Errorf("%w: action 必须是 keyword、semantic、read 或 done", ErrReply)
	}
	for _, n := range numbers {
		if n < 1 || n > shown {
			return a, fmt.Errorf("%w: 没有编号为 %d 的法条", ErrReply, n)
		}
	}
	return a, nil
}
