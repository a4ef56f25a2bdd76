package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Plot is one picture.
type Plot struct {
	Caption string
	SVG     template.HTML
}

// plots are the pictures of a data set.
func (s *Set) plots(measure string) []Plot {
	plots := []Plot{s.bars(measure)}
	if curves := s.curves("recall"); len(curves) > 0 {
		plots = append(plots, Plot{"Recall (mean over questions) by cutoff k", lines(curves, "k", "recall", true)})
	}
	for _, parameter := range s.parameters() {
		plots = append(plots, Plot{measure + " by " + parameter, lines(s.sweeps(parameter, measure), parameter, measure, false)})
	}
	if len(s.Rows) > 1 {
		plots = append(plots, s.scatter(measure))
	}
	return plots
}

// colours tell curves apart, also for most who are colour-blind (Okabe and Ito).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999"}

const (
	width     = 860
	left      = 300 // where bars begin
	barHeight = 22
	plotLeft  = 60
	plotRight = 560
	plotTop   = 15
	plotLow   = 330
)

// drawing is an SVG while it is drawn. Texts are escaped; numbers are ours.
type drawing struct{ strings.Builder }

func begin(height int) *drawing {
	d := &drawing{}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13" role="img">`,
		width, height, width, height)
	return d
}

func (d *drawing) end() template.HTML {
	d.WriteString("</svg>")
	return template.HTML(d.String()) //nolint:gosec // every text in it was escaped
}

func (d *drawing) text(x, y float64, anchor, s string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="#222">%s</text>`, x, y, anchor, template.HTMLEscapeString(s))
}

func (d *drawing) line(x1, y1, x2, y2 float64, colour string, wide float64) {
	fmt.Fprintf(d, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"/>`, x1, y1, x2, y2, colour, wide)
}

func (d *drawing) dot(x, y float64, colour, title string) {
	fmt.Fprintf(d, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"><title>%s</title></circle>`, x, y, colour, template.HTMLEscapeString(title))
}

// bars draws the measure of every row with its interval, from 0.
func (s *Set) bars(measure string) Plot {
	top := 0.0
	for i := range s.Rows {
		top = max(top, s.Rows[i].Metrics[measure].High, s.Rows[i].Metrics[measure].Value)
	}
	ticks := ticksTo(top)
	height := len(s.Rows)*barHeight + 40
	d := begin(height)
	scale := (width - left - 70) / ticks[len(ticks)-1]
	for _, t := range ticks {
		x := left + t*scale
		d.line(x, 5, x, float64(height-30), "#ddd", 1)
		d.text(x, float64(height-14), "middle", number(t))
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		y := float64(5 + i*barHeight)
		d.text(left-8, y+15, "end", short(r.Name, 42))
		m, ok := r.Metrics[measure]
		if !ok {
			d.text(left+6, y+15, "start", "–")
			continue
		}
		colour := colours[0]
		if r.Name == s.Reference {
			colour = colours[1]
		}
		fmt.Fprintf(d, `<rect x="%d" y="%.1f" width="%.1f" height="%d" fill="%s" fill-opacity="0.75"><title>%s</title></rect>`,
			left, y+3, m.Value*scale, barHeight-6, colour, template.HTMLEscapeString(r.Name+" "+r.cell(measure)))
		mid := y + barHeight/2
		d.line(left+m.Low*scale, mid, left+m.High*scale, mid, "#222", 1.5)
		for _, end := range []float64{m.Low, m.High} {
			d.line(left+end*scale, mid-4, left+end*scale, mid+4, "#222", 1.5)
		}
		d.text(left+max(m.High, m.Value)*scale+6, y+15, "start", fmt.Sprintf("%.3f", m.Value))
	}
	return Plot{measure + " with intervals", d.end()}
}

// curve is one line of a plot.
type curve struct {
	name   string
	points [][2]float64
}

// curves are a measure of every row by its cutoffs. Rows of sweeps would be too many.
func (s *Set) curves(family string) []curve {
	var out []curve
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Point != nil {
			continue
		}
		c := curve{name: r.Name}
		for name, m := range r.Metrics {
			if of, at, ok := strings.Cut(name, "@"); ok && of == family {
				if k, err := strconv.Atoi(at); err == nil {
					c.points = append(c.points, [2]float64{float64(k), m.Value})
				}
			}
		}
		if len(c.points) > 1 {
			out = append(out, c.sorted())
		}
	}
	return out
}

func (c curve) sorted() curve {
	slices.SortFunc(c.points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	return c
}

// parameters are those that any row sweeps over, in the order of the rows.
func (s *Set) parameters() []string {
	var out []string
	for i := range s.Rows {
		if p := s.Rows[i].Point; p != nil && !slices.Contains(out, p.Parameter) {
			out = append(out, p.Parameter)
		}
	}
	return out
}

// sweeps are a measure of every swept system by the parameter.
func (s *Set) sweeps(parameter, measure string) []curve {
	var out []curve
	for i := range s.Rows {
		p := s.Rows[i].Point
		if p == nil || p.Parameter != parameter {
			continue
		}
		at := slices.IndexFunc(out, func(c curve) bool { return c.name == p.System })
		if at < 0 {
			at = len(out)
			out = append(out, curve{name: p.System})
		}
		out[at].points = append(out[at].points, [2]float64{p.Value, s.Rows[i].Metrics[measure].Value})
	}
	for i := range out {
		out[i] = out[i].sorted()
	}
	return out
}

// lines draws curves; logarithmic says of the horizontal axis.
func lines(curves []curve, xName, yName string, logarithmic bool) template.HTML {
	var xs, ys []float64
	for _, c := range curves {
		for _, p := range c.points {
			xs, ys = append(xs, p[0]), append(ys, p[1])
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	d := begin(max(plotLow+40, 25+18*len(curves)))
	x, y := d.axes(xs, ys, xName, yName, logarithmic, xs)
	for i, c := range curves {
		colour := colours[i%len(colours)]
		var path []string
		for _, p := range c.points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(p[0]), y(p[1])))
			d.dot(x(p[0]), y(p[1]), colour, fmt.Sprintf("%s: %g → %.4f", c.name, p[0], p[1]))
		}
		dash := ""
		if i >= len(colours) {
			dash = ` stroke-dasharray="6 3"`
		}
		fmt.Fprintf(d, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"%s/>`, strings.Join(path, " "), colour, dash)
		d.legend(i, colour, c.name)
	}
	return d.end()
}

// scatter draws the measure against the median time of a question.
func (s *Set) scatter(measure string) Plot {
	var xs, ys []float64
	for i := range s.Rows {
		xs = append(xs, max(s.Rows[i].Time.Median, 0.1))
		ys = append(ys, s.Rows[i].Metrics[measure].Value)
	}
	lo, hi := slices.Min(xs), slices.Max(xs)
	var ticks []float64
	for t := math.Pow(10, math.Floor(math.Log10(lo))); t < hi*10; t *= 10 {
		ticks = append(ticks, t)
	}
	d := begin(max(plotLow+40, 25+18*len(s.Rows)))
	x, y := d.axes(append(ticks, xs...), ys, "median time of a question in ms", measure, true, ticks)
	for i := range s.Rows {
		colour := colours[i%len(colours)]
		d.dot(x(xs[i]), y(ys[i]), colour, fmt.Sprintf("%s: %.1f ms, %.4f", s.Rows[i].Name, xs[i], ys[i]))
		d.text(x(xs[i])+6, y(ys[i])-5, "start", strconv.Itoa(i+1))
		d.legend(i, colour, fmt.Sprintf("%d %s", i+1, s.Rows[i].Name))
	}
	return Plot{measure + " against time; replies of a language model that were kept from before cost no time", d.end()}
}

func (d *drawing) legend(i int, colour, name string) {
	y := float64(plotTop + 10 + 18*i)
	d.dot(plotRight+20, y-4, colour, name)
	d.text(plotRight+32, y, "start", short(name, 38))
}

// axes draws both axes and returns where values lie.
func (d *drawing) axes(xs, ys []float64, xName, yName string, logarithmic bool, xTicks []float64) (x, y func(float64) float64) {
	along := func(v float64) float64 { return v }
	if logarithmic {
		along = math.Log
	}
	lo, hi := along(slices.Min(xs)), along(slices.Max(xs))
	if hi == lo {
		hi = lo + 1
	}
	x = func(v float64) float64 { return plotLeft + (along(v)-lo)/(hi-lo)*(plotRight-plotLeft) }
	ticks := ticksTo(slices.Max(ys))
	y = func(v float64) float64 { return plotLow - v/ticks[len(ticks)-1]*(plotLow-plotTop) }
	for _, t := range ticks {
		d.line(plotLeft, y(t), plotRight, y(t), "#ddd", 1)
		d.text(plotLeft-6, y(t)+4, "end", number(t))
	}
	for _, t := range xTicks {
		d.line(x(t), plotLow, x(t), plotLow+4, "#666", 1)
		d.text(x(t), plotLow+18, "middle", number(t))
	}
	d.line(plotLeft, plotLow, plotRight, plotLow, "#666", 1)
	d.text((plotLeft+plotRight)/2, plotLow+36, "middle", xName)
	d.text(plotLeft, plotTop-3, "start", yName)
	return x, y
}

// ticksTo are round numbers from 0 to at least top.
func ticksTo(top float64) []float64 {
	if !(top > 0) {
		top = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(top)))
	for _, part := range []float64{2, 5} {
		if top/step < part {
			step /= 10 / part
			break
		}
	}
	var out []float64
	for i := 0; ; i++ {
		out = append(out, float64(i)*step)
		if float64(i)*step >= top {
			return out
		}
	}
}

// number writes a tick, never with an exponent.
func number(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// short is a name that fits.
func short(name string, most int) string {
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}
