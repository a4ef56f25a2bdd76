// Package report holds what came of an experiment, and writes it: as JSON, as
// Markdown, as one HTML page with its plots, and as LaTeX tables.
//
//	err := r.WriteMarkdown(w)
//	err := r.WriteHTML(w)     // one file, no script, nothing loaded from elsewhere
//	err := r.WriteLaTeX(w)
//
// The plots are SVG inside the page: bars with intervals, recall by cutoff, the
// measure against the time that a question takes, and curves of sweeps.
package report
