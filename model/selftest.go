package model

import (
	"context"
	"fmt"
)

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
	q, err := e.Encode(ctx, []string{selfTest.query}, Query)
	if err != nil {
		return err
	}
	p, err := e.Encode(ctx, []string{selfTest.near, selfTest.far}, Passage)
	if err != nil {
		return err
	}
	near, far := dot(q[0], p[0]), dot(q[0], p[1])
	if near-far < selfTestMargin {
		return fmt.Errorf("the encoder %s doesn't tell related Chinese sentences from unrelated ones (%.3f and %.3f): its files or the ONNX Runtime library don't suit this machine", e.Name(), near, far)
	}
	return nil
}

// dot is the inner product; of unit vectors, the cosine.
func dot(a, b []float32) float32 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
