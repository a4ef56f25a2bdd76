package statute

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The golden file holds blocks: "> text", before it "own: title:article/last" where
// the text is part of a law, and behind it a line for each reference:
//
//	mention | form and flags | law | edition or part | points
//
// A point is 175.1, 5-8 for a range, with its places: 10(P1 P2) is 第十条第一款、第二款,
// 5(P1I3) 第五条第一款第三项.
func TestReferencesGolden(t *testing.T) {
	const file = "testdata/references.golden"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	titles := testTitles()
	var out strings.Builder
	own, cases := "", 0
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "own: "):
			own = line[len("own: "):]
		case strings.HasPrefix(line, "> "):
			cases++
			fmt.Fprintln(&out, line)
			text := strings.ReplaceAll(line[2:], `\n`, "\n")
			for _, r := range FindReferences(text, goldenContext(t, own, titles)) {
				fmt.Fprintln(&out, describe(text, r))
			}
			own = ""
			continue
		case line != "" && !strings.HasPrefix(line, "#"):
			continue // what was found last time
		}
		fmt.Fprintln(&out, line)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != string(data) && !*update {
		a, b := strings.Split(string(data), "\n"), strings.Split(got, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s:%d\n got %s\nwant %s", file, i+1, b[i], a[i])
			}
		}
		t.Fatalf("%s has %d lines, got %d", file, len(a), len(b))
	}
	if cases < 80 {
		t.Errorf("%d cases, want at least 80", cases)
	}
}

// goldenContext reads "刑法:266/452".
func goldenContext(t *testing.T, own string, names Names) *Context {
	t.Helper()
	c := &Context{Names: names}
	if own == "" {
		return c
	}
	law, numbers, _ := strings.Cut(own, ":")
	number, last, _ := strings.Cut(numbers, "/")
	c.Law = law
	c.Number, _ = strconv.Atoi(number)
	c.Last, _ = strconv.Atoi(last)
	return c
}

func describe(text string, r Reference) string {
	form := string(r.Form)
	if r.Own {
		form += " own"
	}
	if r.Carried {
		form += " carried"
	}
	if r.Unit != "" {
		form += fmt.Sprintf(" %d%s", r.Back, r.Unit)
	}
	points := make([]string, len(r.Points))
	for i, p := range r.Points {
		points[i] = describePoint(p)
	}
	extra := strings.TrimSpace(r.Edition + " " + r.Part)
	if r.Form == FormID {
		extra = r.ID.String()
	}
	return fmt.Sprintf("%s | %s | %s | %s | %s", text[r.Start:r.End], form, r.Law, extra, strings.Join(points, " "))
}

func describePoint(p Point) string {
	s := strconv.Itoa(p.Number)
	if p.Sub > 0 {
		s += "." + strconv.Itoa(p.Sub)
	}
	if p.Range() {
		s += "-" + strconv.Itoa(p.ToNumber)
		if p.ToSub > 0 {
			s += "." + strconv.Itoa(p.ToSub)
		}
	}
	var places []string
	for _, q := range p.Places {
		places = append(places, describeNumbers("P", q.Paragraph, q.ToParagraph)+describeNumbers("I", q.Item, q.ToItem))
	}
	if places != nil {
		s += "(" + strings.Join(places, " ") + ")"
	}
	return s
}

func describeNumbers(prefix string, from, to int) string {
	switch {
	case from == 0:
		return ""
	case to == 0:
		return prefix + strconv.Itoa(from)
	}
	return fmt.Sprintf("%s%d-%d", prefix, from, to)
}

// checkSpans holds what every caller relies on: spans lie in the text, on rune
// borders, in order, without overlap, and points inside their reference.
func checkSpans(t *testing.T, text string, refs []Reference) {
	t.Helper()
	last := 0
	for _, r := range refs {
		if r.Start < last || r.End <= r.Start || r.End > len(text) {
			t.Fatalf("span %d–%d after %d in %q", r.Start, r.End, last, text)
		}
		if utf8.ValidString(text) && !utf8.ValidString(text[r.Start:r.End]) {
			t.Fatalf("span %d–%d cuts a rune of %q", r.Start, r.End, text)
		}
		for _, p := range r.Points {
			if p.Start < r.Start || p.End > r.End || p.Start > p.End {
				t.Fatalf("point %+v outside %d–%d of %q", p, r.Start, r.End, text)
			}
		}
		last = r.End
	}
}

func FuzzFindReferences(f *testing.F) {
	titles := testTitles()
	data, err := os.ReadFile("testdata/references.golden")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if text, ok := strings.CutPrefix(line, "> "); ok {
			f.Add(text, true)
			f.Add(text, false)
		}
	}
	f.Fuzz(func(t *testing.T, text string, own bool) {
		c := &Context{Names: titles}
		if own {
			c.Law, c.Number, c.Last = "刑法", 120, 452
		}
		checkSpans(t, text, FindReferences(text, c))
		checkSpans(t, text, FindReferences(text, nil))
	})
}

// Names are told by their form when nobody knows the titles.
func TestFindReferencesWithoutNames(t *testing.T) {
	text := "依照民法典第1077条和《刑法》第二百六十四条，以及个人所得税法实施条例第六条"
	refs := FindReferences(text, nil)
	var got []string
	for _, r := range refs {
		got = append(got, r.Law+" "+describePoint(r.Points[0]))
	}
	if want := "民法典 1077, 刑法 264, 个人所得税法实施条例 6"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

func TestShortNames(t *testing.T) {
	got := ShortNames("根据《中华人民共和国民事诉讼法》（以下简称民事诉讼法）、《关于办理〈刑法〉案件的规定》(以下简称《规定》)，" +
		"《渔业法》（以下称“渔法”）和《解释》（法释〔2008〕5号）制定本解释。")
	want := map[string]string{"民事诉讼法": "中华人民共和国民事诉讼法", "规定": "关于办理〈刑法〉案件的规定", "渔法": "渔业法"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("ShortNames = %v, want %v", got, want)
	}
}

func TestAliasesOfTheContext(t *testing.T) {
	c := &Context{Law: "某条例实施细则", Aliases: map[string]string{"条例": "某条例"}}
	refs := FindReferences("《条例》第五条和条例第八条所称的", c)
	if len(refs) != 2 || refs[0].Law != "某条例" || refs[1].Law != "某条例" {
		t.Errorf("got %+v", refs)
	}
}

// 10,000 characters with 4,000 known titles take no more than 10 ms; see
// BenchmarkFindReferences for the figure. The test only catches a blow-up.
func TestFindReferencesIsLinear(t *testing.T) {
	titles := testTitles()
	for _, piece := range []string{"《", "[", "第一、", "第", "（", "“", "本法第五条、", "前", "民法典", "第一条之一至", "该", "中华人民共和国", "最高人民法院《"} {
		text := strings.Repeat(piece, 30000/len(piece))
		checkSpans(t, text, FindReferences(text, &Context{Names: titles, Law: "刑法"}))
	}
}

func BenchmarkFindReferences(b *testing.B) {
	titles := realTitles(b, realLaws(b))
	var text []rune
	eachLine(b, "laws/articles.jsonl.gz", func(line []byte) {
		var a struct {
			Level Level  `json:"level"`
			Text  string `json:"text"`
		}
		if len(text) < 10000 {
			if err := json.Unmarshal(line, &a); err != nil {
				b.Fatal(err)
			}
			if a.Level == JudicialInterpretation { // densest in references
				text = append(text, []rune(a.Text+"\n")...)
			}
		}
	})
	sample := string(text[:10000])
	b.SetBytes(int64(len(sample)))
	b.ResetTimer()
	for range b.N {
		FindReferences(sample, &Context{Names: titles, Law: "刑法", Last: 452})
	}
}

func ExampleFindReferences() {
	text := "离婚见民法典第1077条第一款，欠薪看劳动合同法82条。"
	for _, r := range FindReferences(text, nil) {
		fmt.Println(text[r.Start:r.End], r.Form, r.Law, r.Points[0].Number)
	}
	// Output:
	// 民法典第1077条第一款 bare 民法典 1077
	// 劳动合同法82条 bare 劳动合同法 82
}
