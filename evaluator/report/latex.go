package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX writes one table a data set, for a paper with the package booktabs.
// Values are in per cent, the best of a column in bold.
func (r *Report) WriteLaTeX(w io.Writer) error {
	b := &strings.Builder{}
	for i := range r.Sets {
		s := &r.Sets[i]
		if len(s.Rows) == 0 {
			continue
		}
		fmt.Fprintf(b, "\\begin{table}\n\\centering\n\\caption{%s: %s, %d questions, %g\\,\\%% bootstrap intervals.}\n\\begin{tabular}{l%s}\n\\toprule\nSystem",
			latex.Replace(r.Title), latex.Replace(s.Name), s.Questions, 100*r.Level, strings.Repeat("c", len(r.Measures)))
		best := make([]float64, len(r.Measures))
		for j, m := range r.Measures {
			fmt.Fprintf(b, " & %s", latex.Replace(m))
			for k := range s.Rows {
				best[j] = max(best[j], s.Rows[k].Metrics[m].Value)
			}
		}
		b.WriteString(" \\\\\n\\midrule\n")
		for k := range s.Rows {
			b.WriteString(latex.Replace(s.Rows[k].Name))
			for j, m := range r.Measures {
				b.WriteString(" & " + latexCell(&s.Rows[k], m, best[j]))
			}
			b.WriteString(" \\\\\n")
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func latexCell(r *Row, measure string, best float64) string {
	m, ok := r.Metrics[measure]
	if !ok {
		return "--"
	}
	value := fmt.Sprintf("%.2f", 100*m.Value)
	if m.Value == best {
		value = "\\textbf{" + value + "}"
	}
	return fmt.Sprintf("%s {\\scriptsize [%.1f, %.1f]}", value, 100*m.Low, 100*m.High)
}

// latex escapes what LaTeX takes for commands.
var latex = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"α", `$\alpha$`, "λ", `$\lambda$`, "μ", `$\mu$`)
