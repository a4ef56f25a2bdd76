package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// RemoteOptions says where an embedding model is. Any endpoint that speaks the
// OpenAI protocol (POST URL/embeddings) will do.
type RemoteOptions struct {
	URL     string        // base URL, such as http://127.0.0.1:8181/v1
	Model   string        // the endpoint's name of the model
	Key     string        // secret; from the environment only, never printed
	Dim     int           // length of a vector, asked for as "dimensions"; 0 = as the model gives
	Timeout time.Duration // of one call; 0 = a minute
}

const (
	defaultRemoteTimeout = time.Minute

	remoteBatch    = 64   // texts a call at most; halved for good when the endpoint finds a call too large
	remoteInFlight = 4    // calls side by side
	remoteRunes    = 6000 // a longer text is cut: a Chinese character is about a token, and models take 8,192
	remoteShortest = 16   // a text cut down to this that is still too large is refused
	maxRemoteDim   = 1 << 14
)

// Set reports whether an embedding endpoint is configured.
func (o RemoteOptions) Set() bool { return o.URL != "" }

// Remote is an encoder behind an HTTP endpoint. It is safe for use by many
// goroutines. It waits as long as the endpoint asks for with 429, tries again after
// 5xx and broken connections, and sends fewer texts a call after 413, all within
// bounds; what is no vector of the right length is refused.
type Remote struct {
	o      RemoteOptions
	client *http.Client
	dim    atomic.Int64 // 0 = not known before the first answer
	batch  atomic.Int64 // texts a call
	resume atomic.Int64 // when calls may go on after a 429, in Unix nanoseconds
}

// NewRemote makes a client. It does not call the endpoint: a dead one shows at the
// first use.
func NewRemote(o RemoteOptions) (*Remote, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("the embedding endpoint's address must be one such as http://127.0.0.1:8181/v1: correct LEXAGENT_EMBED_URL")
	}
	if o.Model == "" {
		return nil, errors.New("the embedding endpoint has an address and no model: set LEXAGENT_EMBED_MODEL")
	}
	if o.Dim < 0 || o.Dim > maxRemoteDim {
		return nil, fmt.Errorf("vectors of %d dimensions can't be asked for, only 1 to %d: correct LEXAGENT_EMBED_DIM", o.Dim, maxRemoteDim)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultRemoteTimeout
	}
	o.URL = strings.TrimRight(o.URL, "/")
	r := &Remote{o: o, client: &http.Client{Timeout: o.Timeout}}
	r.dim.Store(int64(o.Dim))
	r.batch.Store(remoteBatch)
	return r, nil
}

// Dim is the length of the vectors; 0 while neither the options nor an answer told.
func (r *Remote) Dim() int { return int(r.dim.Load()) }

// Digest is the identity of what the encoder computes, 16 hex digits over address,
// model and dimension; "" while the dimension is not known.
func (r *Remote) Digest() string {
	dim := r.Dim()
	if dim == 0 {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "remote %q %q %d", r.o.URL, r.o.Model, dim))
	return hex.EncodeToString(sum[:8])
}

// Name is the model and its address, for people.
func (r *Remote) Name() string { return r.o.Model + " at " + r.address() }

// Tuned is "": an endpoint has one model for every role.
func (r *Remote) Tuned() string { return "" }

// Floor is 0: nobody calibrated the endpoint's model on statutes.
func (r *Remote) Floor() float64 { return 0 }

// Close gives back idle connections.
func (r *Remote) Close() error {
	r.client.CloseIdleConnections()
	return nil
}

// address is the URL without a password that may be in it.
func (r *Remote) address() string {
	u, err := url.Parse(r.o.URL)
	if err != nil {
		return "the embedding endpoint"
	}
	return u.Redacted()
}

// Encode returns one unit vector a text, in the texts' order. Passages may wait
// minutes for a busy endpoint; a question, for which somebody waits, seconds. A
// text that is too long for the endpoint is cut.
func (r *Remote) Encode(ctx context.Context, texts []string, role Role) ([][]float32, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([][]float32, len(texts))
	free := make(chan struct{}, remoteInFlight)
	var under sync.WaitGroup
	for lo := 0; lo < len(texts) && ctx.Err() == nil; {
		hi := min(lo+int(r.batch.Load()), len(texts))
		part, to := shortened(texts[lo:hi]), out[lo:hi]
		lo = hi
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		under.Go(func() {
			defer func() { <-free }()
			if err := r.encode(ctx, part, to, patienceOf(role)); err != nil {
				cancel(err)
			}
		})
	}
	under.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return out, nil
}

// shortened cuts the texts that are too long for most models.
func shortened(texts []string) []string {
	short := make([]string, len(texts))
	for i, t := range texts {
		short[i] = firstRunes(t, remoteRunes)
	}
	return short
}

// firstRunes is the begin of a text, of n code points at most.
func firstRunes(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// encode makes the vectors of one call's texts, in several calls where one is too
// large for the endpoint.
func (r *Remote) encode(ctx context.Context, texts []string, out [][]float32, p patience) error {
	err := r.try(ctx, texts, out, p)
	var f *failure
	if !errors.As(err, &f) || f.status != http.StatusRequestEntityTooLarge {
		return err
	}
	if len(texts) > 1 {
		half := (len(texts) + 1) / 2
		r.lowerBatch(half)
		if err := r.encode(ctx, texts[:half], out[:half], p); err != nil {
			return err
		}
		return r.encode(ctx, texts[half:], out[half:], p)
	}
	runes := utf8.RuneCountInString(texts[0])
	if runes <= remoteShortest {
		return err
	}
	return r.encode(ctx, []string{firstRunes(texts[0], runes/2)}, out, p)
}

// lowerBatch lets later calls have n texts at most.
func (r *Remote) lowerBatch(n int) {
	for {
		now := r.batch.Load()
		if now <= int64(n) || r.batch.CompareAndSwap(now, int64(n)) {
			return
		}
	}
}

// agree holds an answer's dimension against the one that is known, and learns it
// from the first answer.
func (r *Remote) agree(dim int) error {
	if r.dim.CompareAndSwap(0, int64(dim)) || r.Dim() == dim {
		return nil
	}
	return &failure{text: fmt.Sprintf("gave a vector of %d dimensions instead of %d: check LEXAGENT_EMBED_MODEL and LEXAGENT_EMBED_DIM", dim, r.Dim())}
}
