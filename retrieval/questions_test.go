package retrieval

import (
	"context"
	"errors"
	"testing"

	"lexagent/model"
)

// countingEncoder counts what it encodes, and fails while it is away.
type countingEncoder struct {
	letterEncoder
	calls int
	away  error
}

func (e *countingEncoder) Digest() string { return "counting" }

func (e *countingEncoder) Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error) {
	e.calls++
	if e.away != nil {
		return nil, e.away
	}
	return e.letterEncoder.Encode(ctx, texts, role)
}

// A question is encoded once a role; an error is not remembered, and passages are not kept.
func TestQuestionsAreEncodedOnce(t *testing.T) {
	ctx, e := context.Background(), &countingEncoder{away: errors.New("away")}
	q := RememberQuestions(e)
	ask := func(text string, role model.Role, calls int, want error) {
		t.Helper()
		before := e.calls
		vs, err := q.Encode(ctx, []string{text}, role)
		if !errors.Is(err, want) || want == nil && len(vs) != 1 {
			t.Errorf("%s: %v, %v", text, vs, err)
		}
		if n := e.calls - before; n != calls {
			t.Errorf("%s: %d calls, want %d", text, n, calls)
		}
	}
	ask("离婚", model.Tuned, 1, e.away)
	e.away = nil
	ask("离婚", model.Tuned, 1, nil)
	ask("离婚", model.Tuned, 0, nil)
	ask("离婚", model.Query, 1, nil)
	ask("离婚", model.Query, 0, nil)
	ask("离婚", model.Passage, 1, nil)
	ask("离婚", model.Passage, 1, nil)
}
