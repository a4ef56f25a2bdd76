package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"lexagent/evaluator/jsonl"
	"lexagent/model"
	"lexagent/prompts"
)

// The statuses of a line.
const (
	Judged    = "judged"
	NotJudged = "not_judged"
)

// Line is one judgement in the file of a batch.
type Line struct {
	ID      string          `json:"id"`
	Code    string          `json:"code"`              // see Item.Code
	Hash    string          `json:"hash"`              // of prompt and model
	Swapped bool            `json:"swapped,omitempty"` // judged with the answer before the reference
	Repeat  int             `json:"repeat,omitempty"`  // judged so many times before
	Status  string          `json:"status"`
	Scores  *prompts.Scores `json:"scores,omitempty"` // only where judged
	Reason  string          `json:"reason,omitempty"`
	Error   string          `json:"error,omitempty"` // why not judged
	MS      float64         `json:"ms,omitempty"`    // that the judgement took
	LLM     Usage           `json:"llm"`
}

// Batch judges answers into a file, one line each.
type Batch struct {
	Judge    *Judge
	Out      string
	Items    []Item
	Swap     bool                  // judge each a second time with reference and answer swapped
	Repeats  int                   // judge each so many times more, with the model free in its words: tells the spread of its scores
	Progress func(done, total int) // may be nil
}

// maxFailures is how many answers in a row may fail for the model before a batch
// gives up: it's the endpoint then, not the answers.
const maxFailures = 3

// Left counts the judgements that the file lacks.
func (b *Batch) Left() (int, error) {
	cached, err := b.read()
	if err != nil {
		return 0, err
	}
	left := 0
	for i := range b.Items {
		for _, as := range b.views(&b.Items[i]) {
			h, err := b.Judge.hash(&b.Items[i], as)
			if err == nil && cached[h] == nil {
				left++
			}
		}
	}
	return left, nil
}

// views are the ways in which an answer is judged, the usual one first; without a
// reference there is nothing to swap.
func (b *Batch) views(it *Item) []view {
	out := []view{{}}
	if b.Swap && it.Reference != "" {
		out = append(out, view{swapped: true})
	}
	for n := range b.Repeats {
		out = append(out, view{repeat: n + 1})
	}
	return out
}

// Run judges what the file has no verdict on and returns a line for every item, and
// after it one for each further view of it. Lines are appended as they come, so that a
// batch that is stopped goes on; at the end the file is put in the order of the
// items. What could not be judged is tried again by the next run.
func (b *Batch) Run(ctx context.Context) (lines []Line, err error) {
	cached, err := b.read()
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(b.Out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the file of judgements: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	failed := 0
	for i := range b.Items {
		for _, as := range b.views(&b.Items[i]) {
			l, err := b.one(ctx, &b.Items[i], as, cached)
			if err != nil && !errors.Is(err, ErrModel) {
				return nil, err
			}
			if err == nil {
				failed = 0
			} else if failed++; failed == maxFailures {
				return nil, fmt.Errorf("%d answers in a row could not be judged: %w; run the same command again to go on", failed, err)
			}
			lines = append(lines, l)
			if cached[l.Hash] != nil {
				continue
			}
			if err := encoder(f).Encode(l); err != nil {
				return nil, fmt.Errorf("write %s: %w", b.Out, err)
			}
			if l.Status == Judged {
				cached[l.Hash] = &l
			}
		}
		if b.Progress != nil {
			b.Progress(i+1, len(b.Items))
		}
	}
	return lines, b.tidy(lines)
}

// one makes the line of one judgement, from the cache where it's there. An error is
// the context's, or ErrModel beside a line that says so.
func (b *Batch) one(ctx context.Context, it *Item, as view, cached map[string]*Line) (Line, error) {
	l := Line{ID: it.ID, Code: it.Code(), Swapped: as.swapped, Repeat: as.repeat, Status: NotJudged}
	var err error
	if l.Hash, err = b.Judge.hash(it, as); err != nil {
		l.Error = err.Error()
		return l, nil //nolint:nilerr // an answer that can't be judged is a line, not the end of the batch
	}
	if c := cached[l.Hash]; c != nil {
		c.ID = it.ID
		return *c, nil
	}
	start := time.Now()
	v, err := b.Judge.judge(ctx, it, as)
	l.LLM, l.MS = v.Usage, float64(time.Since(start).Microseconds())/1000
	switch {
	case ctx.Err() != nil:
		return l, ctx.Err()
	case errors.Is(err, ErrModel):
		l.Error = ErrModel.Error() + ": " + model.LLMFailure(err)
		return l, fmt.Errorf("%w: %s", ErrModel, model.LLMFailure(err))
	case err != nil:
		l.Error = err.Error()
		return l, nil //nolint:nilerr // the line tells it
	}
	l.Status, l.Scores, l.Reason = Judged, &v.Scores, v.Reason
	return l, nil
}

// read returns the verdicts in the file by their hashes. A last line that a kill
// cut off is no verdict.
func (b *Batch) read() (map[string]*Line, error) {
	data, err := os.ReadFile(b.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]*Line{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the file of judgements: %w", err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	cached := map[string]*Line{}
	err = jsonl.Each(bytes.NewReader(whole), func(l *Line) error {
		if l.Code == "" || l.Status == "" {
			return fmt.Errorf("%w: this is no file of judgements; give another name with --out", jsonl.ErrFormat)
		}
		if l.Status == Judged && l.Scores != nil {
			cached[l.Hash] = l
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Out, err)
	}
	if len(whole) < len(data) {
		if err := os.Truncate(b.Out, int64(len(whole))); err != nil {
			return nil, fmt.Errorf("cut the unfinished line off %s: %w", b.Out, err)
		}
	}
	return cached, nil
}

func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// tidy replaces the file by the lines, at once or not at all.
func (b *Batch) tidy(lines []Line) error {
	var out bytes.Buffer
	e := encoder(&out)
	for i := range lines {
		if err := e.Encode(&lines[i]); err != nil {
			return err
		}
	}
	tmp := b.Out + ".tmp"
	if err := os.WriteFile(tmp, out.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", b.Out, err)
	}
	return os.Rename(tmp, b.Out)
}
