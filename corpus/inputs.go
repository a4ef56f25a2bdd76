package corpus

import (
	"os"
	"path/filepath"
	"strings"
)

// Version is raised whenever a reader may make other units of the same bytes, so
// that sources stored before are read again.
const Version = 3

// companions are the files whose dates are joined to a corpus of units.
var companions = []string{"laws.jsonl", "laws.jsonl.gz"}

// Inputs lists the files that reading path depends on: path itself, and the
// companion whose dates a reader of JSON lines joins.
func Inputs(path string) []string {
	if name := strings.ToLower(path); !strings.HasSuffix(name, ".jsonl") && !strings.HasSuffix(name, ".jsonl.gz") {
		return []string{path}
	}
	if c := companion(path); c != "" && c != filepath.Clean(path) {
		return []string{path, c}
	}
	return []string{path}
}

// companion returns the file beside path whose dates are joined to it, "" when
// there is none.
func companion(path string) string {
	for _, name := range companions {
		c := filepath.Join(filepath.Dir(path), name)
		if info, err := os.Stat(c); err == nil && info.Mode().IsRegular() {
			return c
		}
	}
	return ""
}
