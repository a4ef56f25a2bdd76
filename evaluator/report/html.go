package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed report.tmpl report.css
var files embed.FS

// style is the page's only style sheet.
var style = func() string {
	b, err := files.ReadFile("report.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}()

// Policy is the content security policy of the page: it loads nothing, runs nothing,
// and has this one style sheet.
var Policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

var page = template.Must(template.New("report.tmpl").ParseFS(files, "report.tmpl"))

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error {
	type group struct {
		Name string
		Rows [][]string
	}
	type set struct {
		*Set
		Says   string
		Table  [][]string
		Groups []group
		Plots  []Plot
		Papers []string
	}
	data := struct {
		*Report
		Made, Policy string
		Style        template.CSS
		Parts        []set
	}{Report: r, Made: r.made(), Policy: Policy, Style: template.CSS(style)} //nolint:gosec // our own file
	for i := range r.Sets {
		s := &r.Sets[i]
		part := set{Set: s, Says: s.says()}
		if len(s.Rows) > 0 {
			part.Table, part.Plots = s.table(r.Measures), s.plots(r.Measures[0])
		}
		for _, g := range s.groupings() {
			part.Groups = append(part.Groups, group{g, s.groupTable(g, r.Measures[0])})
		}
		for j := range s.NotRun {
			part.Papers = append(part.Papers, s.NotRun[j].paper())
		}
		data.Parts = append(data.Parts, part)
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
