package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/index/milvus/milvustest"
	"lexagent/state/redistest"
)

// recovery is how soon everything must be answered again once what was killed is back.
const recovery = 10 * time.Second

// Each part of the system is killed under load and started again. Meanwhile whoever asks
// gets an answer or an error in OpenAI's shape; soon afterwards everything is as before,
// and nothing is lost that was stored. LEXAGENT_LOAD makes it long.
func TestRecovery(t *testing.T) {
	down, clients := time.Second, 6
	if os.Getenv(envLoad) != "" {
		down, clients = 10*time.Second, 16
	}
	redis, milvus, llm := redistest.StartDurable(t), milvustest.New(t), pace{20 * time.Millisecond, 8, 25 * time.Millisecond}.serve(t)
	env := []string{
		"LEXAGENT_STORE=milvus", "LEXAGENT_MILVUS_ADDR=" + milvus.Address, "LEXAGENT_REDIS_URL=" + redis.URL(),
		"LEXAGENT_LLM_URL=http://" + llm.addr + "/v1", "LEXAGENT_LLM_MODEL=stub", "LEXAGENT_LOG_LEVEL=error",
	}
	dir, _, _ := shelves(t, false)
	if err := os.Remove(filepath.Join(dir, "keys.json")); err != nil {
		t.Fatal(err)
	}
	publish := exec.Command("lexagent", "ingest", "--no-vectors", "--data", dir)
	publish.Env = append(os.Environ(), env...)
	if out, err := publish.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	u := &underFire{served: start(t, dir, env...), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 20 * time.Second}}
	stop := u.fire(clients)
	defer stop()
	for _, f := range []struct {
		name       string
		kill, heal func() error
		unnoticed  bool // every request is answered meanwhile
	}{
		{"the language model", func() error { llm.kill(); return nil }, func() error { llm.start(); return nil }, true},
		{"Redis", func() error { redis.Kill(); return nil }, func() error { redis.Start(); return nil }, true},
		{"Milvus", milvus.Kill, milvus.Start, false},
		{"the server", func() error { _ = u.cmd.Process.Kill(); _ = u.cmd.Wait(); return nil }, func() error { u.run(); return nil }, false},
	} {
		u.t.Logf("%s is killed", f.name)
		talk := "kept-" + fmt.Sprint(len(f.name))
		if err := u.whole(talk, 0); err != nil {
			t.Fatalf("before %s is killed: %v", f.name, err)
		}
		u.phase(f.name, f.unnoticed, f.name == "the server")
		if err := f.kill(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(down)
		if err := f.heal(); err != nil {
			t.Fatal(err)
		}
		back := time.Now()
		err := u.whole(talk, 2)
		for ; err != nil && time.Since(back) < recovery; err = u.whole(talk, 2) {
			time.Sleep(50 * time.Millisecond)
		}
		if err != nil {
			t.Errorf("%v after %s is back: %v", time.Since(back).Round(time.Second), f.name, err)
		}
		t.Logf("%s: whole again after %v", f.name, time.Since(back).Round(10*time.Millisecond))
		u.phase("calm", true, false)
		time.Sleep(down / 2)
	}
	stop()
	u.report(dir)
}

// underFire is a server whose clients note what they see.
type underFire struct {
	*served
	client *http.Client

	mu         sync.Mutex
	name       string
	since      time.Time
	unnoticed  bool
	gone       bool // connections may break
	seen       map[string]map[int]int
	stored     int // ratings that the server said it keeps
	wrong      []string
	inProgress sync.WaitGroup
}

// phase says what may be seen from now on.
func (u *underFire) phase(name string, unnoticed, gone bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.name, u.since, u.unnoticed, u.gone = name, time.Now(), unnoticed, gone
}

// fire has clients ask until the returned function is called.
func (u *underFire) fire(clients int) (stop func()) {
	u.phase("calm", true, false)
	u.seen = map[string]map[int]int{}
	end := make(chan struct{})
	for c := range clients {
		u.inProgress.Go(func() {
			for round := 0; ; round++ {
				select {
				case <-end:
					return
				default:
				}
				u.shoot(c, round)
			}
		})
	}
	return sync.OnceFunc(func() { close(end); u.inProgress.Wait() })
}

const aboutActivity = "从事示范活动应当登记吗？"

// shoot sends one request and judges what comes back.
func (u *underFire) shoot(client, round int) {
	path, body := "/v1/search", fmt.Sprintf(`{"question":"%s%d-%d","mode":"bm25"}`, aboutActivity, client, round)
	switch (client + round) % 4 {
	case 1:
		path, body = "/v1/chat/completions", fmt.Sprintf(`{"model":"lexagent","messages":[{"role":"user","content":"%s"}]}`, aboutActivity)
	case 2:
		path, body = "/v1/chat/completions", fmt.Sprintf(`{"model":"lexagent","stream":true,"messages":[{"role":"user","content":"%s"}]}`, aboutActivity)
	case 3:
		path, body = "/v1/feedback", `{"answer_id":"chatcmpl-1","rating":"up"}`
	}
	begun := time.Now()
	res, err := u.client.Post(u.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		u.note(begun, 0, err)
		time.Sleep(20 * time.Millisecond)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
	case res.StatusCode != 200:
		err = wellShaped(res, text)
	case !strings.Contains(body, `"stream":true`):
		if !json.Valid(text) {
			err = fmt.Errorf("no JSON: %.200s", text)
		}
	case !bytes.HasSuffix(bytes.TrimSpace(text), []byte("data: [DONE]")):
		last := bytes.TrimSpace(text)
		_, last, _ = bytes.Cut(last[max(0, bytes.LastIndex(last, []byte("\n"))):], []byte("data: "))
		err = wellShaped(nil, last) // a stream that can't go on ends with an error
	}
	if path == "/v1/feedback" && res.StatusCode == 200 && err == nil {
		u.mu.Lock()
		u.stored++
		u.mu.Unlock()
	}
	u.note(begun, res.StatusCode, err)
}

// wellShaped checks an error of the API.
func wellShaped(res *http.Response, text []byte) error {
	var e struct {
		Error struct{ Message, Type, Code string }
	}
	if err := json.Unmarshal(text, &e); err != nil || e.Error.Message == "" || e.Error.Type == "" || e.Error.Code == "" {
		return fmt.Errorf("an error of another shape: %.200s", text)
	}
	if res == nil || res.StatusCode == 503 || res.StatusCode == 504 || res.StatusCode == 429 {
		return nil
	}
	return fmt.Errorf("%d %.200s", res.StatusCode, text)
}

// note judges by the phase in which a request began and, where another has begun since,
// by neither: it met both.
func (u *underFire) note(begun time.Time, status int, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if begun.Before(u.since) {
		if errors.As(err, new(*json.SyntaxError)) {
			u.wrong = append(u.wrong, err.Error())
		}
		return
	}
	if u.seen[u.name] == nil {
		u.seen[u.name] = map[int]int{}
	}
	u.seen[u.name][status]++
	if took := time.Since(begun); took > recovery {
		u.wrong = append(u.wrong, fmt.Sprintf("%s: %d after %v", u.name, status, took))
	}
	if err != nil && !u.gone || u.unnoticed && status != 200 {
		u.wrong = append(u.wrong, fmt.Sprintf("%s: %d %v", u.name, status, err))
	}
}

// whole asks of every part of the system, in a conversation of so many turns.
func (u *underFire) whole(talk string, turns int) error {
	var found struct{ Hits []struct{ Law string } }
	if err := u.post("/v1/search", "", `{"question":"`+aboutActivity+`","mode":"bm25"}`, &found); err != nil {
		return err
	}
	if len(found.Hits) == 0 || found.Hits[0].Law != "示范条例" {
		return fmt.Errorf("found is %+v", found.Hits)
	}
	var a struct {
		Lexagent struct {
			LLMCalls     int `json:"llm_calls"`
			Conversation struct {
				Recalled int
				Memory   string
			}
		}
	}
	if turns > 0 { // it is looked at first, so that what is asked now does not stand for what was lost
		var kept struct{ Messages []struct{ Role string } }
		if err := u.get("/v1/conversations/"+talk, &kept); err != nil || len(kept.Messages) < turns {
			return fmt.Errorf("of the conversation %+v is kept, %w", kept, err)
		}
	}
	if err := u.post("/v1/chat/completions", talk, `{"model":"lexagent","messages":[{"role":"user","content":"`+aboutActivity+`"}]}`, &a); err != nil {
		return err
	}
	if c := a.Lexagent.Conversation; a.Lexagent.LLMCalls == 0 || c.Memory != "kept" || c.Recalled < turns {
		return fmt.Errorf("the answer tells of %+v", a.Lexagent)
	}
	return nil
}

func (u *underFire) get(path string, v any) error {
	res, err := u.client.Get(u.url + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		return fmt.Errorf("%s: %d", path, res.StatusCode)
	}
	return json.NewDecoder(res.Body).Decode(v)
}

func (u *underFire) post(path, talk, body string, v any) error {
	req, err := http.NewRequest("POST", u.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if talk != "" {
		req.Header.Set("X-Conversation-Id", talk)
	}
	res, err := u.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		return fmt.Errorf("%s: %d", path, res.StatusCode)
	}
	return json.NewDecoder(res.Body).Decode(v)
}

// report tells what was seen, and whether all is there that was stored.
func (u *underFire) report(dir string) {
	u.t.Helper()
	for name, statuses := range u.seen {
		u.t.Logf("%-20s %v", name, statuses)
	}
	if u.seen["calm"][200] == 0 {
		u.t.Error("nothing was asked")
	}
	if len(u.wrong) > 0 {
		u.t.Errorf("%d answers are wrong, such as %.400s", len(u.wrong), u.wrong[0])
	}
	ratings := 0
	files, err := filepath.Glob(filepath.Join(dir, "feedback*"))
	for _, f := range files {
		b, rerr := os.ReadFile(f)
		err = errors.Join(err, rerr)
		ratings += bytes.Count(b, []byte("\n"))
	}
	if err != nil || ratings < u.stored || u.stored == 0 {
		u.t.Errorf("of %d ratings %d are kept, %v", u.stored, ratings, err)
	}
}
