package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/evaluator/jsonl"
)

func TestReadJSON(t *testing.T) {
	in := `{"id":"a","question":"离婚冷静期多久？","gold":[{"law":"民法典","article_label":"第一千零七十七条","article_id":"L1:1077","match":"exact","also":[]},{"article_id":"L1:1076","grade":2}]}
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
		{"a run", "q1 Q0 d1 1 0.5 tag", "line 1: bad line: this is a run"},
		{"a run in JSON", `{"id":"q","hits":[]}`, "line 1: bad line: this is a run"},
		{"articles", `{"id":1,"name":"法第一条","content":"x"}`, "these are candidate articles"},
		{"part of BEIR", `{"_id":"q","text":"x"}`, "give its folder"},
		{"keywords", `{"id":"a","keywords":[1]}`, `"keywords" can't be a number`},
		{"not JSON", "[\n{\"id\":\"a\"},\n{\"id\" 1}]", "line 3: bad line: invalid character"},
		{"list without end", `[{"id":"a"}`, "line 1: bad line: "},
		{"numbers", `[1]`, "a JSON object is expected, not a number"},
		{"STARD without id", "[\n\n{\"问题\":\"x\",\"match_name\":[]}]", `line 3: bad line: no "query_id" of a question`},
		{"STARD without names", `[{"问题":"x","query_id":1}]`, `no "match_name" of a question`},
		{"STARD, wrong names", "[{\"问题\":\"x\",\"query_id\":1,\n\"match_name\":\"法第一条\"}]", `line 2: bad line: "match_name" can't be a string`},
		{"STARD, wrong id", `[{"问题":"x","query_id":[1],"match_name":[]}]`, "an id is a string or a number, not [1]"},
		{"LexRAG without id", `[{"conversation":[]}]`, `no "id" of a conversation`},
		{"LexRAG without user", `[{"id":1,"conversation":[{"user":"问"},{"assistant":"答"}]}]`, `line 1: turn 2: bad line: no "user" of a turn`},
		{"LexRAG, wrong article", `[{"id":1,"conversation":[{"user":"问","article":"法第一条"}]}]`, `"conversation.article" can't be a string`},
		{"StatuteRAG without label", `{"id":"s","stem":"甲","options":[{"key":"A","text":"乙"}]}`, `option A: bad line: no "label" of a statement`},
		{"StatuteRAG, wrong label", `{"id":"s","seed":"t","statement":"甲","label":"也许"}`, "a label is true or false"},
		{"StatuteRAG without options", `{"id":"s","stem":"甲"}`, `no "options" of a seed question`},
		{"StatuteRAG without key", `{"id":"s","stem":"甲","options":[{"text":"乙"}]}`, `option 1: bad line: no "key" of an option`},
		{"StatuteRAG without seed", `{"id":"s","statement":"甲","label":true}`, `no "seed" of a statement`},
		{"Legal-DC, wrong document", `[{"query":"问","document":{"a":1},"title":"法"}]`, `"document" must be a passage or a list of passages`},
		{"Legal-DC without title", `[{"query":"问","document":"甲"}]`, `no "title" of a question`},
		{"COLIEE, wrong label", "<dataset>\n<pair id='a' label='X'><t2>s</t2></pair></dataset>", `line 2: bad line: the label of pair a is "X"; it must be Y or N`},
		{"COLIEE without statement", "<dataset><pair id='a'><t1>Article 1 x</t1></pair></dataset>", `no "t2" of pair a`},
		{"COLIEE without number", "<dataset><pair id='a'><t1>nothing</t1><t2>s</t2></pair></dataset>", `no article number in "t1" of pair a`},
		{"COLIEE without id", "<dataset><pair><t2>s</t2></pair></dataset>", `no "id" of a pair`},
		{"COLIEE, no XML", "<dataset>\n<pair id='a'>", "line 2: bad line: XML syntax error"},
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

func TestSqueeze(t *testing.T) {
	if got := Squeeze(" 第二条　无人 机，\r\n\t是\u00a0指\u2003。"); got != "第二条无人机，是指。" {
		t.Errorf("got %q", got)
	}
}

// What is wrong with a folder or with a file beside another is said with its name.
func TestFoldersWithMistakes(t *testing.T) {
	queries := `{"_id":"q1","text":"问"}` + "\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"empty":                 {nil, "holds no data set"},
		"two qrels":             {map[string]string{"queries.jsonl": queries, "corpus.jsonl": "", "qrels/a.tsv": "", "qrels/b.tsv": ""}, "has 2 files of qrels: name one of them"},
		"unknown question":      {map[string]string{"queries.jsonl": queries, "corpus.jsonl": "", "qrels.tsv": "q2\td1\n"}, "qrels.tsv: bad line: question q2 is not in queries.jsonl"},
		"query without text":    {map[string]string{"queries.jsonl": `{"_id":"q1"}`, "corpus.jsonl": "", "qrels.tsv": "q1\td1\n"}, `queries.jsonl: line 1: bad line: no "text" of text q1`},
		"library without text":  {map[string]string{"queries.json": `[{"问题":"x","query_id":1,"match_name":[]}]`, "corpus.jsonl": `{"id":1,"name":"法第一条"}`}, `corpus.jsonl: line 1: bad line: no "content" of an article`},
		"COLIEE, wrong in file": {map[string]string{"train/a.xml": "<dataset>\n\n<pair/></dataset>"}, "a.xml: line 3: bad line: no \"id\" of a pair"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range c.files {
				path := filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"中华人民共和国民法典第五十四条":               {"中华人民共和国民法典", "第五十四条"},
		"《中华人民共和国刑法》第二百八十七条之二":          {"中华人民共和国刑法", "第二百八十七条之二"},
		"《劳动合同法》第38条第一款第（二）项":           {"劳动合同法", "第38条"},
		"最高人民法院关于适用《民法典》有关担保制度的解释第五十八条": {"最高人民法院关于适用《民法典》有关担保制度的解释", "第五十八条"},
		"《关于适用〈民法典〉的解释》 第一条":            {"关于适用〈民法典〉的解释", "第一条"},
		"《甲》和《乙》第一条":                    {"《甲》和《乙》", "第一条"},
		"全国人民代表大会常务委员会关于惩治骗购外汇犯罪的决定":    {"全国人民代表大会常务委员会关于惩治骗购外汇犯罪的决定", "全文"},
	} {
		if law, label := cutName(name); law != want[0] || label != want[1] {
			t.Errorf("%s is %q and %q", name, law, label)
		}
	}
	if a, b := Name("中华人民共和国民法典", "第1077条"), Name("民法典", "第一千零七十七条"); a != b {
		t.Errorf("%q and %q are one article", a, b)
	}
	if a, b := Name("合同法", "第一条"), Name("劳动合同法", "第一条"); a == b {
		t.Errorf("%q is two articles", a)
	}
}

func TestTextOfATurn(t *testing.T) {
	q := Question{Question: "迟了呢？", History: []Turn{{"要登记吗？", "要。"}}}
	for form, want := range map[Form]string{
		Current: "迟了呢？", Prefix: "要登记吗？\n迟了呢？", PrefixAnswers: "用户：要登记吗？\n助手：要。\n用户：迟了呢？",
	} {
		if got, err := q.Text(form); err != nil || got != want {
			t.Errorf("%s: %q, %v", form, got, err)
		}
	}
	if _, err := q.Text("all"); err == nil {
		t.Error("a form that there isn't")
	}
}

// Statements of a seed question stay together, the shares are met as nearly as
// whole groups allow, and the same seed gives the same parts.
func TestSplitKeepsGroups(t *testing.T) {
	var qs []Question
	for seed := range 100 {
		for option := range 1 + seed%4 {
			qs = append(qs, Question{ID: fmt.Sprintf("%d-%d", seed, option), Group: fmt.Sprint(seed)})
		}
	}
	parts, err := Split(qs, []int{7, 1, 2}, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	where := map[string]int{}
	for p, part := range parts {
		for i := range part {
			if q, seen := where[part[i].Group]; seen && q != p {
				t.Fatalf("seed question %s is in two parts", part[i].Group)
			}
			where[part[i].Group] = p
		}
	}
	if len(where) != 100 || len(parts[0])+len(parts[1])+len(parts[2]) != len(qs) {
		t.Fatal("questions were lost")
	}
	for p, want := range []float64{0.7, 0.1, 0.2} {
		if got := float64(len(parts[p])) / float64(len(qs)); math.Abs(got-want) > 0.02 {
			t.Errorf("part %d has %.3f of the questions, want %.1f", p, got, want)
		}
	}
	again, err := Split(qs, []int{7, 1, 2}, "", 1)
	if err != nil || !cmp.Equal(parts, again) {
		t.Errorf("the same seed gives other parts (%v)", err)
	}
	other, err := Split(qs, []int{7, 1, 2}, "", 2)
	if err != nil || cmp.Equal(parts, other) {
		t.Errorf("another seed gives the same parts (%v)", err)
	}
	for _, shares := range [][]int{{0, 0}, {1, -1}} {
		if _, err := Split(qs, shares, "", 1); err == nil {
			t.Errorf("shares %v were accepted", shares)
		}
	}
}

func TestDescribe(t *testing.T) {
	set, err := Open("testdata/statuterag/seeds.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	in := Describe(set)
	want := Info{Format: StatuteRAG, Questions: 5, Groups: 3, Length: in.Length, True: 2, False: 3, Golds: 5, Distinct: 4,
		Types: map[string]int{"登记": 2}, Levels: map[string]int{"1": 4}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var b bytes.Buffer
	if err := in.WriteTable(&b); err != nil || !strings.Contains(b.String(), "5 in 3 groups") {
		t.Errorf("%v\n%s", err, b.String())
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
		"legal_dc/train.jsonl": 1697, "legal_dc/dev.jsonl": 260, "lexrag/sample.json": 35,
	} {
		qs, err := ReadFile(filepath.Join(data, file))
		if err != nil {
			t.Error(err)
		}
		if len(qs) != want {
			t.Errorf("%s: %d questions, want %d", file, len(qs), want)
		}
		for i := range qs {
			if len(qs[i].Gold)+len(qs[i].Evidence) == 0 && !strings.HasPrefix(file, "lexrag") { // a turn may have none
				t.Errorf("%s: %s has no gold", file, qs[i].ID)
			}
		}
	}
}

// Whatever comes in, the reader gives an error or questions fit to be used.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"a","question":"?","gold":[{"article_id":"L1:1","grade":2}],"evidence":["x"],"evidence_spans":[[1,2],null]}`))
	f.Add([]byte("q1 0 d1 1\nq2 0 d2 0\n"))
	for _, pattern := range []string{"testdata/*/*.json*", "testdata/*/*.tsv", "testdata/*/*/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
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
				if g.Key() == "" || g.Grade < 1 {
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
