package state_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lexagent/state"
	"lexagent/state/redistest"
)

func openRedis(t *testing.T, s *redistest.Server) *state.Redis {
	t.Helper()
	r, err := state.OpenRedis(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// Both stores keep the same promises.
func TestStore(t *testing.T) {
	t.Run("memory", func(t *testing.T) { contract(t, func() state.Store { return state.NewMemory(nil) }) })
	t.Run("redis", func(t *testing.T) {
		s := redistest.Start(t)
		contract(t, func() state.Store { return openRedis(t, s) })
	})
}

func contract(t *testing.T, open func() state.Store) {
	s := open()
	for _, part := range []struct {
		name string
		run  func(*testing.T, state.Store)
	}{
		{"conversations", conversations}, {"long conversation", longConversation}, {"cache", cache}, {"locks", locks},
		{"limits", limits}, {"limits at once", limitsAtOnce}, {"once", once}, {"once fails", onceFails},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, s) })
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func texts(turns []state.Turn) string {
	var all []string
	for _, turn := range turns {
		all = append(all, turn.Role+" "+turn.Text)
	}
	return strings.Join(all, "; ")
}

func conversations(t *testing.T, s state.Store) {
	ctx := t.Context()
	if _, err := s.Turns(ctx, "a", "c"); !errors.Is(err, state.ErrNone) {
		t.Errorf("turns of none: %v", err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	question := state.Turn{Role: "user", Text: "离婚冷静期多久？", At: at}
	answer := state.Turn{Role: "assistant", Text: "三十日。", At: at, Answer: "chatcmpl-1", Citations: []string{"民法典@2020-05-28:1077"}}
	for _, step := range []error{
		s.Append(ctx, "a", "c", time.Minute, question, answer),
		s.Append(ctx, "b", "c", time.Minute, state.Turn{Role: "user", Text: "别人的"}),
		s.Append(ctx, "a", "c", time.Minute, state.Turn{Role: "user", Text: "之后呢？"}),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	turns, err := s.Turns(ctx, "a", "c")
	if err != nil || texts(turns) != "user 离婚冷静期多久？; assistant 三十日。; user 之后呢？" {
		t.Fatalf("%v %v", texts(turns), err)
	}
	if got := turns[1]; !got.At.Equal(at) || got.Answer != answer.Answer || !slices.Equal(got.Citations, answer.Citations) {
		t.Errorf("%+v", got)
	}
	if err := s.Forget(ctx, "a", "c"); err != nil {
		t.Error(err)
	}
	if err := s.Forget(ctx, "a", "c"); !errors.Is(err, state.ErrNone) {
		t.Errorf("forgetting twice: %v", err)
	}
	if turns, err := s.Turns(ctx, "b", "c"); err != nil || len(turns) != 1 {
		t.Errorf("another owner's conversation of this name: %v %v", turns, err)
	}
	if err := s.Append(ctx, "a", "short", 50*time.Millisecond, question); err != nil {
		t.Fatal(err)
	}
	time.Sleep(120 * time.Millisecond)
	if _, err := s.Turns(ctx, "a", "short"); !errors.Is(err, state.ErrNone) {
		t.Errorf("after its time: %v", err)
	}
	if err := s.Append(ctx, "a", "big", time.Minute, question, state.Turn{Role: "user", Text: strings.Repeat("x", state.MaxValue)}); !errors.Is(err, state.ErrTooLarge) {
		t.Errorf("a turn too large: %v", err)
	}
	if _, err := s.Turns(ctx, "a", "big"); !errors.Is(err, state.ErrNone) {
		t.Errorf("half of it was kept: %v", err)
	}
}

func longConversation(t *testing.T, s state.Store) {
	for i := range state.MaxTurns/2 + 5 {
		pair := []state.Turn{{Role: "user", Text: fmt.Sprint(i)}, {Role: "assistant", Text: fmt.Sprint(i)}}
		if err := s.Append(t.Context(), "a", "long", time.Minute, pair...); err != nil {
			t.Fatal(err)
		}
	}
	turns, err := s.Turns(t.Context(), "a", "long")
	if err != nil || len(turns) != state.MaxTurns || turns[0].Text != "5" {
		t.Errorf("%d turns from %+v, %v", len(turns), turns[0], err)
	}
}

func cache(t *testing.T, s state.Store) {
	ctx := t.Context()
	if _, err := s.Get(ctx, "k"); !errors.Is(err, state.ErrNone) {
		t.Errorf("nothing yet: %v", err)
	}
	for key, value := range map[string]string{"k": "v\x00\xff", "empty": ""} {
		if err := s.Put(ctx, key, []byte(value), time.Minute); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, key); err != nil || string(got) != value {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := s.Put(ctx, "k", []byte("w"), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(ctx, "k"); err != nil || string(got) != "w" {
		t.Errorf("%q, %v", got, err)
	}
	time.Sleep(120 * time.Millisecond)
	if _, err := s.Get(ctx, "k"); !errors.Is(err, state.ErrNone) {
		t.Errorf("after its time: %v", err)
	}
	if err := s.Put(ctx, "big", make([]byte, state.MaxValue+1), time.Minute); !errors.Is(err, state.ErrTooLarge) {
		t.Errorf("a value too large: %v", err)
	}
}

func locks(t *testing.T, s state.Store) {
	ctx := t.Context()
	take := func(hold time.Duration) func() {
		t.Helper()
		unlock, got, err := s.Lock(ctx, "l", hold)
		if err != nil || !got {
			t.Fatalf("got %v, %v", got, err)
		}
		return unlock
	}
	first := take(50 * time.Millisecond)
	if _, got, err := s.Lock(ctx, "l", time.Minute); err != nil || got {
		t.Errorf("taken twice: %v, %v", got, err)
	}
	time.Sleep(120 * time.Millisecond) // its holder died
	second := take(time.Minute)
	first() // the dead one's; the lock is another's now
	if _, got, err := s.Lock(ctx, "l", time.Minute); err != nil || got {
		t.Errorf("unlocked by one who lost it: %v, %v", got, err)
	}
	second()
	take(time.Minute)()
}

func limits(t *testing.T, s state.Store) {
	const window = 300 * time.Millisecond
	ctx := t.Context()
	for i, step := range []struct {
		n, limit, used int
		ok             bool
	}{
		{0, 3, 0, true}, // only asks
		{2, 3, 2, true},
		{2, 3, 2, false}, // does not fit, and is not counted
		{1, 3, 3, true},
		{0, 3, 3, false},
		{5, 0, 8, true}, // without a limit: what was used is known only afterwards
		{0, 3, 8, false},
	} {
		a, err := s.Use(ctx, "u", step.n, step.limit, window)
		if err != nil || a.OK != step.ok || a.Used != step.used || a.Reset <= 0 || a.Reset > window {
			t.Errorf("step %d: %+v, %v", i, a, err)
		}
	}
	time.Sleep(window + 50*time.Millisecond)
	if a, err := s.Use(ctx, "u", 1, 3, window); err != nil || !a.OK || a.Used != 1 {
		t.Errorf("the next window: %+v, %v", a, err)
	}
}

func limitsAtOnce(t *testing.T, s state.Store) {
	var wait sync.WaitGroup
	var passed atomic.Int32
	for range 40 {
		wait.Go(func() {
			a, err := s.Use(t.Context(), "many", 1, 10, time.Minute)
			if err != nil {
				t.Error(err)
			}
			if a.OK {
				passed.Add(1)
			}
		})
	}
	wait.Wait()
	if n := passed.Load(); n != 10 {
		t.Errorf("%d of 10 passed", n)
	}
}

func once(t *testing.T, s state.Store) {
	var made atomic.Int32
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			v, _, err := state.Once(t.Context(), s, "dear", func(context.Context) ([]byte, time.Duration, error) {
				time.Sleep(50 * time.Millisecond)
				made.Add(1)
				return []byte("made"), time.Minute, nil
			})
			if err != nil || string(v) != "made" {
				t.Errorf("%q, %v", v, err)
			}
		})
	}
	wait.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}

func onceFails(t *testing.T, s state.Store) {
	broken := errors.New("broken")
	fail := func(context.Context) ([]byte, time.Duration, error) { return nil, time.Minute, broken }
	if _, _, err := state.Once(t.Context(), s, "failing", fail); !errors.Is(err, broken) {
		t.Error(err)
	}
	for _, what := range []string{"a failure", "a value that is not to be kept"} {
		v, found, err := state.Once(t.Context(), s, "failing", func(context.Context) ([]byte, time.Duration, error) { return []byte("v"), 0, nil })
		if err != nil || found || string(v) != "v" {
			t.Errorf("%s is kept: %q, %v, %v", what, v, found, err)
		}
	}
}

// What one process keeps another finds.
func TestRedisIsShared(t *testing.T) {
	server := redistest.Start(t)
	a, b := openRedis(t, server), openRedis(t, server)
	if err := a.Append(t.Context(), "o", "c", time.Minute, state.Turn{Role: "user", Text: "问"}); err != nil {
		t.Fatal(err)
	}
	if turns, err := b.Turns(t.Context(), "o", "c"); err != nil || texts(turns) != "user 问" {
		t.Errorf("%v %v", turns, err)
	}
}

// Redis that dies makes calls fail at once; Redis that is back is used again.
func TestRedisDown(t *testing.T) {
	server := redistest.Start(t)
	r := openRedis(t, server)
	if err := r.Put(t.Context(), "k", []byte("v"), time.Minute); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	start := time.Now()
	for range 50 {
		if _, err := r.Get(t.Context(), "k"); !errors.Is(err, state.ErrDown) {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("50 calls took %v", took)
	}
	v, found, err := state.Once(t.Context(), r, "k", func(context.Context) ([]byte, time.Duration, error) { return []byte("w"), time.Minute, nil })
	if err != nil || found || string(v) != "w" {
		t.Errorf("without a cache: %q, %v, %v", v, found, err)
	}
	server.Start()
	for begun := time.Now(); r.Check(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("not back after 10 s")
		}
	}
}

func TestAddressesOfRedis(t *testing.T) {
	for _, url := range []string{"", "127.0.0.1:6379", "http://127.0.0.1", "redis://:geheim@host:port"} {
		if _, err := state.OpenRedis(url); err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// A store in this process holds so much and no more: what was used last stays.
func TestMemoryIsBounded(t *testing.T) {
	m := state.NewMemory(nil)
	value := make([]byte, state.MaxValue)
	for i := range 80 {
		if err := m.Put(t.Context(), fmt.Sprint(i), value, time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Get(t.Context(), "0"); err != nil {
			t.Fatalf("the value in use went after %d others", i)
		}
	}
	kept := 0
	for i := range 80 {
		if _, err := m.Get(t.Context(), fmt.Sprint(i)); err == nil {
			kept++
		}
	}
	if kept > 64 || kept < 60 {
		t.Errorf("%d values of 1 MiB are kept in 64 MiB", kept)
	}
}
