// Package batch runs a question file through a system, one output line a
// question, in order. A batch that was interrupted goes on behind its last whole
// line, but only when nothing that decides the results has changed: that is what
// the .meta.json beside the output is for.
package batch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"lexagent/evaluator/jsonl"
)

// Question is one line of a question file; other fields are ignored.
type Question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
}

// Meta names everything that decides the results of a batch.
type Meta struct {
	Command string `json:"command"` // search or ask
	Config  any    `json:"config"`  // mode, k, filters, models
	Corpus  string `json:"corpus"`  // digest of the generation searched
	Queries string `json:"queries"` // digest of the questions
	Program string `json:"program"` // version of the program
}

// ErrDiffers is returned when the output belongs to a batch with other settings.
var ErrDiffers = errors.New("was made with other settings, another corpus or other questions; give another name, or --overwrite")

// ReadQuestions reads a question file and its digest. Every line needs an id of
// its own.
func ReadQuestions(path string) (qs []Question, digest string, err error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	seen := map[string]bool{}
	err = jsonl.Lines(f, func(line int, text []byte) error {
		var q Question
		if err := json.Unmarshal(text, &q); err != nil {
			return fmt.Errorf("%s:%d: this is not a JSON object with id and question: %w", path, line, err)
		}
		if q.ID == "" || seen[q.ID] {
			return fmt.Errorf("%s:%d: the id %q is empty or was used before", path, line, q.ID)
		}
		seen[q.ID] = true
		qs = append(qs, q)
		return nil
	})
	if err == nil && len(qs) == 0 {
		err = fmt.Errorf("%s holds no questions", path)
	}
	return qs, Digest(qs), err
}

// Digest is the digest of questions.
func Digest(qs []Question) string {
	h := sha256.New()
	for _, q := range qs {
		fmt.Fprintf(h, "%q %q\n", q.ID, q.Question)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Job is one batch.
type Job struct {
	Out       string // JSON lines
	Meta      Meta
	Questions []Question
	Overwrite bool
	Parallel  int // questions at a time; 0 = 1. Lines are in order all the same.
	Do        func(ctx context.Context, q Question) (line any, err error)
	Progress  func(done, total int) // may be nil
}

// Done tells how many lines are there, and writes nothing. Its error is ErrDiffers
// where another batch made them.
func (j *Job) Done() (int, error) {
	state, _, err := j.compare()
	if err != nil || state != same {
		return 0, err
	}
	lines, _, err := j.whole()
	return lines, err
}

// Run runs the batch or what is left of it, and returns how many lines stood
// there before. Do's error ends the batch; what was written stays.
func (j *Job) Run(ctx context.Context) (resumed int, err error) {
	done, size, err := j.prepare()
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(j.Out, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, fmt.Errorf("open the output: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(size); err != nil {
		return 0, fmt.Errorf("cut the unfinished line off %s: %w", j.Out, err)
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	order := j.lines(ctx, j.Questions[done:])
	defer func() { // what is at work ends before the batch does
		cancel()
		for one := range order {
			<-one
		}
	}()
	i := done
	for one := range order {
		got := <-one
		if got.err != nil {
			return done, got.err
		}
		if err := writeLine(f, got.line); err != nil {
			return done, fmt.Errorf("write %s: %w", j.Out, err)
		}
		if i++; j.Progress != nil {
			j.Progress(i, len(j.Questions))
		}
	}
	return done, ctx.Err()
}

// made is what came of one question.
type made struct {
	line any
	err  error
}

// ahead is how many times Parallel lines may wait for one before them: a question that
// takes long does not stop the others, and a kill does not lose many.
const ahead = 4

// lines works on as many questions at a time as are allowed, and hands on what is made
// in the order of the questions. It ends with the context.
func (j *Job) lines(ctx context.Context, questions []Question) <-chan chan made {
	parallel := max(j.Parallel, 1)
	order, working := make(chan chan made, ahead*parallel), make(chan struct{}, parallel)
	go func() {
		defer close(order)
		for _, q := range questions {
			select {
			case working <- struct{}{}:
			case <-ctx.Done():
				return
			}
			one := make(chan made, 1)
			select {
			case order <- one:
			case <-ctx.Done():
				return
			}
			go func() {
				line, err := j.Do(ctx, q)
				if err != nil {
					err = fmt.Errorf("question %s: %w", q.ID, err)
				}
				one <- made{line, err}
				<-working
			}()
		}
	}()
	return order
}

func writeLine(w io.Writer, line any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// What compare finds.
const (
	none = iota // no output, or one that may be replaced
	same        // output of this batch
)

// compare compares the meta file with the batch; meta is what it should hold.
func (j *Job) compare() (state int, meta []byte, err error) {
	if meta, err = json.MarshalIndent(j.Meta, "", "  "); err != nil {
		return none, nil, err
	}
	have, err := os.ReadFile(j.metaPath())
	if errors.Is(err, fs.ErrNotExist) {
		have, err = nil, nil
	}
	if err != nil {
		return none, nil, fmt.Errorf("read %s: %w", j.metaPath(), err)
	}
	_, statErr := os.Stat(j.Out)
	exists := statErr == nil
	switch {
	case !exists || j.Overwrite:
		return none, meta, nil
	case bytes.Equal(bytes.TrimSpace(have), meta):
		return same, meta, nil
	}
	return none, nil, fmt.Errorf("%s %w", j.Out, ErrDiffers)
}

func (j *Job) metaPath() string { return strings.TrimSuffix(j.Out, ".jsonl") + ".meta.json" }

// prepare compares the meta file with the batch, writes it for a new one, and
// counts the whole lines that are there and their bytes.
func (j *Job) prepare() (lines int, size int64, err error) {
	state, meta, err := j.compare()
	switch {
	case err != nil:
		return 0, 0, err
	case state == same:
		return j.whole()
	}
	if err := os.WriteFile(j.metaPath(), append(meta, '\n'), 0o644); err != nil {
		return 0, 0, fmt.Errorf("write %s: %w", j.metaPath(), err)
	}
	return 0, 0, nil
}

// belongs reports whether a whole line is of the question with this id. Lines that
// writeLine wrote begin with it, and need not be parsed.
func belongs(line []byte, id string) bool {
	var head bytes.Buffer
	if writeLine(&head, struct {
		ID string `json:"id"`
	}{id}) == nil && bytes.HasPrefix(line, bytes.TrimRight(head.Bytes(), "}\n")) && bytes.HasSuffix(line, []byte("}\n")) {
		return true
	}
	var l struct {
		ID string `json:"id"`
	}
	return json.Unmarshal(line, &l) == nil && l.ID == id
}

// whole counts the lines that are complete and belong to the questions in order.
func (j *Job) whole() (lines int, size int64, err error) {
	f, err := os.Open(j.Out)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := bufio.NewReader(f)
	for lines < len(j.Questions) {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // an unfinished line is made again
		}
		if err != nil {
			return 0, 0, err
		}
		if !belongs(text, j.Questions[lines].ID) {
			break
		}
		lines++
		size += int64(len(text))
	}
	return lines, size, nil
}
