package experiment

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	llm "lexagent/model"
)

// reached is a language model that notes where it could not be had. The answer graph
// answers without it then, as a server must; a row of an experiment must not mix the
// two.
type reached struct{ model.BaseChatModel }

type failureKey struct{}

// watch returns a context for one answer, and what tells whether the language model
// failed in it.
func watch(ctx context.Context) (context.Context, func() error) {
	var failed atomic.Pointer[error]
	return context.WithValue(ctx, failureKey{}, &failed), func() error {
		if err := failed.Load(); err != nil {
			return fmt.Errorf("the language model can't be had (what is done is kept, run it again to go on): %w", *err)
		}
		return nil
	}
}

// note keeps an error that another try may not have. A call that the endpoint rejects
// as it stands is the generator's own failure, and counts as such.
func note(ctx context.Context, err error) {
	if failed, ok := ctx.Value(failureKey{}).(*atomic.Pointer[error]); ok && err != nil && ctx.Err() == nil && !llm.Rejected(err) {
		failed.Store(&err)
	}
}

// Generate implements model.BaseChatModel.
func (r reached) Generate(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.Message, error) {
	m, err := r.BaseChatModel.Generate(ctx, in, o...)
	note(ctx, err)
	return m, err
}

// Stream implements model.BaseChatModel.
func (r reached) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	s, err := r.BaseChatModel.Stream(ctx, in, o...)
	note(ctx, err)
	return s, err
}
