package retrieval

import (
	"context"
	"strconv"

	"lexagent/model"
	"lexagent/state"
)

// questionBytes is how much of questions and their vectors is kept, some hundreds.
const questionBytes = 1 << 20

// Questions is an encoder that knows the last questions' vectors: the search and the
// reader of its hits ask for the same two, and so do the searches of a second round. It
// is safe for concurrent use, and nobody writes to the vectors.
type Questions struct {
	Encoder
	known *state.Recent[[]float32]
}

// RememberQuestions makes one of an encoder.
func RememberQuestions(e Encoder) *Questions {
	return &Questions{Encoder: e, known: state.NewRecent[[]float32](questionBytes)}
}

// Encode returns one vector a text. Passages are not kept.
func (q *Questions) Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error) {
	if role == model.Passage || len(texts) != 1 {
		return q.Encoder.Encode(ctx, texts, role)
	}
	key := strconv.Itoa(int(role)) + texts[0]
	if v, ok := q.known.Get(key); ok {
		return [][]float32{v}, nil
	}
	vs, err := q.Encoder.Encode(ctx, texts, role)
	if err == nil {
		q.known.Put(key, vs[0], 4*len(vs[0]))
	}
	return vs, err
}
