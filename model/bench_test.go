package model

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// benchEncoder opens the encoder in LEXAGENT_BENCH_ENCODER, else the shipped one,
// so that another model can be timed beside it in the same run.
func benchEncoder(b *testing.B) *Encoder {
	b.Helper()
	needLibrary(b)
	dir := os.Getenv("LEXAGENT_BENCH_ENCODER")
	if dir == "" {
		dir = pretrained
	}
	e, err := OpenEncoder(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close() })
	return e
}

// realPassages draws n articles of the real corpus beside the repository.
func realPassages(b *testing.B, n int) []string {
	b.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "laws", "articles.jsonl.gz"))
	if err != nil {
		b.Skipf("the corpus is not beside the repository: %v", err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	wanted := map[string]bool{}
	ids, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", "stard", "corpus_ids.txt"))
	if err != nil {
		b.Skip(err)
	}
	for id := range strings.FieldsSeq(string(ids)) {
		wanted[id] = true
	}
	var all []string
	for d := json.NewDecoder(z); d.More(); {
		var a struct {
			ID    string `json:"id"`
			Title string `json:"law_title"`
			Label string `json:"label"`
			Text  string `json:"text"`
		}
		if err := d.Decode(&a); err != nil {
			b.Fatal(err)
		}
		if wanted[a.ID] {
			all = append(all, a.Title+" "+a.Label+" "+a.Text)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

const benchArticles = 3000

// BenchmarkPassages encodes 3,000 real articles an iteration, a thousand a call.
// Beside the articles a second it reports those a second of processor time, which
// a busy machine disturbs less: times the cores, it is the rate when idle.
func BenchmarkPassages(b *testing.B) {
	e, texts := benchEncoder(b), realPassages(b, benchArticles)
	b.ResetTimer()
	before := processorTime(b)
	for range b.N {
		for part := range slices.Chunk(texts, 1000) {
			if _, err := e.Encode(b.Context(), part, Passage); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "articles/s")
	b.ReportMetric(float64(len(texts)*b.N)/(processorTime(b)-before).Seconds(), "articles/cpu-s")
}

// processorTime is what the process has used so far, on all cores.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const question = "公司没有签书面劳动合同，可以要求双倍工资吗？"

// BenchmarkQuery encodes one question at a time on an otherwise idle encoder.
func BenchmarkQuery(b *testing.B) {
	e := benchEncoder(b)
	timeQueries(b, e)
}

// BenchmarkQueryBesidePassages does so while every core embeds passages.
func BenchmarkQueryBesidePassages(b *testing.B) {
	e, texts := benchEncoder(b), realPassages(b, 2000)
	ctx, cancel := context.WithCancel(b.Context())
	var background sync.WaitGroup
	background.Go(func() {
		for ctx.Err() == nil {
			_, _ = e.Encode(ctx, texts, Passage)
		}
	})
	time.Sleep(200 * time.Millisecond)
	b.ResetTimer()
	timeQueries(b, e)
	b.StopTimer()
	cancel()
	background.Wait()
}

func timeQueries(b *testing.B, e *Encoder) {
	took := make([]time.Duration, 0, b.N)
	for range b.N {
		start := time.Now()
		if _, err := e.Encode(b.Context(), []string{question}, Query); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
}
