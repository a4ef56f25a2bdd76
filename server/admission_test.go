package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/graph"
	"lexagent/server"
)

// Some run, some wait for their turn, and the rest hears at once that it is too many;
// health answers all the while.
func TestAdmission(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.MaxAnswers, o.Queue, o.Patience = 2, 3, 10*time.Second })
	gate := make(chan struct{})
	s.script.hook = func(context.Context, graph.Request) error { <-gate; return nil }
	var mu sync.Mutex
	count := map[int]int{}
	var wait sync.WaitGroup
	for range 9 {
		wait.Go(func() {
			begun := time.Now()
			res, _ := s.do("POST", chatPath, ask(""))
			mu.Lock()
			defer mu.Unlock()
			if count[res.StatusCode]++; res.StatusCode == 503 && (time.Since(begun) > 2*time.Second || res.Header.Get("Retry-After") == "") {
				t.Errorf("refused after %v, %v", time.Since(begun), res.Header)
			}
		})
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		mu.Lock()
		refused := count[503]
		mu.Unlock()
		if refused == 4 {
			break
		}
		if time.Since(begun) > 5*time.Second {
			t.Fatalf("%d of 9 were refused, with 2 running and 3 waiting", refused)
		}
	}
	_, text := s.do("GET", "/metrics", "")
	for _, want := range []string{`lexagent_running{class="answer"} 2`, `lexagent_queued{class="answer"} 3`, `lexagent_refused_total{reason="answer"} 4`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in the metrics", want)
		}
	}
	if res, _ := s.do("GET", "/healthz", ""); res.StatusCode != 200 {
		t.Errorf("health: %d", res.StatusCode)
	}
	if res, _ := s.do("POST", "/v1/search", searchBody); res.StatusCode != 200 {
		t.Errorf("a search waits for answers: %d", res.StatusCode)
	}
	close(gate)
	wait.Wait()
	if count[200] != 5 || count[503] != 4 {
		t.Errorf("%v", count)
	}
}

// Who would wait too long is not let into the queue; who waits leaves it in time.
func TestPatience(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.MaxAnswers, o.Patience = 1, 100*time.Millisecond })
	s.script.hook = func(context.Context, graph.Request) error { time.Sleep(600 * time.Millisecond); return nil }
	first := make(chan int, 1)
	go func() {
		res, _ := s.do("POST", chatPath, ask(""))
		first <- res.StatusCode
	}()
	time.Sleep(100 * time.Millisecond)
	begun := time.Now()
	res, _ := s.do("POST", chatPath, ask(""))
	if took := time.Since(begun); res.StatusCode != 503 || took < 90*time.Millisecond || took > 400*time.Millisecond {
		t.Errorf("nobody knows how long an answer takes: %d after %v", res.StatusCode, took)
	}
	if status := <-first; status != 200 {
		t.Errorf("%d", status)
	}
	go func() {
		res, _ := s.do("POST", chatPath, ask(""))
		first <- res.StatusCode
	}()
	time.Sleep(100 * time.Millisecond)
	begun = time.Now()
	var retry *http.Response
	retry, _ = s.do("POST", chatPath, ask(""))
	if took := time.Since(begun); retry.StatusCode != 503 || took > 80*time.Millisecond {
		t.Errorf("an answer takes longer than anyone waits: %d after %v", retry.StatusCode, took)
	}
	<-first
}
