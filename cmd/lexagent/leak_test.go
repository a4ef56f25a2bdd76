package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const publicLaw = "# 示范条例\n\n2019年1月2日国务院公布\n\n<!-- INFO END -->\n\n第一条 从事示范活动应当登记。\n\n第二条 违反本条例第一条规定的，处一万元以下罚款。\n"

// firmRules belong to the collection firm. They speak of the public law, repeat an
// article of it, and end it.
const firmRules = "# 考勤绝密办法\n\n2024年3月1日公司公布\n\n第一条 上班时间为九时。依照《示范条例》第二条处罚。\n\n" +
	"第二条 迟到三次记旷工一日。\n\n第三条 从事示范活动应当登记。\n\n第四条 本办法自2024年4月1日起施行。《示范条例》同时废止。\n"

// shelves ingests laws, and the firm's rules where it has them, and returns the data
// folder and the keys of one who sees public and of one who sees firm.
func shelves(t *testing.T, firm bool) (dir, public, private string) {
	t.Helper()
	dir = t.TempDir()
	files := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("lexagent", append(args, "--data", dir)...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	for name, text := range map[string]string{"示范条例.md": publicLaw, "考勤绝密办法.md": firmRules} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("ingest", filepath.Join(files, "示范条例.md"), "--no-vectors")
	if firm {
		run("ingest", filepath.Join(files, "考勤绝密办法.md"), "--no-vectors", "--collection", "firm")
	}
	public = run("key", "create", "--name", "p", "--scope", "ask,search,ingest")
	private = run("key", "create", "--name", "f", "--scope", "ask,search,ingest", "--collection", "firm,public")
	return dir, public, private
}

// probes are requests by which one might learn of what is in another collection.
var probes = []struct{ method, path, body string }{
	{"POST", "/v1/search", `{"question":"迟到三次记旷工","mode":"bm25","k":20}`},
	{"POST", "/v1/search", `{"question":"考勤绝密办法第二条","mode":"bm25","k":20,"explain":true}`},
	{"POST", "/v1/search", `{"question":"从事示范活动应当登记","mode":"bm25","granularity":"chunk","as_of":"any"}`},
	{"POST", "/v1/search", `{"question":"从事示范活动应当登记","mode":"bm25","granularity":"dual","laws":["考勤绝密办法","firm|考勤绝密办法"]}`},
	{"POST", "/v1/search", `{"question":"示范条例第一条","mode":"bm25"}`},
	{"GET", "/v1/laws", ""},
	{"GET", "/v1/laws?q=" + url.QueryEscape("考勤"), ""},
	{"GET", "/v1/laws/" + url.PathEscape("示范条例"), ""},
	{"GET", "/v1/laws/" + url.PathEscape("考勤绝密办法"), ""},
	{"GET", "/v1/laws/" + url.PathEscape("firm|考勤绝密办法"), ""},
	{"GET", "/v1/articles/" + url.PathEscape("示范条例:1"), ""},
	{"GET", "/v1/articles/" + url.PathEscape("示范条例:2") + "/citations", ""},
	{"GET", "/v1/articles/" + url.PathEscape("示范条例:1") + "/citations", ""},
	{"GET", "/v1/articles/" + url.PathEscape("示范条例:2") + "/versions", ""},
	{"GET", "/v1/articles/" + url.PathEscape("考勤绝密办法:2"), ""},
	{"GET", "/v1/articles/" + url.PathEscape("考勤绝密办法:2") + "/citations", ""},
	{"GET", "/v1/articles/" + url.PathEscape("firm|考勤绝密办法@2024-03-01:2"), ""},
	{"POST", "/v1/check", `{"text":"《考勤绝密办法》第二条规定：“迟到三次记旷工一日。”《示范条例》第二条规定：“从事示范活动应当登记。”"}`},
	{"POST", "/v1/check", `{"text":"迟到","evidence":["考勤绝密办法:2"]}`},
	{"POST", "/v1/chat/completions", `{"model":"lexagent-search","messages":[{"role":"user","content":"迟到三次记旷工几日？"}]}`},
	{"POST", "/v1/chat/completions", `{"model":"lexagent-search","messages":[{"role":"user","content":"示范条例第一条现在还有效吗？"}]}`},
	{"POST", "/v1/chat/completions", `{"model":"lexagent-search","stream":true,"messages":[{"role":"user","content":"从事示范活动应当登记吗？"}]}`},
	{"GET", "/v1/models", ""},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_statutes","arguments":{"query":"迟到记旷工"}}}`},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_article","arguments":{"id":"考勤绝密办法:2"}}}`},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"verify_answer","arguments":{"text":"《考勤绝密办法》第二条规定：“迟到三次记旷工一日。”"}}}`},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"article://考勤绝密办法:2"}}`},
}

// measured are figures and ids that differ from one answer to the next, and what
// depends on the words of the whole index: scores, and whether a word occurs in it.
var measured = regexp.MustCompile(`"(ms|stage_ms|score|scores|id|created|page|url)":("chatcmpl-[^"]*"|"http[^"]*"|[0-9.e-]+|\{[^{}]*\})`)

var wordless = regexp.MustCompile(`,?\\*"问题里没有法条中出现的词[^"\\]*\\*"`) // also within a text

// A key learns nothing of a collection that it does not see: every answer is what it
// would be if the collection were not there.
func TestNoLeaksBetweenCollections(t *testing.T) {
	with, public, private := shelves(t, true)
	without, alone, _ := shelves(t, false)
	full, bare := start(t, with), start(t, without)
	told := 0
	for _, p := range probes {
		// The one who may see it asks first, so that it lies in every cache.
		_, theirs := full.as(private, p.method, p.path, p.body)
		if strings.Contains(strings.ReplaceAll(theirs, "考勤绝密办法第二条", ""), "绝密") {
			told++
		}
		status, got := full.as(public, p.method, p.path, p.body)
		wantStatus, want := bare.as(alone, p.method, p.path, p.body)
		if got, want = plain(got), plain(want); status != wantStatus || got != want {
			t.Errorf("%s %s %s\nbeside it: %d %s\nalone:     %d %s", p.method, p.path, p.body, status, got, wantStatus, want)
		}
	}
	upload := "/v1/documents?filename=a.md&collection="
	if status, text := full.as(public, "POST", upload+"firm", firmRules); status != 403 {
		t.Errorf("an upload into a collection that the key does not see: %d %s", status, text)
	}
	status, text := full.as(private, "POST", upload+"firm", strings.ReplaceAll(firmRules, "考勤", "出勤"))
	var job struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(text), &job); err != nil || status != 202 {
		t.Fatalf("%d %s %v", status, text, err)
	}
	if status, text := full.as(private, "GET", "/v1/jobs/"+job.ID, ""); status != 200 {
		t.Errorf("its owner asks for the job: %d %s", status, text)
	}
	status, text = full.as(public, "GET", "/v1/jobs/"+job.ID, "")
	if _, none := full.as(public, "GET", "/v1/jobs/none", ""); status != 404 || text != none {
		t.Errorf("another one asks for the job: %d %s", status, text)
	}
	const theirs = "/v1/documents/a.md?collection=firm"
	if status, text := full.as(public, "DELETE", theirs, ""); status != 403 {
		t.Errorf("another one removes the document: %d %s", status, text)
	}
	if status, text := full.as(public, "GET", "/v1/documents?collection=firm", ""); status != 403 {
		t.Errorf("another one lists the documents: %d %s", status, text)
	}
	if status, text := full.as(private, "DELETE", theirs, ""); status != 202 {
		t.Errorf("its owner removes the document: %d %s", status, text)
	}
	if told < 8 {
		t.Errorf("only %d probes tell of the collection to one who sees it", told)
	}
}

func plain(body string) string {
	return measured.ReplaceAllString(wordless.ReplaceAllString(body, ""), `"$1":0`)
}

// as sends a request with a key.
func (s *served) as(key, method, path, body string) (status int, text string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("X-Request-Id", "r")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}
