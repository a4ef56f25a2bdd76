package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"lexagent/ingest"
	"lexagent/model"
	"lexagent/retrieval"
)

// encoder makes vectors: a model on this machine, or one behind an endpoint.
type encoder interface {
	ingest.Encoder
	described
	io.Closer
}

// described is what an encoder tells of itself.
type described interface {
	Name() string
	Tuned() string  // identity of the model for questions that was tuned, "" = none
	Floor() float64 // similarity below which nothing bears on a question, 0 = not calibrated
	SelfTest(ctx context.Context) error
}

// openEncoder opens the endpoint where one is configured, else the encoder in the
// folder. An endpoint is not called yet.
func (c *config) openEncoder() (encoder, error) {
	if o := c.embedOptions(); o.Set() {
		r, err := model.NewRemote(o)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	dir, err := c.encoderDir()
	if err != nil {
		return nil, err
	}
	e, err := model.OpenEncoder(dir, model.Options{Library: c.ONNXRuntime})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// askSize has an encoder behind an endpoint tell its dimension, and so its digest.
func askSize(ctx context.Context, e encoder) error {
	if e.Dim() > 0 {
		return nil
	}
	_, err := e.Encode(ctx, []string{"法律"}, model.Query)
	return err
}

// openRanker opens the ranker that lies with the encoder; nil where there is none.
func (c *config) openRanker(e encoder) (*retrieval.Ranker, error) {
	if c.embedOptions().Set() {
		return nil, nil //nolint:nilnil // an encoder without a ranker is a usual one
	}
	dir, err := c.encoderDir()
	if err != nil {
		return nil, err
	}
	r, err := retrieval.OpenRanker(dir, e.Tuned())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	return r, err
}

// openTerms opens the terms of questions that lie with the encoder; nil where there
// are none.
func (c *config) openTerms() (*retrieval.Terms, error) {
	dir, err := c.encoderDir()
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // the encoder's own opening says what is wrong
	}
	t, err := retrieval.OpenTerms(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	return t, err
}

// openLegal opens what tells questions of law, where it lies with the encoder; nil where
// there is none.
func (c *config) openLegal(e encoder) (*retrieval.Legal, error) {
	if c.embedOptions().Set() {
		return nil, nil //nolint:nilnil // as above
	}
	dir, err := c.encoderDir()
	if err != nil {
		return nil, err
	}
	l, err := retrieval.OpenLegal(dir, e.Tuned(), e.Dim())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	return l, err
}

// openIntents opens the model of intents that lies with the encoder; nil where there
// is none.
func (c *config) openIntents(e interface{ Dim() int }) (*retrieval.IntentModel, error) {
	if c.embedOptions().Set() {
		return nil, nil //nolint:nilnil // as above
	}
	dir, err := c.encoderDir()
	if err != nil {
		return nil, err
	}
	m, err := retrieval.OpenIntents(dir, e.Dim())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	return m, err
}

// openCross opens the cross-encoder that is configured; nil where none is.
func (c *config) openCross() (*model.CrossEncoder, error) {
	if c.Rerank.Path == "" {
		return nil, nil //nolint:nilnil // as above
	}
	return model.OpenCrossEncoder(c.Rerank.Path, c.ONNXRuntime)
}

// checkCross tries the cross-encoder.
func (c *config) checkCross(ctx context.Context) (string, error) {
	cross, err := c.openCross()
	if err != nil {
		return "", err
	}
	if cross == nil {
		return "none set; the learned ranker judges in mode lexpath (set " + envRerank + " to a cross-encoder's folder)", nil
	}
	defer cross.Close() //nolint:errcheck // the process ends
	start := time.Now()
	if _, err := cross.Score(ctx, "公司拖欠工资怎么办？", []string{"用人单位应当及时足额支付劳动报酬。"}); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %s, a pair in %s", cross.Name(), cross.Digest(), time.Since(start).Round(time.Millisecond)), nil
}

// openReader opens the reader that lies with the encoder; nil where there is none.
func (c *config) openReader(e retrieval.Encoder) (*retrieval.Reader, error) {
	if c.embedOptions().Set() {
		return nil, nil //nolint:nilnil // it was trained with the encoder that ships
	}
	dir, err := c.encoderDir()
	if err != nil {
		return nil, err
	}
	r, err := retrieval.OpenReader(dir, e)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	return r, err
}

// checkEncoder tries the encoder.
func (c *config) checkEncoder(ctx context.Context) (string, error) {
	enc, err := c.openEncoder()
	if err != nil {
		return "", err
	}
	defer enc.Close() //nolint:errcheck // the process ends
	start := time.Now()
	err = enc.SelfTest(ctx)
	text := fmt.Sprintf("%s, %d dimensions, encoder %s", enc.Name(), enc.Dim(), enc.Digest())
	if _, ok := enc.(*model.Remote); !ok {
		return text, err
	}
	text += ", answers in " + (time.Since(start) / 2).Round(time.Millisecond).String()
	if errors.Is(err, model.ErrUnlike) {
		return text + "; " + err.Error(), nil
	}
	return text, err
}
