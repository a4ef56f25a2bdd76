package dataset

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lexagent/evaluator/jsonl"
)

// statuteRAGRecord is a seed question with its options, or one statement.
type statuteRAGRecord struct {
	ID       anyID     `json:"id"`
	Type     string    `json:"type"`
	Stem     string    `json:"stem"`
	Answer   string    `json:"answer"` // keys of the right options; needless where these have labels
	Options  []option  `json:"options"`
	Seed     anyID     `json:"seed"`
	Sentence string    `json:"statement"`
	Label    *truth    `json:"label"`
	Articles []string  `json:"articles"`
	Gold     []Article `json:"gold"`
}

type option struct {
	Key      string    `json:"key"`
	Text     string    `json:"text"`
	Label    *truth    `json:"label"`
	Articles []string  `json:"articles"`
	Gold     []Article `json:"gold"`
}

// truth is a label in any of the usual spellings.
type truth bool

// UnmarshalJSON reads true, "正确", "对", "Y" and their opposites.
func (t *truth) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch v {
	case true, "正确", "对", "是", "Y", "true":
		*t = true
	case false, "错误", "错", "否", "N", "false":
		*t = false
	default:
		return fmt.Errorf("%w: a label is true or false, 正确 or 错误, Y or N, not %.40s", jsonl.ErrFormat, b)
	}
	return nil
}

// readStatuteRAG reads seed questions and statements.
func readStatuteRAG(data []byte) ([]Question, error) {
	var qs []Question
	err := records(data, func(r *statuteRAGRecord) error {
		if r.ID == "" {
			return missing("id", "a question")
		}
		if r.Stem == "" {
			if r.Seed == "" {
				return missing("seed", "a statement")
			}
			q, err := statement(string(r.ID), string(r.Seed), r.Type, r.Sentence, r.Label, r.Articles, r.Gold)
			qs = append(qs, q)
			return err
		}
		if len(r.Options) == 0 {
			return missing("options", "a seed question")
		}
		for i := range r.Options {
			o := &r.Options[i]
			if o.Key == "" {
				return fmt.Errorf("option %d: %w", i+1, missing("key", "an option"))
			}
			if o.Label == nil && r.Answer != "" {
				right := truth(slices.Contains(keys(r.Answer), o.Key))
				o.Label = &right
			}
			q, err := statement(string(r.ID)+"-"+o.Key, string(r.ID), r.Type, combine(r.Stem, o.Text), o.Label, o.Articles, o.Gold)
			if err != nil {
				return fmt.Errorf("option %s: %w", o.Key, err)
			}
			qs = append(qs, q)
		}
		return nil
	})
	return qs, err
}

// keys are the right options: "B", "BD" or "B、D".
func keys(answer string) []string {
	var out []string
	for _, r := range answer {
		if !strings.ContainsRune("、，, ", r) {
			out = append(out, string(r))
		}
	}
	return out
}

// blank is where an option belongs in a stem.
var blank = regexp.MustCompile(`（[\s　]*）|\([\s　]*\)|_{2,}|＿+`)

// combine makes a statement of a stem and an option: the option fills the blank,
// or follows where there is none.
func combine(stem, text string) string {
	if at := blank.FindStringIndex(stem); at != nil {
		return stem[:at[0]] + text + stem[at[1]:]
	}
	return stem + text
}

func statement(id, seed, kind, text string, label *truth, names []string, gold []Article) (Question, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return Question{}, missing("statement", "a statement")
	case label == nil:
		return Question{}, missing("label", "a statement")
	}
	q := Question{ID: id, Question: text, Type: kind, Group: seed, Label: (*bool)(label), Gold: gold}
	for _, n := range names {
		q.Gold = append(q.Gold, article(n))
	}
	return q, q.check()
}
