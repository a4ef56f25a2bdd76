package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"lexagent/prompts"
)

// A prompt's schema goes to the endpoint; one that refuses it is asked without, and is
// not sent it again.
func TestTheShapeOfAReplyIsAskedFor(t *testing.T) {
	for _, takes := range []bool{true, false} {
		shaped, plain := 0, 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				Format *struct {
					Type   string `json:"type"`
					Schema struct {
						Schema json.RawMessage `json:"schema"`
					} `json:"json_schema"`
				} `json:"response_format"`
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/json")
			if body.Format == nil {
				plain++
			} else if shaped++; body.Format.Type != "json_schema" || len(body.Format.Schema.Schema) == 0 {
				t.Errorf("%+v", body.Format)
			}
			if body.Format != nil && !takes {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprint(w, `{"error":{"message":"response_format is not supported","type":"invalid_request_error"}}`)
				return
			}
			_, _ = fmt.Fprint(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"<think>…</think>{}"},"finish_reason":"stop"}]}`)
		}))
		llm, err := OpenLLM(context.Background(), LLMOptions{URL: s.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		a := &Asker{Chat: llm, Name: "m"}
		for range 2 {
			p, err := prompts.AskReview(prompts.ReviewInput{Question: "问", Answer: "答"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Ask(context.Background(), p, func(reply string) error {
				if reply != "{}" {
					t.Errorf("%q", reply)
				}
				return nil
			}); err != nil {
				t.Errorf("takes it %v: %v", takes, err)
			}
		}
		s.Close()
		if takes && (shaped != 2 || plain != 0) || !takes && (shaped != 1 || plain != 2) {
			t.Errorf("takes it %v: %d with a shape, %d without", takes, shaped, plain)
		}
	}
}
