package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// checkKeys refuses a key of the YAML that v's type has no field for, and names the
// nearest one that it has.
func checkKeys(node *yaml.Node, v any) error { return keysOf(node, reflect.TypeOf(v)) }

func keysOf(node *yaml.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case node.Kind == yaml.DocumentNode:
		for _, c := range node.Content {
			if err := keysOf(c, t); err != nil {
				return err
			}
		}
	case node.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, c := range node.Content {
			if err := keysOf(c, t.Elem()); err != nil {
				return err
			}
		}
	case node.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		fields := map[string]reflect.Type{}
		var known []string
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != "" {
				fields[name] = t.Field(i).Type
				known = append(known, name)
			}
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			field, ok := fields[key.Value]
			if !ok {
				return fmt.Errorf("line %d: there is no key %q; %s", key.Line, key.Value, nearest(key.Value, known))
			}
			if err := keysOf(node.Content[i+1], field); err != nil {
				return err
			}
		}
	}
	return nil
}

// nearest says which of the known names may have been meant, or lists them all.
func nearest(name string, known []string) string {
	best, at := 3, -1 // more than two edits are another word
	for i, k := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(k)); d < best {
			best, at = d, i
		}
	}
	if at >= 0 {
		return fmt.Sprintf("is %q meant?", known[at])
	}
	known = slices.Clone(known)
	slices.Sort(known)
	return "there are " + strings.Join(known, ", ")
}

// edits is the Levenshtein distance of two names.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
