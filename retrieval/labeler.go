package retrieval

import (
	"context"
	"errors"
	"strings"

	"lexagent/book"
	"lexagent/model"
	"lexagent/prompts"
	"lexagent/statute"
)

// Labeler tells what units are for, as an ingest stores it (LexPath § 3.5): by the
// language model where there is one; by the classifier where it has the unit's vector,
// or where the model's reply was none; else by the rules.
type Labeler struct {
	Model *IntentModel // nil: the rules
	LLM   *Prompted    // nil: nothing is asked
	Asked string       // name of the language model
}

// Grade is that of the best there is.
func (l Labeler) Grade() book.Grade {
	switch {
	case l.LLM != nil:
		return book.ByLLM
	case l.Model != nil:
		return book.ByClassifier
	}
	return book.ByRules
}

// Name tells whose labels these are.
func (l Labeler) Name() string {
	name := []string{"rules"}
	if l.Model != nil {
		name = []string{"classifier " + l.Model.digest}
	}
	if l.LLM != nil {
		name = append([]string{"language model " + l.Asked}, name...)
	}
	return strings.Join(name, ", ")
}

// Label tells what a unit is for. It fails where the language model can't be reached.
func (l Labeler) Label(ctx context.Context, u *statute.Unit, law *statute.Law, vector []float32) (prompts.Odds, error) {
	if l.LLM != nil {
		i, _, err := l.LLM.LabelArticle(ctx, ArticleName(law.Title, u.Label), u.Text)
		if err == nil {
			return prompts.Certain(i), nil
		}
		if !errors.Is(err, model.ErrRefused) {
			return prompts.Odds{}, err
		}
	}
	if l.Model != nil && vector != nil {
		return l.Model.Article.of(ArticleIntentRow(u.Text, vector), prompts.Odds{}), nil
	}
	return prompts.Certain(ArticleIntent(u.Text)), nil
}
