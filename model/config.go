package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ConfigFile is the name of the file that describes an encoder in its folder.
const ConfigFile = "config.json"

// How an encoder's output becomes one vector a text.
const (
	PoolNone = "none" // the model's output is already one vector a text: (batch, dim)
	PoolCLS  = "cls"  // the first token's: (batch, tokens, dim) → [:, 0]
	PoolMean = "mean" // the mean of all tokens'
)

// Config describes an encoder: the files beside it and how to use them. Another
// encoder is another folder with another config.json.
type Config struct {
	Name          string `json:"name"`           // for people
	Model         string `json:"model"`          // ONNX file, in the same folder
	ModelSHA256   string `json:"model_sha256"`   // of that file, in hex; empty = not checked
	Tokenizer     string `json:"tokenizer"`      // tokenizer.json, in the same folder
	Dim           int    `json:"dim"`            // length of a vector
	MaxTokens     int    `json:"max_tokens"`     // longer texts are cut
	Pooling       string `json:"pooling"`        // none, cls or mean
	QueryPrefix   string `json:"query_prefix"`   // put before each query
	PassagePrefix string `json:"passage_prefix"` // put before each passage

	// QueryModel is a second ONNX file, of the same shape: the model with its query
	// side tuned on questions, while the passages keep their vectors (see Tuned).
	// Empty = there is none. It is no part of the digest, which is of the passages.
	QueryModel       string `json:"query_model,omitempty"`
	QueryModelSHA256 string `json:"query_model_sha256,omitempty"`

	// Floor is the similarity of the nearest passage below which nothing in a
	// corpus of statutes bears on a question; 0 = not calibrated. It decides
	// nothing about the vectors and is no part of the digest.
	Floor float64 `json:"floor,omitempty"`
}

// readConfig reads and checks dir's config.json. Unknown keys are errors.
func readConfig(dir string) (Config, error) {
	path := filepath.Join(dir, ConfigFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read the encoder's description: %w", err)
	}
	var c Config
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Config{}, fmt.Errorf("read the encoder's description %s: %w", path, err)
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("the encoder's description %s is wrong: %w", path, err)
	}
	return c, nil
}

func (c Config) check() error {
	switch {
	case c.Model == "" || filepath.Base(c.Model) != c.Model:
		return fmt.Errorf("model must name a file in the same folder, not %q", c.Model)
	case c.QueryModel != "" && filepath.Base(c.QueryModel) != c.QueryModel:
		return fmt.Errorf("query_model must name a file in the same folder, not %q", c.QueryModel)
	case c.Tokenizer == "" || filepath.Base(c.Tokenizer) != c.Tokenizer:
		return fmt.Errorf("tokenizer must name a file in the same folder, not %q", c.Tokenizer)
	case c.Dim < 1 || c.Dim > 1<<14:
		return fmt.Errorf("dim must lie between 1 and %d, not be %d", 1<<14, c.Dim)
	case c.MaxTokens < 8 || c.MaxTokens > 1<<14:
		return fmt.Errorf("max_tokens must lie between 8 and %d, not be %d", 1<<14, c.MaxTokens)
	case !(c.Floor >= 0 && c.Floor < 1):
		return fmt.Errorf("floor must lie between 0 and 1, not be %v", c.Floor)
	case c.Pooling != PoolNone && c.Pooling != PoolCLS && c.Pooling != PoolMean:
		return fmt.Errorf("pooling must be none, cls or mean, not %q", c.Pooling)
	}
	return nil
}

// digest is the identity of what the encoder computes: 16 hex digits over model,
// tokenizer, pooling, length and prefixes. The name and the file names don't count.
func (c Config) digest(dir string) (string, error) {
	modelSum, err := modelFileSum(filepath.Join(dir, c.Model), c.ModelSHA256)
	if err != nil {
		return "", err
	}
	tokenizerSum, err := fileSum(filepath.Join(dir, c.Tokenizer))
	if err != nil {
		return "", fmt.Errorf("read the encoder's tokenizer: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d %s %q %q", modelSum, tokenizerSum, c.Dim, c.MaxTokens, c.Pooling, c.QueryPrefix, c.PassagePrefix))
	return hex.EncodeToString(sum[:8]), nil
}

// modelFileSum is the hash of a model's file, which must be want unless want is empty.
func modelFileSum(path, want string) (string, error) {
	sum, err := fileSum(path)
	if err != nil {
		return "", fmt.Errorf("read the encoder's model: %w", err)
	}
	if want != "" && sum != want {
		return "", fmt.Errorf("the encoder's model %s is not the file that its description names (truncated or replaced): fetch it again (in a checkout: `git restore %s`), or set LEXAGENT_ENCODER to another encoder's folder and run `lexagent ingest`", path, path)
	}
	return sum, nil
}

func fileSum(path string) (_ string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
