package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
)

// The frame of a plot, in pixels.
const (
	plotWidth, plotHeight    = 480, 320
	plotLeft, plotRight      = 60, 460
	plotTop, plotBottom      = 30, 270
	plotTicks                = 5
	plotInk, plotBand, plotL = "#1f4e79", "#c9daea", "#888"
)

// draw draws the curve as SVG: the measure over the parameter, its interval as a
// band, the best value marked.
func (c *curve) draw(measure string) []byte {
	points := slices.Clone(c.Points)
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.At, b.At) })
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = min(low, p.Low), max(high, p.High)
	}
	first, last := points[0].At, points[len(points)-1].At
	x := func(v float64) float64 { return plotLeft + scaled(v, first, last)*(plotRight-plotLeft) }
	y := func(v float64) float64 { return plotBottom - scaled(v, low, high)*(plotBottom-plotTop) }

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, plotHeight)
	b.WriteString(`<polygon fill="` + plotBand + `" points="`)
	for _, p := range points {
		fmt.Fprintf(&b, "%.1f,%.1f ", x(p.At), y(p.High))
	}
	for _, p := range slices.Backward(points) {
		fmt.Fprintf(&b, "%.1f,%.1f ", x(p.At), y(p.Low))
	}
	b.WriteString(`"/>` + "\n" + `<polyline fill="none" stroke="` + plotInk + `" stroke-width="2" points="`)
	for _, p := range points {
		fmt.Fprintf(&b, "%.1f,%.1f ", x(p.At), y(p.Value))
	}
	b.WriteString(`"/>` + "\n")
	for _, p := range points {
		radius := 3
		if p.At == c.Best {
			radius = 6
		}
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%d" fill="%s"><title>%g: %.4f [%.4f, %.4f]</title></circle>`+"\n", x(p.At), y(p.Value), radius, plotInk, p.At, p.Value, p.Low, p.High)
	}
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`+"\n", plotLeft, plotTop, plotBottom, plotRight, plotL)
	for i := range plotTicks + 1 {
		share := float64(i) / plotTicks
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%.3g</text>`, plotLeft+share*(plotRight-plotLeft), plotBottom+18, first+share*(last-first))
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%.3f</text>`+"\n", plotLeft-6, plotBottom-share*(plotBottom-plotTop)+4, low+share*(high-low))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s (%s)</text>`, (plotLeft+plotRight)/2, plotBottom+40, html.EscapeString(c.Parameter), html.EscapeString(c.Held))
	fmt.Fprintf(&b, `<text x="%d" y="%d">%s, 95 %% interval</text>`+"\n</svg>\n", plotLeft, plotTop-12, html.EscapeString(measure))
	return b.Bytes()
}

// scaled is where v lies between low and high, 0 to 1; in the middle where they are one.
func scaled(v, low, high float64) float64 {
	if high <= low {
		return 0.5
	}
	return (v - low) / (high - low)
}
