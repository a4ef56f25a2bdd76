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

	"lexagent/evaluator/dataset"
	"lexagent/model"
	"lexagent/prompts"
)

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
	Model model.Chat
	Name  string        // of the model: scores of different models do not compare
	Each  bool          // ask for each dimension by a prompt of its own, four calls instead of one
	Pause time.Duration // before asking again after a failure, doubled each time; 0 = half a second
}

// Verdict is what a judge says of an answer.
type Verdict struct {
	Scores prompts.Scores
	Reason string // of each dimension, where these are judged one by one
	Usage  Usage
}

// Usage counts the calls behind a verdict.
type Usage = model.Usage

// Bounds of what a prompt shows.
const (
	maxArticles = 8 // of the gold
	maxRunes    = 3000
)

// view is how an answer is shown: after or before its reference, for the first time
// or once more.
type view struct {
	swapped bool
	repeat  int // judged before, so many times; the model is then free in its words
}

// repeatTemperature is the model's freedom in a verdict that repeats one.
const repeatTemperature = 0.7

// Judge judges one answer. Its errors are ErrNothingToCompare, ErrNoVerdict,
// ErrModel, or the context's; the verdict then tells the calls made and no more.
func (j *Judge) Judge(ctx context.Context, it Item) (Verdict, error) {
	return j.judge(ctx, &it, view{})
}

func (j *Judge) judge(ctx context.Context, it *Item, as view) (Verdict, error) {
	asked, err := j.prompts(it, as)
	if err != nil {
		return Verdict{}, err
	}
	llm := model.Asker{Chat: j.Model, Name: j.Name, Pause: j.Pause}
	var v Verdict
	var reasons []string
	for i, p := range asked {
		used, err := llm.Ask(ctx, p, func(reply string) (err error) {
			var reason string
			if j.Each {
				reason, err = prompts.ParseScore(reply, names[i], &v.Scores)
			} else {
				v.Scores, reason, err = prompts.ParseVerdict(reply)
			}
			if err == nil && reason != "" {
				reasons = append(reasons, reason)
			}
			return err
		})
		v.Usage.Add(used)
		switch {
		case ctx.Err() != nil:
			return Verdict{Usage: v.Usage}, ctx.Err()
		case errors.Is(err, model.ErrRefused):
			return Verdict{Usage: v.Usage}, fmt.Errorf("%w: %w", ErrNoVerdict, err)
		case err != nil:
			return Verdict{Usage: v.Usage}, fmt.Errorf("%w: %w", ErrModel, err)
		}
	}
	v.Reason = strings.Join(reasons, "；")
	return v, nil
}

// prompts are those that ask for a verdict on an item: one, or one for each dimension.
func (j *Judge) prompts(it *Item, as view) ([]prompts.Prompt, error) {
	in, err := input(it)
	if err != nil {
		return nil, err
	}
	in.Swapped = as.swapped
	asked := []string{""}
	if j.Each {
		asked = names[:]
	}
	out := make([]prompts.Prompt, len(asked))
	for i := range asked {
		in.Dimension = asked[i]
		if out[i], err = prompts.Judge(in); err != nil {
			return nil, err
		}
		if as.repeat > 0 {
			out[i].Temperature = repeatTemperature
		}
	}
	return out, nil
}

// version is that of the prompts' wording.
func (j *Judge) version() string {
	if j.Each {
		return prompts.JudgeOneVersion
	}
	return prompts.JudgeVersion
}

// input is what the prompt of an item shows.
func input(it *Item) (prompts.JudgeInput, error) {
	in := prompts.JudgeInput{Question: it.Question, Reference: clip(it.Reference), Answer: clip(it.Answer)}
	for _, t := range it.History {
		in.History = append(in.History, prompts.DraftTurn{Speaker: "用户", Text: clip(t.User)}, prompts.DraftTurn{Speaker: "助手", Text: clip(t.Assistant)})
	}
	for _, a := range it.Articles {
		if a.Text != "" && len(in.Articles) < maxArticles {
			in.Articles = append(in.Articles, prompts.DraftArticle{Name: "《" + a.Law + "》" + a.Label, Text: clip(a.Text)})
		}
	}
	if in.Reference == "" && len(in.Articles) == 0 {
		return in, ErrNothingToCompare
	}
	return in, nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxRunes {
		return string(r[:maxRunes]) + "……"
	}
	return s
}

// hash names everything that decides a verdict: the whole prompts, the model, and
// which repetition it is.
func (j *Judge) hash(it *Item, as view) (string, error) {
	asked, err := j.prompts(it, as)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for i := range asked {
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s", asked[i].Version, j.Name, asked[i].System, asked[i].User)
	}
	if as.repeat > 0 {
		fmt.Fprintf(h, "\x00%d", as.repeat)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
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

// maxWeight bounds a weight, so that per cent may be given.
const maxWeight = 100

// String is the weights as they are printed with every result.
func (w Weights) String() string {
	return fmt.Sprintf("relevance %.3g, accuracy %.3g, completeness %.3g, fluency %.3g", w.Relevance, w.Accuracy, w.Completeness, w.Fluency)
}

// ParseWeights reads four weights in the order relevance, accuracy, completeness,
// fluency, such as "0.3,0.4,0.2,0.1" or "3,4,2,1": what they make together is 1.
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
		if err != nil || !(v >= 0 && v <= maxWeight) {
			return w, fmt.Errorf("the weight %q must be a number from 0 to %d", p, maxWeight)
		}
		*to[i] = v
		sum += v
	}
	if sum == 0 {
		return w, fmt.Errorf("the weights %q are all 0", s)
	}
	if math.Abs(sum-1) > 1e-9 {
		for _, v := range to {
			*v /= sum
		}
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

var names = prompts.Dimensions

func values(s prompts.Scores) [dimensions]float64 {
	return [dimensions]float64{float64(s.Relevance), float64(s.Accuracy), float64(s.Completeness), float64(s.Fluency)}
}
