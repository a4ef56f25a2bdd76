// Package bench measures speed and memory on the machine at hand. Beside each
// figure stands a calibration: the time of a fixed piece of arithmetic just before
// and after, so that figures taken on a busy machine are seen for what they are.
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"lexagent/model"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// Figure is one measurement.
type Figure struct {
	Name        string  `json:"name"`
	Value       float64 `json:"value"` // the median, where there are many
	P95         float64 `json:"p95,omitempty"`
	Unit        string  `json:"unit"`
	Samples     int     `json:"samples"`
	Calibration float64 `json:"calibration_ms"` // of Calibrate, beside this figure; about 10 on an idle core of 2024
}

// Report is what a bench found.
type Report struct {
	CPUs    int      `json:"cpus"`
	Figures []Figure `json:"figures"`
}

// Searcher runs one search.
type Searcher interface {
	Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error)
}

// Encoder makes vectors of passages.
type Encoder interface {
	Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error)
}

// Checker checks a text.
type Checker interface {
	Check(ctx context.Context, d verify.Draft) (*verify.Report, error)
}

// Calibrate runs a fixed piece of arithmetic on one core and returns its time in
// milliseconds.
func Calibrate() float64 {
	start := time.Now()
	x := 1.0
	for i := range 4_000_000 {
		x = x*1.0000001 + 1/float64(i+1)
	}
	runtime.KeepAlive(x) // or the compiler drops the work
	return ms(time.Since(start))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// add appends a figure measured by fn, with the calibration around it.
func (r *Report) add(name, unit string, fn func() (samples []float64, err error)) error {
	before := Calibrate()
	samples, err := fn()
	if err != nil {
		return fmt.Errorf("measure %s: %w", name, err)
	}
	slices.Sort(samples)
	f := Figure{Name: name, Unit: unit, Samples: len(samples), Calibration: (before + Calibrate()) / 2}
	if n := len(samples); n > 0 {
		f.Value = samples[n/2]
		if n >= 20 {
			f.P95 = samples[n*95/100]
		}
	}
	r.Figures = append(r.Figures, f)
	return nil
}

// Searches measures every mode that needs no language model with these questions,
// one after the other: the whole search, and the stage that gives the mode its name.
func (r *Report) Searches(ctx context.Context, s Searcher, questions []string) error {
	for _, m := range retrieval.Modes {
		q := retrieval.Query{Mode: m, K: 20, Scope: retrieval.Scope{AsOf: retrieval.AsOf{Any: true}}}
		if m == retrieval.LexPath {
			continue // it measures the language model
		}
		if q.Text = questions[0]; m == retrieval.Fast {
			if res, err := s.Search(ctx, q); err == nil && res.Mode == retrieval.Hybrid {
				continue // the encoder has no ranker
			}
		}
		stages := map[string][]float64{}
		err := r.add("search "+string(m), "ms", func() ([]float64, error) {
			var whole []float64
			for _, q.Text = range questions {
				start := time.Now()
				res, err := s.Search(ctx, q)
				if err != nil {
					return nil, err
				}
				if res.Mode != m {
					return nil, fmt.Errorf("ran as %s", res.Mode)
				}
				whole = append(whole, ms(time.Since(start)))
				for name, t := range res.Stages {
					stages[name] = append(stages[name], t)
				}
			}
			return whole, nil
		})
		if err != nil {
			return err
		}
		for _, name := range []string{"direct", "encode", "sparse", "dense", "fuse", "read"} {
			if len(stages[name]) == 0 {
				continue
			}
			if err := r.add("  "+name, "ms", func() ([]float64, error) { return stages[name], nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

// Answers measures the answer graph without a language model, question by question:
// search, choice of passages, and checks.
func (r *Report) Answers(ctx context.Context, answer func(ctx context.Context, question string) error, questions []string) error {
	return r.add("answer, no language model", "ms", func() ([]float64, error) {
		return timed(questions, func(q string) error { return answer(ctx, q) })
	})
}

// checkRunes is the length of the text whose check is measured.
const checkRunes = 10_000

// Checks measures the check of a text of 10,000 characters that cites and quotes an
// article every few lines, twenty times.
func (r *Report) Checks(ctx context.Context, c Checker, units []*statute.Unit, laws []*statute.Law, day statute.Date) error {
	var text strings.Builder
	for n, i := 0, 0; n < checkRunes && len(units) > 0; i = (i + 1) % len(units) {
		words, _, _ := strings.Cut(units[i].Text, "。")
		part := "《" + laws[i].Title + "》" + units[i].Label + "规定：“" + words + "。”因此，当事人可以据此主张自己的权利，但应当先提供相应的证据。\n"
		text.WriteString(part)
		n += utf8.RuneCountInString(part)
	}
	draft := verify.Draft{Text: string([]rune(text.String())[:min(checkRunes, utf8.RuneCountInString(text.String()))]), Collections: []string{"public"}, Day: day}
	return r.add("check of 10,000 characters", "ms", func() ([]float64, error) {
		return timed(make([]struct{}, 20), func(struct{}) error {
			_, err := c.Check(ctx, draft)
			return err
		})
	})
}

// timed runs fn for each of list and returns the milliseconds of each.
func timed[T any](list []T, fn func(T) error) ([]float64, error) {
	var out []float64
	for _, v := range list {
		start := time.Now()
		if err := fn(v); err != nil {
			return nil, err
		}
		out = append(out, ms(time.Since(start)))
	}
	return out, nil
}

// Embedding measures how many passages a second the encoder takes.
func (r *Report) Embedding(ctx context.Context, e Encoder, passages []string) error {
	return r.add("embed", "passages/s", func() ([]float64, error) {
		start := time.Now()
		if _, err := e.Encode(ctx, passages, model.Passage); err != nil {
			return nil, err
		}
		return []float64{float64(len(passages)) / time.Since(start).Seconds()}, nil
	})
}

// Once adds a figure that was measured once, elsewhere.
func (r *Report) Once(name, unit string, value float64) {
	r.Figures = append(r.Figures, Figure{Name: name, Unit: unit, Value: value, Samples: 1, Calibration: Calibrate()})
}

// Memory adds the resident memory of the process, where the system tells it, and
// the part of it that is Go's.
func (r *Report) Memory() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Once("Go heap in use", "MB", float64(m.HeapInuse)/1e6)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return // not Linux
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if name, rest, ok := strings.Cut(line, ":"); ok && (name == "VmRSS" || name == "RssAnon") {
			if kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64); err == nil {
				r.Once(name, "MB", kb/1000)
			}
		}
	}
}

// WriteTable writes the report for people, as a Markdown table.
func (r *Report) WriteTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%d CPUs\n\n| figure | median | p95 | unit | samples | calibration ms |\n|---|---|---|---|---|---|\n", r.CPUs); err != nil {
		return err
	}
	for _, f := range r.Figures {
		p95 := ""
		if f.P95 > 0 {
			p95 = fmt.Sprintf("%.2f", f.P95)
		}
		if _, err := fmt.Fprintf(w, "| %s | %.2f | %s | %s | %d | %.1f |\n", f.Name, f.Value, p95, f.Unit, f.Samples, f.Calibration); err != nil {
			return err
		}
	}
	return nil
}
