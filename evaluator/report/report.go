package report

import (
	"lexagent/evaluator"
)

// Report is what came of an experiment. Its JSON is what programs read.
type Report struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	About    string   `json:"about,omitempty"`
	File     string   `json:"file"`     // digest of the experiment's file
	Program  string   `json:"program"`  // version of the program
	Seed     uint64   `json:"seed"`     // of splits, samples and intervals
	Measures []string `json:"measures"` // columns; the first is the one that is plotted and tested
	Level    float64  `json:"level"`    // width of the intervals
	Limit    int      `json:"limit,omitempty"`
	Sets     []Set    `json:"sets"`
}

// Set is the part of a report on one data set.
type Set struct {
	Name      string    `json:"name"`
	Questions int       `json:"questions"`
	Corpus    string    `json:"corpus,omitempty"` // digest of what was searched
	Reference string    `json:"reference,omitempty"`
	Tested    string    `json:"tested,omitempty"` // the measure of the rows' tests: the first one that the reference has
	Rows      []Row     `json:"rows,omitempty"`
	NotRun    []Skipped `json:"not_run,omitempty"`
	Why       string    `json:"why,omitempty"` // nothing was run on this set, because
	Notes     []string  `json:"notes,omitempty"`
}

// Row is one system on one data set.
type Row struct {
	Name      string                                `json:"name"`
	File      string                                `json:"file"` // the run, or the answers
	Config    any                                   `json:"config"`
	Metrics   map[string]evaluator.Metric           `json:"metrics"`             // all that was measured, unrounded
	Questions map[string]int                        `json:"questions,omitempty"` // on how many questions a measure stands, where not on all
	Groups    map[string]map[string]evaluator.Group `json:"groups,omitempty"`
	Against   *evaluator.Pair                       `json:"against,omitempty"` // the measure that is tested against the reference's; its difference is this row's − the reference's
	Paper     *float64                              `json:"paper,omitempty"`   // the first measure as the paper has it, 0 to 1
	Time      Time                                  `json:"time"`
	Calls     float64                               `json:"calls"` // of a language model a question, kept replies among them
	Kept      float64                               `json:"kept"`  // of these: replies that were kept from before, whose time is not in Time
	Point     *Point                                `json:"point,omitempty"`
	Problems  []string                              `json:"problems,omitempty"`
}

// Time is how long questions took, in milliseconds.
type Time struct {
	Median float64 `json:"p50"`
	P95    float64 `json:"p95"`
	Mean   float64 `json:"mean"`
}

// Point is the place of a row on the curve of a sweep.
type Point struct {
	System    string  `json:"system"`
	Parameter string  `json:"parameter"`
	Value     float64 `json:"value"`
}

// Skipped is a row that was not run.
type Skipped struct {
	Name  string   `json:"name"`
	Why   string   `json:"why"`
	Paper *float64 `json:"paper,omitempty"`
}
