package server

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/hertz/pkg/app"
)

// Feedback is what a reader said of an answer.
type Feedback struct {
	Time   time.Time `json:"time"`
	Answer string    `json:"answer_id"`
	Key    string    `json:"key,omitempty"` // id of the API key
	Rating string    `json:"rating"`        // up or down
	Reason string    `json:"reason,omitempty"`
	Scores *Scores   `json:"scores,omitempty"`
}

// Scores are the four ratings of the judge's form, 1 to 5.
type Scores struct {
	Relevance    float64 `json:"relevance"`
	Accuracy     float64 `json:"accuracy"`
	Completeness float64 `json:"completeness"`
	Fluency      float64 `json:"fluency"`
}

const maxReason = 2000 // characters

// feedbackRequest is the body of POST /v1/feedback. Reason and scores may be absent.
type feedbackRequest struct {
	Answer string  `json:"answer_id"` // id of the chat completion
	Rating string  `json:"rating"`
	Reason string  `json:"reason"`
	Scores *Scores `json:"scores"`
}

func (r *feedbackRequest) check() error {
	switch {
	case !plainID(r.Answer):
		return badParam("answer_id", "answer_id is the id of a chat completion, such as chatcmpl-…")
	case r.Rating != "up" && r.Rating != "down":
		return badParam("rating", "rating is up or down")
	case utf8.RuneCountInString(r.Reason) > maxReason:
		return badParam("reason", "the reason is too long: at most %d characters are allowed", maxReason)
	}
	if s := r.Scores; s != nil {
		for _, v := range []float64{s.Relevance, s.Accuracy, s.Completeness, s.Fluency} {
			if v < 1 || v > 5 {
				return badParam("scores", "scores needs relevance, accuracy, completeness and fluency, each from 1 to 5")
			}
		}
	}
	return nil
}

// feedback answers POST /v1/feedback.
func (s *Server) feedback(_ context.Context, ctx *app.RequestContext) error {
	if s.o.Feedback == nil {
		return &problem{Status: 404, Code: "not_found", Message: "this server keeps no feedback"}
	}
	var r feedbackRequest
	if err := readJSON(ctx, &r); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	f := Feedback{s.o.Now().UTC(), r.Answer, keyID(ctx), r.Rating, r.Reason, r.Scores}
	if err := s.o.Feedback.Append(f); err != nil {
		return err
	}
	s.metrics.feedback.WithLabelValues(r.Rating).Inc()
	return writeJSON(ctx, 200, struct {
		Object string `json:"object"`
		Answer string `json:"answer_id"`
		Rating string `json:"rating"`
	}{"feedback", r.Answer, r.Rating})
}
