package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/ingest"
	"lexagent/statute"
	"lexagent/verify"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// today is the day of these tests.
const today statute.Date = 20260102

// open ingests folders of laws and opens the book and the words of the index.
func open(t testing.TB, paths ...string) *verify.Checker {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := ingest.Run(ctx, dir, paths, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	return openFolder(t, dir)
}

func openFolder(t testing.TB, dir string) *verify.Checker {
	t.Helper()
	b, err := book.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := embedded.Open(ingest.IndexRoot(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	})
	return &verify.Checker{Book: b, Words: verify.Index{Store: func() index.Store { return s }}}
}

// text is a case of a golden file: a text, its settings, and the findings expected.
type text struct {
	name, settings, body string
}

// readTexts reads a golden file: ### name | key=value, the text, a rule, and a line
// for each finding.
func readTexts(t *testing.T, path string) (head string, texts []text) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(b), "\n### ")
	for _, p := range parts[1:] {
		title, rest, _ := strings.Cut(p, "\n")
		body, _, ok := strings.Cut(rest, "\n---\n")
		if !ok {
			t.Fatalf("%s: no rule (---) in %q", path, title)
		}
		name, settings, _ := strings.Cut(title, " | ")
		texts = append(texts, text{name, settings, body})
	}
	return parts[0], texts
}

// draft makes the draft that a case describes.
func (x *text) draft(t *testing.T, c *verify.Checker) verify.Draft {
	t.Helper()
	d := verify.Draft{Text: x.body, Collections: []string{book.DefaultCollection}, Day: today}
	for s := range strings.SplitSeq(x.settings, " | ") {
		key, value, _ := strings.Cut(s, "=")
		var err error
		switch {
		case key == "as-of" && value == "any":
			d.AnyDay = true
		case key == "as-of":
			d.Day, err = statute.ParseDate(value)
		case key == "question":
			d.Question = value
		case key == "evidence":
			d.Evidence, err = verify.ReadEvidence(context.Background(), c.Book, d.Collections, strings.Split(value, ","), d.Day)
		case s != "":
			err = fmt.Errorf("no such setting")
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", x.name, s, err)
		}
	}
	return d
}

// line prints a finding as the golden files have it.
func line(f *verify.Finding) string {
	words := []rune(strings.ReplaceAll(f.Text, "\n", "⏎"))
	if len(words) > 34 {
		words = append(words[:34], '…')
	}
	s := fmt.Sprintf("%-9s %-17s %-11s %s", f.Kind, f.Verdict, f.Severity, string(words))
	if f.ID != "" {
		s += " → " + f.ID
	}
	if f.Suggestion != "" {
		s += " ? " + f.Suggestion
	}
	for _, e := range f.Diff {
		s += fmt.Sprintf(" | %s→%s", strings.ReplaceAll(e.A, "\n", "⏎"), strings.ReplaceAll(e.B, "\n", "⏎"))
	}
	return s
}

// The golden files hold texts as people and language models write them, true ones
// and false ones, with every finding. -update rewrites the findings.
func TestTexts(t *testing.T) {
	c := open(t, "testdata/laws")
	for _, name := range []string{"true", "false"} {
		path := filepath.Join("testdata", "texts", name+".txt")
		head, texts := readTexts(t, path)
		out := bytes.NewBufferString(head)
		for _, x := range texts {
			r, err := c.Check(context.Background(), x.draft(t, c))
			if err != nil {
				t.Fatalf("%s: %v", x.name, err)
			}
			if x.settings != "" {
				x.settings = " | " + x.settings
			}
			fmt.Fprintf(out, "\n### %s%s\n%s\n---\n", x.name, x.settings, x.body)
			for i := range r.Findings {
				f := &r.Findings[i]
				fmt.Fprintln(out, line(f))
				if at := string([]rune(x.body)[f.Start:f.End]); at != f.Text {
					t.Errorf("%s: the place of %q holds %q", x.name, f.Text, at)
				}
				if name == "true" && f.Severity == verify.False {
					t.Errorf("%s: a false alarm: %s", x.name, line(f))
				}
			}
		}
		golden(t, path, out.Bytes())
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d\ngot  %s\nwant %s", path, i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%s has %d lines, want %d", path, len(g), len(w))
	}
}

// The JSON of a report is what clients and batches rely on.
func TestShape(t *testing.T) {
	c := open(t, "testdata/laws")
	r, err := c.Check(context.Background(), verify.Draft{
		Text: "《民法典》第一千零七十七条规定：“自婚姻登记机关收到离婚登记申请之日起六十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。”《民法典》第一千三百条、" +
			"合同法第52条、《新劳动合同条例》。《民法典》第1047条：“结婚年龄，男不得早于二十二周岁”。",
		Collections: []string{book.DefaultCollection}, Day: today,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "report.golden.json"), b.Bytes())
}

// Without an index nothing is looked for elsewhere, and the notes don't claim it was.
func TestWithoutAnIndex(t *testing.T) {
	c := open(t, "testdata/laws")
	c.Words = nil
	for _, x := range []struct {
		text string
		want verify.Verdict
		note string
	}{
		{"《民法典》第一千零七十六条规定：“劳动者提前三十日以书面形式通知用人单位，可以解除劳动合同。”", verify.Nowhere, "没有在其他条文中查找"},
		{"《民法典》规定：“劳动者提前三十日以书面形式通知用人单位，可以解除劳动合同。”", verify.NotChecked, "没有查找"},
		{"“劳动者提前三十日以书面形式通知用人单位，可以解除劳动合同。”", verify.NotChecked, "没有查找"},
		{"《民法典》第一千零七十六条规定：“夫妻双方自愿离婚的，应当签订书面离婚协议”", verify.Verbatim, ""},
	} {
		r, err := c.Check(context.Background(), verify.Draft{Text: x.text, Collections: []string{book.DefaultCollection}, Day: today})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Kind == verify.Quote && (f.Verdict != x.want || !strings.Contains(f.Note, x.note)) {
				t.Errorf("%s: %s %q, want %s %q", x.text, f.Verdict, f.Note, x.want, x.note)
			}
		}
	}
}
