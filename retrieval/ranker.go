package retrieval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lexagent/statute"
)

// Files of a ranker, which lie in the folder of the encoder that it was trained with.
const (
	RankerFile = "ranker.json" // the trees
	AskedFile  = "asked.json"  // the questions of the training data
)

// Ranker orders candidates in the mode Fast. It is safe for concurrent use.
type Ranker struct {
	asked *Asked
	trees *trees // nil while one is trained: candidates keep the order of their tuned similarity
}

// OpenRanker opens the ranker in dir. tuned is the identity of the encoder's tuned
// model (Encoder.Tuned). A folder without a ranker gives an error that is
// fs.ErrNotExist; one with the questions and no trees has a ranker to train with.
func OpenRanker(dir, tuned string) (*Ranker, error) {
	path := filepath.Join(dir, AskedFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the questions of training: %w", err)
	}
	r := &Ranker{}
	if r.asked, err = readAsked(raw, tuned); err != nil {
		return nil, unusable("questions of training", path, err)
	}
	path = filepath.Join(dir, RankerFile)
	raw, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ranker: %w", err)
	}
	if r.trees, err = readTrees(raw, Features()); err != nil {
		return nil, unusable("ranker", path, err)
	}
	return r, nil
}

// unusable says what to do about a file of the ranker that can't be used.
func unusable(what, path string, err error) error {
	return fmt.Errorf("the %s %s can't be used (is it truncated, or of another encoder?): fetch it again (in a checkout: `git restore %s`), or make it again as training/README.md says: %w", what, path, path, err)
}

// UnitKey is the id of a unit without the version of its law, 民法典:1077, by which
// a ranker remembers it. "" for what is no id of a unit.
func UnitKey(id string) string {
	parsed, err := statute.ParseID(id)
	if err != nil || parsed.Key == "" {
		return ""
	}
	return parsed.Law + ":" + parsed.Key
}

// lawOf is the law of a unit's key.
func lawOf(key string) string {
	parsed, err := statute.ParseID(key)
	if err != nil {
		return ""
	}
	return parsed.Law
}
