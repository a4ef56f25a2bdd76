package lexagent_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestThirdPartyIsComplete holds that each module which go.mod requires directly stands in THIRD_PARTY.md,
// at the version that is used.
func TestThirdPartyIsComplete(t *testing.T) {
	text, err := os.ReadFile("THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	printed, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string `json:"Path"`
			Version  string `json:"Version"`
			Indirect bool   `json:"Indirect"`
		} `json:"Require"`
	}
	if err := json.Unmarshal(printed, &mod); err != nil {
		t.Fatal(err)
	}
	for _, required := range mod.Require {
		row := "| " + required.Path + " | " + required.Version + " | "
		if !required.Indirect && !strings.Contains(string(text), row) {
			t.Errorf("THIRD_PARTY.md has no row %q with the module's licence", row)
		}
	}
}
