package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pdfFile reads a file of testdata.
func pdfFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPDFRefusals(t *testing.T) {
	good := pdfFile(t, "same/decision.reportlab.pdf")
	tests := []struct {
		name    string
		content []byte
		want    string
	}{
		{"password", pdfFile(t, "pdf/locked.pdf"), "asks for a password"},
		{"scanned", pdfFile(t, "pdf/scanned.pdf"), "3 of 3 pages of the PDF file are images without text; it needs OCR first"},
		{"blank page", pdfFile(t, "pdf/blank.pdf"), "the PDF file has no text"},
		{"no pages", pdfFile(t, "pdf/nopages.pdf"), "PDF file"},
		{"cut off at the start", good[:200], "broken"},
		{"nothing behind the mark", []byte("%PDF-1.7\n"), "broken"},
		{"noise", append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte{0xfe, 1, 0x9c}, 5000)...), "broken"},
		{"an Office document", []byte("PK\x03\x04"), "the content is a ZIP archive or an Office document"},
		{"text", []byte("第一条 甲。"), "broken or is none"},
		{"empty", nil, "the file is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.pdf")
			if err := os.WriteFile(path, tt.content, 0o600); err != nil {
				t.Fatal(err)
			}
			n := 0
			for doc, err := range Read(t.Context(), path) {
				n++
				if doc != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, %v; want %q", doc, err, tt.want)
				}
			}
			if n != 1 {
				t.Errorf("%d results, want one error", n)
			}
		})
	}
}

// TestPDFMended holds that what can be read safely is read: a file that only its
// owner's password restricts, and one whose end is cut off.
func TestPDFMended(t *testing.T) {
	good := pdfFile(t, "same/decision.reportlab.pdf")
	want := asUnits(readAs(t, "a", ".pdf", good))
	cut := good[:bytes.LastIndex(good, []byte("xref"))]
	for name, content := range map[string][]byte{"restricted": pdfFile(t, "pdf/restricted.pdf"), "cut": cut} {
		if diff := cmp.Diff(want, asUnits(readAs(t, "a", ".pdf", content))); diff != "" {
			t.Errorf("%s (-whole +%s):\n%s", name, name, diff)
		}
	}
}

func TestPDFRest(t *testing.T) {
	doc := readAs(t, "a", ".pdf", pdfFile(t, "same/chapters.reportlab.pdf"))
	rest := map[string]int{}
	for _, s := range doc.Coverage.Rest {
		rest[fmt.Sprint(s.Why, " on page ", s.Line)] = s.Chars
	}
	want := map[string]int{
		"header on page 1": 64, "page number on page 1": 3, "page number on page 2": 3, "page number on page 3": 3,
		"running head on page 1": 4, "running head on page 2": 4, "running head on page 3": 4,
	}
	delete(want, "header on page 1")
	delete(rest, "header on page 1")
	if diff := cmp.Diff(want, rest); diff != "" {
		t.Errorf("rest (-want +got):\n%s", diff)
	}
}

func TestPDFStops(t *testing.T) {
	path := filepath.Join("testdata", "same", "chapters.reportlab.pdf")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for doc, err := range Read(ctx, path) {
		if doc != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", doc, err)
		}
	}
	b := pdfFile(t, "same/chapters.reportlab.pdf")
	if _, err := pdfPages(t.Context(), b); err != nil { // the engine is ready now
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
		limited, cancel := context.WithTimeout(t.Context(), after)
		if _, err := pdfPages(limited, b); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", after, err)
		}
		cancel()
	}
	if _, err := pdfPages(t.Context(), b); err != nil {
		t.Error("after the stops: ", err)
	}
}

// TestPDFLayout holds how lines become paragraphs, without a PDF file.
func TestPDFLayout(t *testing.T) {
	page := func(lines ...string) pdfPage {
		p := pdfPage{}
		for i, line := range lines {
			x, y := 50.0, 700-20*float64(i)
			for _, r := range line {
				w := 10 * runeWidth(r)
				if r != '　' && r != ' ' {
					p.glyphs = append(p.glyphs, glyph{r, x, x + w, y, y + 12})
				}
				x += w
			}
		}
		return p
	}
	tests := []struct {
		name  string
		pages []pdfPage
		want  []string
	}{
		{"paragraphs over lines and pages", []pdfPage{
			page("　　第一条　一二三四五六七八九十一二", "三四五六七八九十一二三四五六七八九十", "一二三。", "　　第二条　一二三四五六七八九十一二", "— 1 —"),
			page("三四五六七八九十一二三四五六七八九十", "一二三四。", "　　前款规定。", "— 2 —")},
			[]string{"第一条 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三。", "第二条 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四。", "前款规定。"}},
		{"a table", []pdfPage{page("税目　　　　税率　　　　备注", "灯塔　　　　五　　　　　无", "　　第一条　甲。")},
			[]string{"税目 | 税率 | 备注", "灯塔 | 五 | 无", "第一条 甲。"}},
		{"one wide gap is no table", []pdfPage{page("　　第一章　　　总则", "　　第一条　甲。")}, []string{"第一章 总则", "第一条 甲。"}},
		{"Latin words", []pdfPage{page("　　第一条　一二三四五六七八九十 abc", "def 一二三四五六七八九十一二三四五", "一二三四五六七八九十一二三四五六七")},
			[]string{"第一条 一二三四五六七八九十 abc def 一二三四五六七八九十一二三四五一二三四五六七八九十一二三四五六七"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{}
			for _, b := range pageBlocks(tt.pages) {
				if b.rest == "" {
					got = append(got, b.text)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPDFDamage reads files with bytes changed at random places: each is read or
// refused. It does what FuzzPDF does at full speed, which coverage makes slow.
func TestPDFDamage(t *testing.T) {
	const mutants = 150
	random := rand.New(rand.NewPCG(4, 2026))
	for _, name := range []string{"same/chapters.reportlab.pdf", "same/attachment.weasyprint.pdf"} {
		good := pdfFile(t, name)
		read := 0
		for range mutants {
			content := bytes.Clone(good)
			for range 1 + random.IntN(20) {
				content[random.IntN(len(content))] = byte(random.Uint32())
			}
			if random.IntN(4) == 0 {
				content = content[:random.IntN(len(content))]
			}
			read += checkPDF(t, content)
		}
		t.Logf("%s: %d of %d mutants read, the others refused", name, read, mutants)
	}
}

// checkPDF holds what is true of every file; it returns 1 when the file was read.
func checkPDF(t *testing.T, content []byte) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	pages, err := pdfPages(ctx, content)
	if err != nil {
		if ctx.Err() != nil {
			t.Error("a small file takes more than 20 seconds")
		}
		return 0
	}
	src, reason := pdfBlocks("x.pdf", pages)
	if reason != "" {
		return 0
	}
	checkDocument(t, recognise(src))
	return 1
}

func FuzzPDF(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "same", "*.reportlab.pdf"))
	if err != nil || len(files) == 0 {
		f.Fatal("no PDF files in testdata", err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, content []byte) { checkPDF(t, content) })
}
