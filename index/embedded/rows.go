package embedded

import "context"

// Vectors returns how many documents have a vector yet, of how many.
func (s *Store) Vectors() (done, total int) {
	if s.acquire(context.Background()) != nil {
		return 0, s.Len()
	}
	defer s.release()
	v, err := s.openVectors()
	if err != nil {
		return 0, s.Len()
	}
	return v.rows(), s.Len()
}

// Units is how many documents are no chunks. They come first, so vectors of units
// are complete when that many are done.
func (s *Store) Units() int { return s.manifest.Statistics.Units }

// VectorEncoder names the encoder that made the vectors, "" when there are none.
func (s *Store) VectorEncoder() string {
	if s.acquire(context.Background()) != nil {
		return ""
	}
	defer s.release()
	v, err := s.openVectors()
	if err != nil || v == nil {
		return ""
	}
	return v.header.encoder
}

// Vector returns a copy of the vector of document i, nil when it has none yet.
func (s *Store) Vector(i int) []float32 {
	if s.acquire(context.Background()) != nil {
		return nil
	}
	defer s.release()
	v, err := s.openVectors()
	if err != nil || i < 0 || i >= v.rows() {
		return nil
	}
	return append([]float32(nil), v.row(i)...)
}
