package evaluator

import (
	"embed"
	"encoding/csv"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// WriteTable writes the analysis for people, without the texts.
func (s *Stages) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	f := s.Funnel
	fmt.Fprintf(b, "questions: %d, golds: %d, matched by %s, cutoff %d\n\n", s.Questions, f.Golds, s.By, s.K)
	rows := [][]string{{"where the golds are", "golds", "share"}}
	for _, r := range []struct {
		name string
		n    int
	}{
		{"not in pool", f.NotInPool}, {"lost in fusion", f.LostInFusion}, {"  of these, found by a path alone", f.InAPath},
		{"lost in rerank", f.LostInRerank}, {"won in rerank", f.WonInRerank}, {"kept", f.Kept},
	} {
		rows = append(rows, []string{r.name, fmt.Sprint(r.n), fmt.Sprintf("%.1f %%", 100*float64(r.n)/float64(f.Golds))})
	}
	WriteRows(b, rows)
	fmt.Fprintf(b, "\nquestions with a gold among the first %d before reranking: %d; of these, moved out: %d (%.2f %%)\n\n", s.K, s.Within, s.Demoted, 100*s.Share)
	rows = [][]string{{"moved out by", "question", "gold", "rank"}}
	for i := range s.Cases {
		if c := &s.Cases[i]; c.Loss == LostInRerank {
			rows = append(rows, []string{string(c.Label), c.ID, c.Gold.Name, fmt.Sprintf("%d → %d", c.Gold.Before, c.Gold.After)})
		}
	}
	if len(rows) > 1 {
		WriteRows(b, rows)
	}
	b.WriteString("\n")
	if s.Linear {
		fmt.Fprintf(b, "- final = %.3g rerank + %.3g fused + %.3g intent\n", s.Weights[0], s.Weights[1], s.Weights[2])
	}
	WriteNotes(b, []Note{
		{s.Problems.Missing, "questions that the run lacks, their golds not in the pool"},
		{s.Problems.NoGold, "questions without gold, left out"},
		{s.Problems.DuplicateHits, "hits that repeat one of the same line, taken out"},
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes the cases for a spreadsheet, a row a case, with a column for a
// person's own label.
func (s *Stages) WriteCSV(w io.Writer) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil { // or Excel reads no Chinese
		return err
	}
	c := csv.NewWriter(w)
	if err := c.Write([]string{"id", "question", "intent", "loss", "label", "checked label", "before", "after", "gold", "gold intent", "gold text", "first hits"}); err != nil {
		return err
	}
	for i := range s.Cases {
		k := &s.Cases[i]
		var first strings.Builder
		for _, h := range k.First {
			fmt.Fprintf(&first, "%d → %d %s [%s]\n%s\n\n", h.Before, h.After, h.Name, h.Intent, h.Text)
		}
		row := []string{k.ID, k.Question, k.Intent, string(k.Loss), string(k.Label), "", fmt.Sprint(k.Gold.Before), fmt.Sprint(k.Gold.After),
			k.Gold.Name, k.Gold.Intent, k.Gold.Text, strings.TrimSpace(first.String())}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

//go:embed stages.tmpl
var files embed.FS

var stagesPage = template.Must(template.ParseFS(files, "stages.tmpl"))

// WriteHTML writes the cases as a page, each gold beside the hits that have its
// place.
func (s *Stages) WriteHTML(w io.Writer) error { return stagesPage.Execute(w, s) }
