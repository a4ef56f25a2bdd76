package main

import (
	"os"
	"path/filepath"
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

// TestMilvusCommandLine runs the sessions that need a Milvus server.
func TestMilvusCommandLine(t *testing.T) {
	library := os.Getenv("LEXAGENT_ONNXRUNTIME")
	if found, err := filepath.Glob("../../var/onnxruntime/libonnxruntime*"); library == "" && err == nil && len(found) > 0 {
		if library, err = filepath.Abs(found[0]); err != nil {
			t.Fatal(err)
		}
	}
	if library == "" {
		t.Skip("the ONNX Runtime library isn't there; `make build` fetches it")
	}
	server := milvustest.New(t)
	sessions(t, "testdata/milvus", map[string]string{"LEXAGENT_MILVUS_ADDR": server.Address, "LEXAGENT_ONNXRUNTIME": library})
}

func sessions(t *testing.T, dir string, variables map[string]string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
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
