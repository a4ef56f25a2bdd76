package model

import (
	"context"
	"errors"
	"fmt"
)

// ErrUnlike is returned by self-tests for an encoder that works and is of no use.
var ErrUnlike = errors.New("doesn't tell related Chinese sentences from unrelated ones")

// selfTest is a question, the article that answers it, and one on another matter.
var selfTest = struct{ query, near, far string }{
	query: "公司拖欠工资怎么办？",
	near:  "用人单位应当按照劳动合同约定和国家规定，向劳动者及时足额支付劳动报酬。",
	far:   "船舶在港内停泊，应当遵守港口的交通管制规定，并显示规定的号灯和号型。",
}

// selfTestMargin is how much nearer the answer must be. The shipped encoder's
// margin is several times this; a model that saturates on the processor at hand,
// or a tokenizer of another model, has none.
const selfTestMargin = 0.05

// SelfTest encodes a question and two articles, and returns an error unless the one
// that answers it is clearly nearer. It takes some ten milliseconds.
func (e *Encoder) SelfTest(ctx context.Context) error {
	near, far, err := similarities(ctx, e.Encode)
	if err == nil && near-far < selfTestMargin {
		err = fmt.Errorf("the encoder %s %w (%.3f and %.3f): its files or the ONNX Runtime library don't suit this machine", e.Name(), ErrUnlike, near, far)
	}
	return err
}

// SelfTest does the same over the endpoint, without a margin: models differ in how
// near they put what is unrelated. It is as impatient as a question: an endpoint that
// is away shows within seconds.
func (r *Remote) SelfTest(ctx context.Context) error {
	asQuery := func(ctx context.Context, texts []string, _ Role) ([][]float32, error) {
		return r.Encode(ctx, texts, Query)
	}
	near, far, err := similarities(ctx, asQuery)
	if err == nil && near <= far {
		err = fmt.Errorf("it %w (%.3f and %.3f): choose a model that knows Chinese", ErrUnlike, near, far)
	}
	return err
}

// similarities are those of the question to the article that answers it, and to
// the other.
func similarities(ctx context.Context, encode func(context.Context, []string, Role) ([][]float32, error)) (near, far float32, err error) {
	q, err := encode(ctx, []string{selfTest.query}, Query)
	if err != nil {
		return 0, 0, err
	}
	p, err := encode(ctx, []string{selfTest.near, selfTest.far}, Passage)
	if err != nil {
		return 0, 0, err
	}
	return dot(q[0], p[0]), dot(q[0], p[1]), nil
}

// dot is the inner product; of unit vectors, the cosine.
func dot(a, b []float32) float32 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
