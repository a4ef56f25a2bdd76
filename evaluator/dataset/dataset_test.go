package dataset

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/evaluator/jsonl"
)

func TestReadJSON(t *testing.T) {
	in := `{"id":"a","question":"离婚冷静期多久？","gold":[{"law":"民法典","article_label":"第一千零七十七条","article_id":"L1:1077","text":"ignored","also":[]},{"article_id":"L1:1076","grade":2}]}
{"id":"b","question":"什么是无人机？","answer":"……","type":"concept","document":"条例","evidence":["第二条　无人机，是指……"],"evidence_spans":[[3,9]]}
{"id":"c","question":"无金标准"}
`
	want := []Question{
		{ID: "a", Question: "离婚冷静期多久？", Gold: []Article{
			{ID: "L1:1077", Law: "民法典", Label: "第一千零七十七条", Grade: 1}, {ID: "L1:1076", Grade: 2}}},
		{ID: "b", Question: "什么是无人机？", Answer: "……", Type: "concept", Document: "条例",
			Evidence: []string{"第二条　无人机，是指……"}, Spans: [][2]int{{3, 9}}},
		{ID: "c", Question: "无金标准"},
	}
	got, err := Read(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadQrels(t *testing.T) {
	got, err := Read(strings.NewReader("q1 0 d1 1\nq2 0 d9 0\nq1 0 d2 3\nq1 0 d3 -1\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Question{{ID: "q1", Gold: []Article{{ID: "d1", Grade: 1}, {ID: "d2", Grade: 3}}}, {ID: "q2"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadInputNamesTheLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"broken JSON", "{\"id\":\"a\"}\n{\"id\":", "line 2: bad line: unexpected end of JSON input"},
		{"no id", `{"question":"?"}`, `line 1: bad line: no "id" of a question`},
		{"id is a number", `{"id":7}`, `"id" can't be a number`},
		{"gold without id", `{"id":"a","gold":[{"article_id":"x"},{"law":"民法典"}]}`, `gold 2 has no "article_id"`},
		{"negative grade", `{"id":"a","gold":[{"article_id":"x","grade":-1}]}`, "gold 1 has the grade -1"},
		{"empty evidence", `{"id":"a","evidence":["x"," 　\n"]}`, "evidence 2 is empty"},
		{"three columns", "q1 0 d1", "qrels have the four columns"},
		{"grade", "q1 0 d1 high", `grade "high" is no whole number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.in))
			if !errors.Is(err, jsonl.ErrFormat) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestSqueeze(t *testing.T) {
	if got := Squeeze(" 第二条　无人 机，\r\n\t是\u00a0指\u2003。"); got != "第二条无人机，是指。" {
		t.Errorf("got %q", got)
	}
}

// The real data sets beside the repository, with the counts that their README
// states.
func TestReadRealFiles(t *testing.T) {
	data := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(data); err != nil {
		t.Skip("no data sets beside the repository")
	}
	for file, want := range map[string]int{
		"stard/train.jsonl": 1080, "stard/dev.jsonl": 154, "lecoqa/train.jsonl": 1079, "lecoqa/dev.jsonl": 154,
		"legal_dc/train.jsonl": 1697, "legal_dc/dev.jsonl": 260,
	} {
		qs, err := ReadFile(filepath.Join(data, file))
		if err != nil {
			t.Error(err)
		}
		if len(qs) != want {
			t.Errorf("%s: %d questions, want %d", file, len(qs), want)
		}
		for i := range qs {
			if len(qs[i].Gold)+len(qs[i].Evidence) == 0 {
				t.Errorf("%s: %s has no gold", file, qs[i].ID)
			}
		}
	}
}

// Whatever comes in, the reader gives an error or questions fit to be used.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"a","question":"?","gold":[{"article_id":"L1:1","grade":2}],"evidence":["x"],"evidence_spans":[[1,2],null]}`))
	f.Add([]byte("q1 0 d1 1\nq2 0 d2 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		qs, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, q := range qs {
			if q.ID == "" {
				t.Fatal("a question without id")
			}
			for _, g := range q.Gold {
				if g.ID == "" || g.Grade < 1 {
					t.Fatalf("gold %+v", g)
				}
			}
			for _, e := range q.Evidence {
				if Squeeze(e) == "" {
					t.Fatal("an empty passage, which every text contains")
				}
			}
		}
	})
}
