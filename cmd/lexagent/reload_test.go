package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Settings are taken anew by a server that goes on serving; those with a mistake are not,
// and those that need another start are named.
func TestServeTakesSettingsAnew(t *testing.T) {
	laws, dir, file := filepath.Join(t.TempDir(), "示范条例.md"), t.TempDir(), filepath.Join(t.TempDir(), "lexagent.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(laws, "# 示范条例\n\n2019年1月2日国务院公布\n\n<!-- INFO END -->\n\n第一条 从事示范活动应当登记。\n")
	write(file, "disclaimer: 第一种说明\n")
	if out, err := exec.Command("lexagent", "ingest", laws, "--data", dir, "--no-vectors").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := start(t, dir, "LEXAGENT_LOG_FORMAT=text")
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.args = []string{"--config", file}
	said := s.run()
	answer := func() string {
		t.Helper()
		var a struct {
			Choices []struct{ Message struct{ Content string } }
		}
		s.ask("POST", "/v1/chat/completions", "application/json", `{"model":"lexagent-search","messages":[{"role":"user","content":"从事示范活动应当登记吗？"}]}`, 200, &a)
		return a.Choices[0].Message.Content
	}
	process := s.cmd.Process.Pid
	again := func(settings, log string) {
		t.Helper()
		write(file, settings)
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if strings.Contains(said.String(), log) {
				return
			}
			time.Sleep(25 * time.Millisecond)
		}
		t.Fatalf("the log does not say %q:\n%s", log, said.String())
	}
	if got := answer(); !strings.Contains(got, "第一种说明") {
		t.Fatal(got)
	}
	again("disclaimer: 第二种说明\nload: {answers: 7}\n", `need_a_restart=load.answers`)
	if got := answer(); !strings.Contains(got, "第二种说明") {
		t.Error(got)
	}
	again("disclaimer: 第三种说明\nacess: {}\n", "the settings stay as they were")
	if got := answer(); !strings.Contains(got, "第二种说明") {
		t.Error(got)
	}
	again("disclaimer: none\n", `need_a_restart=""`)
	if got := answer(); strings.Contains(got, "种说明") {
		t.Error(got)
	}
	if s.cmd.Process.Pid != process || s.cmd.ProcessState != nil {
		t.Error("another process answers")
	}
}
