package model

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	longestWait  = 10 * time.Second // that a call waits where an endpoint says when to try again: of longer ones who asks should hear
	longestBusy  = time.Minute      // for which an endpoint is left alone, whatever it says
	maxErrorBody = 64 << 10         // bytes that are read of an error
	maxReplyBody = 16 << 20         // and of a reply, its stream included: far above any that is of use
)

// transport carries calls to a language model. A call ends with its time, its stream
// included. One that finds the endpoint busy (429 or 503) is sent once more when it says
// (Retry-After), where that is soon, and else not called again before; so is one whose kept connection the
// endpoint had closed before it replied. Errors are read here to their end, since the
// client leaves them open.
type transport struct {
	base    http.RoundTripper
	timeout time.Duration
	busy    *busy
}

// RoundTrip sends the request.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if res := t.busy.reply(r); res != nil {
		return res, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), t.timeout)
	r = r.Clone(ctx)
	r.Header["Idempotency-Key"] = []string{} // net/http sends no such header, and repeats the call on another connection
	res, err := t.send(r)
	if err == nil {
		if wait, again := t.again(r, res); again && Rest(ctx, wait) {
			res, err = t.resend(r)
		}
	}
	if err != nil || res.StatusCode >= 400 { // and its body is here
		cancel()
		return res, err
	}
	res.Body = &callBody{io.LimitReader(res.Body, maxReplyBody), res.Body, cancel}
	return res, nil
}

// send sends a request, and reads the body of an error.
func (t transport) send(r *http.Request) (*http.Response, error) {
	res, err := t.base.RoundTrip(r)
	if err != nil || res.StatusCode < 400 {
		return res, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if cerr := res.Body.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// again reports whether a request is to be sent once more, and after how long.
func (t transport) again(r *http.Request, res *http.Response) (time.Duration, bool) {
	if res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusServiceUnavailable || r.GetBody == nil {
		return 0, false
	}
	wait := retryAfter(res.Header)
	if end, ok := r.Context().Deadline(); ok && wait > time.Until(end)/2 || wait > longestWait {
		t.busy.until.Store(time.Now().Add(min(wait, longestBusy)).UnixNano())
		return 0, false
	}
	return wait, res.Header.Get("Retry-After") != ""
}

// busy is the time before which an endpoint asked not to be called again.
type busy struct{ until atomic.Int64 }

// reply is what a call that comes too early is told, without calling.
func (b *busy) reply(r *http.Request) *http.Response {
	left := time.Until(time.Unix(0, b.until.Load()))
	if left <= 0 {
		return nil
	}
	const body = `{"error":{"message":"the endpoint asked to be left alone for a while (Retry-After)","type":"rate_limit_error"}}`
	return &http.Response{
		Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {strconv.Itoa(int(left/time.Second) + 1)}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

func (t transport) resend(r *http.Request) (*http.Response, error) {
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	r.Body = body
	return t.send(r)
}

// Rest waits, and reports false when the context ends first.
func Rest(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// callBody is a reply's body; closing it ends the call.
type callBody struct {
	io.Reader
	body   io.Closer
	cancel context.CancelFunc
}

// Close ends the call.
func (b *callBody) Close() error {
	defer b.cancel()
	return b.body.Close()
}
