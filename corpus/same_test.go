package corpus

import (
	"bufio"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// formats makes a file of each format from the Markdown of a law, by the end of the
// file's name behind the last colon. nil = the format can't hold this text.
var formats = map[string]func(t testing.TB, markdown string) []byte{
	"styled:.docx":    asWord,
	"numbered:.docx":  asNumberedWord,
	"page:.html":      func(_ testing.TB, md string) []byte { return []byte(asPage(md, false)) },
	"portal:.html":    func(_ testing.TB, md string) []byte { return []byte(asPage(md, true)) },
	"UTF-8:.txt":      func(_ testing.TB, md string) []byte { return []byte(asText(md)) },
	"GB18030:.txt":    func(t testing.TB, md string) []byte { return asGB(t, asText(md)) },
	"wrapped:.txt":    func(_ testing.TB, md string) []byte { return []byte(asWrapped(md, 38)) },
	"GB wrapped:.txt": func(t testing.TB, md string) []byte { return asGB(t, asWrapped(md, 30)) },
}

// lineOf is a line of a Markdown law: its heading depth and text.
type lineOf struct {
	depth int
	text  string
	table bool
}

// lawLines cuts the Markdown of a law into lines without marks.
func lawLines(md string) []lineOf {
	var out []lineOf
	for _, b := range markdownBlocks("x.md", md).blocks {
		if b.rest == "" {
			out = append(out, lineOf{b.depth, b.text, b.table > 0})
		}
	}
	return out
}

// asPage writes a law as an HTML page: bare, or within the frame of a portal, with
// labels in bold and all headings but the title as paragraphs would be a page
// without structure, so these keep their depth.
func asPage(md string, portal bool) string {
	var b strings.Builder
	title := ""
	inTable := false
	for _, l := range lawLines(md) {
		text := html.EscapeString(l.text)
		if inTable && !l.table {
			b.WriteString("</table>\n")
			inTable = false
		}
		switch {
		case l.table:
			if !inTable {
				b.WriteString("<table border=1>")
			}
			inTable = true
			b.WriteString("<tr><td>" + strings.ReplaceAll(text, cellMark, "</td><td>") + "</td></tr>\n")
		case l.depth > 0:
			if title == "" {
				title = text
			}
			fmt.Fprintf(&b, "<h%d>%s</h%d>\n", l.depth, text, l.depth)
		default:
			if label, ok := articleOf(block{text: l.text}); ok && portal && strings.HasPrefix(text, label.Label) {
				text = "<strong>" + label.Label + "</strong>" + text[len(label.Label):]
			}
			b.WriteString("<p>\u3000\u3000" + text + "</p>\n")
		}
	}
	if inTable {
		b.WriteString("</table>")
	}
	if !portal {
		return "<html><head><meta charset=utf-8></head><body>" + b.String() + "</body></html>"
	}
	return "<!doctype html><html><head><meta charset=utf-8><title>" + title + "_某网</title></head><body><nav><a>首页</a><a>法规</a></nav>" +
		"<div class=crumbs>当前位置：首页</div><div class=\"article main\">" + b.String() + "</div><p>【打印】</p><footer>版权所有</footer></body></html>"
}

// asText writes one paragraph a line.
func asText(md string) string {
	var b strings.Builder
	for _, l := range lawLines(md) {
		b.WriteString("　　" + l.text + "\r\n")
	}
	return b.String()
}

// asWrapped wraps paragraphs at so many em, with an indent of two; headings stand
// in the middle.
func asWrapped(md string, width int) string {
	var b strings.Builder
	for _, l := range lawLines(md) {
		free := float64(width)
		line := "　　"
		if l.depth > 0 {
			centre(&b, l.text, width)
			continue
		}
		if l.table {
			free = 1000
		}
		used := widthOf(line)
		for len(l.text) > 0 {
			word := wordAt(l.text)
			if n := widthOf(word); used+n > free {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line, used = "", 0
				word = strings.TrimLeft(word, " ")
				l.text = strings.TrimLeft(l.text, " ")
			}
			line += word
			used += widthOf(word)
			l.text = l.text[len(word):]
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// centre writes a heading in the middle, over several lines where it is too long for
// one.
func centre(b *strings.Builder, text string, width int) {
	for part := range slices.Chunk([]rune(text), width-6) {
		line := string(part)
		b.WriteString(strings.Repeat(" ", max(0, int(float64(width)-widthOf(line)))) + line + "\n")
	}
}

// wordAt returns what can't be parted at the head of s.
func wordAt(s string) string {
	narrow := true
	for i, r := range s {
		switch {
		case i == 0:
			narrow = r < 0x80 && r != ' '
		case narrow && r < 0x80 && r != ' ' || noStart(r):
		default:
			return s[:i]
		}
	}
	return s
}

func asGB(t testing.TB, s string) []byte {
	t.Helper()
	b, err := simplifiedchinese.GB18030.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readAs reads content under a name with the given end.
func readAs(t testing.TB, name, ext string, content []byte) *Document {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+ext)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	doc := readOne(t, path)
	checkDocument(t, doc)
	return doc
}

// asUnits lists a document's law and units, white space apart where a format may
// keep it or not: at the ends of lines, and next to Chinese characters.
func asUnits(doc *Document) []string {
	out := []string{doc.Law.ID + " " + doc.Law.Title + " " + doc.Law.Effective.String() + " " + doc.Law.Issuer}
	for _, u := range doc.Units {
		lines := strings.Split(u.Text, "\n")
		for i := range lines {
			lines[i] = squeeze(lines[i])
		}
		out = append(out, fmt.Sprint(u.ID, " ", u.Kind, " ", u.Label, " ", u.Path, " ", strings.Join(lines, "/")))
	}
	return out
}

// lawsOfShape are Markdown laws of the shapes that matter.
func lawsOfShape(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "same", "*.md"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no laws in testdata/same", err)
	}
	out := map[string]string{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".md")] = string(b)
	}
	return out
}

// TestSameLawSameUnits holds that a law has the same id, and its units the same
// labels, paths and texts, from every format.
func TestSameLawSameUnits(t *testing.T) {
	for name, md := range lawsOfShape(t) {
		want := asUnits(readAs(t, name, ".md", []byte(md)))
		for format, write := range formats {
			t.Run(name+"/"+format, func(t *testing.T) {
				content := write(t, md)
				if content == nil {
					t.Skip("not in this format")
				}
				doc := readAs(t, name, format[strings.LastIndex(format, ":")+1:], content)
				if diff := cmp.Diff(want, asUnits(doc)); diff != "" {
					t.Errorf("(-Markdown +%s):\n%s", format, diff)
				}
			})
		}
		files, err := filepath.Glob(filepath.Join("testdata", "same", name+".*.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			t.Run(filepath.Base(path), func(t *testing.T) {
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				doc := readAs(t, name, ".pdf", content)
				if diff := cmp.Diff(want, asUnits(doc)); diff != "" {
					t.Errorf("(-Markdown +PDF):\n%s", diff)
				}
			})
		}
	}
}

// TestRawSampleFormats turns the 161 real laws into pages and texts and demands
// the same units; each law that differs stands in testdata with the reason.
func TestRawSampleFormats(t *testing.T) {
	skipUnderRace(t)
	dir := sharedLaws(t)
	golden := filepath.Join("testdata", "same_differences.txt")
	reasons := readReasons(t, golden)
	var got []string
	units, equal, laws := 0, 0, 0
	for _, s := range sampleIndex(t, dir) {
		path := filepath.Join(dir, "raw_sample", filepath.FromSlash(s.Path))
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		want := asUnits(readOne(t, path))
		for format, write := range formats {
			have := asUnits(readAs(t, name, format[strings.LastIndex(format, ":")+1:], write(t, string(b))))
			laws++
			units += len(want)
			for _, u := range want {
				if slices.Contains(have, u) {
					equal++
				}
			}
			if diff := cmp.Diff(want, have); diff != "" {
				got = append(got, format+" "+s.Path)
				if testing.Verbose() {
					logShort(t, format+" "+s.Path, diff)
				}
			}
		}
	}
	slices.Sort(got)
	t.Logf("%d of %d files have the same units; %d of %d units are equal", laws-len(got), laws, equal, units)
	holdReasons(t, golden, got, reasons)
}

// logShort logs the first lines of a difference.
func logShort(t testing.TB, name, diff string) {
	t.Helper()
	var b strings.Builder
	n := 0
	for sc := bufio.NewScanner(strings.NewReader(diff)); sc.Scan() && n < 12; {
		if line := sc.Text(); strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
			b.WriteString(line[:min(len(line), 400)] + "\n")
			n++
		}
	}
	t.Logf("%s\n%s", name, b.String())
}
