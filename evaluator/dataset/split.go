package dataset

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Parts are the names of the parts of a split, in the order of the shares.
var Parts = []string{"train", "dev", "test"}

// ParseShares reads three shares, such as 7:1:2.
func ParseShares(s string) ([]int, error) {
	var shares []int
	for part := range strings.SplitSeq(s, ":") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			break
		}
		shares = append(shares, n)
	}
	if len(shares) != len(Parts) || strings.Count(s, ":") != 2 {
		return nil, fmt.Errorf("the split %q must be three whole numbers, such as 7:1:2", s)
	}
	return shares, nil
}

// Together says what a split keeps together.
type Together string

// What can be kept together. The zero value is what the file tells: the group where a
// question has one, else its document.
const (
	BySeed     Together = "seed"     // the statements of a seed question
	ByDialogue Together = "dialogue" // the turns of a dialogue
	ByDocument Together = "document" // the questions on a document
)

// Split parts questions by shares (7, 1, 2 makes 70 %, 10 % and 20 %). Questions of
// one group stay together: the statements of a seed question, the turns of a
// conversation, the questions on a document would else tell a model in training
// what it is tested on. Groups are drawn by the seed; within a part the questions
// keep their order. A share of 0 makes an empty part.
func Split(qs []Question, shares []int, by Together, seed uint64) ([][]Question, error) {
	total := 0
	for _, s := range shares {
		if s < 0 {
			return nil, fmt.Errorf("a share must not be negative, like %d", s)
		}
		total += s
	}
	if total == 0 {
		return nil, fmt.Errorf("the shares %v are all 0", shares)
	}
	size := map[string]int{}
	var groups []string
	for i := range qs {
		g, err := qs[i].group(by)
		if err != nil {
			return nil, err
		}
		if size[g] == 0 {
			groups = append(groups, g)
		}
		size[g]++
	}
	rng := rand.New(rand.NewPCG(seed, 0x73706c6974))
	rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	part := make(map[string]int, len(groups))
	p, upTo, given := 0, shares[0], 0
	for _, g := range groups {
		// A part is full when no question more brings it nearer to its share.
		for p < len(shares)-1 && (2*given+size[g])*total > 2*upTo*len(qs) {
			p++
			upTo += shares[p]
		}
		part[g] = p
		given += size[g]
	}
	out := make([][]Question, len(shares))
	for i := range qs {
		g, _ := qs[i].group(by) // it had one above
		p := part[g]
		out[p] = append(out[p], qs[i])
	}
	return out, nil
}

// group is what a question must not be parted from.
func (q *Question) group(by Together) (string, error) {
	switch {
	case by != "" && by != BySeed && by != ByDialogue && by != ByDocument:
		return "", fmt.Errorf("a split keeps together by %s, %s or %s, not by %q", BySeed, ByDialogue, ByDocument, by)
	case by == ByDocument && q.Document == "":
		return "", fmt.Errorf("question %s has no document to be kept together by", q.ID)
	case (by == BySeed || by == ByDialogue) && q.Group == "":
		return "", fmt.Errorf("question %s has no %s to be kept together by", q.ID, by)
	case by == ByDocument:
		return "document " + q.Document, nil
	}
	return q.together(), nil
}

// together is what the file tells that a question must not be parted from.
func (q *Question) together() string {
	switch {
	case q.Group != "":
		return "group " + q.Group
	case q.Document != "":
		return "document " + q.Document
	}
	return "question " + q.ID
}
