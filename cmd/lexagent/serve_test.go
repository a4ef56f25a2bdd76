package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// served is a `lexagent serve` under test.
type served struct {
	t         *testing.T
	url       string
	addr, dir string
	env, args []string
	cmd       *exec.Cmd
}

// start serves a data folder by words, until the test ends; env changes that.
func start(t *testing.T, dir string, env ...string) *served {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, url: "http://" + addr, addr: addr, dir: dir}
	s.env = append(os.Environ(), "LEXAGENT_STORE=embedded", "LEXAGENT_ENCODER="+t.TempDir(), "LEXAGENT_LLM_URL=")
	s.env = append(s.env, env...)
	s.run()
	return s
}

// said is what a process wrote to its log.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// run starts the process, and waits until it is ready.
func (s *served) run() *said {
	t := s.t
	t.Helper()
	cmd := exec.Command("lexagent", append([]string{"serve", "--addr", s.addr, "--data", s.dir}, s.args...)...) // testscript.Main puts it on the PATH
	cmd.Env = s.env
	log := &said{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.cmd = cmd
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			text := log.String()
			t.Logf("the server said:\n%s", text[max(0, len(text)-20_000):])
		}
	})
	for range 400 {
		if res, err := http.Get(s.url + "/readyz"); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == 200 {
				return log
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("the server does not get ready")
	return nil
}

// ask sends a request and decodes the answer into v.
func (s *served) ask(method, path, kind, body string, status int, v any) *http.Response {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode == status {
		err = json.Unmarshal(b, v)
	}
	if err != nil || res.StatusCode != status {
		s.t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, b, err)
	}
	return res
}

// found are the laws that a search in the collections finds.
func (s *served) found(question string, collections ...string) string {
	s.t.Helper()
	q, err := json.Marshal(map[string]any{"question": question, "mode": "bm25", "collections": collections})
	if err != nil {
		s.t.Fatal(err)
	}
	var r struct{ Hits []struct{ Law string } }
	s.ask("POST", "/v1/search", "application/json", string(q), 200, &r)
	return fmt.Sprint(r.Hits)
}

// A document is searchable in its collection, and in no other, when its job is done,
// while the server goes on; and after the server was killed.
func TestServeTakesDocuments(t *testing.T) {
	laws, dir := filepath.Join(t.TempDir(), "示范条例.md"), t.TempDir()
	const law = "# 示范条例\n\n2019年1月2日国务院公布\n\n<!-- INFO END -->\n\n第一条 从事示范活动应当登记。\n"
	if err := os.WriteFile(laws, []byte(law), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("lexagent", "ingest", laws, "--data", dir, "--no-vectors").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := start(t, dir)
	const rules = "# 考勤办法\n\n2024年3月1日公司公布\n\n第一条 上班时间为九时。\n\n第二条 迟到三次记旷工一日。\n"
	var job struct{ State, Error string }
	bring := func() *http.Response {
		t.Helper()
		res := s.ask("POST", "/v1/documents?collection=firm&filename=%E5%8A%9E%E6%B3%95.md", "text/markdown", rules, 202, &job)
		for range 400 {
			if s.ask("GET", res.Header.Get("Location"), "", "", 200, &job); job.State == "done" || job.State == "failed" {
				break
			}
			time.Sleep(25 * time.Millisecond)
		}
		if job.State != "done" {
			t.Fatalf("the job is %+v", job)
		}
		return res
	}
	res := bring()
	check := func(when string) {
		t.Helper()
		if got := s.found("迟到三次记旷工", "firm"); !strings.Contains(got, "考勤办法") {
			t.Errorf("%s: in its collection: %s", when, got)
		}
		if got := s.found("迟到三次记旷工", "public"); strings.Contains(got, "考勤办法") {
			t.Errorf("%s: in another one: %s", when, got)
		}
		if got := s.found("示范活动的登记", "public"); !strings.Contains(got, "示范条例") {
			t.Errorf("%s: the law: %s", when, got)
		}
	}
	check("while it serves")
	if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // it was killed
	s = start(t, dir)
	check("after a kill")
	if s.ask("GET", res.Header.Get("Location"), "", "", 200, &job); job.State != "done" {
		t.Errorf("after a kill the job is %+v", job)
	}

	// It can be removed again, and is gone also where the server is killed meanwhile.
	res = s.ask("DELETE", "/v1/documents/%E5%8A%9E%E6%B3%95.md?collection=firm", "", "", 202, &job)
	if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // it was killed
	s = start(t, dir)
	for range 400 {
		if s.ask("GET", res.Header.Get("Location"), "", "", 200, &job); job.State == "done" {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	if got := s.found("迟到三次记旷工", "firm"); strings.Contains(got, "考勤办法") || job.State != "done" {
		t.Errorf("after its removal, %s: %s", job.State, got)
	}
	if got := s.found("示范活动的登记", "public"); !strings.Contains(got, "示范条例") {
		t.Errorf("after it the law: %s", got)
	}

	// From the command line, while it serves.
	bring()
	out, err := exec.Command("lexagent", "documents", "list", "--collection", "firm", "--data", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "办法.md") {
		t.Errorf("the list is %s, %v", out, err)
	}
	remove := func() string {
		out, _ := exec.Command("lexagent", "documents", "remove", "办法.md", "--collection", "firm", "--no-vectors", "--data", dir).CombinedOutput() // it says why it fails
		return string(out)
	}
	if said := remove(); !strings.Contains(said, "1 documents removed, with 2 units") {
		t.Error(said)
	}
	for range 400 {
		if !strings.Contains(s.found("迟到三次记旷工", "firm"), "考勤办法") {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	if got := s.found("迟到三次记旷工", "firm"); strings.Contains(got, "考勤办法") {
		t.Errorf("after its removal from the command line: %s", got)
	}
	if said := remove(); !strings.Contains(said, "no such document") {
		t.Error(said)
	}
}
