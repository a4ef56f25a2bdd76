package embedded_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/statute"
)

// shared holds the corpus and the questions that the figures are taken on.
const shared = "../../../shared/data"

type question struct {
	ID   string `json:"id"`
	Text string `json:"question"`
	Gold []struct {
		ID string `json:"article_id"`
	} `json:"gold"`
}

type article struct {
	ID    string        `json:"id"`
	Law   string        `json:"law_id"`
	Title string        `json:"law_title"`
	Level statute.Level `json:"level"`
	Kind  statute.Kind  `json:"kind"`
	Label string        `json:"label"`
	Path  []string      `json:"path"`
	Text  string        `json:"text"`
}

func (a *article) doc() index.Doc {
	text := index.Compose(a.Title, a.Path, a.Label, a.Text)
	return index.Doc{ID: a.ID, Law: a.Law, Collection: "public", Kind: a.Kind, Level: a.Level, Hash: index.TextHash(text), Text: text}
}

// realArticles reads the 56,007 articles of the STARD corpus, or skips the test.
var realArticles = sync.OnceValues(func() ([]article, error) {
	ids, err := os.ReadFile(filepath.Join(shared, "stard/corpus_ids.txt"))
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for id := range strings.FieldsSeq(string(ids)) {
		wanted[id] = true
	}
	f, err := os.Open(filepath.Join(shared, "laws/articles.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	var list []article
	for in := json.NewDecoder(z); in.More(); {
		var a article
		if err := in.Decode(&a); err != nil {
			return nil, err
		}
		if wanted[a.ID] {
			list = append(list, a)
		}
	}
	return list, errors.Join(z.Close(), f.Close())
})

func realQuestions(t testing.TB, split string) []question {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, "stard", split+".jsonl"))
	if err != nil {
		t.Skipf("the real questions aren't beside the repository: %v", err)
	}
	defer f.Close()
	var list []question
	for in := json.NewDecoder(f); in.More(); {
		var q question
		if err := in.Decode(&q); err != nil {
			t.Fatal(err)
		}
		list = append(list, q)
	}
	return list
}

var realStore struct {
	sync.Once
	root  string
	store *embedded.Store
	took  time.Duration
	err   error
}

// underRace is set when the race detector is on, which makes indexing the real
// corpus take minutes; make test does it without as well.
var underRace bool

// openReal builds the index of the real corpus once for all tests.
func openReal(t testing.TB) *embedded.Store {
	t.Helper()
	if underRace {
		t.Skip("the real corpus is indexed without the race detector: go test ./index/embedded")
	}
	articles, err := realArticles()
	if err != nil {
		t.Skipf("the real corpus isn't beside the repository: %v", err)
	}
	r := &realStore
	r.Do(func() {
		if r.root, r.err = os.MkdirTemp("", "index"); r.err != nil {
			return
		}
		start := time.Now()
		docs := func(yield func(index.Doc) bool) {
			for i := range articles {
				if !yield(articles[i].doc()) {
					return
				}
			}
		}
		_, r.err = build(r.root, docs)
		r.took = time.Since(start)
		if r.err == nil {
			r.store, r.err = embedded.Open(r.root)
		}
	})
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.store
}

// build makes a generation of documents and puts it in use.
func build(root string, docs func(yield func(index.Doc) bool)) (string, error) {
	a, err := index.NewAnalyzer()
	if err != nil {
		return "", err
	}
	b, err := embedded.NewBuilder(root, a, embedded.Options{})
	if err != nil {
		return "", err
	}
	for d := range docs {
		if err := b.Add(context.Background(), d); err != nil {
			return "", errors.Join(err, b.Abort())
		}
	}
	name, err := b.Finish(context.Background())
	if err != nil {
		return "", err
	}
	return name, embedded.Activate(root, name)
}

// recall5 is the macro average of the share of a question's articles among the
// first five.
func recall5(t *testing.T, s *embedded.Store, questions []question) float64 {
	sum := 0.0
	for _, q := range questions {
		hits, err := s.SearchSparse(context.Background(), s.Query(q.Text), index.Filter{}, 5)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, g := range q.Gold {
			if slices.ContainsFunc(hits, func(h index.Hit) bool { return h.ID == g.ID }) {
				found++
			}
		}
		sum += float64(found) / float64(len(q.Gold))
	}
	return sum / float64(len(questions))
}

func TestRealRecall(t *testing.T) {
	s := openReal(t)
	t.Logf("built %d documents in %v: %+v", s.Len(), realStore.took.Round(time.Millisecond), *s.Manifest())
	if err := s.Probe(context.Background()); err != nil {
		t.Error(err)
	}
	for split, floor := range map[string]float64{"train": 0.43, "dev": 0.40} {
		r := recall5(t, s, realQuestions(t, split))
		t.Logf("STARD %s: R@5 %.4f", split, r)
		if r < floor {
			t.Errorf("STARD %s: R@5 is %.4f and should be %.2f at least", split, r, floor)
		}
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if realStore.root != "" {
		if err := os.RemoveAll(realStore.root); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// TestRealMemory holds what an open index costs on the heap, vectors aside.
func TestRealMemory(t *testing.T) {
	openReal(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	s, err := embedded.Open(realStore.root)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	for _, q := range realQuestions(t, "dev") {
		if _, err := s.SearchSparse(context.Background(), s.Query(q.Text), index.Filter{Levels: []statute.Level{1, 2}}, 20); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	heap := float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20)
	t.Logf("opened in %v, %.1f MB of heap after searches", took.Round(time.Millisecond), heap)
	if heap > 20 {
		t.Errorf("an open index takes %.1f MB of heap", heap)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// BenchmarkSparse searches the STARD corpus with the dev questions; min, p50 and p95 are in microseconds. On a busy machine min comes
// nearest to what an idle one does.
func BenchmarkSparse(b *testing.B) {
	s, questions := openReal(b), realQuestions(b, "dev")
	for _, k := range []int{20, 100} {
		for name, f := range map[string]index.Filter{"any": {}, "statutes": {Collections: []string{"public"}, Levels: []statute.Level{1}}} {
			b.Run(fmt.Sprintf("k=%d/%s", k, name), func(b *testing.B) {
				var times []time.Duration
				for i := 0; b.Loop(); i++ {
					start := time.Now()
					if _, err := s.SearchSparse(context.Background(), s.Query(questions[i%len(questions)].Text), f, k); err != nil {
						b.Fatal(err)
					}
					times = append(times, time.Since(start))
				}
				quantiles(b, times)
			})
		}
	}
}

func quantiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[0].Microseconds()), "min-µs")
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "p95-µs")
}

// BenchmarkDense searches 56,007 random vectors of 512 dimensions.
func BenchmarkDense(b *testing.B) {
	s := openReal(b)
	const dim = 512
	r := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(r.NormFloat64() / math.Sqrt(dim))
		}
		return v
	}
	w, err := embedded.OpenVectors(realStore.root, s.Manifest().Name(), "random", dim)
	if err != nil {
		b.Fatal(err)
	}
	for w.Rows() < s.Len() {
		if err := w.Append(vector()); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	v := vector()
	for name, f := range map[string]index.Filter{"any": {}, "statutes": {Collections: []string{"public"}, Levels: []statute.Level{1}}} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := s.SearchDense(context.Background(), v, f, 100); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			quantiles(b, times)
		})
	}
}
