package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"lexagent/evaluator/dataset"
	"lexagent/prompts"
)

// Model is what a judge needs of a language model; an Eino chat model is one.
type Model interface {
	Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error)
}

// Errors of a judgement.
var (
	// ErrNoVerdict is returned when no reply of the model was a verdict.
	ErrNoVerdict = errors.New("no reply of the model was a verdict")
	// ErrModel is returned, with the cause, when the model can't be reached or
	// fails.
	ErrModel = errors.New("the language model failed")
	// ErrNothingToCompare is returned when an item has neither a reference answer
	// nor the texts of gold articles.
	ErrNothingToCompare = errors.New("there is no reference answer, and no text of a gold article, to judge by")
)

// Item is an answer to be judged.
type Item struct {
	ID        string
	Question  string
	History   []dataset.Turn
	Reference string
	Articles  []dataset.Article // the gold; those with a text are shown
	Answer    string
}

// Code names an answer without telling its system: it depends on the question and
// on what the answer says.
func (it *Item) Code() string {
	sum := sha256.Sum256([]byte(it.ID + "\x00" + it.Answer))
	return hex.EncodeToString(sum[:5])
}

// Judge scores answers. It is safe for concurrent use when its Model is.
type Judge struct {
	Model    Model
	Name     string        // of the model: scores of different models do not compare
	Attempts int           // replies that are asked for at most; 0 = 3
	Pause    time.Duration // before asking again after a failure, doubled each time; 0 = half a second
}

// Verdict is what a judge says of an answer.
type Verdict struct {
	Scores prompts.Scores
	Reason string
	Usage  Usage
}

// Usage counts the calls behind a verdict.
type Usage struct {
	Calls            int `json:"calls"`
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Bounds of one judgement.
const (
	defaultAttempts = 3
	defaultPause    = time.Second / 2
	maxReplyTokens  = 300
	maxArticles     = 8 // of the gold that are shown
	maxRunes        = 3000
)

// Judge judges one answer. Its errors are ErrNothingToCompare, ErrNoVerdict,
// ErrModel, or the context's; the verdict then tells the calls made and no more.
func (j *Judge) Judge(ctx context.Context, it Item) (Verdict, error) {
	return j.judge(ctx, &it, false)
}

func (j *Judge) judge(ctx context.Context, it *Item, swapped bool) (Verdict, error) {
	system, user, err := render(it, swapped)
	if err != nil {
		return Verdict{}, err
	}
	messages := []*schema.Message{schema.SystemMessage(system), schema.UserMessage(user)}
	attempts, pause := j.Attempts, j.Pause
	if attempts == 0 {
		attempts = defaultAttempts
	}
	if pause == 0 {
		pause = defaultPause
	}
	var v Verdict
	var last error
	for n := range attempts {
		msg, err := j.Model.Generate(ctx, messages, model.WithMaxTokens(maxReplyTokens))
		v.Usage.Calls++
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		if err != nil {
			last = fmt.Errorf("%w: %w", ErrModel, err)
			if n+1 < attempts && !sleep(ctx, pause<<n) {
				return v, ctx.Err()
			}
			continue
		}
		if m := msg.ResponseMeta; m != nil && m.Usage != nil {
			v.Usage.PromptTokens += m.Usage.PromptTokens
			v.Usage.CompletionTokens += m.Usage.CompletionTokens
		}
		scores, reason, err := prompts.ParseVerdict(msg.Content)
		if err == nil {
			v.Scores, v.Reason = scores, reason
			return v, nil
		}
		last = fmt.Errorf("%w: %w", ErrNoVerdict, err)
		again, err := prompts.JudgeAgain(problem(err))
		if err != nil {
			return v, err
		}
		messages = append(messages[:2:2], schema.AssistantMessage(clip(msg.Content), nil), schema.UserMessage(again))
	}
	return v, last
}

// problem is what was wrong with a reply, for the model.
func problem(err error) string {
	text := strings.TrimPrefix(err.Error(), prompts.ErrVerdict.Error()+": ")
	return strings.Join(strings.Fields(text), " ")
}

// sleep waits, and reports false when the context ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// render makes the prompt of an item.
func render(it *Item, swapped bool) (system, user string, err error) {
	in := prompts.JudgeInput{Question: it.Question, Reference: clip(it.Reference), Answer: clip(it.Answer), Swapped: swapped}
	for _, t := range it.History {
		in.History = append(in.History, prompts.DraftTurn{Speaker: "用户", Text: clip(t.User)}, prompts.DraftTurn{Speaker: "助手", Text: clip(t.Assistant)})
	}
	for _, a := range it.Articles {
		if a.Text != "" && len(in.Articles) < maxArticles {
			in.Articles = append(in.Articles, prompts.DraftArticle{Name: "《" + a.Law + "》" + a.Label, Text: clip(a.Text)})
		}
	}
	if in.Reference == "" && len(in.Articles) == 0 {
		return "", "", ErrNothingToCompare
	}
	return prompts.Judge(in)
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxRunes {
		return string(r[:maxRunes]) + "……"
	}
	return s
}

// hash names everything that decides a verdict: the whole prompt and the model.
func (j *Judge) hash(it *Item, swapped bool) (string, error) {
	system, user, err := render(it, swapped)
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s", prompts.JudgeVersion, j.Name, system, user))
	return hex.EncodeToString(h[:16]), nil
}

// Weights put the four scores together.
type Weights struct {
	Relevance    float64 `json:"relevance"`
	Accuracy     float64 `json:"accuracy"`
	Completeness float64 `json:"completeness"`
	Fluency      float64 `json:"fluency"`
}

// DefaultWeights are LegRAG's.
var DefaultWeights = Weights{0.3, 0.4, 0.2, 0.1}

// ParseWeights reads four weights in the order relevance, accuracy, completeness,
// fluency, such as "0.3,0.4,0.2,0.1". They must not be negative and make 1.
func ParseWeights(s string) (Weights, error) {
	var w Weights
	parts := strings.Split(s, ",")
	to := []*float64{&w.Relevance, &w.Accuracy, &w.Completeness, &w.Fluency}
	if len(parts) != len(to) {
		return w, fmt.Errorf("the weights %q must be four numbers: relevance, accuracy, completeness, fluency", s)
	}
	sum := 0.0
	for i, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return w, fmt.Errorf("the weight %q must be a number from 0 to 1", p)
		}
		*to[i] = v
		sum += v
	}
	if math.Abs(sum-1) > 1e-9 {
		return w, fmt.Errorf("the weights %q make %g; they must make 1", s, sum)
	}
	return w, nil
}

// Score is the weighted mean of the scores, from 0 (all lowest) to 1 (all highest).
func (w Weights) Score(s prompts.Scores) float64 {
	return w.score([dimensions]float64{float64(s.Relevance), float64(s.Accuracy), float64(s.Completeness), float64(s.Fluency)})
}

func (w Weights) score(s [dimensions]float64) float64 {
	sum := 0.0
	for i, weight := range []float64{w.Relevance, w.Accuracy, w.Completeness, w.Fluency} {
		sum += weight * (s[i] - prompts.LowestScore) / (prompts.HighestScore - prompts.LowestScore)
	}
	return sum
}

// dimensions is how many there are; names are theirs, in the order of Weights.
const dimensions = 4

var names = [dimensions]string{"relevance", "accuracy", "completeness", "fluency"}

func values(s prompts.Scores) [dimensions]float64 {
	return [dimensions]float64{float64(s.Relevance), float64(s.Accuracy), float64(s.Completeness), float64(s.Fluency)}
}
