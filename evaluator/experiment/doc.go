// Package experiment runs experiments that are written down in a file: which
// systems, on which data sets, measured how.
//
//	f, err := experiment.ReadFile("experiments/lexpath-t1.yaml")
//	e := &experiment.Experiment{File: f, Datasets: "../shared/data", Out: "reports/t1", Open: open}
//	result, err := e.Run(ctx)
//
// A file is YAML; File tells its keys, and a key that isn't one of them is an error.
// Each system makes one run (or one file of answers) on each data set, as
// `lexagent search` and `lexagent ask` write them, with a .meta.json beside it; one
// that is there already is not made again, and one that other settings made stops
// the experiment. What can't be run here, for want of a language model, of vectors
// or of weights, is listed in the report with the reason.
//
// The package decides what is run and measures it. What searches and answers is the
// caller's: a Lab.
package experiment
