package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"lexagent/graph"
)

func TestGoClient(t *testing.T) {
	s := serve(t)
	full := s.script.answer().Full()
	c := openai.NewClient(option.WithBaseURL(s.url+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
	ctx := context.Background()
	params := openai.ChatCompletionNewParams{
		Model:         "lexagent",
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("简短"), openai.UserMessage("登记离婚后反悔了可以撤回吗？")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	whole, err := c.Chat.Completions.New(ctx, params, option.WithJSONSet("as_of", "2024-05-01"))
	if err != nil {
		t.Fatal(err)
	}
	m := whole.Choices[0].Message
	if m.Content != full || whole.Choices[0].FinishReason != "stop" || whole.Usage.TotalTokens != 955 || len(m.Annotations) != 3 {
		t.Errorf("whole: %s", whole.RawJSON())
	}
	var citations []graph.Citation
	if err := json.Unmarshal([]byte(whole.JSON.ExtraFields["citations"].Raw()), &citations); err != nil || len(citations) != 2 {
		t.Errorf("citations: %v %v", citations, err)
	}

	stream := c.Chat.Completions.NewStreaming(ctx, params)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Errorf("the accumulator refuses %s", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if acc.Choices[0].Message.Content != full || acc.Choices[0].FinishReason != "stop" || acc.Usage.TotalTokens != 955 || acc.Choices[0].Message.Role != "assistant" {
		t.Errorf("stream: %+v", acc.ChatCompletion)
	}

	models, err := c.Models.List(ctx)
	if err != nil || len(models.Data) != 2 {
		t.Errorf("models: %+v %v", models, err)
	}
	params.Model = "gpt-4o"
	_, err = c.Chat.Completions.New(ctx, params)
	var wrong *openai.Error
	if !errors.As(err, &wrong) || wrong.StatusCode != 404 || wrong.Code != "model_not_found" {
		t.Errorf("unknown model: %v", err)
	}
	s.script.hook = func(context.Context, graph.Request) error { return errDown }
	params.Model = "lexagent"
	failing := c.Chat.Completions.NewStreaming(ctx, params)
	for failing.Next() {
		continue
	}
	if failing.Err() == nil || !strings.Contains(failing.Err().Error(), "unavailable") {
		t.Errorf("an error in the stream: %v", failing.Err())
	}
}

// The official clients of Python and JavaScript: testdata/clients/README.md says
// how they are installed. Without them the test is skipped, unless
// LEXAGENT_TEST_REAL=1 wants it.
func TestOfficialClients(t *testing.T) {
	s := serve(t)
	full := s.script.answer().Full()
	for _, c := range []struct{ name, program, script string }{
		{"python", python(t), "check.py"},
		{"javascript", node(t, "openai"), "check.mjs"},
		{"ai-sdk", node(t, "@ai-sdk/openai-compatible"), "check_ai.mjs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.program == "" {
				missing(t, "the official openai client for "+c.name)
			}
			cmd := exec.Command(c.program, filepath.Join("testdata", "clients", c.script), s.url+"/v1")
			cmd.Env = append(os.Environ(), "WANT="+full)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
		t.Fatalf("%s is not installed", what)
	}
	t.Skipf("%s is not installed", what)
}

// clients is where the clients are installed unless the environment says otherwise.
func clients(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../var/clients")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// python returns a Python that has the client, or "".
func python(t *testing.T) string {
	p := os.Getenv("LEXAGENT_PYTHON")
	if p == "" {
		p = filepath.Join(clients(t), "python", "bin", "python")
	}
	if exec.Command(p, "-c", "import openai").Run() != nil {
		return ""
	}
	return p
}

// modules is the folder of the packages for Node.
func modules(t *testing.T) string {
	if dir := os.Getenv("LEXAGENT_NODE_MODULES"); dir != "" {
		return dir
	}
	return filepath.Join(clients(t), "node", "node_modules")
}

// node returns a Node that has the package, or "".
func node(t *testing.T, name string) string {
	modules := modules(t)
	if _, err := os.Stat(filepath.Join(modules, name, "package.json")); err != nil {
		return ""
	}
	p, err := exec.LookPath("node")
	if err != nil {
		return ""
	}
	t.Setenv("LEXAGENT_NODE_MODULES", modules)
	return p
}
