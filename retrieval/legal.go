package retrieval

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// LegalFile holds Legal in the folder of the encoder.
const LegalFile = "legal.json"

// Legal tells questions of law from others by their vectors: a logistic regression over
// the question's vector in the dense path. A statute book has a neighbour for every
// question, also for one about cooking.
type Legal struct {
	Encoder string    `json:"encoder"` // whose vectors these are
	Weights []float64 `json:"weights"`
	Bias    float64   `json:"bias"`
}

// Score is the log-odds that a question with this vector is one of law.
func (l *Legal) Score(v []float32) float64 {
	sum := l.Bias
	for i, w := range l.Weights {
		sum += w * float64(v[i])
	}
	return sum
}

// OpenLegal reads the file that lies with the encoder. Its error is fs.ErrNotExist where
// there is none.
func OpenLegal(dir, encoder string, dim int) (*Legal, error) {
	path := filepath.Join(dir, LegalFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read what tells questions of law: %w", err)
	}
	l := &Legal{}
	if err := json.Unmarshal(raw, l); err != nil {
		return nil, fmt.Errorf("%s is broken: %w", path, err)
	}
	if l.Encoder != encoder || len(l.Weights) != dim {
		return nil, fmt.Errorf("%s was made for another encoder than the one in use", path)
	}
	return l, nil
}

// everydayBelow is the log-odds below which a question is not one of law: with a bound on
// similarity, 19 of 20 everyday questions are turned away, and of questions of law none
// that similarity alone would not (docs/results.md).
const everydayBelow = -1

// How Legal is learned: chosen by five folds of the training questions.
const (
	legalPenalty = 3    // of the weights, L2
	legalSteps   = 3000 // of gradient descent with momentum; it has converged long before
)

// LearnLegal learns from the vectors of questions of law and of others, which count as
// much as a whole.
func LearnLegal(encoder string, law, other [][]float32) (*Legal, error) {
	if len(law) == 0 || len(other) == 0 {
		return nil, errors.New("it takes questions of law and others")
	}
	dim := len(law[0])
	n := float64(len(law) + len(other))
	mean := make([]float64, dim)
	for _, set := range [][][]float32{law, other} {
		for _, v := range set {
			for i := range v {
				mean[i] += float64(v[i]) / n
			}
		}
	}
	w, at, speed, gradient := make([]float64, dim+1), make([]float64, dim+1), make([]float64, dim+1), make([]float64, dim+1)
	const momentum = .95
	step := 1 / (n/4 + legalPenalty)
	for range legalSteps {
		for i := range w {
			at[i] = w[i] + momentum*speed[i]
			gradient[i] = 0
			if i < dim {
				gradient[i] = legalPenalty * at[i]
			}
		}
		for side, set := range [][][]float32{other, law} {
			weight := n / 2 / float64(len(set))
			for _, v := range set {
				sum := at[dim]
				for i := range v {
					sum += at[i] * (float64(v[i]) - mean[i])
				}
				off := weight * (1/(1+math.Exp(-sum)) - float64(side))
				for i := range v {
					gradient[i] += off * (float64(v[i]) - mean[i])
				}
				gradient[dim] += off
			}
		}
		for i := range w {
			speed[i] = momentum*speed[i] - step*gradient[i]
			w[i] += speed[i]
		}
	}
	l := &Legal{Encoder: encoder, Weights: w[:dim], Bias: w[dim]}
	for i := range l.Weights {
		l.Bias -= l.Weights[i] * mean[i]
		l.Weights[i] = math.Round(l.Weights[i]*1e4) / 1e4
	}
	l.Bias = math.Round(l.Bias*1e4) / 1e4
	return l, nil
}
