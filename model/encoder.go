package model

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// Role says what a text is to the encoder; some were trained with a prefix for each.
type Role int

const (
	// Query is a question: encoded at once, on the caller's thread, however many
	// passages wait.
	Query Role = iota
	// Passage is a text to be found: encoded by the pool, in the background.
	Passage
	// Tuned is a question, by the model whose query side was tuned to find what
	// governs it (LexPath § 3.3); as Query where the encoder has no such model.
	Tuned
)

// Options say where the library is and how much of the machine to use. The zero
// value is right for most.
type Options struct {
	Library     string // path of libonnxruntime; empty = found as FindLibrary says
	Workers     int    // passages computed side by side, a core each; 0 = one a core
	BatchTokens int    // most tokens in one run, which bounds memory; 0 = 512
}

// defaultBatchTokens keeps a run's largest activation (tokens × 4·dim floats) near
// the size of a core's cache; larger batches were slower, and cost memory.
const defaultBatchTokens = 512

// maxQueries bounds the queries computed side by side, and so their memory. A
// query takes milliseconds, so those that wait don't wait long.
const maxQueries = 8

// ErrClosed is returned by Encode after Close.
var ErrClosed = errors.New("the encoder is closed")

// Encoder turns texts into unit vectors. It is safe for use by many goroutines;
// close it when the last has ended.
type Encoder struct {
	config   Config
	digest   string
	tunedSum string
	tokens   *Tokenizer
	session  *session
	tuned    *session // of Tuned; session where there is none
	limit    int      // most tokens a run

	jobs    chan job
	queries chan struct{} // a place for each query under way
	closed  chan struct{}
	once    sync.Once
	err     error          // of Close
	workers sync.WaitGroup // the pool
	calls   sync.WaitGroup // Encode calls under way
	gate    sync.RWMutex   // held while a call enters, so that none enters after Close
}

// job is one batch on its way through the pool.
type job struct {
	batch batch
	done  func(error)
}

// OpenEncoder loads the encoder in dir, as its config.json describes it, and
// starts the pool. It refuses a missing library (ErrNoLibrary), a damaged file, and
// a model that doesn't fit its description.
func OpenEncoder(dir string, o Options) (*Encoder, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	digest, err := c.digest(dir)
	if err != nil {
		return nil, err
	}
	tokens, err := ReadTokenizer(filepath.Join(dir, c.Tokenizer))
	if err != nil {
		return nil, err
	}
	if err := startEnvironment(o.Library); err != nil {
		return nil, err
	}
	s, err := openSession(filepath.Join(dir, c.Model), c)
	if err != nil {
		return nil, err
	}
	tuned, tunedSum, err := openTuned(dir, c, s)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.BatchTokens <= 0 {
		o.BatchTokens = defaultBatchTokens
	}
	e := &Encoder{
		config: c, digest: digest, tunedSum: tunedSum, tokens: tokens, session: s, tuned: tuned,
		limit:   max(o.BatchTokens, c.MaxTokens),
		jobs:    make(chan job),
		queries: make(chan struct{}, maxQueries),
		closed:  make(chan struct{}),
	}
	for range o.Workers {
		e.workers.Go(e.work)
	}
	return e, nil
}

// openTuned opens the model of Tuned and returns it with its file's hash.
func openTuned(dir string, c Config, base *session) (*session, string, error) {
	if c.QueryModel == "" {
		return base, "", nil
	}
	path := filepath.Join(dir, c.QueryModel)
	sum, err := modelFileSum(path, c.QueryModelSHA256)
	if err != nil {
		return nil, "", err
	}
	s, err := openSession(path, c)
	return s, sum, err
}

// Dim is the length of the vectors.
func (e *Encoder) Dim() int { return e.config.Dim }

// Digest is the identity of what the encoder computes, 16 hex digits over model,
// tokenizer, length, pooling and prefixes. Vectors with different digests can't be
// compared.
func (e *Encoder) Digest() string { return e.digest }

// Tuned is the identity of the model of that role, "" where there is none.
func (e *Encoder) Tuned() string { return e.tunedSum[:min(16, len(e.tunedSum))] }

// Floor is the calibrated similarity below which the nearest passage does not bear
// on a question; 0 when the encoder was not calibrated.
func (e *Encoder) Floor() float64 { return e.config.Floor }

// Name is the encoder's name, for people.
func (e *Encoder) Name() string { return e.config.Name }

// Cuts reports whether a question is longer than what the encoder reads of it.
func (e *Encoder) Cuts(question string) bool {
	return len(e.tokens.Encode(e.config.QueryPrefix+question, e.config.MaxTokens+1)) > e.config.MaxTokens
}

// Encode returns one unit vector a text, in the texts' order. A text longer than
// the encoder's limit is cut; an empty one has a vector too (and no meaning).
// The context is looked at between runs, some ten milliseconds each.
func (e *Encoder) Encode(ctx context.Context, texts []string, role Role) ([][]float32, error) {
	if err := e.enter(); err != nil {
		return nil, err
	}
	defer e.calls.Done()
	prefix := e.config.QueryPrefix
	if role == Passage {
		prefix = e.config.PassagePrefix
	}
	ids := make([][]int64, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
		ids[i] = e.tokens.Encode(prefix+text, e.config.MaxTokens)
	}
	flat := make([]float32, len(texts)*e.config.Dim)
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = flat[i*e.config.Dim : (i+1)*e.config.Dim : (i+1)*e.config.Dim]
	}
	var err error
	switch batches := plan(ids, out, e.limit); role {
	case Query:
		err = e.runQueries(ctx, e.session, batches)
	case Tuned:
		err = e.runQueries(ctx, e.tuned, batches)
	default:
		err = e.runPassages(ctx, batches)
	}
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return out, nil
}

// enter counts a call in, unless the encoder is closed.
func (e *Encoder) enter() error {
	e.gate.RLock()
	defer e.gate.RUnlock()
	select {
	case <-e.closed:
		return ErrClosed
	default:
		e.calls.Add(1)
		return nil
	}
}

// runQueries runs the batches one after the other on the caller's thread.
func (e *Encoder) runQueries(ctx context.Context, s *session, batches []batch) error {
	select {
	case e.queries <- struct{}{}:
		defer func() { <-e.queries }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, b := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.run(s); err != nil {
			return err
		}
	}
	return nil
}

// runPassages hands the batches to the pool and waits for them. After an error it
// hands out no more, and still waits for those under way: they write to the
// caller's vectors.
func (e *Encoder) runPassages(ctx context.Context, batches []batch) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var under sync.WaitGroup
	for _, b := range batches {
		under.Add(1)
		j := job{batch: b, done: func(err error) {
			if err != nil {
				cancel(err)
			}
			under.Done()
		}}
		select {
		case e.jobs <- j:
		case <-ctx.Done():
			under.Done()
		}
		if ctx.Err() != nil {
			break
		}
	}
	under.Wait()
	return context.Cause(ctx)
}

// backgroundNice is how far a pool thread steps back behind the rest of the
// process, on Linux, where threads have priorities of their own. With it a query
// takes its few milliseconds while every core embeds passages; alone on the
// machine the pool is as fast as without.
const backgroundNice = 10

// work is one thread of the pool. The thread is not given back (its priority can't
// be raised again without privileges): it ends with the goroutine.
func (e *Encoder) work() {
	runtime.LockOSThread()
	if runtime.GOOS == "linux" {
		// A refusal leaves the usual priority: queries are slower, nothing is wrong.
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, backgroundNice)
	}
	for j := range e.jobs {
		j.done(j.batch.run(e.session))
	}
}

// Close waits for the calls under way, stops the pool and frees the model.
// Closing again does nothing.
func (e *Encoder) Close() error {
	e.once.Do(func() {
		e.gate.Lock()
		close(e.closed)
		e.gate.Unlock()
		e.calls.Wait()
		close(e.jobs)
		e.workers.Wait()
		e.err = e.session.close()
		if e.tuned != e.session {
			e.err = errors.Join(e.err, e.tuned.close())
		}
	})
	return e.err
}
