// Package lexagent_test holds the promises of the repository as a whole: which package may import which,
// and that each dependency is named with its licence.
package lexagent_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "lexagent"

// groups are the top folders that hold Go packages, from the domain to the command. A package may import
// those of groups to its left, and its own folder's; never its neighbours in the group.
var groups = [][]string{
	{"statute", "state", "prompts"},
	{"corpus", "book", "index", "model"},
	{"ingest", "retrieval", "verify"},
	{"graph"},
	{"tools"},
	{"agent"},
	{"evaluator"},
	{"server"},
	{"cmd"},
}

// pure are the packages that import nothing of the module but statute and their own folder, though their
// place would allow more: measures and files of runs know of no store, model or search.
var pure = []string{"evaluator/dataset", "evaluator/jsonl", "evaluator/metrics", "evaluator/run"}

// outside are folders without packages of the module.
var outside = []string{"bin", "var", "testdata", "node_modules"}

// vague are folder names that say nothing of what is inside.
var vague = []string{"internal", "utils", "util", "common", "types", "helpers", "misc"}

func TestImportsGoOneWay(t *testing.T) {
	files := token.NewFileSet()
	for _, file := range goFiles(t) {
		tree, err := parser.ParseFile(files, filepath.FromSlash(file), nil, parser.ImportsOnly)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, spec := range tree.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Errorf("%s: import %s: %v", file, spec.Path.Value, err)
				continue
			}
			if why := refuse(file, imported); why != "" {
				t.Errorf("%s imports %s: %s", files.Position(spec.Pos()), imported, why)
			}
		}
	}
}

func TestFoldersHaveTheirPlace(t *testing.T) {
	for _, file := range goFiles(t) {
		folder := path.Dir(file)
		if folder == "." {
			continue
		}
		if rank(top(folder)) < 0 {
			t.Errorf("%s: folder %s is not in the picture of the architecture; give it a place in groups", file, top(folder))
		}
		for _, part := range strings.Split(folder, "/") {
			if slices.Contains(vague, part) {
				t.Errorf("%s: a folder named %q tells a stranger nothing", file, part)
			}
		}
	}
}

func TestRefuse(t *testing.T) {
	tests := []struct {
		file, imported string
		refused        bool
	}{
		{"book/book.go", "database/sql", false},
		{"book/book.go", "lexagentish/server", false},
		{"book/book.go", "lexagent/statute", false},
		{"book/book.go", "lexagent/index", true},                      // neighbour
		{"book/book_test.go", "lexagent/index", false},                // a test may use its neighbours
		{"book/book_test.go", "lexagent/ingest", true},                // but nothing to its right
		{"index/embedded/store.go", "lexagent/index", false},          // same folder
		{"index/store.go", "lexagent/index/embedded", false},          // same folder
		{"ingest/run.go", "lexagent/model", false},                    // one group to the left
		{"statute/law.go", "lexagent/book", true},                     // right
		{"graph/answer.go", "lexagent/verify", false},                 // graph calls retrieval and verify
		{"agent/turn.go", "lexagent/server", true},                    // only cmd imports server
		{"cmd/lexagent/serve.go", "lexagent/server/web", false},       //
		{"evaluator/metrics/ndcg.go", "lexagent/statute", false},      //
		{"evaluator/metrics/ndcg.go", "lexagent/retrieval", true},     // pure
		{"evaluator/bench/bench.go", "lexagent/retrieval", false},     // measures the real thing
		{"evaluator/report/report.go", "lexagent/evaluator/m", false}, //
		{"imports_test.go", "lexagent/server", true},                  // the root holds no engine
	}
	for _, test := range tests {
		if why := refuse(test.file, test.imported); (why != "") != test.refused {
			t.Errorf("%s imports %s: %q, refused should be %v", test.file, test.imported, why, test.refused)
		}
	}
}

// refuse says why a file may not import a package, or nothing if it may.
func refuse(file, imported string) string {
	within, ours := strings.CutPrefix(imported, module+"/")
	if !ours {
		return ""
	}
	from, to := top(path.Dir(file)), top(within)
	test := strings.HasSuffix(file, "_test.go")
	switch {
	case from == to:
		return ""
	case rank(to) < 0:
		return to + " has no place in groups"
	case rank(from) < rank(to):
		return "imports go one way, and " + to + " is to the right of " + from
	case rank(from) == rank(to) && !test:
		return from + " and " + to + " are neighbours; what both need lies to their left"
	case slices.Contains(pure, path.Dir(file)) && !test && to != "statute":
		return path.Dir(file) + " is pure: of the others it may import statute only"
	}
	return ""
}

// top is the first folder of a slash path.
func top(folder string) string {
	first, _, _ := strings.Cut(folder, "/")
	return first
}

// rank is the place of a top folder from the left, -1 if it has none.
func rank(folder string) int {
	return slices.IndexFunc(groups, func(group []string) bool { return slices.Contains(group, folder) })
}

// goFiles lists the Go files of the module as slash paths, whatever their build tags.
func goFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() && (hidden || slices.Contains(outside, entry.Name())) {
			return filepath.SkipDir
		}
		if !entry.IsDir() && !hidden && strings.HasSuffix(name, ".go") {
			found = append(found, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("no Go files found")
	}
	return found
}
