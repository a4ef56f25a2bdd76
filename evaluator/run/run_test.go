package run

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/evaluator/jsonl"
	"lexagent/statute"
)

func ptr[T any](v T) *T { return &v }

var example = Run{Lines: []Line{
	{ID: "q1", MS: 3.5, Hits: []Hit{
		{ID: "民法典@2020-05-28:1077", SourceID: "L1:1077", Kind: statute.Article, Law: "中华人民共和国民法典",
			Label: "第一千零七十七条", Text: "自婚姻登记机关收到离婚登记申请之日起三十日内……<撤回>。", Score: 0.75,
			Scores: &Scores{Sparse: ptr(12.5), Final: ptr(0.75)}, Level: ptr(statute.PrimaryStatute)},
		{ID: "宪法@2018-03-11:序言", Score: 0.5},
	}},
	{ID: "q2", Hits: []Hit{}},
}}

// The JSON of a line is a promise to scripts.
const exampleJSON = `{"id":"q1","hits":[{"id":"民法典@2020-05-28:1077","source_id":"L1:1077","kind":"article","law":"中华人民共和国民法典","label":"第一千零七十七条","text":"自婚姻登记机关收到离婚登记申请之日起三十日内……<撤回>。","score":0.75,"scores":{"sparse":12.5,"final":0.75},"level":1},{"id":"宪法@2018-03-11:序言","source_id":"","score":0.5}],"ms":3.5}
{"id":"q2","hits":[],"ms":0}
`

func TestJSONRoundTrip(t *testing.T) {
	var b bytes.Buffer
	for _, l := range example.Lines {
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(exampleJSON, b.String()); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	got, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&example, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestLineWithoutHitsIsWrittenWithAList(t *testing.T) {
	var b bytes.Buffer
	if err := (Line{ID: "q"}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != `{"id":"q","hits":[],"ms":0}`+"\n" {
		t.Errorf("got %s", got)
	}
}

func TestExplainedFieldsAreKept(t *testing.T) {
	in := `{"id":"q","hits":[{"id":"a","source_id":"","score":1,"intent":["离婚"]}],"ms":1,"query_intent":"离婚","expansion":{"issue":"x"},"llm":{"calls":1},"stage_ms":{"bm25":0.5}}` + "\n"
	r, err := Read(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Lines[0].Write(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != in {
		t.Errorf("got  %s\nwant %s", b.String(), in)
	}
}

func TestTREC(t *testing.T) {
	in := "q2 Q0 a 2 0.5 tag\nq1 Q0 x 1 1e-3 tag\n\nq2\tQ0\tb\t1\t0.5\ttag\nq2 Q0 c 2 0.4 tag\n"
	want := &Run{Lines: []Line{
		{ID: "q2", Hits: []Hit{{ID: "b", Score: 0.5}, {ID: "a", Score: 0.5}, {ID: "c", Score: 0.4}}},
		{ID: "q1", Hits: []Hit{{ID: "x", Score: 0.001}}},
	}}
	got, err := Read(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	got.Lines[0].Hits = append(got.Lines[0].Hits, Hit{ID: "d", SourceID: "b"}) // again b: left out
	var b bytes.Buffer
	if err := got.WriteTREC(&b, "bm25"); err != nil {
		t.Fatal(err)
	}
	wantTREC := "q2 Q0 b 1 0.5 bm25\nq2 Q0 a 2 0.5 bm25\nq2 Q0 c 3 0.4 bm25\nq1 Q0 x 1 0.001 bm25\n"
	if diff := cmp.Diff(wantTREC, b.String()); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

func TestTRECRefusesWhiteSpace(t *testing.T) {
	var b bytes.Buffer
	for _, r := range []Run{
		{Lines: []Line{{ID: "q 1"}}},
		{Lines: []Line{{ID: "q", Hits: []Hit{{ID: "a b"}}}}},
		{Lines: []Line{{ID: "q", Hits: []Hit{{ID: ""}}}}},
	} {
		if err := r.WriteTREC(&b, "t"); err == nil {
			t.Errorf("%+v was written", r)
		}
	}
	if err := example.WriteTREC(&b, "two words"); err == nil {
		t.Error("a tag of two words was written")
	}
}

func TestBadInputNamesTheLine(t *testing.T) {
	ok := `{"id":"q1","hits":[]}` + "\n"
	for _, c := range []struct{ name, in, want string }{
		{"broken JSON", ok + `{"id":"q2","hits":[`, "line 2: bad line: unexpected end of JSON input"},
		{"rest", ok + `{"id":"q2","hits":[]} x`, "line 2: bad line: invalid character"},
		{"list", ok + `[1]`, "line 2: bad line: a JSON object is expected"},
		{"id is a number", ok + `{"id":7,"hits":[]}`, `line 2: bad line: "id" can't be a number`},
		{"score is a string", ok + `{"id":"q","hits":[{"id":"a","score":"x"}]}`, `line 2: bad line: "hits.score" can't be a string`},
		{"no id", ok + ok + `{"hits":[]}`, `line 3: bad line: no "id" of a question`},
		{"no hits", `{"id":"q","question":"?"}`, `line 1: bad line: no "hits" list`},
		{"nameless hit", `{"id":"q","hits":[{"id":"a"},{"text":"t"}]}`, "hit 2 has neither"},
		{"not UTF-8", ok + "{\"id\":\"\xff\"}", "line 2: bad line: not UTF-8"},
		{"five columns", "q Q0 d 1 0.5", "line 1: bad line: a run has the six columns"},
		{"rank", "q Q0 d one 0.5 t", `rank "one" is no whole number`},
		{"score", "q Q0 d 1 NaN t", `score "NaN" is no finite number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.in))
			if !errors.Is(err, jsonl.ErrFormat) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte("\ufeff" + exampleJSON)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"plain.jsonl": []byte("\ufeff\r\n" + strings.ReplaceAll(exampleJSON, "\n", "\r\n")),
		"packed":      z.Bytes(),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&example, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	cut := filepath.Join(dir, "cut.gz")
	if err := os.WriteFile(cut, z.Bytes()[:z.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(cut); err == nil || !strings.Contains(err.Error(), "cut.gz") {
		t.Errorf("a file cut off gives %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	if r, err := Read(strings.NewReader("\n \n")); err != nil || len(r.Lines) != 0 {
		t.Errorf("an empty run gives %v, %v", r, err)
	}
}

func TestRising(t *testing.T) {
	falls := Line{Hits: []Hit{{Score: 2}, {Score: 2}, {Score: 1}}}
	rises := Line{Hits: []Hit{{Score: 2}, {Score: 1}, {Score: 1.5}}}
	if falls.Rising() || !rises.Rising() {
		t.Errorf("rising: %v and %v, want false and true", falls.Rising(), rises.Rising())
	}
}

// Whatever comes in, the reader gives an error or a run; what is written of it is
// read back as it is.
func FuzzRead(f *testing.F) {
	f.Add([]byte(exampleJSON))
	f.Add([]byte("q1 Q0 d 1 0.5 tag\nq1 Q0 e 2 0.25 tag\n"))
	f.Add([]byte(`{"id":"q","hits":null}`))
	f.Add([]byte("{\"id\":\"\\ud800\",\"hits\":[{\"id\":\"\\u0000\",\"intent\":[1e400]}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		for i := range r.Lines {
			if err := r.Lines[i].Write(&b); err != nil {
				return // a wrong escape in a field kept raw, which only the encoder looks at
			}
		}
		again, err := Read(&b)
		if err != nil {
			t.Fatalf("written but can't be read: %v", err)
		}
		if len(again.Lines) != len(r.Lines) {
			t.Fatalf("%d lines, then %d", len(r.Lines), len(again.Lines))
		}
		for i := range r.Lines {
			if again.Lines[i].ID != r.Lines[i].ID || len(again.Lines[i].Hits) != len(r.Lines[i].Hits) {
				t.Fatalf("line %d: %+v, then %+v", i+1, r.Lines[i], again.Lines[i])
			}
		}
		_ = r.WriteTREC(&b, "tag") // may refuse, must not panic
	})
}
