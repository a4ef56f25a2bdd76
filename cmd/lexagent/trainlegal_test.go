package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"lexagent/model"
	"lexagent/retrieval"
)

// How a question is put does not decide whether it is one of law.
func TestFormsOfOneQuestion(t *testing.T) {
	const dir = "../../model/pretrained"
	e, err := model.OpenEncoder(dir, model.Options{Library: library(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l, err := retrieval.OpenLegal(dir, e.Tuned(), e.Dim())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../training/questions/everyday.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var first struct{ Question string }
	if err := json.Unmarshal(bytes.SplitN(raw, []byte("\n"), 2)[0], &first); err != nil {
		t.Fatal(err)
	}
	for question, law := range map[string]bool{"公司不签劳动合同怎么赔偿": true, "遗嘱需要公证吗？": true, first.Question: false} {
		all := forms(question)
		vs, err := e.Encode(context.Background(), all, model.Tuned)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range vs {
			if got := l.Score(v); got > 0 != law {
				t.Errorf("%s: %.2f", all[i], got)
			}
		}
	}
}
