package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/cloudwego/eino/schema"
)

// An endpoint may close a kept connection at the moment when the next question is on its
// way: that costs no answer. One that does so on a new connection is down.
func TestAClosedConnectionCostsNoAnswer(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var down atomic.Bool
	var asked atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				from := bufio.NewReader(c)
				for n := 0; ; n++ {
					r, err := http.ReadRequest(from)
					if err != nil || n > 0 || down.Load() {
						return // the second request on a connection finds it closed
					}
					asked.Add(1)
					if k := r.Header.Get("Idempotency-Key"); k != "" {
						t.Errorf("a key was sent: %q", k)
					}
					const reply = `{"choices":[{"message":{"role":"assistant","content":"好"},"finish_reason":"stop"}]}`
					if _, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(reply), reply); err != nil {
						return
					}
				}
			}()
		}
	}()
	llm, err := OpenLLM(t.Context(), LLMOptions{URL: "http://" + l.Addr().String(), Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func() error {
		m, err := llm.Generate(context.Background(), []*schema.Message{schema.UserMessage("问")})
		if err == nil && m.Content != "好" {
			return errors.New(m.Content)
		}
		return err
	}
	for i := range 5 {
		if err := ask(); err != nil {
			t.Fatalf("question %d: %v", i, err)
		}
	}
	if n := asked.Load(); n != 5 {
		t.Errorf("%d replies to 5 questions", n)
	}
	down.Store(true)
	if ask() == nil {
		t.Error("an endpoint that closes every connection answered")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
