package prompts

import (
	"fmt"
	"strings"
)

// The prompts of the adaptive baselines that LexPath compares with: IRCoT (Trivedi et
// al., 2023) and CRAG (Yan et al., 2024).
var (
	ircot = newStage("ircot.v1", 300)
	crag  = newStage("crag.v1", 60).replies(shape(oneOf("verdict", Correct, Ambiguous, Incorrect)))
)

// Thought renders the prompt that asks for the next step of reasoning over the
// articles found so far; ParsePassage reads the reply.
func Thought(text string, articles []DraftArticle, thoughts []string) (Prompt, error) {
	in := shown(text, articles)
	for _, t := range thoughts {
		in.History = append(in.History, DraftTurn{Text: inert(t)})
	}
	return ircot.render(in)
}

// Concludes reports whether a thought is a conclusion, after which nothing is sought.
func Concludes(thought string) bool { return strings.HasPrefix(thought, "因此") }

// Grade is what CRAG's evaluator says of the articles found.
type Grade string

// The grades.
const (
	Correct   Grade = "correct"
	Ambiguous Grade = "ambiguous"
	Incorrect Grade = "incorrect"
)

// Evaluate renders the prompt that asks whether articles answer a question.
func Evaluate(text string, articles []DraftArticle) (Prompt, error) {
	return crag.render(shown(text, articles))
}

// ParseGrade reads the reply to Evaluate.
func ParseGrade(reply string) (Grade, error) {
	var v struct {
		Verdict Grade `json:"verdict"`
	}
	if err := object(reply, &v); err != nil {
		return "", err
	}
	switch v.Verdict {
	case Correct, Ambiguous, Incorrect:
		return v.Verdict, nil
	}
	return "", fmt.Errorf("%w: verdict 必须是 correct、ambiguous 或 incorrect", ErrReply)
}

// shown is a question with articles as prompts show them.
func shown(text string, articles []DraftArticle) QAInput {
	in := QAInput{Question: question(text)}
	for _, a := range articles {
		in.Articles = append(in.Articles, DraftArticle{Name: inert(a.Name), Text: inert(cut(a.Text, maxQAArticleRunes))})
	}
	return in
}
