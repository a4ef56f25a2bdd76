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

	"lexagent/model"
	"lexagent/retrieval"
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
