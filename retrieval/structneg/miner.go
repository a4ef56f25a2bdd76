package structneg

import (
	"fmt"
	"math"
	"slices"

	"lexagent/statute"
)

// Method names a way to mine.
type Method string

// The methods (LexPath, Table 3).
const (
	StructNeg Method = "structneg" // of the positive's level and the adjacent ones, and its citations
	Random    Method = "random"    // of the whole corpus
	ANN       Method = "ann"       // of what the encoder found
)

// Methods lists the methods in the order in which help texts name them.
var Methods = []Method{StructNeg, Random, ANN}

// Settings are what the paper leaves open.
type Settings struct {
	Method Method `json:"negatives"`
	K      int    `json:"k"`      // depth of the dense search; what lies deeper is no candidate
	M      int    `json:"m"`      // negatives drawn for one positive; citation neighbours come on top
	Shares Shares `json:"shares"` // of M, by level
	Out    bool   `json:"out_edges"`
	In     bool   `json:"in_edges"` // add what the positive cites (Out), and what cites it (In)
	Seed   uint64 `json:"seed"`
}

// Shares says how much of M each level is to bring, relative to the positive's. A
// level that can't fill its places leaves them to the others; one with the share 0
// brings nothing.
type Shares struct {
	Same  float64 `json:"same"`
	Above float64 `json:"above"` // one level nearer to the constitution
	Below float64 `json:"below"`
}

// Default are the settings where nobody says otherwise. M is what FlagEmbedding's
// trainer takes beside a positive by default.
var Default = Settings{Method: StructNeg, K: 200, M: 7, Shares: Shares{0.7, 0.15, 0.15}, Out: true, In: true, Seed: 13}

func (s *Settings) check() error {
	sum := s.Shares.Same + s.Shares.Above + s.Shares.Below
	switch {
	case !slices.Contains(Methods, s.Method):
		return fmt.Errorf("there are no negatives %q: use structneg, random or ann", s.Method)
	case s.K < 1:
		return fmt.Errorf("the depth K is %d; it must be 1 or more", s.K)
	case s.M < 0:
		return fmt.Errorf("the budget M is %d; it must be 0 or more", s.M)
	case !(s.Shares.Same >= 0 && s.Shares.Above >= 0 && s.Shares.Below >= 0 && math.Abs(sum-1) < 1e-9):
		return fmt.Errorf("the shares are %v, %v and %v; they must be 0 or more and add up to 1", s.Shares.Same, s.Shares.Above, s.Shares.Below)
	}
	return nil
}

// Miner mines one corpus with one set of settings. It is safe for concurrent use.
type Miner struct {
	corpus *Corpus
	s      Settings
}

// NewMiner checks the settings. The corpus must not change afterwards.
func NewMiner(c *Corpus, s Settings) (*Miner, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return &Miner{c, s}, nil
}

// Question is a question with the units that govern it, all of them in the corpus.
type Question struct {
	ID    string
	Text  string
	Golds []string
}

// Mined are the negatives of one question and one positive.
type Mined struct {
	Positive string
	Sampled  []string // drawn within M
	Cited    []string // citation neighbours that come beyond it
}

// All are both kinds, the drawn ones first.
func (m *Mined) All() []string { return slices.Concat(m.Sampled, m.Cited) }

// Mine mines once for each gold of a question (Algorithm 1). retrieved are the ids
// of units that the dense search found, best first; Random looks at none.
func (m *Miner) Mine(q *Question, retrieved []string) []Mined {
	never := map[string]bool{}
	for _, id := range m.corpus.same(q.Golds) {
		never[id] = true
	}
	candidates := m.candidates(retrieved, never)
	out := make([]Mined, len(q.Golds))
	for i, positive := range q.Golds {
		d := newDraw(m.s.Seed, q.ID, positive)
		out[i].Positive = positive
		switch m.s.Method {
		case Random:
			out[i].Sampled = d.others(m.corpus.ids, never, m.s.M)
		case ANN:
			out[i].Sampled = d.some(candidates, m.s.M)
		case StructNeg:
			out[i].Sampled = m.byLevel(candidates, m.corpus.Level(positive), d)
			out[i].Cited = m.neighbours(positive, never, out[i].Sampled)
		}
	}
	return out
}

// candidates are the first K of what was retrieved without what is never a
// negative (lines 5 and 6), in the order of ids. What the corpus does not have has
// left the book since the index was made.
func (m *Miner) candidates(retrieved []string, never map[string]bool) []string {
	out := slices.Clone(retrieved[:min(m.s.K, len(retrieved))])
	out = slices.DeleteFunc(out, func(id string) bool { return never[id] || m.corpus.units[id] == nil })
	slices.Sort(out)
	return slices.Compact(out)
}

// byLevel draws M candidates of the positive's level and the adjacent ones (lines 7
// to 17). Each place goes to the level that lacks most of its share, as long as it
// has candidates. Without a hierarchy all are of one level, and it is ANN's draw.
func (m *Miner) byLevel(candidates []string, level statute.Level, d draw) []string {
	buckets := map[statute.Level][]string{}
	for _, id := range candidates {
		l := m.corpus.Level(id)
		buckets[l] = append(buckets[l], id)
	}
	targets := m.targets(level)
	for i := range targets {
		targets[i].left = d.some(buckets[targets[i].level], m.s.M)
	}
	d.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] }) // who is first among equals
	var out []string
	for len(out) < m.s.M {
		next := -1
		for i, t := range targets {
			if len(t.left) > 0 && (next < 0 || t.lacks > targets[next].lacks) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		t := &targets[next]
		out = append(out, t.left[0])
		t.left = t.left[1:]
		t.lacks--
	}
	return out
}

// target is a level that negatives are drawn from.
type target struct {
	level statute.Level
	lacks float64  // of its places
	left  []string // its candidates, as drawn
}

// targets are the positive's level and, among the ordered ones, those beside it
// (lines 8 to 16), as far as they have a share.
func (m *Miner) targets(level statute.Level) []target {
	places := func(share float64) float64 { return share * float64(m.s.M) }
	out := []target{{level: level, lacks: places(m.s.Shares.Same)}}
	if level.Ordered() {
		out = append(out, target{level: level - 1, lacks: places(m.s.Shares.Above)}, target{level: level + 1, lacks: places(m.s.Shares.Below)})
	}
	return slices.DeleteFunc(out, func(t target) bool {
		return t.lacks == 0 || t.level != level && !t.level.Ordered()
	})
}

// neighbours are the citation neighbours of a positive (lines 18 and 19) that may
// be negatives and are not drawn yet, in the order of ids.
func (m *Miner) neighbours(positive string, never map[string]bool, drawn []string) []string {
	var out []string
	if m.s.Out {
		out = slices.Concat(out, m.corpus.out[positive])
	}
	if m.s.In {
		out = slices.Concat(out, m.corpus.in[positive])
	}
	out = slices.DeleteFunc(out, func(id string) bool { return never[id] || slices.Contains(drawn, id) })
	slices.Sort(out)
	return slices.Compact(out)
}
