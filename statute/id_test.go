package statute

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// A line of the golden file: title | version | kind | label | number | sub | variant
// => id. "content: …" as a version stands for ContentVersion of what follows.
func TestIDsGolden(t *testing.T) {
	const file = "testdata/ids.golden"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	seen := map[string]string{}
	cases := 0
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		in, want, isCase := strings.Cut(line, " => ")
		if !isCase || strings.HasPrefix(line, "#") {
			fmt.Fprintln(&out, line)
			continue
		}
		cases++
		got := idOfLine(t, in)
		fmt.Fprintf(&out, "%s => %s\n", in, got)
		if got != want && !*update {
			t.Errorf("%s => %s, want %s", in, got, want)
		}
		if other, taken := seen[got]; taken {
			t.Errorf("%q and %q have one id, %s", other, in, got)
		}
		seen[got] = in
		checkID(t, got)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if cases < 25 {
		t.Errorf("%d cases, want at least 25", cases)
	}
}

func idOfLine(t *testing.T, line string) string {
	t.Helper()
	f := strings.Split(line, " | ")
	if len(f) != 7 {
		t.Fatalf("%q has %d fields, want 7", line, len(f))
	}
	number := func(s string) int {
		if s == "-" {
			return 0
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		return n
	}
	version := f[1]
	if text, ok := strings.CutPrefix(version, "content: "); ok {
		version = ContentVersion(text)
	}
	id := LawID(ShortTitle(f[0]), version)
	if f[2] != "-" {
		id = UnitID(id, Kind(f[2]), f[3], number(f[4]), number(f[5]))
	}
	if n := number(f[6]); n > 0 {
		id = Variant(id, n)
	}
	return id
}

// checkID holds what ids promise: they come back from parsing, they stay one word
// in a shell and one column in a TREC file, and they come back from a URL.
func checkID(t *testing.T, s string) {
	t.Helper()
	id, err := ParseID(s)
	if err != nil {
		t.Fatalf("ParseID(%q): %v", s, err)
	}
	if id.String() != s {
		t.Fatalf("ParseID(%q).String() = %q", s, id.String())
	}
	if fields := strings.Fields(s); len(fields) != 1 || fields[0] != s {
		t.Fatalf("%q is %d columns", s, len(fields))
	}
	if strings.ContainsFunc(s, unicode.IsSpace) || strings.ContainsAny(s, "\"'`\\$&|;<>()[]{}*?!#%=^/,+\x00\x7f") || s[0] == '~' {
		t.Fatalf("%q is not one plain word for a shell", s)
	}
	for _, escape := range []struct {
		name string
		to   func(string) string
		from func(string) (string, error)
	}{{"path", url.PathEscape, url.PathUnescape}, {"query", url.QueryEscape, url.QueryUnescape}} {
		if back, err := escape.from(escape.to(s)); err != nil || back != s {
			t.Fatalf("%q comes back from a URL's %s as %q, %v", s, escape.name, back, err)
		}
	}
}

func TestParseID(t *testing.T) {
	good := map[string]ID{
		"民法典":                     {Law: "民法典"},
		"民法典:1077":                {Law: "民法典", Key: "1077"},
		"民法典@2020-05-28":          {Law: "民法典", Version: "2020-05-28"},
		"民法典@2020-05-28:1077":     {Law: "民法典", Version: "2020-05-28", Key: "1077"},
		"刑法@2020-12-26:175.1":     {Law: "刑法", Version: "2020-12-26", Key: "175.1"},
		"某细则@x0a1b2c3d:附件~2":      {Law: "某细则", Version: "x0a1b2c3d", Key: "附件~2"},
		"刑法修正案（十一）@2020-12-26:项3": {Law: "刑法修正案（十一）", Version: "2020-12-26", Key: "项3"},
	}
	for s, want := range good {
		if got, err := ParseID(s); err != nil || got != want {
			t.Errorf("ParseID(%q) = %+v, %v, want %+v", s, got, err, want)
		}
	}
	bad := []string{"", ":", "@", ":1077", "@2020-05-28", "民法典:", "民法典@", "民法典@:1", "民法典@2020:1", "民法典@2020-02-30:1",
		"民法典@x12:1", "民法典@xzzzzzzzz", "民 法典:1", "民法典:1:2", "民法典@2020-05-28@2:1", "(民法典)", "民法典/1", "\xff:1"}
	for _, s := range bad {
		if got, err := ParseID(s); err == nil {
			t.Errorf("ParseID(%q) = %+v, want an error", s, got)
		}
	}
}

func TestIDNumber(t *testing.T) {
	tests := []struct {
		key         string
		number, sub int
		ok          bool
	}{
		{"1077", 1077, 0, true}, {"175.1", 175, 1, true}, {"1077~2", 1077, 0, true}, {"175.1~3", 175, 1, true},
		{"附件", 0, 0, false}, {"项3", 0, 0, false}, {"", 0, 0, false}, {"0", 0, 0, false}, {"5.x", 0, 0, false}, {"5.0", 0, 0, false},
	}
	for _, tt := range tests {
		if n, sub, ok := (ID{Law: "刑法", Key: tt.key}).Number(); n != tt.number || sub != tt.sub || ok != tt.ok {
			t.Errorf("key %q: %d, %d, %t, want %d, %d, %t", tt.key, n, sub, ok, tt.number, tt.sub, tt.ok)
		}
	}
}

// What is taken for a name at a glance is one: the long way leaves it as it is.
func TestNamesAtAGlance(t *testing.T) {
	for r := rune(1); r <= 0x30000; r++ {
		if s := string(r); isName(s) && idName(s+" ") != s { // the space sends it the long way, where it is dropped
			t.Errorf("%q (%U) becomes %q", s, r, idName(s+" "))
		}
	}
	for _, s := range []string{"", "a b", "e\u0301", "\xff", "—", "x:y", strings.Repeat("法", maxNameRunes+1)} {
		if isName(s) {
			t.Errorf("%q is taken for a name", s)
		}
	}
}

func FuzzUnitID(f *testing.F) {
	f.Add("中华人民共和国刑法（2020年修正）", "正文", "第一百七十五条之一", 175, 1, 2)
	f.Add("a b/c#d?e%f&g(h)<i>:@'\"$`;|\\~", "", "附 件：《一》", 0, 0, 0)
	f.Add("é\u0301\u200b\ufeff\xff", "x", "é\x00\n", 0, 0, 1)
	f.Add(strings.Repeat("关于", 90), "y", strings.Repeat("附件", 90), 0, 3, 0)
	kinds := []Kind{Article, Preamble, Item, Section, Attachment, Whole, Chunk}
	f.Fuzz(func(t *testing.T, title, text, label string, number, sub, variant int) {
		law := LawID(ShortTitle(title), ContentVersion(text))
		checkID(t, law)
		for _, kind := range kinds {
			id := UnitID(law, kind, label, number, sub)
			checkID(t, id)
			if variant > 1 {
				checkID(t, Variant(id, variant))
			}
			if kind == Article && number > 0 {
				parsed, err := ParseID(id)
				if err != nil {
					t.Fatal(err)
				}
				if n, s, ok := parsed.Number(); !ok || n != number || s != max(sub, 0) {
					t.Fatalf("%q has number %d, %d, %t, want %d, %d", id, n, s, ok, number, sub)
				}
			}
		}
	})
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"民法典@2020-05-28:1077", "民法典:1077", "刑法", "a@b:c", "x:\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		if err != nil {
			return
		}
		if id.String() != s {
			t.Fatalf("ParseID(%q).String() = %q", s, id.String())
		}
	})
}
