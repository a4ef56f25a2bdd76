package agent

import (
	"encoding/json"
	"regexp"
	"strings"
)

// How models write calls into their text.
var (
	tagged    = regexp.MustCompile(`(?is)<\|?(tool_call|function_call|tool_use)\|?>\s*(.*?)\s*(?:<\|?/(?:tool_call|function_call|tool_use)\|?>|$)`)
	function  = regexp.MustCompile(`(?is)<function=([\w.-]+)>\s*(.*?)\s*(?:</function>|$)`)
	parameter = regexp.MustCompile(`(?is)<parameter=([\w.-]+)>\s*(.*?)\s*</parameter>`)
	fenced    = regexp.MustCompile("(?is)```(?:json|tool_call|tool|function|python)?\\s*\n(.*?)\\s*(?:```|$)")
)

// maxBrackets is at how many brackets of a text a call is looked for.
const maxBrackets = 24

// toolMarks stand before calls that are written without a tag around them.
var toolMarks = regexp.MustCompile(`\[/?(?:TOOL_CALLS?|AVAILABLE_TOOLS)\]\s*$`)

// badCall is what a model is told that wrote a call which can't be read.
const badCall = `这个调用的 JSON 不完整或不合法。请重新调用，形式为 {"name": "工具名", "arguments": {…}}。`

// written finds the calls that stand in a text, and returns the text without them.
func written(text string, known map[string]bool) (rest string, calls []call) {
	add := func(found []call) bool {
		calls = append(calls, found...)
		return len(found) > 0
	}
	rest = tagged.ReplaceAllStringFunc(text, func(s string) string {
		body := tagged.FindStringSubmatch(s)[2]
		if function.MatchString(body) {
			return body // the form below
		}
		if !add(parse(body, nil)) {
			add([]call{{problem: badCall}})
		}
		return ""
	})
	rest = function.ReplaceAllStringFunc(rest, func(s string) string {
		m := function.FindStringSubmatch(s)
		add([]call{{name: m[1], arguments: parameters(m[2])}})
		return ""
	})
	if len(calls) > 0 {
		return strings.TrimSpace(rest), limited(calls)
	}
	rest = fenced.ReplaceAllStringFunc(rest, func(s string) string {
		if add(parse(fenced.FindStringSubmatch(s)[1], known)) {
			return ""
		}
		return s
	})
	for i, tried := 0, 0; i < len(rest) && tried < maxBrackets && len(calls) == 0; i, tried = i+1, tried+1 {
		at := strings.IndexAny(rest[i:], "{[")
		if at < 0 {
			break
		}
		if i += at; add(parse(rest[i:], known)) { // else [民法典:1077], or a mark such as [TOOL_CALLS]
			rest = toolMarks.ReplaceAllString(rest[:i], "")
		}
	}
	return strings.TrimSpace(rest), limited(calls)
}

func limited(calls []call) []call { return calls[:min(len(calls), maxWritten)] }

// parameters are arguments written one a tag.
func parameters(body string) string {
	found := parameter.FindAllStringSubmatch(body, -1)
	if len(found) == 0 {
		return body
	}
	out := map[string]any{}
	for _, m := range found {
		var v any
		if err := json.Unmarshal([]byte(m[2]), &v); err != nil {
			v = m[2]
		}
		out[m[1]] = v
	}
	b, err := json.Marshal(out)
	if err != nil {
		return body
	}
	return string(b)
}

// parse reads calls of a JSON object or list, or of one object after another. Where
// known is given, the objects must name one of these tools: an answer may hold JSON too.
func parse(body string, known map[string]bool) []call {
	calls := decodeCalls(body, known)
	if calls == nil && strings.Contains(body, "'") { // a dict of Python's
		calls = decodeCalls(strings.ReplaceAll(body, "'", `"`), known)
	}
	return calls
}

func decodeCalls(body string, known map[string]bool) []call {
	d := json.NewDecoder(strings.NewReader(body))
	var calls []call
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			break
		}
		calls = append(calls, callsOf(v, known)...)
	}
	return calls
}

// callsOf finds calls in a JSON value, in any of the shapes that models write.
func callsOf(v any, known map[string]bool) []call {
	switch v := v.(type) {
	case []any:
		var calls []call
		for _, e := range v {
			calls = append(calls, callsOf(e, known)...)
		}
		return calls
	case map[string]any:
		for _, wrap := range []string{"tool_calls", "function_call", "tool_call", "function"} {
			if inner, ok := v[wrap]; ok {
				if _, isName := inner.(string); !isName {
					return callsOf(inner, known)
				}
			}
		}
		return callOf(v, known)
	}
	return nil
}

func callOf(v map[string]any, known map[string]bool) []call {
	name := ""
	for _, key := range []string{"name", "tool", "function", "tool_name", "action"} {
		if s, ok := v[key].(string); ok && s != "" {
			name = s
			break
		}
	}
	if name == "" || known != nil && !known[name] {
		return nil
	}
	for _, key := range []string{"arguments", "parameters", "args", "input", "action_input"} {
		switch a := v[key].(type) {
		case string:
			return []call{{name: name, arguments: a}}
		case map[string]any:
			b, err := json.Marshal(a)
			if err != nil {
				return nil
			}
			return []call{{name: name, arguments: string(b)}}
		}
	}
	return []call{{name: name, arguments: "{}"}}
}
