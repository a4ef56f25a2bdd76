package retrieval

import "math"

// What the questions of training add to the similarity of a unit that governs them, in a
// search by vectors alone. Chosen on five folds of STARD's training questions and dev
// (docs/results.md). The ranker sees the same in features of its own.
const (
	askedOften = .005 // by log(1 + how many it governs)
	askedNear  = .1   // by how near those are: see recalled.mass
)

// remembers reports whether the search by vectors looks at questions of training: they
// lie beside the ranker, and are of the question's encoder.
func (s *search) remembers() bool {
	return s.result.Mode == Dense && s.engine.Ranker != nil && !s.q.without(Memory) && !s.q.without(StructNeg)
}

// remember orders candidates by similarity and memory, and keeps as many as are asked for.
// A unit that no question of training names keeps its similarity.
func (s *search) remember(found []candidate) []candidate {
	asked := s.engine.Ranker.asked
	near := asked.near(s.dense)
	for i := range found {
		key := UnitKey(found[i].id)
		found[i].score += askedOften*math.Log1p(float64(asked.counts[key])) + askedNear*near[key].mass
	}
	best(found)
	return found[:min(len(found), s.q.Pool)]
}
