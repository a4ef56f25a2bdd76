package model

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"lexagent/prompts"
	"lexagent/state"
)

// script is a model that gives its lines one after the other; "down" fails, and
// "hang" waits for the context to end.
type script struct {
	lines []string
	asked [][]*schema.Message
}

func (s *script) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	line := s.lines[min(len(s.asked), len(s.lines)-1)]
	s.asked = append(s.asked, in)
	switch line {
	case "down":
		return nil, errors.New("connection refused")
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &schema.Message{Content: line, ResponseMeta: &schema.ResponseMeta{Usage: &schema.TokenUsage{PromptTokens: 10, CompletionTokens: 2}}}, nil
}

func newAsker(t *testing.T, lines ...string) (*Asker, *script) {
	t.Helper()
	r, err := state.OpenReplies(filepath.Join(t.TempDir(), "replies.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := &script{lines: lines}
	return &Asker{Chat: s, Name: "m", Replies: r, Pause: time.Millisecond}, s
}

func intentPrompt(t *testing.T, text string) prompts.Prompt {
	t.Helper()
	p, err := prompts.QuestionIntent(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(ctx context.Context, t *testing.T, a *Asker, text string) (prompts.Intent, Usage, error) {
	t.Helper()
	var i prompts.Intent
	used, err := a.Ask(ctx, intentPrompt(t, text), func(reply string) (err error) {
		i, err = prompts.ParseIntent(reply)
		return err
	})
	return i, used, err
}

func TestAsk(t *testing.T) {
	const good = `{"intent":"Procedure"}`
	for _, c := range []struct {
		name  string
		lines []string
		used  Usage
		err   error
	}{
		{"a good reply", []string{good}, Usage{Calls: 1, PromptTokens: 10, CompletionTokens: 2}, nil},
		{"a bad reply first", []string{"程序", good}, Usage{Calls: 2, PromptTokens: 20, CompletionTokens: 4}, nil},
		{"a failure first", []string{"down", good}, Usage{Calls: 2, PromptTokens: 10, CompletionTokens: 2}, nil},
		{"never good", []string{"Sorry."}, Usage{Calls: 3, PromptTokens: 30, CompletionTokens: 6}, ErrRefused},
		{"always down", []string{"down"}, Usage{Calls: 3}, ErrUnreached},
	} {
		a, s := newAsker(t, c.lines...)
		i, used, err := ask(t.Context(), t, a, "怎么申请？")
		if used != c.used || !errors.Is(err, c.err) || c.err == nil && i != prompts.Procedure {
			t.Errorf("%s: %q, %+v, %v", c.name, i, used, err)
		}
		if len(s.asked) != c.used.Calls {
			t.Errorf("%s: %d calls", c.name, len(s.asked))
		}
		_, again, err := ask(t.Context(), t, a, "怎么申请？")
		if kept := (Usage{Kept: 1}); !errors.Is(err, c.err) || (again == kept) == errors.Is(c.err, ErrUnreached) {
			t.Errorf("%s, asked again: %+v, %v", c.name, again, err)
		}
	}
	a, s := newAsker(t, "程序", good)
	if _, _, err := ask(t.Context(), t, a, "怎么申请？"); err != nil {
		t.Fatal(err)
	}
	if m := s.asked[1]; len(m) != 4 || m[2].Content != "程序" || !strings.Contains(m[3].Content, "不是所要求的 JSON 对象") {
		t.Errorf("the model was told %v", m)
	}
}

// Kept replies need no model; another model's or another question's aren't taken for them.
func TestKeptRepliesNeedNoModel(t *testing.T) {
	a, _ := newAsker(t, `{"intent":"Others"}`)
	if _, _, err := ask(t.Context(), t, a, "问一"); err != nil {
		t.Fatal(err)
	}
	a.Chat = nil
	if i, used, err := ask(t.Context(), t, a, "问一"); err != nil || i != prompts.Others || used != (Usage{Kept: 1}) {
		t.Errorf("%q, %+v, %v", i, used, err)
	}
	if _, _, err := ask(t.Context(), t, a, "问二"); !errors.Is(err, ErrNoModel) {
		t.Errorf("another question: %v", err)
	}
	accept := func(string) error { return nil }
	if !a.Known(intentPrompt(t, "问一"), accept) || a.Known(intentPrompt(t, "问二"), accept) {
		t.Error("what is known is not what was asked")
	}
	a.Name = "n"
	if _, _, err := ask(t.Context(), t, a, "问一"); !errors.Is(err, ErrNoModel) {
		t.Errorf("another model: %v", err)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	a, _ := newAsker(t, "hang")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, used, err := ask(ctx, t, a, "问"); !errors.Is(err, context.DeadlineExceeded) || used.Calls != 1 {
		t.Errorf("%+v, %v", used, err)
	}
}
