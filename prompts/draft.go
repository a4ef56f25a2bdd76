package prompts

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed *.tmpl
var files embed.FS

// A draft and its review begin with the same words: the articles, the conversation and the
// question. An endpoint that keeps what it has read (most do) reads them once.
const grounds = "grounds.v1.tmpl"

var draft = template.Must(template.New("draft").ParseFS(files, grounds, "draft.v2.tmpl"))

// NoAnswer is what the model replies when the articles do not answer.
const NoAnswer = "现有法条无法回答"

// DraftInput is what a draft is written from.
type DraftInput struct {
	Question string
	Articles []DraftArticle // the evidence, best first
	History  []DraftTurn    // earlier turns that the question builds on
	Style    string         // the caller's system message: style only
	MaxChars int            // how long the answer may be, in characters

	Earlier    string   // the draft before this one, where it was refused
	Objections []string // what was wrong with it
}

// DraftArticle is one article of the evidence.
type DraftArticle struct {
	Handle string // what the model cites: 民法典:1077
	Name   string // 《中华人民共和国民法典》第一千零七十七条
	Text   string
}

// DraftTurn is an earlier turn of the conversation.
type DraftTurn struct {
	Speaker string // 用户 or 助手
	Text    string
}

// Draft renders the system and the user message that ask for a draft. rules is what they
// tell the model to do, without the id that they show as an example: no answer repeats
// the rules, and many name that article.
func Draft(in DraftInput) (system, user, rules string, err error) {
	data := struct {
		DraftInput
		Example, NoAnswer string
	}{in.escaped(), "[民法典:1077]", NoAnswer}
	if len(in.Articles) > 0 {
		data.Example = "[" + in.Articles[0].Handle + "]"
	}
	if system, err = render("system", data); err != nil {
		return "", "", "", err
	}
	if user, err = render("user", data); err != nil {
		return "", "", "", err
	}
	data.Example = ""
	rules, err = render("task", data)
	return system, user, system + "\n" + rules, err
}

func render(name string, data any) (string, error) {
	var b strings.Builder
	if err := draft.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("render the prompt %q: %w", name, err)
	}
	return b.String(), nil
}

// escaped returns the input with angle brackets in data made full-width, so that
// no text can close the element it stands in or open another.
func (in DraftInput) escaped() DraftInput {
	out := in
	out.Question = question(in.Question)
	out.Style = inert(in.Style)
	out.Earlier = inert(cut(in.Earlier, maxAnswerRunes))
	out.Objections = make([]string, len(in.Objections))
	for i, o := range in.Objections {
		out.Objections[i] = inert(o)
	}
	out.Articles = make([]DraftArticle, len(in.Articles))
	for i, a := range in.Articles {
		out.Articles[i] = DraftArticle{Handle: a.Handle, Name: inert(a.Name), Text: inert(cut(a.Text, maxArticleRunes))}
	}
	out.History = make([]DraftTurn, len(in.History))
	for i, t := range in.History {
		out.History[i] = DraftTurn{Speaker: t.Speaker, Text: inert(t.Text)}
	}
	return out
}

var inertMarks = strings.NewReplacer("<", "＜", ">", "＞", `"`, "＂")

func inert(s string) string { return inertMarks.Replace(s) }
