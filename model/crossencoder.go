package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// CrossConfig describes a cross-encoder: the files beside it and how to use them. It
// lies as config.json in the cross-encoder's folder.
type CrossConfig struct {
	Name        string `json:"name"`         // for people
	Model       string `json:"model"`        // ONNX file, in the same folder, with one number a pair as output
	ModelSHA256 string `json:"model_sha256"` // of that file, in hex; empty = not checked
	Tokenizer   string `json:"tokenizer"`    // tokenizer.json, in the same folder
	MaxTokens   int    `json:"max_tokens"`   // of question and passage together; longer passages are cut
}

// CrossEncoder reads a question together with a passage and scores how well the one
// answers the other (LexPath § 3.5, the neural reranker). It is safe for use by many
// goroutines; close it when the last has ended.
type CrossEncoder struct {
	config CrossConfig
	digest string
	tokens pairTokenizer
	run    *ort.DynamicAdvancedSession
	inputs []string
	cores  chan struct{} // a place for each run under way
}

// OpenCrossEncoder loads the cross-encoder in dir, as its config.json describes it.
// It refuses a missing library (ErrNoLibrary), a damaged file, and a model that does
// not give one number a pair. library is the path of libonnxruntime, "" = found as
// FindLibrary says.
func OpenCrossEncoder(dir, library string) (*CrossEncoder, error) {
	c, err := readCrossConfig(dir)
	if err != nil {
		return nil, err
	}
	sum, err := fileSum(filepath.Join(dir, c.Model))
	if err != nil {
		return nil, fmt.Errorf("read the reranker's model: %w", err)
	}
	if c.ModelSHA256 != "" && sum != c.ModelSHA256 {
		return nil, fmt.Errorf("the reranker's model %s is not the file that its description names (truncated or replaced): export it again as docs/evaluation.md says", filepath.Join(dir, c.Model))
	}
	tokens, err := readPairTokenizer(filepath.Join(dir, c.Tokenizer))
	if err != nil {
		return nil, err
	}
	if err := startEnvironment(library); err != nil {
		return nil, err
	}
	e := &CrossEncoder{config: c, digest: sum[:16], tokens: tokens, cores: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if err := e.open(filepath.Join(dir, c.Model)); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *CrossEncoder) open(path string) error {
	inputs, output, err := signature(path)
	if err != nil {
		return fmt.Errorf("the reranker's model %s can't be used (is it truncated?): export it again as docs/evaluation.md says: %w", path, err)
	}
	if n := len(output.Dimensions); output.DataType != ort.TensorElementDataTypeFloat || n == 0 || n > 2 || n == 2 && output.Dimensions[1] > 1 {
		return fmt.Errorf("the reranker's model %s gives %q with shape %v: one 32-bit float a pair is needed, a model for classes is none", path, output.Name, output.Dimensions)
	}
	options, err := sessionOptions(ort.GraphOptimizationLevelEnableAll)
	if err != nil {
		return err
	}
	e.inputs = inputs
	e.run, err = ort.NewDynamicAdvancedSession(path, inputs, []string{output.Name}, options)
	if err := errors.Join(err, options.Destroy()); err != nil {
		return fmt.Errorf("open the reranker's model %s: %w", path, err)
	}
	return nil
}

func readCrossConfig(dir string) (CrossConfig, error) {
	path := filepath.Join(dir, ConfigFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return CrossConfig{}, fmt.Errorf("read the reranker's description: %w", err)
	}
	var c CrossConfig
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("read the reranker's description %s (name, model, model_sha256, tokenizer, max_tokens): %w", path, err)
	}
	switch {
	case c.Model == "" || filepath.Base(c.Model) != c.Model:
		err = fmt.Errorf("model must name a file in the same folder, not %q", c.Model)
	case c.Tokenizer == "" || filepath.Base(c.Tokenizer) != c.Tokenizer:
		err = fmt.Errorf("tokenizer must name a file in the same folder, not %q", c.Tokenizer)
	case c.MaxTokens < 8 || c.MaxTokens > 1<<14:
		err = fmt.Errorf("max_tokens must lie between 8 and %d, not be %d", 1<<14, c.MaxTokens)
	}
	if err != nil {
		return c, fmt.Errorf("the reranker's description %s is wrong: %w", path, err)
	}
	return c, nil
}

// Name is the cross-encoder's name, for people.
func (e *CrossEncoder) Name() string { return e.config.Name }

// Digest is the identity of the model's file, 16 hex digits.
func (e *CrossEncoder) Digest() string { return e.digest }

// Score returns a score between 0 and 1 for each passage: the model's number through
// a sigmoid. Pairs are computed one by one, as many side by side as there are cores,
// so that a score doesn't depend on its neighbours. The context is looked at between
// pairs.
func (e *CrossEncoder) Score(ctx context.Context, question string, passages []string) ([]float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	scores := make([]float64, len(passages))
	var under sync.WaitGroup
	for i, passage := range passages {
		select {
		case e.cores <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		under.Go(func() {
			defer func() { <-e.cores }()
			var err error
			if scores[i], err = e.score(question, passage); err != nil {
				cancel(err)
			}
		})
	}
	under.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("score the passages: %w", err)
	}
	return scores, nil
}

// score computes one pair.
func (e *CrossEncoder) score(question, passage string) (_ float64, err error) {
	ids, types := e.tokens.pair(question, passage, e.config.MaxTokens)
	values := make([]ort.Value, 0, len(e.inputs))
	defer func() {
		for _, v := range values {
			err = errors.Join(err, v.Destroy())
		}
	}()
	for _, name := range e.inputs {
		data := ids
		switch name {
		case "attention_mask":
			data = repeated(1, len(ids))
		case "token_type_ids":
			data = types
		}
		v, err := ort.NewTensor(ort.NewShape(1, int64(len(ids))), data)
		if err != nil {
			return 0, fmt.Errorf("hand %s to the reranker: %w", name, err)
		}
		values = append(values, v)
	}
	results := []ort.Value{nil}
	if err := e.run.Run(values, results); err != nil {
		return 0, fmt.Errorf("run the reranker: %w", err)
	}
	defer func() { err = errors.Join(err, results[0].Destroy()) }()
	tensor, ok := results[0].(*ort.Tensor[float32])
	if !ok || len(tensor.GetData()) != 1 {
		return 0, errors.New("the reranker did not give one number for a pair")
	}
	logit := float64(tensor.GetData()[0])
	if math.IsNaN(logit) {
		return 0, errors.New("the reranker gave no number: its model file is damaged or doesn't suit this processor")
	}
	return 1 / (1 + math.Exp(-logit)), nil
}

// Close frees the model. No Score may be under way.
func (e *CrossEncoder) Close() error {
	if err := e.run.Destroy(); err != nil {
		return fmt.Errorf("close the reranker: %w", err)
	}
	return nil
}
