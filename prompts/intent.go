package prompts

import (
	"fmt"
	"slices"
	"strings"
)

// Intent is what a question is after, or what an article is for (LexPath § 3.5).
type Intent string

// The intents.
const (
	Definition    Intent = "definition"    // what a legal concept means
	Applicability Intent = "applicability" // whether and under what conditions a rule applies
	Consequence   Intent = "consequence"   // liabilities, sanctions, other legal effects
	Procedure     Intent = "procedure"     // procedural requirements, steps, time limits
	Others        Intent = "others"        // none of these, such as the purpose of a law
)

// Intents lists the intents, in the order of Odds.
var Intents = []Intent{Definition, Applicability, Consequence, Procedure, Others}

var (
	questionIntent = newStage("intent.question.v1", 60).replies(oneIntent)
	articleIntent  = newStage("intent.article.v1", 60).replies(oneIntent)
)

// oneIntent has the names as the prompts write them.
var oneIntent = shape(oneOf("intent", "Definition", "Applicability", "Consequence", "Procedure", "Others"))

// maxArticleRunes is how much of an article is shown: what it is for, it says early.
const maxArticleRunes = 1200

// QuestionIntent renders the prompt that asks for the intent of a question.
func QuestionIntent(text string) (Prompt, error) { return questionIntent.render(question(text)) }

// ArticleIntent renders the prompt that asks for the intent of an article. Its name
// is 《中华人民共和国民法典》第一千零七十七条.
func ArticleIntent(name, text string) (Prompt, error) {
	return articleIntent.render(struct{ Name, Text string }{inert(name), inert(cut(strings.TrimSpace(text), maxArticleRunes))})
}

// ParseIntent reads the reply to either: {"intent":"Procedure"}.
func ParseIntent(reply string) (Intent, error) {
	var v struct {
		Intent string `json:"intent"`
	}
	if err := object(reply, &v); err != nil {
		return "", err
	}
	i := Intent(strings.ToLower(strings.TrimSpace(v.Intent)))
	if !slices.Contains(Intents, i) {
		return "", fmt.Errorf("%w: intent 不是五类之一", ErrReply)
	}
	return i, nil
}
