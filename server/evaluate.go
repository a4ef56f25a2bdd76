package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/judge"
	"lexagent/evaluator/run"
	"lexagent/prompts"
)

// Judge scores answers with a language model; *judge.Judge is one.
type Judge interface {
	Judge(ctx context.Context, it judge.Item) (judge.Verdict, error)
}

// Bounds of what is evaluated here; larger jobs are for the command line.
const (
	maxJudged      = 20
	maxJudgedRunes = 20_000
	maxEvaluated   = 2_000 // questions, and lines of a run
	maxCutoffs     = 10
)

// judgeRequest is the body of POST /v1/judge.
type judgeRequest struct {
	Items   []judgeItem    `json:"items"`
	Weights *judge.Weights `json:"weights"` // default: relevance .3, accuracy .4, completeness .2, fluency .1
}

// judgeItem is an answer with what it is held against: a reference answer, texts of
// articles, or both.
type judgeItem struct {
	ID        string            `json:"id"`
	Question  string            `json:"question"`
	Answer    string            `json:"answer"`
	Reference string            `json:"reference"`
	Articles  []dataset.Article `json:"articles"`
}

// judged is what became of one item.
type judged struct {
	ID     string          `json:"id"`
	Score  *float64        `json:"score"` // weighted, 0 to 1; null where it was not judged
	Scores *prompts.Scores `json:"scores"`
	Reason string          `json:"reason,omitempty"`
	Error  string          `json:"error,omitempty"` // why it was not judged
}

// judgeResponse is the answer to POST /v1/judge.
type judgeResponse struct {
	Prompt  string        `json:"prompt"` // version of its wording
	Weights judge.Weights `json:"weights"`
	Results []judged      `json:"results"` // in the order of the items
	LLM     judge.Usage   `json:"llm"`
}

func (r *judgeRequest) check() (judge.Weights, error) {
	w := judge.DefaultWeights
	if r.Weights != nil {
		given := *r.Weights
		var err error // brought to make 1
		if w, err = judge.ParseWeights(fmt.Sprintf("%g,%g,%g,%g", given.Relevance, given.Accuracy, given.Completeness, given.Fluency)); err != nil {
			return w, badParam("weights", "%v", err)
		}
	}
	if n := len(r.Items); n == 0 || n > maxJudged {
		return w, badParam("items", "there are %d items; 1 to %d can be judged at once", n, maxJudged)
	}
	for i, it := range r.Items {
		at := fmt.Sprintf("items[%d]", i)
		long := utf8.RuneCountInString(it.Question) + utf8.RuneCountInString(it.Answer) + utf8.RuneCountInString(it.Reference)
		texts := 0
		for _, a := range it.Articles {
			long += utf8.RuneCountInString(a.Text)
			texts += len(a.Text)
		}
		switch {
		case it.Question == "":
			return w, badParam(at+".question", "item %d has no question", i)
		case it.Reference == "" && texts == 0:
			return w, badParam(at+".reference", "item %d has neither a reference answer nor the text of an article to be judged by", i)
		case long > maxJudgedRunes:
			return w, badParam(at, "item %d has %d characters; at most %d are judged here", i, long, maxJudgedRunes)
		}
	}
	return w, nil
}

// judge answers POST /v1/judge. An answer that got no verdict has no score; one for
// which the language model can't be reached ends the request.
func (s *Server) judge(c context.Context, ctx *app.RequestContext) error {
	if s.o.Judge == nil {
		return &problem{Status: 404, Code: "not_found", Message: "answers are not judged here: no language model is configured"}
	}
	var r judgeRequest
	if err := readJSON(ctx, &r); err != nil {
		return err
	}
	w, err := r.check()
	if err != nil {
		return err
	}
	c, done, err := s.take(c, s.answers, s.o.AnswerTimeout)
	if err != nil {
		return err
	}
	defer done()
	out := judgeResponse{Prompt: prompts.JudgeVersion, Weights: w, Results: []judged{}}
	defer func() { s.spend(c, ctx, out.LLM.PromptTokens+out.LLM.CompletionTokens) }()
	for _, it := range r.Items {
		v, err := s.o.Judge.Judge(c, judge.Item{ID: it.ID, Question: it.Question, Reference: it.Reference, Articles: it.Articles, Answer: it.Answer})
		out.LLM.Add(v.Usage)
		res := judged{ID: it.ID}
		switch {
		case err == nil:
			score := w.Score(v.Scores)
			res.Score, res.Scores, res.Reason = &score, &v.Scores, v.Reason
		case errors.Is(err, judge.ErrModel):
			s.o.Logger.Warn("judge", "request_id", requestID(ctx), "error", err)
			ctx.Header("X-Should-Retry", "false")
			return &problem{Status: 503, Code: "unavailable", Message: "the language model gave no verdict; try again in a moment", Retry: 5}
		case errors.Is(err, judge.ErrNoVerdict):
			res.Error = judge.ErrNoVerdict.Error()
		default:
			ctx.Header("X-Should-Retry", "false")
			return err
		}
		out.Results = append(out.Results, res)
	}
	return writeJSON(ctx, 200, out)
}

// retrievalRequest is the body of POST /v1/eval/retrieval: lines of a run and
// questions with gold, as the files of the command line have them.
type retrievalRequest struct {
	Run       []json.RawMessage `json:"run"`
	Gold      []json.RawMessage `json:"gold"`
	K         []int             `json:"k"`         // cutoffs; default 1, 5, 10, 20, 100
	By        string            `json:"by"`        // article, name or evidence; default what the gold has
	Bootstrap int               `json:"bootstrap"` // resamples for the intervals, at most 1,000; default 1,000
	Seed      uint64            `json:"seed"`
}

const maxBootstrap = 1000

func (r *retrievalRequest) options() (evaluator.Options, error) {
	o := evaluator.Options{K: r.K, By: evaluator.By(r.By), Bootstrap: r.Bootstrap, Seed: r.Seed}
	switch {
	case len(r.Run) == 0 || len(r.Run) > maxEvaluated:
		return o, badParam("run", "there are %d lines; 1 to %d are evaluated here", len(r.Run), maxEvaluated)
	case len(r.Gold) == 0 || len(r.Gold) > maxEvaluated:
		return o, badParam("gold", "there are %d questions; 1 to %d are evaluated here", len(r.Gold), maxEvaluated)
	case len(r.K) > maxCutoffs || slices.ContainsFunc(r.K, func(k int) bool { return k < 1 || k > 1000 }):
		return o, badParam("k", "there may be %d cutoffs, of 1 to 1000 each", maxCutoffs)
	case !slices.Contains([]evaluator.By{"", evaluator.ByArticle, evaluator.ByName, evaluator.ByEvidence}, o.By):
		return o, badParam("by", "hits are matched by article, name or evidence, not by %q", r.By)
	case r.Bootstrap < 0 || r.Bootstrap > maxBootstrap:
		return o, badParam("bootstrap", "bootstrap is %d; it must be 0 to %d", r.Bootstrap, maxBootstrap)
	}
	return o, nil
}

// evalRetrieval answers POST /v1/eval/retrieval with an evaluator.Report.
func (s *Server) evalRetrieval(c context.Context, ctx *app.RequestContext) error {
	var r retrievalRequest
	if err := readJSON(ctx, &r); err != nil {
		return err
	}
	o, err := r.options()
	if err != nil {
		return err
	}
	_, done, err := s.take(c, s.searches, s.o.ReadTimeout)
	if err != nil {
		return err
	}
	defer done()
	lines, err := run.Read(bytes.NewReader(joined(r.Run)))
	if err != nil {
		return badParam("run", "%v", err)
	}
	gold, err := dataset.Read(bytes.NewReader(joined(r.Gold)))
	if err != nil {
		return badParam("gold", "%v", err)
	}
	report, err := evaluator.Evaluate(lines, gold, o)
	if err != nil {
		return badParam("gold", "%v", err)
	}
	return writeJSON(ctx, 200, report)
}

// joined are JSON values as lines.
func joined(values []json.RawMessage) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if json.Compact(&b, v) == nil { // it was parsed before
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
