package dataset

import (
	"fmt"
	"strings"
)

// lexragRecord is a conversation of LexRAG, or one of its samples by turn.
type lexragRecord struct {
	ID           anyID        `json:"id"`
	Conversation []lexragTurn `json:"conversation"`

	History   []Turn   `json:"history"`
	Question  string   `json:"current_question"`
	Reference string   `json:"reference"`
	Keywords  []string `json:"keywords"`
	Articles  []string `json:"article"`
	// Contexts hold the articles' texts, {name: text} each.
	Contexts []map[string]string `json:"article_context"`
}

type lexragTurn struct {
	User      string              `json:"user"`
	Assistant string              `json:"assistant"`
	Keywords  []string            `json:"keyword"`
	Articles  []string            `json:"article"`
	Contexts  []map[string]string `json:"article_context"`
}

// readLexRAG reads conversations, and samples by turn.
func readLexRAG(data []byte) ([]Question, error) {
	var qs []Question
	err := records(data, func(r *lexragRecord) error {
		if r.ID == "" {
			return missing("id", "a conversation")
		}
		if r.Conversation == nil {
			group, _, _ := strings.Cut(string(r.ID), "_turn")
			t := lexragTurn{r.Question, r.Reference, r.Keywords, r.Articles, r.Contexts}
			q, err := t.question(string(r.ID), group, r.History)
			qs = append(qs, q)
			return err
		}
		var history []Turn
		for i := range r.Conversation {
			t := &r.Conversation[i]
			q, err := t.question(fmt.Sprintf("%s_turn%d", r.ID, i+1), string(r.ID), history)
			if err != nil {
				return fmt.Errorf("turn %d: %w", i+1, err)
			}
			qs = append(qs, q)
			history = append(history[:i:i], Turn{t.User, t.Assistant})
		}
		return nil
	})
	return qs, err
}

func (t *lexragTurn) question(id, conversation string, history []Turn) (Question, error) {
	if strings.TrimSpace(t.User) == "" {
		return Question{}, missing("user", "a turn")
	}
	q := Question{ID: id, Question: t.User, Answer: t.Assistant, Group: conversation, History: history}
	if len(t.Keywords) > 0 {
		q.Keywords = t.Keywords
	}
	texts := map[string]string{}
	for _, c := range t.Contexts {
		for name, text := range c {
			texts[name] = text
		}
	}
	for _, name := range t.Articles {
		if strings.TrimSpace(name) == "" {
			continue
		}
		a := article(name)
		a.Text = unescape(texts[name])
		q.Gold = append(q.Gold, a)
	}
	return q, q.check()
}
