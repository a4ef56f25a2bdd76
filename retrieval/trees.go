package retrieval

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// trees are gradient-boosted regression trees whose sum orders candidates
// (LambdaMART, Burges 2010). They are trained elsewhere and only run here.
type trees struct {
	Features []string `json:"features"` // what the columns of a row mean
	Trees    []tree   `json:"trees"`
}

// tree is one tree as parallel lists over its inner nodes, the root first. A row
// goes left when its feature is at most the node's threshold. A child c ≥ 0 is an
// inner node; c < 0 is the leaf −c−1.
type tree struct {
	Feature   []int     `json:"feature"`
	Threshold []float64 `json:"threshold"`
	Left      []int     `json:"left"`
	Right     []int     `json:"right"`
	Leaf      []float64 `json:"leaf"`
}

// readTrees reads trees and checks that they can be run on rows of features.
func readTrees(data []byte, features []string) (*trees, error) {
	var t trees
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, err
	}
	if !slices.Equal(t.Features, features) {
		return nil, errors.New("it was trained on other features than this program computes")
	}
	for i := range t.Trees {
		if err := t.Trees[i].check(len(features)); err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
	}
	return &t, nil
}

// check makes sure that a walk from the root ends at a leaf: children come after
// their parents.
func (t *tree) check(features int) error {
	n := len(t.Feature)
	if len(t.Threshold) != n || len(t.Left) != n || len(t.Right) != n || len(t.Leaf) != n+1 {
		return errors.New("its lists have the wrong lengths")
	}
	for i := range n {
		if t.Feature[i] < 0 || t.Feature[i] >= features {
			return fmt.Errorf("node %d asks for feature %d", i, t.Feature[i])
		}
		for _, c := range []int{t.Left[i], t.Right[i]} {
			if c >= n || c >= 0 && c <= i || c < 0 && -c-1 > n {
				return fmt.Errorf("node %d has the child %d", i, c)
			}
		}
	}
	return nil
}

// score is the sum of the leaves that row falls into.
func (t *trees) score(row []float64) float64 {
	sum := 0.0
	for i := range t.Trees {
		sum += t.Trees[i].value(row)
	}
	return sum
}

func (t *tree) value(row []float64) float64 {
	at := 0
	if len(t.Feature) == 0 {
		return t.Leaf[0]
	}
	for at >= 0 {
		if row[t.Feature[at]] <= t.Threshold[at] {
			at = t.Left[at]
		} else {
			at = t.Right[at]
		}
	}
	return t.Leaf[-at-1]
}
