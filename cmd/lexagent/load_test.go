package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lexagent/state/redistest"
)

// Environment of the long form: how long each part runs, and a data folder with vectors.
const (
	envLoad     = "LEXAGENT_LOAD"      // such as 10m
	envLoadData = "LEXAGENT_LOAD_DATA" // as ingest leaves it; with LEXAGENT_ENCODER and LEXAGENT_ONNXRUNTIME
)

// pace is a language model of fixed speed: so long to the first token, and then so
// many tokens a second.
type pace struct {
	first  time.Duration
	tokens int
	each   time.Duration
}

func (p pace) answer() time.Duration { return p.first + time.Duration(p.tokens)*p.each }

var handle = regexp.MustCompile(`(?s)<法条 编号="([^"]*)"[^>]*>\n([^。]*。)`)

// stub is a language model that quotes the first article it is given, and passes every
// draft it reviews. It can be killed, and started again at its address.
type stub struct {
	t    *testing.T
	pace pace
	addr string
	http *httptest.Server
}

func (p pace) serve(t *testing.T) *stub {
	t.Helper()
	m := &stub{t: t, pace: p, addr: "127.0.0.1:0"}
	m.start()
	t.Cleanup(m.kill)
	return m
}

// model serves one until the test's end, and returns its address.
func (p pace) model(t *testing.T) string {
	t.Helper()
	return "http://" + p.serve(t).addr + "/v1"
}

func (m *stub) start() {
	m.t.Helper()
	ln, err := net.Listen("tcp", m.addr)
	if err != nil {
		m.t.Fatal(err)
	}
	m.addr = ln.Addr().String()
	m.http = httptest.NewUnstartedServer(m.pace.handler())
	m.http.Listener = ln
	m.http.Start()
}

// kill drops its connections, and whoever waits for an answer.
func (m *stub) kill() {
	m.http.CloseClientConnections()
	m.http.Close()
}

func (p pace) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) == 0 {
			http.Error(w, "no messages", http.StatusBadRequest)
			return
		}
		select {
		case <-time.After(p.answer()):
		case <-r.Context().Done():
			return
		}
		text := `{"evidence":{"verdict":"pass","reasons":[]},"consistency":{"verdict":"pass","reasons":[]},"completeness":{"verdict":"pass","reasons":[],"missing":[]}}`
		asked := body.Messages[len(body.Messages)-1].Content
		if m := handle.FindStringSubmatch(asked); m != nil && !strings.Contains(asked, "核查员") {
			text = m[2] + "[" + m[1] + "]"
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{ // fails only when the server under load went away
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": text}}},
			"usage":   map[string]int{"prompt_tokens": 900, "completion_tokens": p.tokens, "total_tokens": 900 + p.tokens},
		})
	})
}

// tally collects what clients saw.
type tally struct {
	mu       sync.Mutex
	times    map[string][]time.Duration
	statuses map[int]int
	broken   []string
}

func (l *tally) add(what string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times == nil {
		l.times = map[string][]time.Duration{}
	}
	l.times[what] = append(l.times[what], d)
}

func (l *tally) status(code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.statuses == nil {
		l.statuses = map[int]int{}
	}
	l.statuses[code]++
}

func (l *tally) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = append(l.broken, fmt.Sprintf(format, args...))
}

// at is a quantile of the times of one kind.
func (l *tally) at(what string, q float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Sorted(slices.Values(l.times[what]))
	if len(all) == 0 {
		return 0
	}
	return all[min(int(q*float64(len(all))), len(all)-1)].Round(time.Millisecond / 10)
}

// crowd has so many clients call do again and again for a while.
func crowd(clients int, while time.Duration, do func(client, round int)) {
	end := time.Now().Add(while)
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			for round := 0; time.Now().Before(end); round++ {
				do(c, round)
			}
		})
	}
	wait.Wait()
}

// laws are questions about the laws of a whole corpus.
var laws = []string{
	"离婚冷静期是多久", "公司不签劳动合同怎么赔偿", "试用期最长可以约定多久", "借款没有约定利息要付吗", "房东不退押金怎么办",
	"酒后驾驶怎么处罚", "遗嘱需要公证吗", "加班费怎么算", "网购七天无理由退货", "交通事故谁来赔偿",
}

// What people put around a question.
var (
	openings = []string{"", "请问", "您好，", "想问一下，", "麻烦问，", "求助：", "律师您好，", "我想知道"}
	endings  = []string{"", "？", "?", "。", "谢谢", "谢谢！", "急", "在线等", "？？", "请指教", "多谢"}
)

// wording is the n-th way to ask: a question comes again in the same words when a server
// has forgotten what it remembers of it.
func wording(questions []string, n int) string {
	q := questions[n%len(questions)]
	n /= len(questions)
	return openings[n%len(openings)] + q + endings[n/len(openings)%len(endings)]
}

// searches measures POST /v1/search.
func (s *served) searches(client *http.Client, mode string, questions []string, clients int, while time.Duration) *tally {
	l := &tally{}
	crowd(clients, while, func(c, round int) {
		body := fmt.Sprintf(`{"question":%q,"mode":%q}`, questions[(c+round)%len(questions)]+fmt.Sprint(c, round), mode)
		begun := time.Now()
		res, err := client.Post(s.url+"/v1/search", "application/json", strings.NewReader(body))
		if err != nil {
			l.fail("%v", err)
			return
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		l.add("search", time.Since(begun))
		if l.status(res.StatusCode); err != nil {
			l.fail("%v", err)
		}
	})
	return l
}

// streams measures streamed answers, above the language model's own time.
func (s *served) streams(client *http.Client, p pace, questions []string, clients int, while time.Duration) *tally {
	l := &tally{}
	var n atomic.Int64
	crowd(clients, while, func(int, int) {
		s.oneStream(client, p, l, wording(questions, int(n.Add(1))))
	})
	return l
}

func (s *served) oneStream(client *http.Client, p pace, l *tally, question string) {
	body := fmt.Sprintf(`{"model":"lexagent","stream":true,"messages":[{"role":"user","content":%q}]}`, question)
	begun := time.Now()
	res, err := client.Post(s.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		l.fail("%v", err)
		return
	}
	defer res.Body.Close()
	if l.status(res.StatusCode); res.StatusCode != 200 {
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			l.fail("%v", err)
		}
		return
	}
	var first, text time.Duration
	last, calls, done := begun, 0, false
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			continue
		}
		now := time.Now()
		l.add("gap", now.Sub(last))
		last = now
		if first == 0 {
			first = now.Sub(begun)
		}
		var chunk struct {
			Choices  []struct{ Delta struct{ Content string } }
			Lexagent struct {
				LLMCalls int `json:"llm_calls"`
			}
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		switch {
		case bytes.Equal(data, []byte("[DONE]")):
			done = true
		case ok && json.Unmarshal(data, &chunk) == nil:
			calls = max(calls, chunk.Lexagent.LLMCalls)
			if text == 0 && len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
				text = now.Sub(begun)
			}
		}
	}
	if err := lines.Err(); err != nil || !done {
		l.fail("a stream ended without [DONE]: %v", err)
		return
	}
	if calls == 0 {
		l.fail("the language model was not called")
	}
	l.add("first progress", first)
	l.add("text after the model", text-time.Duration(calls)*p.answer())
}

// footprint is what the server holds.
type footprint struct{ goroutines, fds, rss, cpu float64 } // cpu in seconds, of all time

func (s *served) footprint(t *testing.T) footprint {
	t.Helper()
	res, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(b)
		if m == nil {
			t.Fatalf("no %s in the metrics", name)
		}
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	return footprint{value("go_goroutines"), value("process_open_fds"), value("process_resident_memory_bytes") / (1 << 20), value("process_cpu_seconds_total")}
}

// settled waits until the server holds no more goroutines and files than before. Readers
// of the book are closed when half a minute has passed without use.
func (s *served) settled(t *testing.T, before footprint) {
	t.Helper()
	var now footprint
	for range 450 {
		if now = s.footprint(t); now.goroutines <= before.goroutines+5 && now.fds <= before.fds+5 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("goroutines and files do not come back: %+v, before %+v", now, before)
}

// Under load answers keep coming, none is lost but those refused at once, and all
// that was taken is given back. LEXAGENT_LOAD=10m makes it long.
func TestLoad(t *testing.T) {
	while, p, mode, clients := time.Second, pace{20 * time.Millisecond, 8, 25 * time.Millisecond}, "bm25", 50
	dir, questions := "", []string{"从事示范活动应当登记吗？"}
	var env []string
	if long := os.Getenv(envLoad); long != "" {
		var err error
		if while, err = time.ParseDuration(long); err != nil {
			t.Fatal(err)
		}
		p.tokens, clients = 40, 200
	}
	if dir = os.Getenv(envLoadData); dir != "" {
		mode, questions = "fast", laws
		env = append(env, "LEXAGENT_ENCODER="+os.Getenv("LEXAGENT_ENCODER"), "LEXAGENT_AUDIT=false")
	} else {
		dir, _, _ = shelves(t, false)
		if err := os.Remove(dir + "/keys.json"); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, dir, append(env, "LEXAGENT_LLM_URL="+p.model(t), "LEXAGENT_LLM_MODEL=stub")...)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}, Timeout: 3 * time.Minute}
	s.searches(client, mode, questions, 4, min(while, 2*time.Second)) // warm
	s.streams(client, p, questions, clients, time.Second)
	client.CloseIdleConnections()
	time.Sleep(500 * time.Millisecond)
	before := s.footprint(t)

	report := func(name string, l *tally, spent time.Duration, cpu float64) {
		t.Helper()
		n := 0
		for _, c := range l.statuses {
			n += c
		}
		t.Logf("%-22s %5d requests, %6.1f a second, %.1f ms of processor each, statuses %v", name, n, float64(n)/spent.Seconds(), 1000*cpu/float64(n), l.statuses)
		for what := range l.times {
			t.Logf("%-22s %-22s p50 %8v  p95 %8v  max %8v", name, what, l.at(what, .5), l.at(what, .95), l.at(what, 1))
		}
		if len(l.broken) > 0 {
			t.Errorf("%s: %d were broken, such as %s", name, len(l.broken), l.broken[0])
		}
		for code := range l.statuses {
			if code != 200 && code != 429 && code != 503 {
				t.Errorf("%s: %d answers had the status %d", name, l.statuses[code], code)
			}
		}
		if l.statuses[200] == 0 {
			t.Errorf("%s: nothing was answered", name)
		}
	}
	timed := func(name string, run func() *tally) *tally {
		begun, spent := time.Now(), s.footprint(t).cpu
		l := run()
		report(name, l, time.Since(begun), s.footprint(t).cpu-spent)
		return l
	}
	found := timed("search, 16 clients", func() *tally { return s.searches(client, mode, questions, 16, min(while, searching)) })
	one := timed("chat, 1 stream", func() *tally { return s.streams(client, p, questions, 1, min(while, 30*time.Second)) })
	hundred := &tally{}
	if clients > 100 {
		hundred = timed("chat, 100 streams", func() *tally { return s.streams(client, p, questions, 100, min(while, time.Minute)) })
	}
	warm := s.footprint(t)
	rss := s.watchMemory(t, while/50)
	many := timed(fmt.Sprintf("chat, %d streams", clients), func() *tally { return s.streams(client, p, questions, clients, while) })
	after, parts := s.footprint(t), rss()
	t.Logf("memory %.0f MB before, %.0f warm, %.0f after, in the tenths of the time %.0f; %d processors", before.rss, warm.rss, after.rss, parts, runtime.NumCPU())
	stall := many.at("gap", 1) - p.answer()
	client.CloseIdleConnections()
	s.settled(t, before)
	if os.Getenv(envLoad) == "" {
		if stall > 5*time.Second { // other tests run beside this one
			t.Errorf("a stream stood still for %v longer than the model", stall)
		}
		return
	}
	reach := func(what string, got, most time.Duration) {
		t.Helper()
		if got > most {
			t.Errorf("%s: %v, more than %v", what, got, most)
		}
	}
	reach("search, 16 clients, p95", found.at("search", .95), 400*time.Millisecond)
	reach("search, 16 clients, a second for 60", min(while, searching)*60/time.Duration(max(1, found.statuses[200])), time.Second)
	reach("chat, 1 stream, first progress, p95", one.at("first progress", .95), 50*time.Millisecond)
	reach("chat, 1 stream, text after the model, p95", one.at("text after the model", .95), 150*time.Millisecond)
	reach("chat, 100 streams, first progress, p95", hundred.at("first progress", .95), 300*time.Millisecond)
	reach("chat, 100 streams, text after the model, p95", hundred.at("text after the model", .95), 2*time.Second)
	reach("chat, 200 streams, longest stall beyond the model", stall, 2*time.Second)
	for i, mb := range parts[1:] { // the first tenth warms up
		if mb < .95*parts[1] || mb > 1.05*parts[1] {
			t.Errorf("memory: %.0f MB in tenth %d, %.0f in tenth 2", mb, i+2, parts[1])
		}
	}
	for _, l := range []*tally{found, one, hundred, many} {
		if l.statuses[503] > 0 {
			t.Errorf("%d requests were refused with 503", l.statuses[503])
		}
	}
}

// watchMemory samples the server's memory until the returned function is called, which
// returns the means of the ten parts of the time, in MB.
func (s *served) watchMemory(t *testing.T, every time.Duration) func() [10]float64 {
	t.Helper()
	end, done := make(chan struct{}), make(chan struct{})
	var samples []float64
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			samples = append(samples, s.resident())
			select {
			case <-end:
				return
			case <-tick.C:
			}
		}
	}()
	return func() (parts [10]float64) {
		close(end)
		<-done
		for i := range parts {
			part := samples[len(samples)*i/10 : max(len(samples)*(i+1)/10, min(len(samples)*i/10+1, len(samples)))]
			for _, mb := range part {
				parts[i] += mb / float64(len(part))
			}
		}
		return parts
	}
}

// resident is the memory of the server's process in MB, as the system tells it.
func (s *served) resident() float64 {
	var pages, resident int
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err == nil {
		_, err = fmt.Sscan(string(b), &pages, &resident)
	}
	if err != nil {
		s.t.Errorf("the server's memory can't be read: %v", err)
	}
	return float64(resident*os.Getpagesize()) / (1 << 20)
}

// searching is how long searches are measured.
const searching = 30 * time.Second

// Two replicas share a data folder and a Redis. A conversation goes on at the other,
// also when the first is killed under load; those who ask the other notice nothing.
func TestReplicas(t *testing.T) {
	r := redistest.Start(t)
	dir, public, _ := shelves(t, false)
	p := pace{5 * time.Millisecond, 4, 5 * time.Millisecond}
	env := []string{"LEXAGENT_REDIS_URL=" + r.URL(), "LEXAGENT_LLM_URL=" + p.model(t), "LEXAGENT_LLM_MODEL=stub"}
	one, two := start(t, dir, env...), start(t, dir, env...)
	client := &http.Client{Timeout: 30 * time.Second}
	say := func(s *served, conversation string) (recalled int, err error) {
		const body = `{"model":"lexagent","messages":[{"role":"user","content":"从事示范活动应当登记吗？"}]}`
		req, err := http.NewRequest("POST", s.url+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		req.Header.Set("Authorization", "Bearer "+public)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Conversation-Id", conversation)
		res, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		var a struct {
			Lexagent struct{ Conversation struct{ Recalled int } }
		}
		if err := json.NewDecoder(res.Body).Decode(&a); err != nil || res.StatusCode != 200 {
			return 0, fmt.Errorf("%d, %w", res.StatusCode, err)
		}
		return a.Lexagent.Conversation.Recalled, nil
	}
	if n, err := say(one, "c"); err != nil || n != 0 {
		t.Fatalf("recalled %d, %v", n, err)
	}
	if n, err := say(two, "c"); err != nil || n != 2 {
		t.Errorf("the other replica recalled %d, %v", n, err)
	}
	var kill sync.Once
	crowd(8, 2*time.Second, func(c, round int) {
		if c == 0 && round == 5 {
			kill.Do(func() { _ = one.cmd.Process.Kill() })
		}
		s, killed := one, true
		if c%2 == 0 {
			s, killed = two, false
		}
		if _, err := say(s, "c-"+strconv.Itoa(c)); err != nil && !killed {
			t.Errorf("the replica that lives: %v", err)
		} else if err != nil {
			time.Sleep(50 * time.Millisecond)
		}
	})
	if n, err := say(two, "c"); err != nil || n != 4 {
		t.Errorf("after the kill %d turns are recalled, %v", n, err)
	}
	if n, err := say(two, "c-1"); err != nil || n == 0 { // it was held with the one that died
		t.Errorf("of a conversation with the dead replica %d turns are recalled, %v", n, err)
	}
}
