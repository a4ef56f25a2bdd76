package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lexagent/evaluator"
)

// WriteMarkdown writes the report as Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# %s\n\n", r.Title)
	if r.About != "" {
		b.WriteString(strings.TrimSpace(r.About) + "\n\n")
	}
	b.WriteString(r.made() + "\n")
	for i := range r.Sets {
		s := &r.Sets[i]
		fmt.Fprintf(b, "\n## %s\n\n%s\n", s.Name, s.says())
		if len(s.Rows) > 0 {
			b.WriteString("\n")
			evaluator.WriteRows(b, s.table(r.Measures))
		}
		for _, g := range s.groupings() {
			fmt.Fprintf(b, "\n%s by %s:\n\n", r.Measures[0], g)
			evaluator.WriteRows(b, s.groupTable(g, r.Measures[0]))
		}
		if len(s.NotRun) > 0 {
			b.WriteString("\nNot run:\n\n")
			for _, n := range s.NotRun {
				fmt.Fprintf(b, "- %s: %s%s\n", n.Name, n.Why, n.paper())
			}
		}
		for _, row := range s.Rows {
			for _, p := range row.Problems {
				fmt.Fprintf(b, "- %s: %s\n", row.Name, p)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// made says what the report was made of.
func (r *Report) made() string {
	text := fmt.Sprintf("Made by lexagent %s from the experiment %s (file %s), seed %d; values with %g %% bootstrap intervals.",
		r.Program, r.Name, r.File, r.Seed, 100*r.Level)
	if r.Limit > 0 {
		text += fmt.Sprintf(" Only the first %d questions of each data set: a trial, no result.", r.Limit)
	}
	return text
}

// says is the line under the head of a data set.
func (s *Set) says() string {
	if s.Why != "" {
		return "Not run: " + s.Why + "."
	}
	text := fmt.Sprintf("Questions: %d; corpus %.16s.", s.Questions, s.Corpus)
	if s.Reference != "" && len(s.Rows) > 1 {
		text += fmt.Sprintf(" Difference and p (two-sided paired randomisation test, of %s alone) are against %s.", s.Tested, s.Reference)
	}
	for _, n := range s.Notes {
		text += " " + n
	}
	return text
}

func (n *Skipped) paper() string {
	if n.Paper == nil {
		return ""
	}
	return fmt.Sprintf(" (in the paper %.2f)", 100**n.Paper)
}

// table has a row a system: measures, the paper's value, the difference, costs.
func (s *Set) table(measures []string) [][]string {
	paper := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Paper != nil })
	head := append([]string{"system"}, measures...)
	if paper {
		head = append(head, measures[0]+" in the paper")
	}
	tested := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Against != nil })
	if tested {
		head = append(head, "difference", "p")
	}
	head = append(head, "LLM calls", "p50 ms", "p95 ms")
	rows := [][]string{head}
	for i := range s.Rows {
		r := &s.Rows[i]
		row := []string{r.Name}
		for _, m := range measures {
			row = append(row, r.cell(m))
		}
		if paper {
			row = append(row, "")
			if r.Paper != nil {
				row[len(row)-1] = fmt.Sprintf("%.4f", *r.Paper)
			}
		}
		if a := r.Against; a != nil {
			row = append(row, fmt.Sprintf("%+.4f", a.Difference), fmt.Sprintf("%.4f", a.P))
		} else if tested {
			row = append(row, "", "")
		}
		rows = append(rows, append(row, r.calls(), fmt.Sprintf("%.1f", r.Time.Median), fmt.Sprintf("%.1f", r.Time.P95)))
	}
	return rows
}

// cell is a measure with its interval, and on how many questions it stands where
// these aren't all.
func (r *Row) cell(measure string) string {
	m, ok := r.Metrics[measure]
	if !ok {
		return "–"
	}
	text := fmt.Sprintf("%.4f [%.3f, %.3f]", m.Value, m.Low, m.High)
	if n, ok := r.Questions[measure]; ok {
		text += fmt.Sprintf(" (%d)", n)
	}
	return text
}

// calls is how often a language model was asked for a question.
func (r *Row) calls() string {
	text := fmt.Sprintf("%.3g", r.Calls)
	if r.Kept > 0 {
		text += fmt.Sprintf(" (%.3g kept, their time not counted)", r.Kept)
	}
	return text
}

// groupings are the groupings of questions that any row was measured by.
func (s *Set) groupings() []string {
	all := map[string]bool{}
	for i := range s.Rows {
		for g := range s.Rows[i].Groups {
			all[g] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// groupTable has a row a system and a column a group, with one measure.
func (s *Set) groupTable(grouping, measure string) [][]string {
	counts := map[string]int{}
	for i := range s.Rows {
		for name, g := range s.Rows[i].Groups[grouping] {
			counts[name] = g.Queries
		}
	}
	groups := slices.Sorted(maps.Keys(counts))
	head := []string{"system"}
	for _, g := range groups {
		head = append(head, fmt.Sprintf("%s (%d)", g, counts[g]))
	}
	rows := [][]string{head}
	for i := range s.Rows {
		row := []string{s.Rows[i].Name}
		for _, g := range groups {
			cell := "–"
			if m, ok := s.Rows[i].Groups[grouping][g].Metrics[measure]; ok {
				cell = fmt.Sprintf("%.4f [%.3f, %.3f]", m.Value, m.Low, m.High)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}
