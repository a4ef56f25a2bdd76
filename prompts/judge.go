package prompts

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
)

// JudgeVersion and JudgeOneVersion name the wordings of the judge's prompts, for all
// dimensions at once and for one: scores under different wordings do not compare.
const (
	JudgeVersion    = "judge.v1"
	JudgeOneVersion = "judge.one.v1"
)

var (
	judge = template.Must(template.New("judge").ParseFS(files, JudgeVersion+".tmpl"))
	// judgeOne asks for one dimension; what is judged is shown as judge shows it.
	judgeOne = template.Must(template.Must(judge.Clone()).ParseFS(files, JudgeOneVersion+".tmpl"))
)

// Tokens of a verdict at most.
const (
	maxVerdictTokens = 300
	maxScoreTokens   = 150
)

// The lowest and the highest score of a dimension.
const (
	LowestScore  = 1
	HighestScore = 5
)

// The shapes of the replies to both.
var (
	verdictSchema = shape(score("relevance"), score("accuracy"), score("completeness"), score("fluency"), words("reason"))
	scoreSchema   = shape(score("score"), words("reason"))
)

func score(name string) property { return oneOf(name, 1, 2, 3, 4, 5) }

// JudgeInput is an answer to be judged, and what it is held against.
type JudgeInput struct {
	Question  string
	History   []DraftTurn // earlier turns of the conversation
	Reference string      // reference answer
	Articles  []DraftArticle
	Answer    string
	Swapped   bool   // the answer stands before the reference: a judge must not mind
	Dimension string // the one to be judged, one of Dimensions; "" = all
}

// Scores are what a judge gives an answer, whole numbers from LowestScore to
// HighestScore in the four dimensions of LegRAG.
type Scores struct {
	Relevance    int `json:"relevance"`
	Accuracy     int `json:"accuracy"`
	Completeness int `json:"completeness"`
	Fluency      int `json:"fluency"`
}

// Dimensions are the names of the four, in the order of Scores.
var Dimensions = [4]string{"relevance", "accuracy", "completeness", "fluency"}

// of are the places of the scores, in the order of Dimensions.
func (s *Scores) of() [4]*int { return [4]*int{&s.Relevance, &s.Accuracy, &s.Completeness, &s.Fluency} }

// Judge renders the prompt that asks for a verdict: ParseVerdict reads the reply, or
// ParseScore where one dimension is asked for.
func Judge(in JudgeInput) (Prompt, error) {
	in.Question, in.Reference, in.Answer = inert(in.Question), inert(in.Reference), inert(in.Answer)
	history, articles := make([]DraftTurn, len(in.History)), make([]DraftArticle, len(in.Articles))
	for i, t := range in.History {
		history[i] = DraftTurn{Speaker: t.Speaker, Text: inert(t.Text)}
	}
	for i, a := range in.Articles {
		articles[i] = DraftArticle{Name: inert(a.Name), Text: inert(a.Text)}
	}
	in.History, in.Articles = history, articles
	p, file := Prompt{Version: JudgeVersion, MaxTokens: maxVerdictTokens, Schema: verdictSchema}, judge
	if in.Dimension != "" {
		p, file = Prompt{Version: JudgeOneVersion, MaxTokens: maxScoreTokens, Schema: scoreSchema}, judgeOne
	}
	for name, to := range map[string]*string{"system": &p.System, "user": &p.User, "again": &p.Reminder} {
		var b strings.Builder
		if err := file.ExecuteTemplate(&b, name, in); err != nil {
			return Prompt{}, fmt.Errorf("render the prompt %q: %w", name, err)
		}
		*to = b.String()
	}
	return p, nil
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
	if err := object(reply, &v); err != nil {
		return s, "", err
	}
	to := s.of()
	for i, from := range []*float64{v.Relevance, v.Accuracy, v.Completeness, v.Fluency} {
		if *to[i], err = whole(Dimensions[i], from); err != nil {
			return Scores{}, "", err
		}
	}
	return s, v.Reason, nil
}

// ParseScore reads the reply to a prompt that asks for one dimension into its place.
func ParseScore(reply, dimension string, s *Scores) (reason string, err error) {
	var v struct {
		Score  *float64 `json:"score"`
		Reason string   `json:"reason"`
	}
	if err := object(reply, &v); err != nil {
		return "", err
	}
	n, err := whole("score", v.Score)
	if err == nil {
		*s.of()[slices.Index(Dimensions[:], dimension)] = n
	}
	return v.Reason, err
}

// whole is a score, if it is there, whole and in range.
func whole(name string, score *float64) (int, error) {
	if score == nil {
		return 0, fmt.Errorf("%w: 缺少 %s", ErrReply, name)
	}
	if n := *score; n != math.Trunc(n) || n < LowestScore || n > HighestScore {
		return 0, fmt.Errorf("%w: %s 必须是 %d 到 %d 的整数，而不是 %g", ErrReply, name, LowestScore, HighestScore, n)
	}
	return int(*score), nil
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
