package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"lexagent/evaluator"
)

func TestCurvesAreTunedAndDrawn(t *testing.T) {
	c := &curve{Parameter: "alpha", Held: "no <reranking>"}
	for i, v := range []float64{0.4, 0.6, 0.6, 0.5} {
		c.add(float64(i)/10, evaluator.Metric{Value: v, Low: v - 0.1, High: v + 0.1})
	}
	if c.Best != 0.1 || c.at(0.1) != 0.6 {
		t.Errorf("the best of %+v is %g: the first of equal ones is wanted", c.Points, c.Best)
	}
	raw, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(raw), `{"at":0.1,"value":0.6,"low":0.5,"high":0.7}`) {
		t.Errorf("JSON is %s, %v", raw, err)
	}
	drawn := string(c.draw("recall@5"))
	circles := 0
	for d := xml.NewDecoder(strings.NewReader(drawn)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the plot is no XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 4 || strings.Contains(drawn, "NaN") {
		t.Errorf("%d values are drawn: %s", circles, drawn)
	}
	one := &curve{Parameter: "merge"}
	one.add(0.5, evaluator.Metric{Value: 0.5, Low: 0.5, High: 0.5})
	if drawn := string(one.draw("recall@5")); strings.Contains(drawn, "NaN") {
		t.Errorf("one value: %s", drawn)
	}
}

func TestGrid(t *testing.T) {
	if got := grid(1, 0.1); len(got) != 11 || got[0] != 0 || got[10] != 1 {
		t.Errorf("%v", got)
	}
	if got := grid(3, 0.25); len(got) != 13 || !slices.Contains(got, 1.5) {
		t.Errorf("%v", got)
	}
}
