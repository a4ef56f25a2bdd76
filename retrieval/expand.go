package retrieval

import (
	"context"
	"strings"

	"lexagent/model"
	"lexagent/prompts"
)

// Expansion names a way to expand a question for the search by words.
type Expansion string

// The expansions. What they make is appended to the question: an error in it can
// blur the question, never replace it. The dense path never sees it.
const (
	NoExpansion Expansion = "none"
	IRAC        Expansion = "irac"      // legal keywords from an IRAC analysis (LexPath § 3.2): two calls
	QR          Expansion = "qr"        // the question in the words of the law
	Query2Doc   Expansion = "query2doc" // a passage that answers it
	HyDE        Expansion = "hyde"      // an imagined article that governs it
	Distilled   Expansion = "distilled" // terms that go with the question's, as learned from questions and their articles: no call
)

// Expansions lists them in the order in which help texts name them.
var Expansions = []Expansion{IRAC, QR, Query2Doc, HyDE, Distilled, NoExpansion}

// asks reports whether an expansion asks a language model.
func (x Expansion) asks() bool { return x != NoExpansion && x != Distilled }

// Expanded is what an expansion made.
type Expanded struct {
	Kind     Expansion         `json:"kind"`
	Text     string            `json:"text"`               // what is appended to the question
	Analysis *prompts.Analysis `json:"analysis,omitempty"` // of IRAC: what the keywords are from
}

// Expander makes the text that is appended to a question. The usage counts also
// where there is an error.
type Expander interface {
	Expand(ctx context.Context, kind Expansion, question string) (Expanded, model.Usage, error)
}

// Intents tells what questions and articles are after.
type Intents interface {
	QuestionIntent(ctx context.Context, question string) (prompts.Intent, model.Usage, error)
	// ArticleIntent is an article's label, where one has been made; it makes none.
	ArticleIntent(name, text string) (prompts.Intent, bool)
}

// Asker asks a language model until a reply is accepted (model.Asker).
type Asker interface {
	Ask(ctx context.Context, p prompts.Prompt, accept func(reply string) error) (model.Usage, error)
	Known(p prompts.Prompt, accept func(reply string) error) bool
}

// Prompted is an Expander, and Intents, by the prompts of LexPath.
type Prompted struct{ LLM Asker }

// Expand asks once, or twice for IRAC.
func (l Prompted) Expand(ctx context.Context, kind Expansion, question string) (Expanded, model.Usage, error) {
	switch kind {
	case QR:
		return l.text(ctx, kind, question, prompts.QR, prompts.ParseRewrite)
	case Query2Doc:
		return l.text(ctx, kind, question, prompts.Query2Doc, prompts.ParsePassage)
	case HyDE:
		return l.text(ctx, kind, question, prompts.HyDE, prompts.ParsePassage)
	}
	return l.irac(ctx, question)
}

func (l Prompted) irac(ctx context.Context, question string) (Expanded, model.Usage, error) {
	a, used, err := ask(ctx, l.LLM, func() (prompts.Prompt, error) { return prompts.IRAC(question) }, prompts.ParseIRAC)
	if err != nil {
		return Expanded{}, used, err
	}
	words, more, err := ask(ctx, l.LLM, func() (prompts.Prompt, error) { return prompts.Keywords(question, a) }, prompts.ParseKeywords)
	used.Add(more)
	return Expanded{Kind: IRAC, Text: strings.Join(words, "、"), Analysis: &a}, used, err
}

func (l Prompted) text(ctx context.Context, kind Expansion, question string, prompt func(string) (prompts.Prompt, error), parse func(string) (string, error)) (Expanded, model.Usage, error) {
	text, used, err := ask(ctx, l.LLM, func() (prompts.Prompt, error) { return prompt(question) }, parse)
	return Expanded{Kind: kind, Text: text}, used, err
}

// QuestionIntent asks for the intent of a question.
func (l Prompted) QuestionIntent(ctx context.Context, question string) (prompts.Intent, model.Usage, error) {
	return ask(ctx, l.LLM, func() (prompts.Prompt, error) { return prompts.QuestionIntent(question) }, prompts.ParseIntent)
}

// ArticleIntent is the model's label of an article, where it was asked for before.
func (l Prompted) ArticleIntent(name, text string) (prompts.Intent, bool) {
	p, err := prompts.ArticleIntent(name, text)
	if err != nil {
		return "", false
	}
	var i prompts.Intent
	ok := l.LLM.Known(p, func(reply string) (err error) {
		i, err = prompts.ParseIntent(reply)
		return err
	})
	return i, ok
}

// LabelArticle asks for the intent of an article, which ArticleIntent then knows.
func (l Prompted) LabelArticle(ctx context.Context, name, text string) (prompts.Intent, model.Usage, error) {
	return ask(ctx, l.LLM, func() (prompts.Prompt, error) { return prompts.ArticleIntent(name, text) }, prompts.ParseIntent)
}

// ArticleName is the name of an article as its prompt shows it.
func ArticleName(law, label string) string { return "《" + law + "》" + label }

// ask renders a prompt, sends it and parses the reply.
func ask[T any](ctx context.Context, llm Asker, prompt func() (prompts.Prompt, error), parse func(string) (T, error)) (T, model.Usage, error) {
	var v T
	p, err := prompt()
	if err != nil {
		return v, model.Usage{}, err
	}
	used, err := llm.Ask(ctx, p, func(reply string) (err error) {
		v, err = parse(reply)
		return err
	})
	return v, used, err
}

var (
	_ Expander = Prompted{}
	_ Intents  = Prompted{}
	_ Asker    = (*model.Asker)(nil)
)
