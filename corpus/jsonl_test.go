package corpus

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/statute"
)

// write puts files into a new folder and returns it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		b := []byte(content)
		if strings.HasSuffix(name, ".gz") {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			if _, err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			b = z.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readAll reads a file: its documents, and its errors as texts without the path.
func readAll(t testing.TB, path string) (docs []*Document, failures []string) {
	t.Helper()
	for doc, err := range Read(t.Context(), path) {
		if err != nil {
			var r *ReadError
			if !errors.As(err, &r) {
				t.Fatalf("%v is no ReadError", err)
			}
			failures = append(failures, fmt.Sprintf("%s:%d: %s", filepath.Base(r.Path), r.Line, r.Reason))
			continue
		}
		checkDocument(t, doc)
		docs = append(docs, doc)
	}
	return docs, failures
}

const (
	unitA1 = `{"id":"LA:1","law_id":"LA","law_title":"中华人民共和国航标法","part":null,"level":1,"kind":"article","label":"第一条","number":1,"sub":0,"path":["第一章 总则"],"text":"甲。","current":true}`
	unitA2 = `{"id":"LA:2.1","law_id":"LA","law_title":"中华人民共和国航标法","part":null,"level":1,"kind":"article","label":"第二条之一","number":2,"sub":1,"path":["第一章 总则"],"text":"乙。\n款。","current":true}`
	unitB1 = `{"id":"LB:p","law_id":"LB","law_title":"航标条例","kind":"preamble","label":"前言","number":null,"sub":0,"path":[],"text":"为了航标：","current":false}`
)

func TestJSONL(t *testing.T) {
	dir := write(t, map[string]string{
		"articles.jsonl": strings.Join([]string{unitA1, unitA2, unitB1, "", strings.Replace(unitA1, "LA:1", "LA:9", 1)}, "\n"),
		"laws.jsonl.gz": `{"id":"LA","title":"中华人民共和国航标法","region":"上海","level":1,"publish_date":"2001-02-03","effective_date":"２００１-03-01","version_date":"2010-05-06","newest":true,"current":true,"expired":false,"events":[{"date":"2001-02-03","event":"第九届全国人民代表大会常务委员会第二次会议通过"}],"text":"…"}
{"id":"LB","title":"航标条例","version_date":null,"expired":true}`,
	})
	docs, failures := readAll(t, filepath.Join(dir, "articles.jsonl"))
	if len(docs) != 3 || len(failures) != 0 {
		t.Fatalf("%d documents, failures %q", len(docs), failures)
	}
	a, b := docs[0], docs[1]
	if diff := cmp.Diff([]string{"article 1 第一条 [第一章 总则] 甲。", "article 2.1 第二条之一 [第一章 总则] 乙。/款。"}, shown(a)); diff != "" {
		t.Error(diff)
	}
	published, _ := statute.NewDate(2001, 2, 3)
	version, _ := statute.NewDate(2010, 5, 6)
	want := statute.Law{ID: "航标法@2010-05-06", SourceIDs: []string{"LA"}, Title: "中华人民共和国航标法", Short: "航标法", Level: statute.PrimaryStatute,
		Region: "上海", Issuer: "全国人民代表大会常务委员会", Header: "2001年2月3日 第九届全国人民代表大会常务委员会第二次会议通过",
		Version: "2010-05-06", Published: published, Effective: version, Declared: statute.InForce}
	if diff := cmp.Diff(want, a.Law); diff != "" {
		t.Error(diff)
	}
	if a.Units[1].SourceID != "LA:2.1" {
		t.Errorf("the unit's own id is lost: %+v", a.Units[1])
	}
	if b.Law.Declared != statute.Repealed || b.Law.Version[0] != 'x' {
		t.Errorf("expired and undated, got %+v", b.Law)
	}
	if docs[2].Law.ID != a.Law.ID || docs[2].Units[0].ID != a.Units[0].ID {
		t.Errorf("a law that comes again gets another id: %s", docs[2].Law.ID)
	}
	if _, failures = readAll(t, filepath.Join(dir, "laws.jsonl.gz")); len(failures) != 1 || !strings.Contains(failures[0], "read together with articles.jsonl") {
		t.Errorf("laws.jsonl beside articles.jsonl: %q", failures)
	}
}

func TestJSONLWithoutLaws(t *testing.T) {
	part := func(id, part, label string, number int) string {
		return fmt.Sprintf(`{"id":"%s","law_id":"%s","law_title":"航标法典","part":"%s","kind":"article","label":"%s","number":%d,"sub":0,"path":["第一章"],"text":"本法自2021年1月1日起施行。","current":true}`, id, id, part, label, number)
	}
	dir := write(t, map[string]string{"u.jsonl.gz": unitB1 + "\n" + part("P1", "总则", "第一条", 1) + "\n" + part("P2", "合同编", "第二条", 2)})
	docs, failures := readAll(t, filepath.Join(dir, "u.jsonl.gz"))
	if len(docs) != 3 || len(failures) != 0 {
		t.Fatalf("%d documents, failures %q", len(docs), failures)
	}
	if got := docs[0].Law.Declared; got != statute.Superseded {
		t.Errorf("current:false gives %q", got)
	}
	if docs[1].Law.Declared != "" || docs[1].Law.ID != docs[2].Law.ID || docs[1].Law.ID != "航标法典@2021-01-01" {
		t.Errorf("parts of one law: %+v, %+v", docs[1].Law, docs[2].Law)
	}
	if diff := cmp.Diff([]string{"合同编", "第一章"}, docs[2].Units[0].Path); diff != "" {
		t.Error(diff)
	}
}

func TestRepeatedUnits(t *testing.T) {
	again := func(id, text string) string {
		return strings.NewReplacer("LA:1", id, "甲。", text).Replace(unitA1)
	}
	dir := write(t, map[string]string{"u.jsonl": strings.Join([]string{unitA1, again("LA:1b", "甲。"), again("LA:1c", "改。"), again("LA:1d", "改。")}, "\n")})
	docs, _ := readAll(t, filepath.Join(dir, "u.jsonl"))
	if len(docs) != 1 || len(docs[0].Units) != 2 || len(docs[0].Notes) != 3 {
		t.Fatalf("%+v", docs)
	}
	for i, want := range []string{"LA:1b", "LA:1d"} {
		if u := docs[0].Units[i]; len(u.Also) != 1 || u.Also[0] != want {
			t.Errorf("%s: the source id of its copy is lost: %q", u.ID, u.Also)
		}
	}
	if !strings.HasSuffix(docs[0].Units[1].ID, ":1~2") {
		t.Errorf("another text under the same label is %s", docs[0].Units[1].ID)
	}
}

func TestJSONLBadLines(t *testing.T) {
	deep := `{"id":"x","law_id":"LA","law_title":"航标法","kind":"article","label":"第一条","text":` + strings.Repeat("[", 20000) + "}"
	lines := []string{
		`not json`,
		unitA1,
		`{"id":"LA:2","law_id":"LA","law_title":"航标法","kind":"article","label":"第二条","number":"two","text":"乙"}`,
		`{"id":"LA:2","law_id":"LA","kind":"article","label":"第二条","text":"乙"}`,
		`{"id":"LA:2","law_id":"LA","law_title":"航标法","kind":"article","label":"第二条"}`,
		`{"id":"LA:2","law_id":"LA","law_title":"航标法","kind":"poem","label":"第二条","text":"乙"}`,
		`{"id":"LA:2","law_id":"LA","law_title":"航标法","kind":"article","label":" ","text":"乙"}`,
		deep,
		`{"text":"` + strings.Repeat("长", 6<<20) + `"}`,
		unitA2,
	}
	dir := write(t, map[string]string{"articles.jsonl": strings.Join(lines, "\n"), "laws.jsonl": "{\n" + `{"id":"LA","version_date":"2020-02-30"}`})
	docs, failures := readAll(t, filepath.Join(dir, "articles.jsonl"))
	if len(docs) != 1 || len(docs[0].Units) != 2 {
		t.Fatalf("the good lines are lost: %d documents", len(docs))
	}
	if len(docs[0].Notes) != 1 || !strings.HasPrefix(docs[0].Notes[0], "version_date: ") {
		t.Errorf("notes: %q", docs[0].Notes)
	}
	wants := []string{
		"articles.jsonl:1: the line is not JSON", "laws.jsonl:1: the line is not JSON", "articles.jsonl:3: the field number has the wrong type",
		"articles.jsonl:4: the field law_title is missing", "articles.jsonl:5: the field text is missing", "articles.jsonl:6: the field kind has an unknown value",
		"articles.jsonl:7: the field label is missing", "articles.jsonl:8: the line is not JSON", "articles.jsonl:9: the line is longer than 16 MB",
	}
	if len(failures) != len(wants) {
		t.Fatalf("failures: %q", failures)
	}
	for i, want := range wants {
		if !strings.HasPrefix(failures[i], want) {
			t.Errorf("failure %d is %q, want %q", i, failures[i], want)
		}
	}
}

func TestJSONLThatIsNoCorpus(t *testing.T) {
	dir := write(t, map[string]string{
		"questions.jsonl": `{"id":"1","question":"加班费？","gold":[]}`,
		"laws.jsonl":      `{"id":"L1","title":"航标法","version_date":"2020-01-02","events":[],"text":"第一条 甲。\n\n第二条 乙。","level":2}`,
		"broken.jsonl":    "{\n[",
		"cut.jsonl.gz":    strings.Repeat(unitA1+"\n", 1),
	})
	for doc, err := range Read(t.Context(), filepath.Join(dir, "questions.jsonl")) {
		if doc != nil || !errors.Is(err, ErrNotCorpus) {
			t.Errorf("questions: %v, %v", doc, err)
		}
	}
	docs, failures := readAll(t, filepath.Join(dir, "laws.jsonl"))
	if len(docs) != 1 || len(failures) != 0 || docs[0].Law.ID != "航标法@2020-01-02" || docs[0].Law.Level != statute.AdministrativeRegulation || len(docs[0].Units) != 2 {
		t.Errorf("laws.jsonl alone: %+v, %q", docs, failures)
	}
	if _, failures = readAll(t, filepath.Join(dir, "broken.jsonl")); len(failures) != 3 {
		t.Errorf("broken lines: %q", failures)
	}
	cut := filepath.Join(dir, "cut.jsonl.gz")
	b, err := os.ReadFile(cut)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, b[:len(b)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	docs, failures = readAll(t, cut)
	if len(docs) != 1 || len(failures) != 1 || !strings.Contains(failures[0], "breaks off") {
		t.Errorf("a cut gzip file: %d documents, %q", len(docs), failures)
	}
}

func TestReadStops(t *testing.T) {
	dir := write(t, map[string]string{"u.jsonl": strings.Repeat(unitA1+"\n"+unitB1+"\n", 1000)})
	n := 0
	for _, err := range Read(t.Context(), filepath.Join(dir, "u.jsonl")) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, err := range Read(ctx, filepath.Join(dir, "u.jsonl")) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("a cancelled read ends with %v", last)
	}
}

func FuzzJSONL(f *testing.F) {
	f.Add(unitA1 + "\n" + unitA2 + "\n" + unitB1)
	f.Add(unitA1 + "\n{\n" + strings.Replace(unitA1, "甲", "乙", 1) + "\n\n" + unitA1)
	f.Add(`{"law_title":"x","text":"附件一：y\nz","kind":"attachment","label":"附件一","part":"p","number":-1}`)
	f.Add(`{"id":"1","title":"x","version_date":null,"text":"第一条 a"}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, lines string) {
		path := filepath.Join(dir, "u.jsonl")
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		docs, _ := readAll(t, path)
		units := 0
		for _, doc := range docs {
			units += len(doc.Units)
		}
		whole := 0
		for line := range strings.Lines(lines) {
			if json.Valid([]byte(line)) {
				whole++
			}
		}
		if units > whole && !strings.Contains(lines, "title") {
			t.Errorf("%d units of %d lines", units, whole)
		}
	})
}
