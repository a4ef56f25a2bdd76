package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lexagent/index/milvus/milvustest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lexagent": main})
}

// Each file of testdata/script is a session at the command line, with what is to
// come out of it and with which exit code.
func TestCommandLine(t *testing.T) { sessions(t, "testdata/script", nil) }

// TestVectorsCommandLine runs the sessions in which the encoder that ships works.
func TestVectorsCommandLine(t *testing.T) {
	sessions(t, "testdata/vectors", map[string]string{"LEXAGENT_ONNXRUNTIME": library(t)})
}

// TestMilvusCommandLine runs the sessions that need a Milvus server.
func TestMilvusCommandLine(t *testing.T) {
	onnx := library(t)
	server := milvustest.New(t)
	sessions(t, "testdata/milvus", map[string]string{"LEXAGENT_MILVUS_ADDR": server.Address, "LEXAGENT_ONNXRUNTIME": onnx})
}

// library is the path of ONNX Runtime; a test that needs it is skipped where it is
// missing, unless LEXAGENT_TEST_REAL=1 wants it.
func library(t *testing.T) string {
	t.Helper()
	path := os.Getenv("LEXAGENT_ONNXRUNTIME")
	if found, err := filepath.Glob("../../var/onnxruntime/libonnxruntime*"); path == "" && err == nil && len(found) > 0 {
		if path, err = filepath.Abs(found[0]); err != nil {
			t.Fatal(err)
		}
	}
	if path == "" {
		if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
			t.Fatal("the ONNX Runtime library isn't there; `make build` fetches it")
		}
		t.Skip("the ONNX Runtime library isn't there; `make build` fetches it")
	}
	return path
}

// TestEmbeddingCommandLine runs the sessions with an embedding endpoint, whose models
// size8 and size16 count characters.
func TestEmbeddingCommandLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model string
			Input []string
		}
		var dim int
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if _, err := fmt.Sscanf(body.Model, "size%d", &dim); err != nil {
			http.NotFound(w, r)
			return
		}
		type item struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var data []item
		for i, text := range body.Input {
			v := make([]float32, dim)
			for _, c := range text {
				v[int(c)%dim]++
			}
			data = append(data, item{i, v})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": data}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close) // sessions run in parallel, after this function
	sessions(t, "testdata/embed", map[string]string{
		"LEXAGENT_EMBED_URL": server.URL + "/v1", "LEXAGENT_EMBED_MODEL": "size8", "LEXAGENT_EMBED_KEY": "secret",
	})
}

// TestLanguageModelCommandLine runs the sessions with a language model that knows one
// reply to each prompt, and none to a question about 谎话.
func TestLanguageModelCommandLine(t *testing.T) {
	sessions(t, "testdata/llm", map[string]string{"MODEL_URL": languageModel(t)})
}

// TestExperimentFiles plans every file of experiments/, and runs it on ten questions
// with the encoder that ships and a language model that knows one reply to each prompt.
func TestExperimentFiles(t *testing.T) {
	script, err := os.ReadFile("testdata/experiments/files.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../experiments/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no experiment files", err)
	}
	for _, f := range files {
		for _, flag := range []string{"--dry-run", "--limit 10"} {
			run := "exec lexagent eval run $EXPERIMENTS/" + filepath.Base(f) + " --datasets sets --data d " + flag + "\n"
			if !strings.Contains(string(script), run) {
				t.Errorf("%s is not run with %s", f, flag)
			}
		}
	}
	sessions(t, "testdata/experiments", map[string]string{"LEXAGENT_LLM_URL": languageModel(t), "LEXAGENT_LLM_MODEL": "small", "LEXAGENT_ONNXRUNTIME": library(t)})
}

// languageModel serves one, and returns its address.
func languageModel(t *testing.T) string {
	t.Helper()
	replies := map[string]string{
		"IRAC":        `{"issue":"登记的撤销","rule":"登记机关可以撤销登记","application":"已登记","conclusion":"撤销登记"}`,
		"法律关键词":       "关键词：撤销登记、登记机关",
		"假想的法条":       `{"text":"登记机关应当撤销登记"}`,
		"判断<问题>的主要意图": `{"intent":"Procedure"}`,
		"判断<法条>的主要功能": `{"intent":"Procedure"}`,
		"不看对话也能懂的问题":  `{"text":"登记后可以撤销登记吗？"}`,
		"写出下一步推理":     `{"text":"因此登记机关可以撤销登记"}`,
		"法律检索的评估员":    `{"verdict":"correct"}`,
		"<说法>是否正确":    "正确。依据《示范登记条例》第二条。",
		"回答<问题>":      "应当在三十日内提出（《示范登记条例》第二条）。",
		"只依据给出的法条":    "应当自事实发生之日起三十日内提出。[示范登记条例:2]",
		"法律回答的核查员":    `{"evidence":{"verdict":"pass","reasons":[]},"consistency":{"verdict":"pass","reasons":[]},"completeness":{"verdict":"pass","reasons":[],"missing":[]}}`,
		"法律问答的评审":     `{"relevance":5,"accuracy":4,"completeness":4,"fluency":5,"reason":"正确"}`,
		"你是中国法律检索员":   `{"action":"keyword","query":"登记 期限"}`,
		"只就一个维度":      `{"score":4,"reason":"正确"}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		text, asked := "我不知道。", ""
		for _, m := range body.Messages {
			asked += m.Content + "\n"
		}
		for sign, reply := range replies {
			if sign == "法律问答的评审" && strings.Contains(asked, "只就一个维度") {
				continue
			}
			if strings.Contains(asked, sign) && !strings.Contains(asked, "谎话") {
				text = reply
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": text}}},
			"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
		}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close) // sessions run in parallel, after the test's function
	return server.URL + "/v1"
}

func sessions(t *testing.T, dir string, variables map[string]string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Condition: func(name string) (bool, error) {
			if name != "race" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return underRace, nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXPERIMENTS", filepath.Join(root, "experiments"))
			env.Setenv("LEXAGENT_ENCODER", filepath.Join(root, "model", "pretrained"))
			if lib := os.Getenv("LEXAGENT_ONNXRUNTIME"); lib != "" {
				env.Setenv("LEXAGENT_ONNXRUNTIME", lib)
			}
			for name, value := range variables {
				env.Setenv(name, value)
			}
			return nil
		},
	})
}
