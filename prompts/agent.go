package prompts

import (
	"strings"
	"text/template"
)

var agentFile = template.Must(template.New("agent").ParseFS(files, "agent.v1.tmpl"))

// AgentInput is what the tool-calling mode is told.
type AgentInput struct {
	Day      string // today, 2026-01-02
	Calls    int    // how many calls are usual at most
	MaxChars int    // how long the answer may be, in characters
	Style    string // the caller's system message: style only
}

// Agent renders the system message of the tool-calling mode.
func Agent(in AgentInput) (string, error) {
	in.Style = inert(in.Style)
	return execute(agentFile, "system", struct {
		AgentInput
		NoAnswer string
	}{in, NoAnswer})
}

func execute(file *template.Template, name string, data any) (string, error) {
	var b strings.Builder
	err := file.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// Told is a text of others as a message to a model shows it: no tag in it can pass for
// one of ours. JSON stays JSON.
func Told(text string) string { return tags.Replace(text) }

var tags = strings.NewReplacer("<", "＜", ">", "＞")
