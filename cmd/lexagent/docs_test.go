package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shell = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// before stands before the commands of a page. Servers run in the background, one
// after the other, and containers are not there: what would be started from a file is
// looked for.
const before = `set -euo pipefail
server=
stop() { [[ -z $server ]] || { kill $server && wait $server || true; }; server=; }
trap stop EXIT
serve() {
  stop
  command lexagent serve --addr "$ADDR" >serve.log 2>&1 & server=$!
  for _ in $(seq 200); do curl -sf -o /dev/null "http://$ADDR/readyz" && return; sleep .05; done
  cat serve.log >&2
  return 1
}
lexagent() { if [[ $1 = serve ]]; then serve; else command lexagent "$@"; fi; }
contained() { for a in "$@"; do [[ $a != deploy/* || -e $ROOT/$a ]] || { echo "there is no $a" >&2; return 1; }; done; }
docker() { contained "$@"; }
kubectl() { contained "$@"; }
go() { (cd "$ROOT" && command go "$@"); }
`

// TestDocs runs the commands of the pages of docs/, each page in a folder of its own
// with some files in it.
func TestDocs(t *testing.T) {
	onnx := library(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"operation", "api", "troubleshooting", "corpus", "encoder", "architecture"} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, "docs", page+".md"))
			if err != nil {
				t.Fatal(err)
			}
			script := before
			for _, block := range shell.FindAllStringSubmatch(string(text), -1) {
				script += block[1]
			}
			addr := free(t)
			embeddings := httptest.NewServer(http.HandlerFunc(embed))
			defer embeddings.Close()
			script = strings.NewReplacer("127.0.0.1:8080", addr, "http://127.0.0.1:8282", embeddings.URL).Replace(script)
			dir := workplace(t, root)
			cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "ADDR="+addr, "ROOT="+root, "LEXAGENT_ONNXRUNTIME="+onnx, "LEXAGENT_ENCODER="+filepath.Join(root, "model", "pretrained"), "LEXAGENT_LLM_URL=", "LEXAGENT_STORE=embedded")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// workplace is a folder with what the pages speak of.
func workplace(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	law := func(name string) string {
		return "# " + name + "\n\n2019年1月2日国务院公布\n\n<!-- INFO END -->\n\n第一条 申请登记应当在三十日内提出。\n\n第二条 依照本条例第一条提出的申请，登记机关应当受理。\n"
	}
	for name, text := range map[string]string{
		"laws/登记条例.md": law("登记条例"), "laws/检验条例.md": law("检验条例"), "某办法.md": law("某办法"), "rules.md": law("考勤办法"),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "model", "pretrained"), filepath.Join(dir, "encoder")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// embed is an endpoint of embeddings: counts of characters.
func embed(w http.ResponseWriter, r *http.Request) {
	var body struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]item, len(body.Input))
	for i, text := range body.Input {
		data[i] = item{i, make([]float32, 8)}
		for _, c := range text {
			data[i].Embedding[c%8]++
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data}) // the client has left when this fails
}

func free(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
