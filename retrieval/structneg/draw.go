package structneg

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
)

// draw is the chance of one question and one positive.
type draw struct{ *rand.Rand }

func newDraw(seed uint64, question, positive string) draw {
	key := sha256.Sum256(fmt.Appendf(nil, "%d %q %q", seed, question, positive))
	return draw{rand.New(rand.NewChaCha8(key))} //nolint:gosec // what is drawn is no secret, and must be drawn again by the same seed
}

// some draws n of the ids without putting back, or all of them where they are
// fewer, in drawn order. The first of them do not depend on n.
func (d draw) some(ids []string, n int) []string {
	n = min(n, len(ids))
	out := make([]string, n)
	moved := map[int]int{} // of a shuffle that is not carried out: places whose index is not their own
	at := func(i int) int {
		if j, ok := moved[i]; ok {
			return j
		}
		return i
	}
	for i := range n {
		j := i + d.IntN(len(ids)-i)
		out[i] = ids[at(j)]
		moved[j] = at(i)
	}
	return out
}

// others draws n of the ids that are not in never.
func (d draw) others(ids []string, never map[string]bool, n int) []string {
	out := make([]string, 0, n)
	for _, id := range d.some(ids, n+len(never)) {
		if len(out) < n && !never[id] {
			out = append(out, id)
		}
	}
	return out
}
