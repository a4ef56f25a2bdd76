package main

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// setting is one value of the config, or a group of them.
type setting struct {
	path   string // llm.url; "" for a secret
	env    string // LEXAGENT_LLM_URL; "" for a group
	doc    string
	secret bool
	value  reflect.Value
}

func (s *setting) group() bool { return s.env == "" }

// settingsOf lists the settings of a struct in order, each group before its own.
func settingsOf(v reflect.Value, within string) []setting {
	var all []setting
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		s := setting{path: f.Tag.Get("yaml"), env: f.Tag.Get("env"), doc: f.Tag.Get("doc"), secret: f.Tag.Get("secret") != "", value: v.Field(i)}
		if s.path = within + s.path; s.secret {
			s.path = ""
		}
		if f.Type.Kind() == reflect.Struct {
			all = append(append(all, s), settingsOf(v.Field(i), s.path+".")...)
			continue
		}
		if s.env == "" {
			s.env = "LEXAGENT_" + strings.ToUpper(strings.ReplaceAll(s.path, ".", "_"))
		}
		all = append(all, s)
	}
	return all
}

// readSettings fills c from a YAML file, "" for none, and then from the environment.
func readSettings(c *config, file string, env func(string) (string, bool)) error {
	all := settingsOf(reflect.ValueOf(c).Elem(), "")
	if file != "" {
		if err := readFile(file, all); err != nil {
			return err
		}
	}
	for _, s := range all {
		text, ok := env(s.env)
		if s.group() || !ok || text == "" {
			continue
		}
		if err := s.set(text); err != nil {
			return fmt.Errorf("%s is %q; it must be %w", s.env, text, err)
		}
	}
	return nil
}

func readFile(file string, all []setting) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the config file: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return fmt.Errorf("the config file %s can't be used: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return nil // empty, or comments only
	}
	if err := readNode(doc.Content[0], "", all); err != nil {
		return fmt.Errorf("the config file %s can't be used: %w", file, err)
	}
	return nil
}

// readNode sets what a mapping of the file says.
func readNode(n *yaml.Node, within string, all []setting) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil // a group with nothing in it
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: settings are lines like `data: var/data`", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		s := find(all, within+key.Value)
		switch {
		case s == nil:
			return unknown(within+key.Value, key.Line, all)
		case s.group():
			if err := readNode(value, s.path+".", all); err != nil {
				return err
			}
		default:
			if err := s.decode(value); err != nil {
				return fmt.Errorf("line %d: %s is %q; it must be %w", value.Line, s.path, value.Value, err)
			}
		}
	}
	return nil
}

func find(all []setting, path string) *setting {
	for i := range all {
		if all[i].path == path && path != "" {
			return &all[i]
		}
	}
	return nil
}

func unknown(path string, line int, all []setting) error {
	for _, s := range all {
		if s.secret && strings.EqualFold("LEXAGENT_"+strings.ReplaceAll(path, ".", "_"), s.env) {
			return fmt.Errorf("line %d: %s is a secret and does not belong in a file: set the variable %s", line, path, s.env)
		}
	}
	nearest, least := "", len(path)/2+2
	for _, s := range all {
		if d := editDistance(path, s.path); s.path != "" && d < least {
			nearest, least = s.path, d
		}
	}
	if nearest == "" {
		return fmt.Errorf("line %d: there is no setting %s; `lexagent config --example` shows them all", line, path)
	}
	return fmt.Errorf("line %d: there is no setting %s; is %s meant?", line, path, nearest)
}

// editDistance counts the letters to insert, delete or replace to make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// What a value must be; the errors of set and decode end a sentence.
var (
	errDuration = errors.New("a time such as 90s or 2m")
	errNumber   = errors.New("a whole number, 0 or more")
	errAmount   = errors.New("a number, 0 or more")
	errSwitch   = errors.New("true or false")
	errText     = errors.New("a text")
	errTexts    = errors.New("a list of texts")
)

// set sets the value from the text of a variable; a list has commas between its items.
func (s *setting) set(text string) error {
	switch p := s.value.Addr().Interface().(type) {
	case *string:
		*p = text
	case *[]string:
		*p = nil
		for _, item := range strings.Split(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				*p = append(*p, item)
			}
		}
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return errDuration
		}
		*p = d
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return errNumber
		}
		*p = n
	case *float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return errAmount
		}
		*p = x
	case *bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errSwitch
		}
		*p = b
	}
	return nil
}

// decode sets the value from the file.
func (s *setting) decode(n *yaml.Node) error {
	p, isList := s.value.Addr().Interface().(*[]string)
	switch {
	case isList && n.Kind == yaml.SequenceNode:
		if n.Decode(p) != nil {
			return errTexts
		}
		return nil
	case n.Kind != yaml.ScalarNode:
		return errText
	case n.Tag == "!!null":
		return nil
	}
	return s.set(n.Value)
}

// yamlOf writes settings as a YAML file. With docs each has a line that says what it
// is and which variable sets it. Passwords in addresses are masked, and secrets are
// comments that say whether they are set.
func yamlOf(c *config, docs bool) string {
	var b strings.Builder
	for _, s := range settingsOf(reflect.ValueOf(c).Elem(), "") {
		depth := strings.Count(s.path, ".")
		if s.secret {
			depth = 1
		}
		indent := strings.Repeat("  ", depth)
		name := s.path[strings.LastIndex(s.path, ".")+1:]
		switch {
		case s.group() && docs:
			fmt.Fprintf(&b, "\n# %s\n%s:\n", s.doc, name)
		case s.group():
			fmt.Fprintf(&b, "%s:\n", name)
		case s.secret && docs:
			fmt.Fprintf(&b, "%s# secret, from the environment only [%s]\n", indent, s.env)
		case s.secret && s.value.String() != "":
			fmt.Fprintf(&b, "%s# %s is set\n", indent, s.env)
		case s.secret:
			fmt.Fprintf(&b, "%s# %s is not set\n", indent, s.env)
		case docs:
			fmt.Fprintf(&b, "%s# %s [%s]\n%s%s: %s\n", indent, s.doc, s.env, indent, name, s.text())
		default:
			fmt.Fprintf(&b, "%s%s: %s\n", indent, name, s.text())
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// text is the value as YAML.
func (s *setting) text() string {
	switch v := s.value.Interface().(type) {
	case string:
		return yamlText(mask(v))
	case []string:
		items := make([]string, len(v))
		for i := range v {
			items[i] = yamlText(v[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		return fmt.Sprint(v)
	}
}

// yamlText is a text as a YAML scalar on one line.
func yamlText(text string) string {
	b, err := yaml.Marshal(text)
	if line := strings.TrimRight(string(b), "\n"); err == nil && line != "" && !strings.Contains(line, "\n") && !strings.ContainsAny(text, ",[]{}") {
		return line
	}
	return strconv.Quote(text)
}

// mask hides the password of an address.
func mask(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	return u.Redacted()
}
