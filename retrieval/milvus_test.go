package retrieval

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/index/milvus"
	"lexagent/index/milvus/milvustest"
	"lexagent/model"
	"lexagent/prompts"
	"lexagent/statute"
)

const (
	// envParity names a data folder with an index and its vectors, made by
	// `lexagent ingest` from the STARD corpus.
	envParity = "LEXAGENT_TEST_DATA"
	devFile   = "../../shared/data/stard/dev.jsonl"
)

// anyID is a book that knows every id, for tests of which ids are found.
type anyID struct{}

func (anyID) Unit(_ context.Context, _ []string, id string, _ statute.Date) (*statute.Unit, *statute.Law, error) {
	return &statute.Unit{ID: id}, &statute.Law{}, nil
}

func (anyID) Chunk(_ context.Context, _, id string) (*statute.Passage, *statute.Law, error) {
	return &statute.Passage{ID: id}, &statute.Law{}, nil
}

func (anyID) Intents(context.Context, string, string, string) (prompts.Odds, error) {
	return prompts.Odds{}, nil
}

func (anyID) Mentions(context.Context, []string, string, *statute.Context, statute.Date) ([]book.Mention, error) {
	return nil, nil
}

// gauss makes a vector of a text's hash, for an index whose encoder isn't here.
type gauss struct {
	digest string
	dim    int
}

func (g gauss) Digest() string { return g.digest }

func (g gauss) Encode(_ context.Context, texts []string, _ model.Role) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		h := fnv.New64a()
		fmt.Fprint(h, t)
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		out[i] = make([]float32, g.dim)
		for j := range out[i] {
			out[i][j] = float32(r.NormFloat64()) / float32(g.dim)
		}
	}
	return out, nil
}

// named makes vectors with an encoder that may be another version of the one that
// made the index's.
type named struct {
	*model.Encoder
	digest string
}

func (n named) Digest() string { return n.digest }

// encoderOf makes the questions' vectors, as the index's were made if that is
// possible here.
func encoderOf(t *testing.T, s *embedded.Store) Encoder {
	t.Helper()
	library := os.Getenv(model.LibraryVariable)
	if found, _ := filepath.Glob("../var/onnxruntime/libonnxruntime*"); library == "" && len(found) > 0 {
		library = found[0]
	}
	enc, err := model.OpenEncoder("../model/pretrained", model.Options{Library: library})
	if err == nil {
		t.Cleanup(func() { _ = enc.Close() })
		return named{enc, s.VectorEncoder()}
	}
	t.Logf("the encoder isn't here (%v): questions get random vectors", err)
	return gauss{s.VectorEncoder(), len(s.Vector(0))}
}

func devQuestions(t *testing.T) []string {
	t.Helper()
	f, err := os.Open(devFile)
	if err != nil {
		t.Skipf("the real questions aren't beside the repository: %v", err)
	}
	defer func() { _ = f.Close() }()
	var list []string
	for in := json.NewDecoder(f); ; {
		var q struct {
			Question string `json:"question"`
		}
		if err := in.Decode(&q); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, q.Question)
	}
}

// TestMilvusParity holds that on the STARD corpus the same questions find the same
// 20 articles in the same order on Milvus as in the embedded store, in every mode
// and for chunks too, and tells what that takes.
func TestMilvusParity(t *testing.T) {
	list := devQuestions(t)
	dir := os.Getenv(envParity)
	if dir == "" {
		t.Skipf("no data folder: ingest the corpus and set %s", envParity)
	}
	server := milvustest.New(t)
	local, err := embedded.Open(filepath.Join(dir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	c := server.Dial(t, milvus.Options{Timeout: 10 * time.Minute})
	start := time.Now()
	if _, err := c.Publish(t.Context(), local, nil); err != nil {
		t.Fatal(err)
	}
	t.Logf("published %d documents in %v; the server holds %d MB", local.Len(), time.Since(start).Round(time.Second), server.Memory(t))
	start = time.Now()
	remote, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("opened in %v", time.Since(start).Round(time.Millisecond))
	enc := encoderOf(t, local)
	here := &Engine{Book: anyID{}, Encoder: enc, Store: func() index.Store { return local }}
	there := &Engine{Book: anyID{}, Encoder: enc, Store: func() index.Store { return remote }}
	granularities := []Granularity{Articles}
	if done, total := local.Vectors(); done == total {
		granularities = append(granularities, Dual)
	}
	for _, by := range granularities {
		for _, mode := range []Mode{BM25, Dense, Hybrid} {
			q := Query{Mode: mode, By: by, K: 20, Pool: 20, Scope: Scope{AsOf: AsOf{Any: true}}}
			parity(t, here, there, q, list)
		}
	}
	t.Logf("the server holds %d MB", server.Memory(t))
}

// parity counts the questions whose hits are the same, and their scores too.
func parity(t *testing.T, here, there *Engine, q Query, list []string) {
	t.Helper()
	same, exact := 0, 0
	var times [2][]time.Duration
	for _, q.Text = range list {
		var found [2]*Result
		for i, e := range []*Engine{here, there} {
			start := time.Now()
			r, err := e.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if r.Mode != q.Mode {
				t.Fatalf("searched by %s instead of %s: %v", r.Mode, q.Mode, r.Notes)
			}
			times[i], found[i] = append(times[i], time.Since(start)), r
		}
		key := func(r *Result, score bool) (k []string) {
			for _, h := range r.Hits {
				if k = append(k, h.ID); score {
					k = append(k, fmt.Sprint(h.Score))
				}
			}
			return k
		}
		if slices.Equal(key(found[0], false), key(found[1], false)) {
			same++
		}
		if slices.Equal(key(found[0], true), key(found[1], true)) {
			exact++
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	at := func(i, percent int) time.Duration {
		return times[i][len(list)*percent/100].Round(100 * time.Microsecond)
	}
	t.Logf("%s by %s: %d of %d questions have the same hits, %d the same scores; p50 %v, on Milvus %v (p95 %v)",
		q.Mode, q.By, same, len(list), exact, at(0, 50), at(1, 50), at(1, 95))
	if 100*same < 99*len(list) {
		t.Errorf("%s by %s: only %d of %d questions have the same hits", q.Mode, q.By, same, len(list))
	}
}
