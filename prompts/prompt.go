package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

// Prompt is a rendered prompt of LexPath's stages, ready to be sent.
type Prompt struct {
	Version   string // name of its wording, such as irac.v1
	System    string
	User      string
	MaxTokens int             // of the reply: far above a good one
	Schema    json.RawMessage // JSON Schema of the reply, for endpoints that hold a model to one; nil: none
	Reminder  string          // of the shape, for a model whose reply was refused; "" = the usual one

	// Temperature is how freely the model may choose its words; 0 = as its client is set.
	Temperature float32
}

// ErrReply is returned, wrapped with what is wrong, when a model's reply is not of
// the shape that was asked for.
var ErrReply = errors.New("the reply is not what was asked for")

// maxQuestionRunes is how much of a question a prompt of a stage shows.
const maxQuestionRunes = 2000

// stage is a prompt file with a system and a user part.
type stage struct {
	version   string
	maxTokens int
	file      *template.Template
	schema    json.RawMessage // of the reply; nil: it is no JSON
}

// newStage reads a prompt file, and those whose parts it takes in.
func newStage(version string, maxTokens int, others ...string) stage {
	return stage{version: version, maxTokens: maxTokens, file: template.Must(template.New(version).ParseFS(files, append(others, version+".tmpl")...))}
}

// replies is the stage with the shape of its reply.
func (s stage) replies(schema json.RawMessage) stage {
	s.schema = schema
	return s
}

// render makes the prompt. Its data must have been made inert.
func (s stage) render(data any) (Prompt, error) {
	p := Prompt{Version: s.version, MaxTokens: s.maxTokens, Schema: s.schema}
	for name, to := range map[string]*string{"system": &p.System, "user": &p.User} {
		var b strings.Builder
		if err := s.file.ExecuteTemplate(&b, name, data); err != nil {
			return Prompt{}, fmt.Errorf("render the prompt %s: %w", s.version, err)
		}
		*to = b.String()
	}
	return p, nil
}

// Again is the message that asks once more after a reply that was refused.
func (p *Prompt) Again(err error) string {
	problem, reminder := strings.TrimPrefix(err.Error(), ErrReply.Error()+": "), p.Reminder
	if reminder == "" {
		reminder = "请严格按要求的格式重新输出，不要输出其他文字。"
	}
	return "上面的回复不能用：" + strings.Join(strings.Fields(problem), " ") + "。" + reminder
}

// question is a question as a prompt shows it: inert, and not longer than a model
// can be asked to read.
func question(s string) string { return inert(cut(strings.TrimSpace(s), maxQuestionRunes)) }

func cut(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes])
	}
	return s
}

// object reads a reply that is one JSON object, in a code fence at most.
func object(reply string, v any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(unfence(reply))))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: 不是所要求的 JSON 对象", ErrReply)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: JSON 对象之后还有文字", ErrReply)
	}
	return nil
}

// chinese tidies a text of a reply to one line, and refuses one that is empty, too
// long or not Chinese.
func chinese(name, s string, maxRunes int) (string, error) {
	s = strings.Join(strings.Fields(s), " ")
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		return "", fmt.Errorf("%w: 缺少%s", ErrReply, name)
	case n > maxRunes:
		return "", fmt.Errorf("%w: %s有 %d 字，最多 %d 字", ErrReply, name, n, maxRunes)
	case !mostlyHan(s):
		return "", fmt.Errorf("%w: %s不是中文", ErrReply, name)
	}
	return s, nil
}

// mostlyHan reports whether at least half of a text's letters are Chinese characters.
func mostlyHan(s string) bool {
	han, letters := 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
			letters++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return han > 0 && 2*han >= letters
}
