package ingest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/statute"
)

// realBook is the shared corpus of 148,858 units as a book, made once for all tests.
var realBook = sync.OnceValues(func() (*book.Book, error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "lexagent-real-*")
	if err != nil {
		return nil, err
	}
	realDir = dir
	b, err := book.Create(ctx, dir)
	if err != nil {
		return nil, err
	}
	e := &engine{dir: dir, o: &Options{Collection: book.DefaultCollection}, book: b, report: &Report{}}
	d, err := discover(ctx, []string{realPath}, dir, book.DefaultCollection, func(string, bool, error) {})
	if err != nil {
		return nil, err
	}
	if err := e.read(ctx, d.files); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := b.Relate(ctx, 20251201, func(int) {}); err != nil {
		return nil, err
	}
	relating = time.Since(start)
	return b, nil
})

var (
	realPath = filepath.Join("..", "..", "shared", "data", "laws", "articles.jsonl.gz")
	realDir  string
	// underRace is set in a build with the race detector.
	underRace bool
	relating  time.Duration
)

func TestMain(m *testing.M) {
	code := m.Run()
	if realDir != "" {
		if b, err := realBook(); err == nil {
			_ = b.Close()
		}
		_ = os.RemoveAll(realDir)
	}
	os.Exit(code)
}

func openReal(t *testing.T) *book.Book {
	t.Helper()
	if testing.Short() || underRace {
		t.Skip("the whole shared corpus is read without the race detector: go test ./ingest")
	}
	if _, err := os.Stat(realPath); err != nil {
		t.Skipf("no shared data: %v", err)
	}
	b, err := realBook()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// label is a line of the golden file.
type label struct {
	source, edges string
}

func labels(t *testing.T) []label {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "citations.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []label
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if cols := strings.Split(lines.Text(), "\t"); len(cols) == 3 {
			out = append(out, label{cols[0], cols[1]})
		}
	}
	return out
}

// wanted reads the labelled edges as "title key:number".
func (l label) wanted(t *testing.T, own string) map[string]bool {
	edges := map[string]bool{}
	for _, part := range strings.Split(l.edges, ";") {
		law, numbers, ok := strings.Cut(part, ":")
		if !ok {
			continue
		}
		if law == "." {
			law = own
		}
		for _, n := range strings.Split(numbers, ",") {
			from, to, ranged := strings.Cut(n, "-")
			if !ranged {
				edges[statute.TitleKey(law)+":"+n] = true
				continue
			}
			first, err1 := strconv.Atoi(from)
			last, err2 := strconv.Atoi(to)
			if err1 != nil || err2 != nil {
				t.Fatalf("%s: %s is no range", l.source, n)
			}
			for i := first; i <= last; i++ {
				edges[fmt.Sprintf("%s:%d", statute.TitleKey(law), i)] = true
			}
		}
	}
	return edges
}

// The citation graph, against labels made by reading: precision and recall ≥ .97.
func TestCitationsOfTheRealCorpus(t *testing.T) {
	b := openReal(t)
	ctx := context.Background()
	units := map[string]*statute.Unit{}
	laws := map[string]*statute.Law{}
	err := b.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		for _, id := range append(u.Also, u.SourceID) {
			units[id], laws[id] = u, l
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	title := func(id string) string {
		if l, err := b.Law([]string{book.DefaultCollection}, id, 0); err == nil && l.ID == id {
			return l.Title
		}
		return id
	}
	var right, wrong, missing int
	for _, l := range labels(t) {
		u := units[l.source]
		if u == nil {
			t.Fatalf("%s is not in the corpus", l.source)
		}
		want := l.wanted(t, laws[l.source].Title)
		cs, err := b.CitationsFrom(ctx, book.DefaultCollection, u.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, c := range cs {
			if c.Number == 0 {
				continue
			}
			n := strconv.Itoa(c.Number)
			if c.Sub > 0 {
				n += "." + strconv.Itoa(c.Sub)
			}
			got[statute.TitleKey(title(c.ToLaw))+":"+n] = true
		}
		for e := range got {
			if want[e] {
				right++
				continue
			}
			wrong++
			t.Logf("%s: %s is not there", u.ID, e)
		}
		for e := range want {
			if !got[e] {
				missing++
				t.Logf("%s: %s was not found", u.ID, e)
			}
		}
	}
	precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missing)
	t.Logf("repeals and citations of 148,858 units in %s", relating)
	t.Logf("precision %.4f, recall %.4f over %d edges of %d units", precision, recall, right+missing, len(labels(t)))
	if precision < .97 || recall < .97 {
		t.Errorf("precision %.4f, recall %.4f; both must be at least .97", precision, recall)
	}
}

// What the source says is in force and a clause elsewhere ended: the exact list,
// each read in its clause.
func TestRepealedThoughFlaggedCurrent(t *testing.T) {
	b := openReal(t)
	raw, err := os.ReadFile(filepath.Join("testdata", "repealed.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	perLevel := map[statute.Level]int{}
	repeals, err := b.Repeals(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range b.AllLaws() {
		if l.Declared != statute.InForce || !slices.ContainsFunc(repeals, func(r book.Repeal) bool { return r.Ended == l.ID }) {
			continue
		}
		perLevel[l.Level]++
		got = append(got, fmt.Sprintf("%s\t%d\t%s", l.ID, l.Ended, l.EndedBy))
	}
	want := strings.Split(strings.TrimSpace(string(raw)), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	for level, n := range map[statute.Level]int{1: 2, 2: 13, 3: 16, 5: 12} {
		if perLevel[level] != n {
			t.Errorf("level %d: %d texts, want %d", level, perLevel[level], n)
		}
	}
}

// Laws that share the title of one that a clause ended stay in force.
func TestSameTitleIsNotRepealed(t *testing.T) {
	b := openReal(t)
	for _, name := range []string{"出版管理条例", "工会法", "内河交通安全管理条例", "道路交通事故处理程序规定", "国防专利条例",
		"最高人民法院关于适用《中华人民共和国刑事诉讼法》的解释", "反倾销条例", "看守所条例", "动物防疫法", "民法典", "监察法",
		"北京市实施《中华人民共和国动物防疫法》办法", "长江三峡工程建设移民条例", "飞行基本规则", "专利法实施细则"} {
		l, err := b.Law([]string{book.DefaultCollection}, statute.ShortTitle(name), 20251201)
		if err != nil {
			t.Error(err)
			continue
		}
		if st := l.StatusOn(20251201); st != statute.InForce {
			t.Errorf("%s is %s since %s by %s", l.ID, st, l.Ended, l.EndedBy)
		}
	}
}

// The laws that the 民法典 replaced are known from its last article, though the
// corpus has none of them.
func TestReplacedByTheCivilCode(t *testing.T) {
	b := openReal(t)
	for _, name := range []string{"合同法", "担保法", "婚姻法", "继承法", "物权法", "侵权责任法", "民法总则", "民法通则", "收养法"} {
		ms, err := b.Mentions(context.Background(), []string{book.DefaultCollection}, "按照"+name+"，这样行吗", nil, 20251201)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("《%s》已于 2021-01-01 废止，由《中华人民共和国民法典》取代", name)
		if len(ms) != 1 || ms[0].Outcome != book.Ended || ms[0].Note != want {
			t.Errorf("%s: %+v", name, ms)
		}
	}
}
