package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"

	"lexagent/retrieval"
)

// maxArguments bounds the arguments of one call, in bytes.
const maxArguments = 1 << 20

// Problem is an error that whoever called can mend. Its text tells a model what is
// wrong and what to do next.
type Problem struct{ Text string }

func (p *Problem) Error() string { return p.Text }

func problem(format string, args ...any) *Problem { return &Problem{fmt.Sprintf(format, args...)} }

// Tell is what a model may read of an error of a tool: all of a Problem, and of a
// failure of the system only that it failed.
func Tell(err error) string {
	var p *Problem
	var input *retrieval.InputError
	switch {
	case errors.As(err, &p):
		return p.Text
	case errors.As(err, &input):
		return input.Problem
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "没有在时限内完成。不要重复同样的调用，用已有的结果作答。"
	}
	return "这个工具暂时不可用。换一个工具，或者用已有的结果作答。"
}

// typed is a tool whose arguments are an In.
type typed[In any] struct {
	info *schema.ToolInfo
	run  func(ctx context.Context, in In) (any, error)
}

// newTool makes a tool; the schema of its arguments comes from In's tags.
func newTool[In any](name, description string, run func(ctx context.Context, in In) (any, error)) *typed[In] {
	info, err := utils.GoStruct2ToolInfo[In](name, description)
	if err != nil {
		panic(fmt.Sprintf("the tool %s: %v", name, err)) // a mistake in In's tags
	}
	return &typed[In]{info, run}
}

// Info describes the tool.
func (t *typed[In]) Info(context.Context) (*schema.ToolInfo, error) { return t.info, nil }

// InvokableRun runs the tool and returns one line of JSON.
func (t *typed[In]) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	var in In
	if err := t.decode(arguments, &in); err != nil {
		return "", err
	}
	out, err := t.run(ctx, in)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return "", fmt.Errorf("write the result of %s: %w", t.info.Name, err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// decode reads arguments strictly, and says of what it can't read what is wanted.
func (t *typed[In]) decode(arguments string, in *In) error {
	if len(arguments) > maxArguments {
		return problem("参数太长：最多 %d 字节。把内容分成几次调用。", maxArguments)
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	d := json.NewDecoder(strings.NewReader(arguments))
	d.DisallowUnknownFields()
	err := d.Decode(in)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			return problem("参数必须是一个 JSON 对象，后面不能再有文字。参数有：%s。", t.parameters())
		}
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return problem("参数 %s 的类型不对：给的是 %s。参数有：%s。", wrong.Field, wrong.Value, t.parameters())
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return problem("没有参数 %s。参数有：%s。", name, t.parameters())
	}
	return problem("参数不是合法的 JSON 对象。请重新调用，参数有：%s。", t.parameters())
}

// parameters lists the names of the arguments, and which are required.
func (t *typed[In]) parameters() string {
	s, err := t.info.ToJSONSchema()
	if err != nil || s == nil || s.Properties == nil {
		return "（无）"
	}
	var names []string
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		name := p.Key
		for _, r := range s.Required {
			if r == name {
				name += "（必填）"
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, "、")
}

// count is a whole number, which models also write as a string.
type count int

// UnmarshalJSON reads 5 and "5".
func (c *count) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(strings.Trim(string(b), `"`))
	if err != nil && string(b) != "null" {
		return &json.UnmarshalTypeError{Value: string(b)} // the decoder adds the field
	}
	*c = count(n)
	return nil
}

// clip cuts a text to its first characters, and tells whether it did.
func clip(text string, runes int) (string, bool) {
	n := 0
	for i := range text {
		if n == runes {
			return text[:i] + "……", true
		}
		n++
	}
	return text, false
}

// name is how people cite a unit: 《中华人民共和国民法典》第一千零七十七条.
func name(law, label string) string { return "《" + law + "》" + label }
