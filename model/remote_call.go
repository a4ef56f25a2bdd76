package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// patience bounds how long a call is tried again.
type patience struct {
	tries int           // after errors other than 429
	wait  time.Duration // for all pauses of a call together
}

// patienceOf is what a role can wait.
func patienceOf(role Role) patience {
	if role == Passage {
		return patience{tries: 6, wait: 5 * time.Minute}
	}
	return patience{tries: 2, wait: 3 * time.Second}
}

const (
	firstPause    = 500 * time.Millisecond // doubled for each try that follows
	longestPause  = 30 * time.Second       // where the endpoint doesn't say how long
	shortestPause = 100 * time.Millisecond // where it does
	maxAnswer     = 256 << 20              // bytes
)

// failure is an answer, or the lack of one, that is no vectors. Its text goes on
// after the endpoint's address.
type failure struct {
	status int // 0 = there was no answer, or its content is wrong
	again  bool
	after  time.Duration // Retry-After; 0 = not said
	text   string
	place  string // the endpoint
	cause  error
}

func (f *failure) Error() string { return "the embedding endpoint " + f.place + " " + f.text }
func (f *failure) Unwrap() error { return f.cause }

// try calls the endpoint until it gives the vectors or patience ends.
func (r *Remote) try(ctx context.Context, texts []string, out [][]float32, p patience) error {
	waited := time.Duration(0)
	for tries, pause := 1, firstPause; ; pause = min(2*pause, longestPause) {
		next := max(time.Until(time.Unix(0, r.resume.Load())), 0) // another call was told to wait
		if waited+next > p.wait {
			return &failure{status: http.StatusTooManyRequests, place: r.address(), text: "has too many requests"}
		}
		if err := sleep(ctx, next); err != nil {
			return err
		}
		waited += next
		err := r.call(ctx, texts, out)
		var f *failure
		if !errors.As(err, &f) {
			return err
		}
		f.place = r.address()
		if !f.again {
			return f
		}
		if next = pause + rand.N(pause/4); f.after > 0 { //nolint:gosec // spreads calls, decides nothing
			next = f.after
		}
		if waited+next > p.wait {
			f.text += fmt.Sprintf(" and wants a pause of %s: try again later", next.Round(time.Second))
			return f
		}
		if f.status == http.StatusTooManyRequests {
			r.resume.Store(time.Now().Add(next).UnixNano()) // for the calls beside this one too
			continue
		}
		if tries++; tries > p.tries {
			return f
		}
		if err := sleep(ctx, next); err != nil {
			return err
		}
		waited += next
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// call makes one call.
func (r *Remote) call(ctx context.Context, texts []string, out [][]float32) error {
	body, err := json.Marshal(struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Encoding   string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{r.o.Model, texts, "float", r.o.Dim})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.o.URL+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.o.Key)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return noAnswer(ctx, err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	if resp.StatusCode != http.StatusOK {
		return r.refusal(resp)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return noAnswer(ctx, err)
	}
	return r.read(answer, out)
}

// noAnswer is the failure of a call that broke; the caller's own end stays itself.
func noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := "can't be reached; is it running?"
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		text = "does not answer in time"
	}
	return &failure{again: true, text: text, cause: err}
}

// refusal turns an answer with another status than 200 into a failure.
func (r *Remote) refusal(resp *http.Response) error {
	f := &failure{status: resp.StatusCode}
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests:
		f.again, f.after, f.text = true, retryAfter(resp.Header), "has too many requests"
	case code >= 500:
		f.again, f.after, f.text = true, retryAfter(resp.Header), fmt.Sprintf("answers with error %d", code)
	case code == http.StatusRequestEntityTooLarge:
		f.text = "takes no text of this length (413)"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		f.text = fmt.Sprintf("refuses the key (%d): check LEXAGENT_EMBED_KEY", code)
	case code == http.StatusNotFound:
		f.text = fmt.Sprintf("knows no such address or model (404): check LEXAGENT_EMBED_URL and LEXAGENT_EMBED_MODEL (%s)", r.o.Model)
	default:
		f.text = fmt.Sprintf("answers with error %d%s", code, r.said(resp.Body))
	}
	return f
}

// said is the begin of what the endpoint says about an error, on one line.
func (r *Remote) said(body io.Reader) string {
	b, err := io.ReadAll(io.LimitReader(body, 4096))
	if err != nil || len(b) == 0 {
		return ""
	}
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := string(b)
	if json.Unmarshal(b, &answer) == nil && answer.Error.Message != "" {
		text = answer.Error.Message
	}
	if r.o.Key != "" {
		text = strings.ReplaceAll(text, r.o.Key, "…")
	}
	return ": " + firstRunes(strings.Join(strings.Fields(text), " "), 200)
}

// retryAfter reads the header, in seconds or as a date; 0 = it isn't there.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 1e6 {
		return max(time.Duration(s*float64(time.Second)), shortestPause)
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(time.Until(t), shortestPause)
	}
	return 0
}

// read takes the vectors out of an answer.
func (r *Remote) read(answer []byte, out [][]float32) error {
	var a struct {
		Data []struct {
			Index     *int   `json:"index"`
			Embedding vector `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return &failure{text: "gave no vectors of finite numbers: " + err.Error(), cause: err}
	}
	if len(a.Data) != len(out) {
		return &failure{text: fmt.Sprintf("gave %d vectors for %d texts", len(a.Data), len(out))}
	}
	vectors := make([][]float32, len(out))
	for i, d := range a.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= len(out) || vectors[at] != nil || len(d.Embedding) == 0 {
			return &failure{text: "gave two vectors for one text, or none"}
		}
		if err := r.agree(len(d.Embedding)); err != nil {
			return err
		}
		if !normalize(d.Embedding) {
			return &failure{text: "gave a vector without length"}
		}
		vectors[at] = d.Embedding
	}
	copy(out, vectors)
	return nil
}

// vector reads a JSON array of numbers, of which none may be missing (encoders that
// fail write null) or too large.
type vector []float32

// UnmarshalJSON implements json.Unmarshaler.
func (v *vector) UnmarshalJSON(b []byte) error {
	if len(b) < 2 || b[0] != '[' {
		return errors.New("a vector is no list")
	}
	*v = make(vector, 0, bytes.Count(b, []byte(","))+1)
	for field := range bytes.SplitSeq(b[1:len(b)-1], []byte(",")) {
		field = bytes.TrimSpace(field)
		x, err := strconv.ParseFloat(string(field), 32)
		if err != nil {
			return fmt.Errorf("%q is no number", field[:min(len(field), 20)])
		}
		*v = append(*v, float32(x))
	}
	return nil
}
