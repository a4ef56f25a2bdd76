package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/template"
)

// JudgeVersion names the wording of the judge's prompt: scores under different
// wordings do not compare.
const JudgeVersion = "judge.v1"

var judge = template.Must(template.New("judge").ParseFS(files, JudgeVersion+".tmpl"))

// The lowest and the highest score of a dimension.
const (
	LowestScore  = 1
	HighestScore = 5
)

// JudgeInput is an answer to be judged, and what it is held against.
type JudgeInput struct {
	Question  string
	History   []DraftTurn // earlier turns of the conversation
	Reference string      // reference answer
	Articles  []DraftArticle
	Answer    string
	Swapped   bool // the answer stands before the reference: a judge must not mind
}

// Scores are what a judge gives an answer, whole numbers from LowestScore to
// HighestScore in the four dimensions of LegRAG.
type Scores struct {
	Relevance    int `json:"relevance"`
	Accuracy     int `json:"accuracy"`
	Completeness int `json:"completeness"`
	Fluency      int `json:"fluency"`
}

// ErrVerdict is returned, wrapped with what is wrong, when a judge's reply is not
// the verdict that was asked for.
var ErrVerdict = errors.New("the reply is no verdict")

// Judge renders the system and the user message that ask for a verdict.
func Judge(in JudgeInput) (system, user string, err error) {
	in.Question, in.Reference, in.Answer = inert(in.Question), inert(in.Reference), inert(in.Answer)
	history, articles := make([]DraftTurn, len(in.History)), make([]DraftArticle, len(in.Articles))
	for i, t := range in.History {
		history[i] = DraftTurn{Speaker: t.Speaker, Text: inert(t.Text)}
	}
	for i, a := range in.Articles {
		articles[i] = DraftArticle{Name: inert(a.Name), Text: inert(a.Text)}
	}
	in.History, in.Articles = history, articles
	if system, err = renderJudge("system", in); err != nil {
		return "", "", err
	}
	user, err = renderJudge("user", in)
	return system, user, err
}

// JudgeAgain renders the message that asks once more after a reply that is no
// verdict.
func JudgeAgain(problem string) (string, error) { return renderJudge("again", problem) }

func renderJudge(name string, data any) (string, error) {
	var b strings.Builder
	if err := judge.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("render the prompt %q: %w", name, err)
	}
	return b.String(), nil
}

// ParseVerdict reads a judge's reply. Nothing is guessed: the reply is one JSON
// object, in a code fence at most, with the four scores as whole numbers in range.
func ParseVerdict(reply string) (s Scores, reason string, err error) {
	var v struct {
		Relevance    *float64 `json:"relevance"`
		Accuracy     *float64 `json:"accuracy"`
		Completeness *float64 `json:"completeness"`
		Fluency      *float64 `json:"fluency"`
		Reason       string   `json:"reason"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(unfence(reply))))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return s, "", fmt.Errorf("%w: 不是所要求的 JSON 对象（%w）", ErrVerdict, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return s, "", fmt.Errorf("%w: JSON 对象之后还有文字", ErrVerdict)
	}
	for _, f := range []struct {
		name string
		from *float64
		to   *int
	}{{"relevance", v.Relevance, &s.Relevance}, {"accuracy", v.Accuracy, &s.Accuracy},
		{"completeness", v.Completeness, &s.Completeness}, {"fluency", v.Fluency, &s.Fluency}} {
		if f.from == nil {
			return Scores{}, "", fmt.Errorf("%w: 缺少 %s", ErrVerdict, f.name)
		}
		n := *f.from
		if n != math.Trunc(n) || n < LowestScore || n > HighestScore {
			return Scores{}, "", fmt.Errorf("%w: %s 必须是 %d 到 %d 的整数，而不是 %g", ErrVerdict, f.name, LowestScore, HighestScore, n)
		}
		*f.to = int(n)
	}
	return s, v.Reason, nil
}

// unfence takes off a code fence around a whole reply.
func unfence(s string) string {
	s = strings.TrimSpace(s)
	inner, ok := strings.CutPrefix(s, "```")
	if !ok || !strings.HasSuffix(inner, "```") {
		return s
	}
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSuffix(inner, "```"), "json"))
}
