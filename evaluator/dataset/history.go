package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// Form is how much of a dialogue is asked with a question (LexPath, App. C).
type Form string

// The forms of a question. A question without history is the same in all of them.
const (
	Current       Form = "current"        // the last turn alone
	Prefix        Form = "prefix"         // all that the user said, oldest first
	PrefixAnswers Form = "prefix+answers" // the whole dialogue
	Suffix        Form = "suffix"         // all that the user said, newest first: what is cut off is oldest
	Rewrite       Form = "rewrite"        // one question that stands alone, which a language model makes
)

// Forms lists the forms.
var Forms = []Form{Current, Prefix, PrefixAnswers, Suffix, Rewrite}

// ParseForm reads the name of a form; "" is Current.
func ParseForm(name string) (Form, error) {
	switch f := Form(name); {
	case name == "":
		return Current, nil
	case slices.Contains(Forms, f):
		return f, nil
	}
	names := make([]string, len(Forms))
	for i, f := range Forms {
		names[i] = string(f)
	}
	return "", fmt.Errorf("there is no form %q of a question; there are %s", name, strings.Join(names, ", "))
}

// Text is the question in a form. Rewrite, which only a language model makes, gives
// what it is made from, the whole dialogue.
func (q *Question) Text(f Form) (string, error) {
	if f, err := ParseForm(string(f)); err != nil || f == Current || len(q.History) == 0 {
		return q.Question, err
	}
	var lines []string
	for _, t := range q.History {
		if f == Prefix || f == Suffix {
			lines = append(lines, t.User)
		} else {
			lines = append(lines, "用户："+t.User, "助手："+t.Assistant)
		}
	}
	switch f {
	case Suffix:
		slices.Reverse(lines)
		return strings.Join(append([]string{q.Question}, lines...), "\n"), nil
	case Prefix:
		return strings.Join(append(lines, q.Question), "\n"), nil
	}
	return strings.Join(append(lines, "用户："+q.Question), "\n"), nil
}
