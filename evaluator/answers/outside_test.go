package answers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lexagent/evaluator/batch"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/jsonl"
	"lexagent/model"
)

// What other systems write: a spreadsheet, an export with semicolons, OpenAI's batches.
func TestPredictionsOfOtherSystems(t *testing.T) {
	for _, c := range []struct {
		what, in string
		want     []Prediction
	}{
		{"a spreadsheet's CSV", "\ufeffID,question,Answer\r\nq1,期限？,\"三十日，\"\"内\"\"。\n依照第二条。\"\r\n7,?,\r\n",
			[]Prediction{{ID: "q1", Text: "三十日，\"内\"。\n依照第二条。"}, {ID: "7"}}},
		{"an export with semicolons", "id;response;system;setting\nq1;罚款;RAGFlow;top5\n", []Prediction{{ID: "q1", Text: "罚款", System: "RAGFlow top5"}}},
		{"a table with tabs", "text\tid\tkind\n三十日，\tq1\tabstained\n", []Prediction{{ID: "q1", Text: "三十日，", Kind: "abstained"}}},
		{"OpenAI's batch output", `{"id":"batch_req_1","custom_id":"q1","response":{"status_code":200,"body":{"id":"chatcmpl-1","choices":[{"index":0,"message":{"role":"assistant","content":"<think>期限</think>三十日。"},"finish_reason":"stop"}]}},"error":null}
{"id":"batch_req_2","custom_id":"q2","response":{"status_code":400,"body":{"error":{"message":"content filter"}}},"error":null}
{"id":"batch_req_3","custom_id":"q3","response":null,"error":{"code":"batch_expired","message":"late"}}
`, []Prediction{{ID: "q1", Text: "三十日。"}, {ID: "q2", Kind: Failed}, {ID: "q3", Kind: Failed}}},
	} {
		got, err := Read(strings.NewReader(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

func TestBadTablesNameTheLine(t *testing.T) {
	for in, want := range map[string]string{
		"id,anwser\nq1,x\n":          `line 1: bad line: this is neither JSON lines nor a table with the columns id and answer (or text, or response); its columns are ["id" "anwser"]`,
		"question,answer\n?,x\n":     `its columns are ["question" "answer"]`,
		"很好\n":                       "neither JSON lines nor a table",
		"id,answer,answer\nq1,x,y\n": `line 1: bad line: there are two columns "answer"`,
		"id,answer\nq1,x\nq2,\"y\nz\"\nq3,一，二,三\n": "line 5: bad line: it has 3 fields and the first line 2",
		"id,answer\nq1,x\n,y\n":                    "line 3: bad line: its id is empty",
		"id,answer\nq1,x\nq2,a\"b\n":               "line 3: bad line: bare",
		"id,answer\nq1,\"x\n":                      "bad line: extraneous or missing",
		"id,answer\nq1,x\nq2,\xc8\xfd\n":           "line 3: bad line: not UTF-8; save the table as CSV in UTF-8",
		`{"custom_id":"q","response":3}`:           `line 1: bad line: "response" is neither a text nor a reply with choices`,
	} {
		_, err := Read(strings.NewReader(in))
		if !errors.Is(err, jsonl.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", in, err, want)
		}
	}
}

// endpoint answers by the last message, and notes what it was asked.
type endpoint struct {
	asked [][]string
	fail  int // calls that fail before one is answered
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, `{"error":{"message":"no such key"}}`, http.StatusUnauthorized)
		return
	}
	var said []string
	for _, m := range body.Messages {
		said = append(said, m.Role+"："+m.Content)
	}
	e.asked = append(e.asked, said)
	switch last := body.Messages[len(body.Messages)-1].Content; {
	case e.fail > 0:
		e.fail--
		http.Error(w, `{"error":{"message":"busy"}}`, http.StatusBadGateway)
	case strings.Contains(last, "禁"):
		http.Error(w, `{"error":{"message":"content filter"}}`, http.StatusBadRequest)
	default:
		w.Header().Set("Content-Type", "application/json")
		//nolint:errcheck // the client notices
		w.Write([]byte(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"<think>嗯</think>三十日。"}}],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}`))
	}
}

func outside(t *testing.T, e *endpoint, key string) *Outside {
	t.Helper()
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	chat, err := model.OpenLLM(context.Background(), model.LLMOptions{URL: server.URL + "/v1", Model: "theirs", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return &Outside{Chat: chat, Pause: time.Nanosecond}
}

func TestAnOutsideSystemIsAskedPlainly(t *testing.T) {
	e := &endpoint{fail: 1}
	o := outside(t, e, "secret")
	qs := []dataset.Question{
		{ID: "a", Question: "期限多久？"},
		{ID: "b", Question: "迟了呢？", History: []dataset.Turn{{User: "要登记吗？", Assistant: "要。"}}},
		{ID: "c", Question: "登记收费。", Label: yes(false)},
		{ID: "d", Question: "禁？"},
		{ID: "a", Question: "又一次"},
	}
	out := filepath.Join(t.TempDir(), "theirs.jsonl")
	whose := map[string]any{"model": "theirs"}
	if err := o.AskAll(context.Background(), qs, out, whose, false, nil); err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"user：期限多久？"}, {"user：期限多久？"}, // the first call failed
		{"user：要登记吗？", "assistant：要。", "user：迟了呢？"},
		{"user：" + IsItTrue + "登记收费。"},
		{"user：禁？"},
	}
	if diff := cmp.Diff(want, e.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	ps, err := ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Prediction{{ID: "a", Text: "三十日。"}, {ID: "b", Text: "三十日。"}, {ID: "c", Text: "三十日。"}, {ID: "d", Kind: Failed}}, ps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Nothing is asked twice; a batch that was cut off goes on; another endpoint's file is refused.
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(e.asked)
	if err := o.AskAll(context.Background(), qs, out, whose, false, nil); err != nil || len(e.asked) != before+1 {
		t.Errorf("%d questions asked again, want the last alone; %v", len(e.asked)-before, err)
	}
	if err := o.AskAll(context.Background(), qs, out, map[string]any{"model": "other"}, false, nil); !errors.Is(err, batch.ErrDiffers) {
		t.Errorf("another endpoint's file: %v", err)
	}
}

func TestAnOutsideSystemThatFailsEndsTheBatch(t *testing.T) {
	three := []dataset.Question{{ID: "a", Question: "禁一"}, {ID: "b", Question: "禁二"}, {ID: "c", Question: "禁三"}, {ID: "d", Question: "期限？"}}
	for _, c := range []struct {
		what, key, says string
		calls           int
		e               endpoint
		qs              []dataset.Question
	}{
		{"away", "secret", "question d: the endpoint gave no answer: 返回错误 502; run the same command again to go on", 3, endpoint{fail: 9}, three[3:]},
		{"a wrong key", "wrong", "密钥无效", 0, endpoint{}, three[3:]},
		{"refuses everything", "secret", "3 questions in a row were refused", 3, endpoint{}, three},
	} {
		e := c.e
		err := outside(t, &e, c.key).AskAll(context.Background(), c.qs, filepath.Join(t.TempDir(), "o.jsonl"), nil, false, nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || len(e.asked) != c.calls {
			t.Errorf("%s: %v after %d calls, want %q after %d", c.what, err, len(e.asked), c.says, c.calls)
		}
	}
}
