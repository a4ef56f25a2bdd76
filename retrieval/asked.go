package retrieval

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/viterin/vek/vek32"
)

// Asked are the questions of the training data as vectors, with the articles that
// govern them: a question much like one of them is probably about its articles.
// There is no text of a question in it.
type Asked struct {
	vectors [][]float32
	golds   [][]string     // keys of units (UnitKey), parallel to vectors
	counts  map[string]int // how often a unit, or a law, is gold
}

// AskedQuestion is one question: its unit vector by the tuned model, and the keys
// of the units that govern it.
type AskedQuestion struct {
	Vector []float32
	Gold   []string
}

// askedFile is how Asked lies on disk.
type askedFile struct {
	Encoder   string         `json:"encoder"` // Encoder.Tuned of the model that made the vectors
	Questions []askedEncoded `json:"questions"`
}

type askedEncoded struct {
	Gold   []string `json:"gold"`
	Vector string   `json:"vector"` // base64 of signed bytes; the unit vector times a scale
}

// EncodeAsked makes the file of Asked from questions; encoder is the identity of
// the model that made their vectors.
func EncodeAsked(encoder string, questions []AskedQuestion) ([]byte, error) {
	f := askedFile{Encoder: encoder}
	for _, q := range questions {
		largest := 0.0
		for _, x := range q.Vector {
			largest = max(largest, math.Abs(float64(x)))
		}
		if largest == 0 {
			return nil, errors.New("a question has the zero vector")
		}
		b := make([]byte, len(q.Vector))
		for i, x := range q.Vector {
			b[i] = byte(int8(math.Round(float64(x) / largest * 127)))
		}
		f.Questions = append(f.Questions, askedEncoded{q.Gold, base64.StdEncoding.EncodeToString(b)})
	}
	return json.Marshal(f)
}

// readAsked reads what EncodeAsked made.
func readAsked(data []byte, encoder string) (*Asked, error) {
	var f askedFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Encoder != encoder {
		return nil, errors.New("its vectors were made by another model than the one in use")
	}
	a := &Asked{counts: map[string]int{}}
	for i, q := range f.Questions {
		b, err := base64.StdEncoding.DecodeString(q.Vector)
		if err != nil {
			return nil, fmt.Errorf("question %d: %w", i, err)
		}
		if i > 0 && len(b) != len(a.vectors[0]) {
			return nil, fmt.Errorf("question %d has a vector of another length", i)
		}
		a.vectors = append(a.vectors, unit(b))
		a.golds = append(a.golds, q.Gold)
		for _, key := range q.Gold {
			a.counts[key]++
			a.counts[lawOf(key)]++
		}
	}
	return a, nil
}

// unit turns signed bytes into a vector of length 1.
func unit(b []byte) []float32 {
	v := make([]float32, len(b))
	sum := 0.0
	for i, x := range b {
		v[i] = float32(int8(x))
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// recalled is what the questions near to one tell of a unit.
type recalled struct {
	best float64 // similarity of the nearest question that it governs
	mass float64 // Σ exp((similarity − 1)/askedWidth) over all that it governs
}

// askedWidth is how fast the say of a question fades with its distance.
const askedWidth = 0.1

// near returns what the questions tell about the units they are governed by.
func (a *Asked) near(v []float32) map[string]recalled {
	out := make(map[string]recalled, 2*len(a.vectors))
	for i, q := range a.vectors {
		sim := dot(q, v)
		mass := math.Exp((sim - 1) / askedWidth)
		for _, key := range a.golds[i] {
			r := out[key]
			out[key] = recalled{best: max(r.best, sim), mass: r.mass + mass}
		}
	}
	return out
}

// dot is the inner product of two vectors of one length.
func dot(a, b []float32) float64 { return float64(vek32.Dot(a, b)) }
