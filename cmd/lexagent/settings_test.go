package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated pages anew")

// The page of settings shows the printed example.
func TestPageOfSettings(t *testing.T) {
	const page, fence = "../../docs/config.md", "```"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.Index(string(text), fence+"yaml\n")
	end := strings.LastIndex(string(text), fence)
	if begin < 0 || end <= begin {
		t.Fatalf("%s has no example", page)
	}
	d := defaultConfig()
	want := string(text[:begin]) + fence + "yaml\n" + yamlOf(&d, true) + string(text[end:])
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s is not what the program has: go test ./cmd/lexagent -run TestPageOfSettings -update", page)
	}
}
