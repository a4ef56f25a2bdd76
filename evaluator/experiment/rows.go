package experiment

import (
	"fmt"
	"slices"
	"strconv"

	"lexagent/evaluator/report"
	"lexagent/retrieval"
)

// row is a system as it's run: with one value of its sweep, and one generator.
type row struct {
	System
	name  string
	gen   *Generator // nil: no language model writes its answers
	point *report.Point
}

// rows are the rows of the experiment's tables, in the order of the file.
func (f *File) rows() []row {
	var out []row
	for _, s := range f.Systems {
		for _, r := range swept(s) {
			if r.gen = s.Ask; slices.Contains([]string{"", Extractive, Given, Asked}, s.Answer) || s.NotRun != "" {
				out = append(out, r)
				continue
			}
			for i := range f.Generators {
				r.gen = &f.Generators[i]
				if r.name = s.Name; len(f.Generators) > 1 {
					r.name = r.gen.title("") + ", " + s.Name
				}
				out = append(out, r)
			}
		}
	}
	return out
}

// title is how a generator is named: its own name, its model's, or the configured one's.
func (g *Generator) title(configured string) string {
	for _, name := range []string{g.Name, g.Model, configured} {
		if name != "" {
			return name
		}
	}
	return "the configured model"
}

// swept makes one row of a system for each value of its sweep.
func swept(s System) []row {
	if s.Sweep == nil || s.NotRun != "" {
		return []row{{System: s, name: s.Name}}
	}
	var out []row
	for _, v := range s.Sweep.Values {
		r := row{System: s, point: &report.Point{System: s.Name, Parameter: s.Sweep.Parameter, Value: v}}
		r.name = fmt.Sprintf("%s, %s = %s", s.Name, s.Sweep.Parameter, strconv.FormatFloat(v, 'g', -1, 64))
		out = append(out, r)
	}
	return out
}

// query is the search of the row on a data set.
func (r *row) query(d *Dataset, f *File, depth int) (retrieval.Query, error) {
	q, err := r.System.query(d, f.AsOf, depth)
	if err != nil || r.point == nil {
		return q, err
	}
	v := r.point.Value
	if r.point.Parameter == "alpha" {
		q.Fusion.Alpha = &v
		return q, nil
	}
	l := *q.Lambda
	l.Intent = v
	q.Lambda = &l
	return q, nil
}

// reference is the name of the row that the others are tested against: the one that
// the file names, else the last that ran.
func (f *File) reference(ran []report.Row) string {
	if slices.ContainsFunc(ran, func(r report.Row) bool { return r.Name == f.Reference }) {
		return f.Reference
	}
	if len(ran) == 0 {
		return ""
	}
	return ran[len(ran)-1].Name
}
