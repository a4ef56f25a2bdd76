package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"slices"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/evaluator/report"
)

const reportsPath = "/reports/"

// reportName is a folder that may be named in a path: as experiments are, and so
// neither hidden nor another folder's.
var reportName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

var reportsPage = template.Must(template.New("reports").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Reports</title>
</head>
<body>
<h1>Reports</h1>
{{if .}}<ul>
{{range .}}<li><a href="` + reportsPath + `{{.Name}}">{{.Title}}</a>{{if .Sets}}: {{.Sets}}{{end}}</li>
{{end}}</ul>{{else}}<p>There are no reports yet. Make one with <code>lexagent eval run FILE.yaml</code>.</p>{{end}}
</body>
</html>
`))

// entry is a report as the list shows it.
type entry struct{ Name, Title, Sets string }

// reports answers GET /reports/ with the reports in the folder.
func (s *Server) reports(_ context.Context, ctx *app.RequestContext) error {
	if s.o.Reports == nil {
		return noReport
	}
	folders, err := fs.ReadDir(s.o.Reports, ".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list the reports: %w", err)
	}
	var list []entry
	for _, f := range folders {
		if e, ok := s.entry(f.Name()); ok {
			list = append(list, e)
		}
	}
	ctx.SetStatusCode(200)
	ctx.Header("Content-Type", kinds[".html"])
	ctx.Header("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return reportsPage.Execute(ctx.Response.BodyWriter(), list)
}

// entry reads what the list shows of a report; false where a folder holds none.
func (s *Server) entry(name string) (entry, bool) {
	if !reportName.MatchString(name) {
		return entry{}, false
	}
	if _, err := fs.Stat(s.o.Reports, name+"/report.html"); err != nil {
		return entry{}, false
	}
	e := entry{Name: name, Title: name}
	b, err := fs.ReadFile(s.o.Reports, name+"/report.json")
	var r report.Report
	if err == nil && json.Unmarshal(b, &r) == nil && r.Title != "" {
		e.Title = r.Title
		for _, set := range slices.DeleteFunc(r.Sets, func(s report.Set) bool { return len(s.Rows) == 0 }) {
			if e.Sets != "" {
				e.Sets += "; "
			}
			e.Sets += fmt.Sprintf("%s, %d questions, %d systems", set.Name, set.Questions, len(set.Rows))
		}
	}
	return e, true
}

// report answers GET /reports/{name} with one report's page.
func (s *Server) report(_ context.Context, ctx *app.RequestContext) error {
	name := ctx.Param("name")
	if s.o.Reports == nil || !reportName.MatchString(name) {
		return noReport
	}
	b, err := fs.ReadFile(s.o.Reports, name+"/report.html")
	if errors.Is(err, fs.ErrNotExist) {
		return noReport
	}
	if err != nil {
		return fmt.Errorf("read the report: %w", err)
	}
	ctx.Header("Content-Security-Policy", report.Policy+"; frame-ancestors 'none'; sandbox")
	ctx.Header("Cache-Control", "no-cache")
	ctx.Data(200, kinds[".html"], b)
	return nil
}

var noReport = &problem{Status: 404, Code: "not_found", Message: "there is no report by this name"}
