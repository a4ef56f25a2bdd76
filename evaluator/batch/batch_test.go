package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type line struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func job(out string, config string, n int) *Job {
	j := &Job{Out: out, Meta: Meta{Command: "search", Config: config}}
	for _, id := range []string{"a", "b", "c"}[:n] {
		j.Questions = append(j.Questions, Question{ID: id, Question: "问" + id})
	}
	j.Do = func(_ context.Context, q Question) (any, error) { return line{q.ID, q.Question + "<&>"}, nil }
	return j
}

const all = `{"id":"a","text":"问a<&>"}` + "\n" + `{"id":"b","text":"问b<&>"}` + "\n" + `{"id":"c","text":"问c<&>"}` + "\n"

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAnInterruptedBatchGoesOn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run.jsonl")
	j := job(out, "x", 3)
	boom := errors.New("boom")
	do := j.Do
	j.Do = func(ctx context.Context, q Question) (any, error) {
		if q.ID == "b" {
			return nil, boom
		}
		return do(ctx, q)
	}
	if _, err := j.Run(context.Background()); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	// A kill in the middle of a line leaves half of it.
	f, err := os.OpenFile(out, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"b","te`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	resumed, err := job(out, "x", 3).Run(context.Background())
	if err != nil || resumed != 1 || read(t, out) != all {
		t.Errorf("resumed %d, %v:\n%s", resumed, err, read(t, out))
	}
	if resumed, err = job(out, "x", 3).Run(context.Background()); err != nil || resumed != 3 || read(t, out) != all {
		t.Errorf("a finished batch: %d, %v", resumed, err)
	}
}

// Questions at work together leave their lines in order, never more than allowed, and
// none is at work once the batch has ended.
func TestQuestionsAtATime(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run.jsonl")
	j := job(out, "x", 3)
	j.Questions = nil
	for i := range 40 {
		j.Questions = append(j.Questions, Question{ID: strconv.Itoa(i)})
	}
	j.Parallel = 4
	var at, most, failAt atomic.Int32
	failAt.Store(23)
	j.Do = func(ctx context.Context, q Question) (any, error) {
		n := at.Add(1)
		defer at.Add(-1)
		for {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		i, _ := strconv.Atoi(q.ID)
		time.Sleep(time.Duration(i%3) * time.Millisecond)
		if int32(i) == failAt.Load() {
			return nil, errors.New("boom")
		}
		return line{ID: q.ID}, ctx.Err()
	}
	if _, err := j.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "question 23: boom") {
		t.Fatal(err)
	}
	if n := at.Load(); n != 0 {
		t.Errorf("%d questions are still at work", n)
	}
	failAt.Store(-1)
	if resumed, err := j.Run(t.Context()); err != nil || resumed != 23 {
		t.Fatal(resumed, err)
	}
	if m := most.Load(); m < 2 || m > 4 {
		t.Errorf("%d at a time, of 4 allowed", m)
	}
	for i, l := range strings.Split(strings.TrimSpace(read(t, out)), "\n") {
		if !strings.HasPrefix(l, fmt.Sprintf(`{"id":"%d"`, i)) {
			t.Errorf("line %d: %s", i, l)
		}
	}
}

// TestASlowQuestionDoesNotStopTheOthers holds that lines wait for it, and work does not.
func TestASlowQuestionDoesNotStopTheOthers(t *testing.T) {
	j := job(filepath.Join(t.TempDir(), "run.jsonl"), "x", 3)
	j.Questions = nil
	for i := range 12 {
		j.Questions = append(j.Questions, Question{ID: strconv.Itoa(i)})
	}
	j.Parallel = 2
	others := make(chan struct{}, len(j.Questions))
	j.Do = func(ctx context.Context, q Question) (any, error) {
		if q.ID != "0" {
			others <- struct{}{}
			return line{ID: q.ID}, nil
		}
		for range 6 {
			select {
			case <-others:
			case <-time.After(10 * time.Second):
				return nil, errors.New("the others wait")
			}
		}
		return line{ID: q.ID}, nil
	}
	if _, err := j.Run(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOtherSettingsDoNotMix(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run.jsonl")
	if _, err := job(out, "x", 3).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := job(out, "y", 3).Run(context.Background()); !errors.Is(err, ErrDiffers) {
		t.Errorf("other settings: %v", err)
	}
	if read(t, out) != all {
		t.Error("the output was touched")
	}
	j := job(out, "y", 1)
	j.Overwrite = true
	if _, err := j.Run(context.Background()); err != nil || !strings.HasPrefix(all, read(t, out)) {
		t.Errorf("overwrite: %v\n%s", err, read(t, out))
	}
}

func TestQuestionFilesWithMistakes(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"broken line": {"{\"id\":\"a\",\"question\":\"问\"}\n{\"id\":", ":2:"},
		"same id":     {"{\"id\":\"a\",\"question\":\"问\"}\n{\"id\":\"a\",\"question\":\"问\"}\n", ":2:"},
		"no id":       {"{\"question\":\"问\"}\n", ":1:"},
		"nothing":     {"\n", "no questions"},
	} {
		path := filepath.Join(t.TempDir(), "q.jsonl")
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadQuestions(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
