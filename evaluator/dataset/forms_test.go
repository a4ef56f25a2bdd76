package dataset

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Every form is read, told by its content alone, and written in our own form; what
// is written reads back as the same questions.
func TestForms(t *testing.T) {
	for path, want := range map[string]Format{
		"gold/gold.jsonl": Gold, "stard": STARD, "stard_alone/queries.json": STARD, "lecoqa/test.json": LeCoQA,
		"lexrag": LexRAG, "lexrag_turns/turn_2.json": LexRAG, "statuterag/seeds.jsonl": StatuteRAG,
		"legal_dc/qa.json": LegalDC, "coliee": COLIEE, "beir": BEIR, "beir/qrels/dev.tsv": BEIR, "qrels/qrels.tsv": Qrels,
	} {
		t.Run(path, func(t *testing.T) {
			set, err := Open(filepath.Join("testdata", path))
			if err != nil {
				t.Fatal(err)
			}
			if set.Format != want {
				t.Errorf("taken for %s, not %s", set.Format, want)
			}
			var b bytes.Buffer
			if err := WriteQuestions(&b, set.Questions); err != nil {
				t.Fatal(err)
			}
			again, err := Read(bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(set.Questions, again); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
			if len(set.Articles) > 0 {
				b.WriteString("---\n")
				if err := WriteCandidates(&b, set.Articles); err != nil {
					t.Fatal(err)
				}
			}
			golden(t, strings.ReplaceAll(path, "/", "_")+".golden", b.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
