package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lexagent": main})
}

// Each file of testdata/script is a session at the command line, with what is to
// come out of it and with which exit code.
func TestCommandLine(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("LEXAGENT_ENCODER", filepath.Join(root, "model", "pretrained"))
			if lib := os.Getenv("LEXAGENT_ONNXRUNTIME"); lib != "" {
				env.Setenv("LEXAGENT_ONNXRUNTIME", lib)
			}
			return nil
		},
	})
}
