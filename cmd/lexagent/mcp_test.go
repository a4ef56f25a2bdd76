package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// dataOfTools ingests the laws of tools/testdata with the command.
func dataOfTools(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("lexagent", "ingest", "../../tools/testdata/public", "--data", dir, "--no-vectors").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// A client that starts `lexagent mcp` finds statutes, and stores documents only where
// it was let.
func TestMCPOverStdin(t *testing.T) {
	dir := dataOfTools(t)
	for _, c := range []struct {
		name      string
		arguments []string
		stores    bool
	}{
		{"reading", nil, false},
		{"storing", []string{"--collections", "public,firm", "--ingest"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command("lexagent", append([]string{"mcp", "--data", dir}, c.arguments...)...)
			var log strings.Builder
			cmd.Stderr = &log
			s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, &log)
			}
			call := func(name string, arguments map[string]any) string {
				t.Helper()
				res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
				if err != nil {
					return err.Error()
				}
				return res.Content[0].(*mcp.TextContent).Text
			}
			if got := call("search_statutes", map[string]any{"query": "试用期最长多久"}); !strings.Contains(got, "示范用工条例@2022-03-01:3") {
				t.Error(got)
			}
			stored := call("index_document", map[string]any{"title": "考勤/办法", "text": "第一条 员工迟到三次的，扣发当月奖金。"})
			if strings.Contains(stored, `"units":1`) != c.stores {
				t.Error(stored)
			}
			if got := call("search_documents", map[string]any{"query": "迟到三次"}); strings.Contains(got, "扣发当月奖金") != c.stores {
				t.Error(got)
			}
			if err := s.Close(); err != nil { // stdin ends, and the command with it
				t.Errorf("%v\n%s", err, &log)
			}
			if cmd.ProcessState == nil || !cmd.ProcessState.Success() {
				t.Errorf("the command ended with %v\n%s", cmd.ProcessState, &log)
			}
		})
	}
}

// The official Python client, over stdin and stdout; where it is installed is told in
// server/testdata/clients. Without it the test is skipped, unless LEXAGENT_TEST_REAL=1
// wants it.
func TestOfficialMCPClient(t *testing.T) {
	python := os.Getenv("LEXAGENT_PYTHON")
	if python == "" {
		python = "../../var/clients/python/bin/python"
	}
	if exec.Command(python, "-c", "import mcp").Run() != nil {
		if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
			t.Fatal("the official mcp client for Python is not installed")
		}
		t.Skip("the official mcp client for Python is not installed")
	}
	command, err := exec.LookPath("lexagent")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join("..", "..", "server", "testdata", "clients", "mcp_check.py")
	out, err := exec.Command(python, script, command, "mcp", "--data", dataOfTools(t)).CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Errorf("%v\n%s", err, out)
	}
}
