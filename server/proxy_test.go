package server_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lexagent/graph"
	"lexagent/server"
)

// nginx starts a proxy with the configuration that ships, before the server at url,
// and returns its address.
func nginx(t *testing.T, url string) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			missing(t, "nginx")
		}
	}
	conf, err := os.ReadFile("../deploy/nginx/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	dir, addr := t.TempDir(), freeAddr(t)
	text := string(conf)
	for shipped, here := range map[string]string{
		"server lexagent:8080;":  "server " + strings.TrimPrefix(url, "http://") + ";",
		"listen 8000;":           "listen " + addr + ";",
		"/tmp/":                  dir + "/",
		"worker_processes auto;": "worker_processes 1; daemon off; master_process off;",
	} {
		if !strings.Contains(text, shipped) {
			t.Fatalf("the configuration has no %q", shipped)
		}
		text = strings.ReplaceAll(text, shipped, here)
	}
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-p", dir, "-c", path)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	for range 200 {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			return "http://" + addr
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nginx does not listen")
	return ""
}

func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// Through two proxies in a row, each event arrives when it is sent, heartbeats too; and
// who leaves ends the answer.
func TestStreamsThroughTwoProxies(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.Heartbeat = 200 * time.Millisecond })
	next, ended := make(chan struct{}), make(chan struct{}, 1)
	s.script.hook = func(ctx context.Context, _ graph.Request) error {
		select {
		case <-next:
			return nil
		case <-ctx.Done():
			ended <- struct{}{}
			return ctx.Err()
		}
	}
	outer := nginx(t, nginx(t, s.url))
	s.url = outer

	begun := time.Now()
	r := s.read("POST", chatPath, ask(`,"stream":true`))
	if first := r.next(); time.Since(begun) > 2*time.Second || !strings.Contains(first, `"role":"assistant"`) {
		t.Errorf("the first event comes after %v: %s", time.Since(begun), first)
	}
	if step := r.next(); !strings.Contains(step, "step_started") {
		t.Errorf("the second event is %s", step)
	}
	begun = time.Now()
	for r.lines.Scan() && !strings.HasPrefix(r.lines.Text(), ":") {
		continue
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("a heartbeat comes after %v", took)
	}
	next <- struct{}{}
	if events := r.rest(); len(events) < 10 || events[len(events)-1] != "[DONE]" {
		t.Errorf("the rest is %d events", len(events))
	}

	left := s.read("POST", chatPath, ask(`,"stream":true`))
	left.next()
	begun = time.Now()
	left.leave()
	select {
	case <-ended:
		if took := time.Since(begun); took > time.Second {
			t.Errorf("the answer ends %v after its reader left", took)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the answer goes on without its reader")
	}

	// The proxies pass on what the server says of itself and of requests.
	if res, _ := s.do("GET", "/", ""); res.StatusCode != 200 || res.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("the page: %d", res.StatusCode)
	}
	if res, _ := s.do("GET", "/metrics", ""); res.StatusCode != 404 {
		t.Errorf("metrics are told to everybody: %d", res.StatusCode)
	}
	big := strings.Repeat("x", 3<<20)
	res, body := s.do("POST", "/v1/search", `{"question":"`+big+`"}`)
	if res.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(body, "request_too_large") {
		t.Errorf("a large body: %d %.200s", res.StatusCode, body)
	}
}
