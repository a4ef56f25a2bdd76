package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"lexagent/ingest"
)

// counted returns a printer of how many are done, and about how long the others will
// take, by those that were done since.
func counted(doing string) func(done, total int) {
	start, before := time.Now(), -1
	return func(done, total int) {
		if before < 0 {
			before = done - 1
		}
		left := time.Since(start) / time.Duration(max(done-before, 1)) * time.Duration(total-done)
		warn(fmt.Sprintf("%d of %d %s, about %s left", done, total, doing, left.Round(time.Second)))
	}
}

// isTerminal reports whether stderr is a terminal, where a line can be rewritten.
func isTerminal() bool {
	info, err := os.Stderr.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// logEvery is how often progress is printed where lines can't be rewritten.
const logEvery = 5 * time.Second

// progressLine returns a printer of progress: one line that is rewritten on a
// terminal, else a line now and then.
func progressLine() func(ingest.Progress) {
	terminal := isTerminal()
	var stage string
	var last time.Time
	return func(p ingest.Progress) {
		if !terminal && p.Stage == stage && time.Since(last) < logEvery {
			return
		}
		stage, last = p.Stage, time.Now()
		line := describe(p)
		if terminal {
			fmt.Fprintf(os.Stderr, "\r%s\x1b[K", line)
		} else {
			fmt.Fprintln(os.Stderr, line)
		}
	}
}

func endProgress() {
	if isTerminal() {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}

func describe(p ingest.Progress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s", p.Stage)
	if p.Stage == "read" {
		fmt.Fprintf(&b, "%d of %d files, %d units", p.Files, p.All, p.Units)
	} else {
		fmt.Fprintf(&b, "%d of %d", p.Units, p.Total)
	}
	if s := p.Elapsed.Seconds(); s > 0.5 {
		fmt.Fprintf(&b, ", %.0f a second", float64(p.Units)/s)
	}
	if left := p.Left(); left > time.Second {
		fmt.Fprintf(&b, ", %s left", left.Round(time.Second))
	}
	return b.String()
}
