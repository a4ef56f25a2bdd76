package milvus_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/index/milvus"
	"lexagent/index/milvus/milvustest"
	"lexagent/index/storetest"
)

// TestServerKilled holds that a store tells in one sentence, and soon, that its
// server is away, and goes on by itself when it is back, with all that was stored.
func TestServerKilled(t *testing.T) {
	server := milvustest.New(t)
	docs := storetest.Docs(rand.New(rand.NewPCG(41, 1)), 200)
	x := build(t, server.Dial(t, milvus.Options{Patience: 500 * time.Millisecond}), docs)
	x.Append(t, storetest.Vectors(rand.New(rand.NewPCG(41, 2)), 200, 8))
	s := x.Open(t)
	search := func() ([]index.Hit, error) {
		if _, err := s.SearchDense(t.Context(), make([]float32, 8), index.Filter{}, 5); err != nil {
			return nil, err
		}
		return s.SearchSparse(t.Context(), s.Query(docs[3].Text), index.Filter{}, 10)
	}
	want, err := search()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = search()
	if !errors.Is(err, milvus.ErrUnavailable) || strings.Contains(err.Error(), "\n") || time.Since(start) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	t.Logf("the error is %q, after %v", err, time.Since(start).Round(time.Millisecond))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	got, err := search()
	for ; err != nil && time.Since(back) < 5*time.Second; got, err = search() {
		time.Sleep(50 * time.Millisecond)
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("after the restart: %v\n%s", err, diff)
	}
	t.Logf("the first search after the restart took %v", time.Since(back).Round(time.Millisecond))
}

// TestDeadServer holds what a program gets that starts without its server.
func TestDeadServer(t *testing.T) {
	start := time.Now()
	o := milvus.Options{Address: "127.0.0.1:1", Patience: 200 * time.Millisecond}
	_, err := milvus.Dial(t.Context(), o)
	if !errors.Is(err, milvus.ErrUnavailable) || !strings.Contains(err.Error(), o.Address) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("that took %v", took)
	}
	o.Patience = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := milvus.Dial(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an ended context gave %v", err)
	}
	for _, bad := range []milvus.Options{{}, {Address: "127.0.0.1:1", Prefix: "法"}, {Address: "127.0.0.1:1", Dense: "ivf"}, {Address: "a b:\x00"}} {
		if _, err := milvus.Dial(t.Context(), bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v gave %v", bad, err)
		}
	}
}

const (
	copiedDocs = 9000
	copiedEnv  = "MILVUS_TEST_COPY" // address, prefix and root for the process that gets killed
)

// TestPublishKilled kills a process (SIGKILL) that copies a generation, several
// times over, and then the server under a copy, and holds that in the end every
// document is there once and found as in the embedded store.
func TestPublishKilled(t *testing.T) {
	if where := os.Getenv(copiedEnv); where != "" {
		publishUntilKilled(t, strings.Fields(where))
		return
	}
	server := milvustest.New(t)
	c := server.Dial(t, milvus.Options{Prefix: "killed"})
	docs := storetest.Docs(rand.New(rand.NewPCG(42, 1)), copiedDocs)
	x := build(t, c, docs)
	x.write(t, storetest.Vectors(rand.New(rand.NewPCG(42, 2)), copiedDocs, 8))
	for round := range 3 {
		killPublisher(t, fmt.Sprintf("%s killed %s %s", server.Address, x.root, x.name), 2+2*round)
	}
	killed := make(chan error, 1)
	s := x.local(t)
	_, err := c.Publish(t.Context(), s, func(done, _ int) {
		if done >= copiedDocs/2 && len(killed) == 0 {
			killed <- errors.Join(server.Kill(), server.Start())
		}
	})
	if err := errors.Join(err, <-killed); err != nil {
		t.Fatal(err)
	}
	compare(t, s, x.Open(t), docs)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// compare holds that two stores give the same hits.
func compare(t *testing.T, want *embedded.Store, got index.Store, docs []index.Doc) {
	t.Helper()
	r := rand.New(rand.NewPCG(43, 1))
	for range 30 {
		text, v, f, k := docs[r.IntN(len(docs))].Text, storetest.Vectors(r, 1, 8)[0], storetest.Filter(r), 1+r.IntN(40)
		for name, search := range map[string]func(s index.Store) ([]index.Hit, error){
			"sparse": func(s index.Store) ([]index.Hit, error) { return s.SearchSparse(t.Context(), s.Query(text), f, k) },
			"dense":  func(s index.Store) ([]index.Hit, error) { return s.SearchDense(t.Context(), v, f, k) },
		} {
			here, err := search(want)
			if err != nil {
				t.Fatal(err)
			}
			there, err := search(got)
			if diff := cmp.Diff(here, there); err != nil || diff != "" {
				t.Fatalf("%s, filter %+v: %v (-embedded +milvus)\n%s", name, f, err, diff)
			}
		}
	}
}

// killPublisher starts a copy and kills it after some batches.
func killPublisher(t *testing.T, where string, batches int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPublishKilled$")
	cmd.Env = append(os.Environ(), copiedEnv+"="+where)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	said := ""
	for range batches {
		if !lines.Scan() {
			break
		}
		said = lines.Text()
	}
	t.Logf("killed at %q", said)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // says that it was killed
}

func publishUntilKilled(t *testing.T, where []string) {
	c, err := milvus.Dial(t.Context(), milvus.Options{Address: where[0], Prefix: where[1]})
	if err != nil {
		t.Fatal(err)
	}
	s, err := embedded.OpenGeneration(where[2], where[3])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Publish(t.Context(), s, func(done, _ int) { fmt.Println("rows", done) }); err != nil {
		t.Fatal(err)
	}
}
