package evaluator

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxListed is how many ids of a list people are shown; the JSON has them all.
const maxListed = 10

// WriteTable writes the report for people: an aligned Markdown table, one row a
// measure, one column a cutoff, each value with its interval, then the groups,
// then what was untidy.
func (r *Report) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "questions: %d, matched by %s; values with %g %% bootstrap intervals\n\n", r.Queries, r.By, r.Level*100)
	WriteRows(b, r.table.matrix(r.Metrics))
	for _, by := range slices.Sorted(maps.Keys(r.Groups)) {
		for _, name := range slices.Sorted(maps.Keys(r.Groups[by])) {
			g := r.Groups[by][name]
			fmt.Fprintf(b, "\n%s: %s, questions: %d\n\n", by, name, g.Queries)
			WriteRows(b, r.table.matrix(g.Metrics))
		}
	}
	r.writeNotes(b)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteTable writes the comparison for people: both runs side by side with the
// difference, then what was untidy in each.
func (c *Comparison) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "questions: %d, matched by %s; difference = second − first with %g %% bootstrap intervals; "+
		"p of a two-sided paired randomisation test\n\n", c.Queries, c.By, c.Level*100)
	rows := [][]string{{"measure", "first", "second", "difference", "p", "better", "worse", "same"}}
	for _, name := range c.table.names {
		p := c.Paired.Metrics[name]
		rows = append(rows, []string{name, fmt.Sprintf("%.4f", p.First), fmt.Sprintf("%.4f", p.Second),
			fmt.Sprintf("%+.4f [%+.4f, %+.4f]", p.Difference, p.Low, p.High), fmt.Sprintf("%.4f", p.P),
			fmt.Sprint(p.Better), fmt.Sprint(p.Worse), fmt.Sprint(p.Same)})
	}
	WriteRows(b, rows)
	for i, r := range []*Report{c.Report, c.Second} {
		fmt.Fprintf(b, "\n%s run:\n", []string{"First", "Second"}[i])
		r.writeNotes(b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// matrix lays the measures out: a row a family, a column a cutoff.
func (t table) matrix(values map[string]Metric) [][]string {
	columns := append(slices.Clone(t.k), 0)
	head := []string{"measure"}
	for _, k := range columns {
		if k == 0 {
			head = append(head, "all hits")
		} else {
			head = append(head, fmt.Sprintf("@%d", k))
		}
	}
	rows := [][]string{head}
	all := slices.Clone(families)
	for _, f := range legalDC {
		all = append(all, family{name: f.name})
	}
	for _, f := range all {
		if _, measured := values[f.at(t.k[0])]; !measured {
			continue
		}
		row := []string{cmp.Or(f.title, f.name)}
		for _, k := range columns {
			cell := ""
			if m, ok := values[f.at(k)]; ok {
				cell = fmt.Sprintf("%.4f [%.3f, %.3f]", m.Value, m.Low, m.High)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// WriteRows writes a Markdown table, padded so that it's a table in a terminal
// too. The first row is the head.
func WriteRows(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(b, "| %-*s ", width[i], cell)
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range width {
				b.WriteString("|" + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
		}
	}
}

func (r *Report) writeNotes(b *strings.Builder) {
	b.WriteString("\n")
	if last := r.table.k[len(r.table.k)-1]; last > r.Depth {
		fmt.Fprintf(b, "- no line has more than %d hits, so a cutoff beyond that adds nothing\n", r.Depth)
	}
	for _, line := range r.Says() {
		b.WriteString("- " + line + "\n")
	}
}

// Says lists in a line each what was untidy in run and gold.
func (r *Report) Says() []string {
	p := &r.Problems
	notes := []Note{
		{p.Missing, "questions that the run lacks, counted as 0"},
		{p.NoGold, "questions without gold, left out"},
		{p.Unknown, "run lines for questions that the gold lacks, ignored"},
		{p.DuplicateLines, "run lines that repeat a question, ignored"},
		{p.DuplicateQuestions, "gold lines that repeat a question, ignored"},
		{p.DuplicateHits, "hits that repeat one of the same line, taken out"},
		{p.DuplicateGold, "golds that repeat one of the same question, taken together"},
		{p.Rising, "lines on which scores rise, ranked as printed"},
	}
	var out []string
	for _, n := range notes {
		if n.List.Count > 0 {
			out = append(out, n.String())
		}
	}
	return out
}

// Note is a list with what it means.
type Note struct {
	List List
	Says string
}

// String is the note with its first ids.
func (n Note) String() string {
	ids, more := n.List.IDs, ""
	if len(ids) > maxListed {
		more = fmt.Sprintf(" and %d more", len(ids)-maxListed)
		ids = ids[:maxListed]
	}
	return fmt.Sprintf("%s: %d (%s%s)", n.Says, n.List.Count, strings.Join(ids, ", "), more)
}

// WriteNotes writes the lists that aren't empty, each with its first ids.
func WriteNotes(b *strings.Builder, notes []Note) {
	for _, n := range notes {
		if n.List.Count > 0 {
			b.WriteString("- " + n.String() + "\n")
		}
	}
}
