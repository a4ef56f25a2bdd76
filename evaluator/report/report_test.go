package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"lexagent/evaluator"
)

func metric(v float64) evaluator.Metric { return evaluator.Metric{Value: v, Low: v - .1, High: v + .1} }

// sample is a report with everything that a report can have, and hostile names.
func sample() *Report {
	paper := .375
	row := func(name string, v float64, ms float64, p *Point) Row {
		return Row{Name: name, Metrics: map[string]evaluator.Metric{"recall@1": metric(v / 2), "recall@5": metric(v), "ndcg@5": metric(v)}, Time: Time{Median: ms, P95: ms, Mean: ms}, Point: p}
	}
	first := row(`<script>alert(1)</script> & "BM25"`, .4, 2, nil)
	first.Paper, first.Calls, first.Kept = &paper, 3, 1
	first.Groups = map[string]map[string]evaluator.Group{"seen": {"unseen": {Queries: 7, Metrics: map[string]evaluator.Metric{"recall@5": metric(.3)}}}}
	first.Against = &evaluator.Pair{Difference: -.2, P: .01}
	return &Report{
		Name: "t", Title: "T & <b>", Measures: []string{"recall@5", "ndcg@5"}, Level: .95, Program: "dev", File: "abc", Limit: 10,
		Sets: []Set{
			{Name: "S_1", Questions: 10, Reference: "fast", Rows: []Row{first, row("fast", .6, 20, nil), row("α 0", .5, 5, &Point{"α", "alpha", 0}), row("α 1", .4, 5, &Point{"α", "alpha", 1})},
				NotRun: []Skipped{{"jina", "no weights", &paper}}},
			{Name: "gone", Why: "its questions are not there"},
		},
	}
}

func TestMarkdownTellsAll(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Only the first 10 questions", "| 0.4000 [0.300, 0.500] |", "| 0.3750 ", "| -0.2000 ", "3 (1 kept, their time not counted)", "unseen (7)",
		"- jina: no weights (in the paper 37.50)", "Not run: its questions are not there.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The page needs nothing else, runs nothing, and its plots are well-formed.
func TestThePageStandsAlone(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Contains(page, "<script") || strings.Contains(page, "style=") || regexp.MustCompile(`(src|href)=`).MatchString(page) {
		t.Error("the page runs or loads something")
	}
	inner := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)
	if inner == nil {
		t.Fatal("no style sheet")
	}
	sum := sha256.Sum256([]byte(inner[1]))
	if !strings.Contains(Policy, base64.StdEncoding.EncodeToString(sum[:])) {
		t.Error("the policy forbids the page's own style sheet")
	}
	plots := regexp.MustCompile(`(?s)<svg .*?</svg>`).FindAllString(page, -1)
	if len(plots) != 4 { // bars, recall by k, the sweep, time
		t.Errorf("%d plots", len(plots))
	}
	for _, p := range plots {
		d := xml.NewDecoder(strings.NewReader(p))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %.300s", err, p)
			}
		}
		if strings.Contains(p, "NaN") || strings.Contains(p, "Inf") {
			t.Errorf("a coordinate is no number: %.300s", p)
		}
	}
}

func TestPlotsBearOddValues(t *testing.T) {
	for what, s := range map[string]Set{
		"one row":    {Rows: []Row{{Name: "a", Metrics: map[string]evaluator.Metric{"m": {}}}}},
		"no measure": {Rows: []Row{{Name: "a"}, {Name: "b"}}},
		"all zero":   {Rows: []Row{{Name: "a", Metrics: map[string]evaluator.Metric{"recall@1": {}, "recall@5": {}}}, {Name: "b"}}},
	} {
		for _, p := range s.plots("m") {
			if strings.Contains(string(p.SVG), "NaN") || strings.Contains(string(p.SVG), "Inf") {
				t.Errorf("%s: %s", what, p.Caption)
			}
		}
	}
}

func TestLaTeXEscapes(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{`T \& <b>`, `S\_1`, `\textbf{60.00}`, `$\alpha$ 0`, `[30.0, 50.0]`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, `\begin{table}`) != 1 {
		t.Error("a data set without rows has a table")
	}
}

func TestTicksReachTheTop(t *testing.T) {
	for _, top := range []float64{0, .003, .15, .3, .56, 1, 1.7, 42} {
		ticks := ticksTo(top)
		last := ticks[len(ticks)-1]
		if last < top || len(ticks) < 2 || len(ticks) > 12 || top > 0 && last > 1.5*top {
			t.Errorf("to %v: %v", top, ticks)
		}
	}
}
