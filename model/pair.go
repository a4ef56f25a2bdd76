package model

import (
	"encoding/json"
	"fmt"
	"os"
)

// pairTokenizer cuts a question and a passage into the one sequence that a
// cross-encoder reads.
type pairTokenizer interface {
	// pair returns the ids and, for each, which text it is of (0 or 1, as BERT counts;
	// models without token types don't look). At most limit ids: the question has at
	// most half of them, and the passage's tail is cut.
	pair(question, passage string, limit int) (ids, types []int64)
}

// readPairTokenizer reads a tokenizer.json of BERT's kind or of XLM-R's.
func readPairTokenizer(path string) (pairTokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the tokenizer: %w", err)
	}
	t, err := parsePairTokenizer(data)
	if err != nil {
		return nil, fmt.Errorf("read the tokenizer %s: %w", path, err)
	}
	return t, nil
}

func parsePairTokenizer(data []byte) (pairTokenizer, error) {
	var f struct {
		Model struct {
			Type string `json:"type"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is damaged or not JSON: %w", err)
	}
	switch f.Model.Type {
	case "Unigram":
		return parseUnigram(data)
	case "WordPiece":
		return parseTokenizer(data)
	}
	return nil, fmt.Errorf("it holds %q, and only WordPiece and Unigram are understood", f.Model.Type)
}

// pair is [CLS] question [SEP] passage [SEP].
func (t *Tokenizer) pair(question, passage string, limit int) (ids, types []int64) {
	ids = t.Encode(question, limit/2)
	first := len(ids)
	ids = append(ids, t.Encode(passage, limit-first+1)[1:]...)
	types = make([]int64, len(ids))
	for i := first; i < len(ids); i++ {
		types[i] = 1
	}
	return ids, types
}

// pair is <s> question </s> </s> passage </s>.
func (u *unigram) pair(question, passage string, limit int) (ids, types []int64) {
	const control = 4
	q := u.encode(question, max(limit/2-2, 0))
	ids = append(ids, u.begin...)
	ids = append(ids, q...)
	ids = append(ids, u.end...)
	ids = append(ids, u.end...)
	ids = append(ids, u.encode(passage, max(limit-control-len(q), 0))...)
	ids = append(ids, u.end...)
	return ids, make([]int64, len(ids))
}

var (
	_ pairTokenizer = (*Tokenizer)(nil)
	_ pairTokenizer = (*unigram)(nil)
)
