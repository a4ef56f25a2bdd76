package server

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lexagent/tools"
)

// pageRoutes belong to the web page and are no API.
var pageRoutes = []string{"GET /", "GET /assets/{file}", "GET /reports/", "GET /reports/{name}"}

var pathParameter = regexp.MustCompile(`:(\w+)`)

// The document has every route, and no others.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	b, err := loadOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for path, methods := range doc.Paths {
		for method := range methods {
			if method != "parameters" {
				told[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	s := &Server{o: Options{Tools: &tools.Kit{}}, metrics: newMetrics(nil)}
	for _, r := range s.routes() {
		route := r.method + " " + pathParameter.ReplaceAllString(r.path, "{$1}")
		if !told[route] && !slices.Contains(pageRoutes, route) {
			t.Errorf("openapi.yaml does not tell of %s", route)
		}
		delete(told, route)
	}
	if len(told) > 0 {
		t.Errorf("openapi.yaml tells of what is not there: %v", slices.Sorted(maps.Keys(told)))
	}
}
